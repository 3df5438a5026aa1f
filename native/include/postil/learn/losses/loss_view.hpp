// A loss at all documents at once.
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

// Whether a loss tells what a dual near its slope leaves of the gap; else it is only bounded.
template <class Loss>
concept knows_slack = requires(Loss loss) { loss.slack(1.0, 0.5, 0.5, 0.25); };

// No less than c [f(z) + k(-a) + az] (optimality.hpp): up to a = -f'(z) it is at most a share of the
// loss, as k is convex and k(0) = 0. All come times c, and as sizes.
template <class Loss>
double slack_at(const Loss& loss, double weight, double dual, double value, double slope,
                double curvature) {
    const auto most = dual <= slope ? (slope - dual) / slope * value : no_bound;
    const auto known = loss.slack(weight, dual, slope, curvature);
    const auto slack = known < most ? std::max(0.0, known) : most;
    return slope > 0.0 || dual > 0.0 ? slack : 0.0;
}

// No less than (1/n) Σ cᵢ [f(zᵢ) + k(-s aᵢ) + s aᵢ zᵢ], the slopes of duals a being cᵢ yᵢ (-aᵢ)/n.
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
    void look(const BinaryProblem& problem, const Loss& loss) {
        look_at(loss, problem.size(), 1.0 / problem.documents, problem.labels.data(),
                problem.weights.data(), scores.data(), values.data(), slopes.data(),
                curvatures.data());
        average = summed(values);
    }

    // What a share of the duals leaves of the gap, or a bound of it. The duals are slopes of the loss, or
    // near them; those of a loss that knows no slack are `shares` of its slopes, by class.
    template <class Loss>
    double slack(const BinaryProblem& problem, const Loss& loss, std::span<const double> duals,
                 double share, const DualShares& shares) const {
        if constexpr (knows_slack<Loss>)
            return slack_of(loss, values.size(), 1.0 / problem.documents, share, problem.weights.data(),
                            duals.data(), values.data(), slopes.data(), curvatures.data());
        else
            return summed(values.size(), [&](std::size_t i) {
                return (1.0 - share * shares(problem.labels[i])) * values[i];
            });
    }
};

}  // namespace postil
