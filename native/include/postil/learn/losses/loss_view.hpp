// The loss of all documents at their current scores.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "postil/learn/losses/losses.hpp"
#include "postil/learn/problem.hpp"
#include "postil/learn/solvers/dual_balance.hpp"
#include "postil/learn/sums.hpp"

namespace postil {

// Computes cᵢ f(zᵢ)/n and its first and second derivative with respect to the score. The loop has
// no sum and no overlapping arrays, so that it is vectorized.
template <class Loss>
void evaluate_loss(Loss loss, std::size_t size, double scale, const float* __restrict labels,
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

// The most expensive loss, with AVX2 where the processor has it: the same operations in the same
// order, so that results do not depend on the processor.
void evaluate_loss(LogisticLoss loss, std::size_t size, double scale, const float* __restrict labels,
             const double* __restrict weights, const double* __restrict scores,
             double* __restrict values, double* __restrict slopes, double* __restrict curvatures);

// Losses that bound the gap of a dual variable near their slope tightly.
template <class Loss>
concept has_slack = requires(Loss loss) { loss.slack(1.0, 0.5, 0.5, 0.25); };

// Returns an upper bound of c [f(z) + k(-a) + az] (optimality.hpp). For a <= -f'(z) it is at most a
// share of the loss, because k is convex and k(0) = 0. All arguments are multiplied by c, and
// absolute values.
template <class Loss>
double slack_at(const Loss& loss, double weight, double dual, double value, double slope,
                double curvature) {
    const auto most = dual <= slope ? (slope - dual) / slope * value : no_bound;
    const auto known = loss.slack(weight, dual, slope, curvature);
    const auto slack = known < most ? std::max(0.0, known) : most;
    return slope > 0.0 || dual > 0.0 ? slack : 0.0;
}

// Returns an upper bound of (1/n) Σ cᵢ [f(zᵢ) + k(-s aᵢ) + s aᵢ zᵢ]; `duals` holds cᵢ yᵢ (-aᵢ)/n.
template <class Loss>
double slack_of(Loss loss, std::size_t size, double scale, double share,
                const double* __restrict weights, const double* __restrict duals,
                const double* __restrict values, const double* __restrict slopes,
                const double* __restrict curvatures) {
    return summed(size, [&](std::size_t i) {
        return slack_at(loss, weights[i] * scale, share * std::abs(duals[i]), values[i],
                        std::abs(slopes[i]), curvatures[i]);
    });
}
double slack_of(LogisticLoss loss, std::size_t size, double scale, double share,
                const double* __restrict weights, const double* __restrict duals,
                const double* __restrict values, const double* __restrict slopes,
                const double* __restrict curvatures);

struct LossView {
    std::vector<double> scores, values, slopes, curvatures;
    double average = 0.0;

    void resize(std::size_t size) {
        for (auto* each : {&scores, &values, &slopes, &curvatures}) each->resize(size);
    }

    template <class Loss>
    void evaluate(const BinaryProblem& problem, const Loss& loss) {
        evaluate_loss(loss, problem.size(), 1.0 / problem.documents, problem.labels.data(),
                problem.weights.data(), scores.data(), values.data(), slopes.data(),
                curvatures.data());
        average = summed(values);
    }

    // Returns an upper bound of the documents' part of the gap at `share` times the duals. The
    // duals are slopes of the loss, or close to them; for a loss without `slack` they are `shares`
    // of its slopes, by class.
    template <class Loss>
    double slack(const BinaryProblem& problem, const Loss& loss, std::span<const double> duals,
                 double share, const DualShares& shares) const {
        if constexpr (has_slack<Loss>)
            return slack_of(loss, values.size(), 1.0 / problem.documents, share, problem.weights.data(),
                            duals.data(), values.data(), slopes.data(), curvatures.data());
        else
            return summed(values.size(), [&](std::size_t i) {
                return (1.0 - share * shares(problem.labels[i])) * values[i];
            });
    }
};

}  // namespace postil
