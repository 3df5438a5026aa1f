// The duality gap of weights.
//
//     P(w) = (1/n) Σ cᵢ f(zᵢ) + Σⱼ priorⱼ(wⱼ)
//     D(a) = -(1/n) Σ cᵢ k(-aᵢ) - Σⱼ priorⱼ*(vⱼ)        vⱼ = (1/n) Σ cᵢ aᵢ yᵢ xᵢⱼ
//
// D(a) <= P(w) for all a and w. At a = -s f'(z) the gap is a sum of non-negative parts:
//
//     P(w) - D(a) = Σⱼ [priorⱼ(wⱼ) + priorⱼ*(vⱼ) - wⱼ vⱼ] + (1/n) Σ cᵢ [f(zᵢ) + k(-aᵢ) + aᵢ zᵢ]
//
// The share s <= 1 keeps the conjugates of pure Laplace priors finite, and balances the duals of
// the classes if the intercept is unpenalised (dual_balance.hpp), where it may differ by class. At
// s = 1 the second sum is 0; else it is at most (1 - s) times the average loss, because k is convex
// and k(0) = 0.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "postil/learn/problem.hpp"
#include "postil/learn/solvers/dual_balance.hpp"

namespace postil {

// At s = 1, vⱼ is the negative slope of the average loss along a weight. A weight without a prior
// contributes nothing to the gap: its v is zero except for rounding if the duals are balanced.
// `unit` is the unit of the weight's violation, if the KKT residual is the certificate.
class Optimality {
public:
    // First pass over all coordinates: finds the share s.
    void find_share(const Prior& prior, double slope) {
        if (prior.is_bounded()) share_ = std::min(share_, prior.feasible_share(-slope));
    }
    // Second pass over all coordinates: adds up penalty, gap and violations.
    void add(const Prior& prior, double slope, double weight, double unit = 1.0) {
        penalty_ += prior.value(weight);
        if (prior.is_bounded()) gap_ += std::max(0.0, prior.slack(-slope * share_, weight));
        violate(prior, slope, weight, unit);
    }

    // Approximates both passes at once, for weights that change between coordinates.
    void add_approximately(const Prior& prior, double slope, double weight, double unit = 1.0) {
        find_share(prior, slope);
        if (prior.is_bounded())
            gap_ += std::max(0.0, prior.slack(-slope * prior.feasible_share(-slope), weight));
        violate(prior, slope, weight, unit);
    }

    double share() const { return share_; }
    double penalty() const { return penalty_; }
    double largest_violation() const { return largest_; }

    // An upper bound of the gap without another pass over the documents; and the gap with a known
    // value or bound of the second sum.
    double gap_at_most(double average_loss) const { return gap_with((1.0 - share_) * average_loss); }
    double gap_with(double slack_of_share) const { return gap_ + slack_of_share; }

    // The gap, from margin(i) and slope(i) = f'(zᵢ) of every document; the duals are `shares` of
    // the slopes.
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
