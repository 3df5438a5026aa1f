#include "postil/learn/losses/loss_view.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "../wide.hpp"

namespace postil {

namespace {

constexpr std::size_t block = 8;  // documents

bool are_alike(const float* labels, const double* scores) {
    bool alike = true;
    for (std::size_t k = 1; k < block; ++k)
        alike &= (scores[k] == scores[0]) & (labels[k] == labels[0]);
    return alike;
}

}  // namespace

// Documents without any non-zero-weight term have the same score. If few terms have weights, as in
// a rare category, these are most documents, and their loss is computed once.
POSTIL_WIDE void evaluate_loss(LogisticLoss loss, std::size_t size, double scale,
                         const float* __restrict labels, const double* __restrict weights,
                         const double* __restrict scores, double* __restrict values,
                         double* __restrict slopes, double* __restrict curvatures) {
    const auto store = [&](std::size_t i, double label, const LogisticLoss::Point& point, double value) {
        const double weight = weights[i] * scale;
        values[i] = weight * value;
        slopes[i] = weight * label * loss.slope(point);
        curvatures[i] = weight * loss.curvature(point);
    };
    std::size_t i = 0;
    double known_margin = 0.0;
    auto known = loss.at(known_margin);
    auto value = loss.value(known);
    for (; i + block <= size; i += block) {
        if (are_alike(labels + i, scores + i)) {
            const double label = labels[i], margin = label * scores[i];
            if (margin != known_margin) {
                known = loss.at(known_margin = margin);
                value = loss.value(known);
            }
            for (std::size_t k = 0; k < block; ++k) store(i + k, label, known, value);
            continue;
        }
        for (std::size_t k = 0; k < block; ++k) {
            const double label = labels[i + k];
            const auto point = loss.at(label * scores[i + k]);
            store(i + k, label, point, loss.value(point));
        }
    }
    for (; i < size; ++i) {
        const double label = labels[i];
        const auto point = loss.at(label * scores[i]);
        store(i, label, point, loss.value(point));
    }
}

POSTIL_WIDE double slack_of(LogisticLoss loss, std::size_t size, double scale, double share,
                            const double* __restrict weights, const double* __restrict duals,
                            const double* __restrict values, const double* __restrict slopes,
                            const double* __restrict curvatures) {
    double sum = 0.0, parts[64];
    for (std::size_t first = 0; first < size; first += std::size(parts)) {
        const auto count = std::min(std::size(parts), size - first);
        // No sum in the loop, so that it is vectorized.
        for (std::size_t k = 0; k < count; ++k) {
            const auto i = first + k;
            parts[k] = slack_at(loss, weights[i] * scale, share * std::abs(duals[i]), values[i],
                                std::abs(slopes[i]), curvatures[i]);
        }
        sum += summed({parts, count});
    }
    return sum;
}

}  // namespace postil
