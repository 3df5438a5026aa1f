// How far weights are from the best: the gap between the objective and its dual.
//
//     P(w) = (1/n) Σ cᵢ f(zᵢ) + Σⱼ priorⱼ(wⱼ)
//     D(a) = -(1/n) Σ cᵢ k(-aᵢ) - Σⱼ priorⱼ*(vⱼ)        vⱼ = (1/n) Σ cᵢ aᵢ yᵢ xᵢⱼ
//
// D(a) <= P(w) for all a and w. At a = -s f'(z) the gap falls into parts that are never negative:
//
//     P(w) - D(a) = Σⱼ [priorⱼ(wⱼ) + priorⱼ*(vⱼ) - wⱼ vⱼ] + (1/n) Σ cᵢ [f(zᵢ) + k(-aᵢ) + aᵢ zᵢ]
//
// The share s <= 1 keeps the conjugates finite where an absolute value alone holds a weight back, and
// balances the classes' duals where the intercept is free (dual_balance.hpp): it may differ by class. At
// s = 1 the second sum is 0; else it is at most (1 - s) times the average loss, as k is convex and
// k(0) = 0.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "postil/learn/problem.hpp"
#include "postil/learn/solvers/dual_balance.hpp"

namespace postil {

// vⱼ at s = 1 is the slope of the average loss along a weight with its sign changed. A weight without a
// prior adds nothing to the gap: balanced duals pull it with rounding alone. `unit` is that of the
// weight's violation, where the KKT residual is the certificate.
class Optimality {
public:
    // First for every coordinate...
    void limit(const Prior& prior, double slope) {
        if (prior.holds()) share_ = std::min(share_, prior.feasible_share(-slope));
    }
    // ...then once more.
    void add(const Prior& prior, double slope, double weight, double unit = 1.0) {
        penalty_ += prior.value(weight);
        if (prior.holds()) gap_ += std::max(0.0, prior.slack(-slope * share_, weight));
        violate(prior, slope, weight, unit);
    }

    // Both at once, for a point that moves on between coordinates: nearly the same.
    void meet(const Prior& prior, double slope, double weight, double unit = 1.0) {
        limit(prior, slope);
        if (prior.holds())
            gap_ += std::max(0.0, prior.slack(-slope * prior.feasible_share(-slope), weight));
        violate(prior, slope, weight, unit);
    }

    double share() const { return share_; }
    double penalty() const { return penalty_; }
    double largest_violation() const { return largest_; }

    // No less than the gap, without another look at the documents; or with what the second sum is at
    // most, if that is known better.
    double gap_at_most(double average_loss) const { return gap_with((1.0 - share_) * average_loss); }
    double gap_with(double slack_of_share) const { return gap_ + slack_of_share; }

    // The gap, from margin(i) and slope(i) = f'(zᵢ) of every document; `shares` of the slopes are duals.
    template <class Loss, class Margin, class Slope>
    double gap(const BinaryProblem& problem, const Loss& loss, const DualShares& shares,
               Margin&& margin, Slope&& slope) const {
        if (share_ == 1.0 && shares.are_whole()) return gap_;
        double sum = 0.0;
        for (std::size_t i = 0; i < problem.size(); ++i) {
            if (problem.weights[i] == 0.0) continue;
            const auto z = margin(i), a = -share_ * shares(problem.labels[i]) * slope(i);
            sum += problem.weights[i] * std::max(0.0, loss.value(z) + loss.conjugate(a) + a * z);
        }
        return gap_ + sum / problem.documents;
    }

private:
    void violate(const Prior& prior, double slope, double weight, double unit) {
        if (unit > 0.0) largest_ = std::max(largest_, prior.violation(slope, weight) / unit);
    }

    double share_ = 1.0;
    double penalty_ = 0.0;
    double gap_ = 0.0;
    double largest_ = 0.0;
};

}  // namespace postil
