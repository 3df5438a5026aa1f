// A loss at all documents at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "postil/losses.hpp"
#include "postil/problem.hpp"
#include "postil/sums.hpp"

namespace postil {

// cᵢ f(zᵢ)/n, and its first and second derivative by the score. No sum in the loop, and no arrays that
// may overlap, so that it uses vector instructions.
template <class Loss>
void look_at(Loss loss, std::size_t size, double scale, const float* __restrict labels,
             const double* __restrict weights, const double* __restrict scores,
             double* __restrict values, double* __restrict slopes, double* __restrict curvatures) {
    for (std::size_t i = 0; i < size; ++i) {
        const double label = labels[i], weight = weights[i] * scale;
        const auto point = loss.at(label * scores[i]);
        values[i] = weight * loss.value(point);
        slopes[i] = weight * label * loss.slope(point);
        curvatures[i] = weight * loss.curvature(point);
    }
}

// The dearest of them, with wider instructions where the processor has them: the same operations in
// the same order, so that results do not depend on the processor.
void look_at(LogisticLoss loss, std::size_t size, double scale, const float* __restrict labels,
             const double* __restrict weights, const double* __restrict scores,
             double* __restrict values, double* __restrict slopes, double* __restrict curvatures);

// Whether a loss tells what a share of its slopes leaves of the gap; else it is only bounded.
template <class Loss>
concept knows_slack = requires(Loss loss) { loss.slack_of_share(1.0); };

struct LossView {
    std::vector<double> scores, values, slopes, curvatures;
    double average = 0.0;

    void resize(std::size_t size) {
        for (auto* each : {&scores, &values, &slopes, &curvatures}) each->resize(size);
    }

    template <class Loss>
    void look(const BinaryProblem& problem, const Loss& loss) {
        look_at(loss, problem.size(), 1.0 / problem.documents, problem.labels.data(),
                problem.weights.data(), scores.data(), values.data(), slopes.data(),
                curvatures.data());
        average = summed(values.size(), [&](std::size_t i) { return values[i]; });
    }

    double sum_of_slopes() const {
        return summed(slopes.size(), [&](std::size_t i) { return slopes[i]; });
    }
    double sum_of_curvatures() const {
        return summed(curvatures.size(), [&](std::size_t i) { return curvatures[i]; });
    }

    // No less than (1/n) Σ cᵢ [f(zᵢ) + k(-aᵢ) + aᵢ zᵢ] at a = -s f'(z) (optimality.hpp).
    template <class Loss>
    double slack_of_share(const BinaryProblem& problem, const Loss& loss, double share) const {
        if (share == 1.0) return 0.0;
        if constexpr (knows_slack<Loss>) {
            const auto slack = loss.slack_of_share(share);
            const auto scale = 1.0 / problem.documents;
            return summed(values.size(), [&](std::size_t i) {
                const auto most = (1.0 - share) * values[i];
                const auto known = slack(problem.weights[i] * scale, std::abs(slopes[i]), curvatures[i]);
                return known < most ? std::max(0.0, known) : most;
            });
        }
        return (1.0 - share) * average;
    }
};

}  // namespace postil
