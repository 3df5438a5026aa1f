// Checks priors of one weight against numerical search.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../ledger.hpp"
#include "../random.hpp"
#include "postil/learn/priors/priors.hpp"

namespace postil::tests {

class PriorChecks {
public:
    PriorChecks(Ledger& ledger, Random& random) : ledger_(ledger), random_(random) {}

    void run() {
        prior_ = random_prior();
        weight_ = std::clamp(number(), prior_.low, prior_.high);
        slope_ = number();
        check_value();
        check_step();
        check_violation();
        check_conjugate();
        check_share();
        check_slack();
    }

private:
    double number() { return random_.pick(std::vector<double>{-3.0, -0.7, -0.01, 0.0, 0.0, 0.02, 1.0, 2.5}); }

    Prior random_prior() {
        Prior prior;
        prior.absolute = random_.pick(std::vector<double>{0.0, 0.5, 1.0, 1e-3});
        prior.squared = random_.pick(std::vector<double>{0.0, 0.3, 2.0, 1e-3});
        prior.mean = number();
        if (random_.one_in(3)) prior.low = prior.mean - random_.pick(std::vector<double>{0.0, 0.5});
        if (random_.one_in(3)) prior.high = prior.mean + random_.pick(std::vector<double>{0.0, 0.5});
        return prior;
    }

    bool allows(double weight) const { return prior_.low <= weight && weight <= prior_.high; }

    // Weights near and far, within the bounds.
    std::vector<double> tried() const {
        std::vector<double> weights{prior_.mean, weight_};
        for (int k = -400; k <= 400; ++k) weights.push_back(prior_.mean + 0.05 * k);
        for (int k = -400; k <= 400; ++k) weights.push_back(weight_ + 0.001 * k);
        for (const auto bound : {prior_.low, prior_.high})
            if (std::isfinite(bound)) weights.push_back(bound);
        std::erase_if(weights, [&](double weight) { return !allows(weight); });
        return weights;
    }

    void check_value() {
        const auto away = weight_ - prior_.mean;
        const auto expected = prior_.absolute * std::abs(away) + prior_.squared * away * away;
        ledger_.check(prior_.value(weight_) == expected, "a prior's value is its formula");
        ledger_.check(allows(prior_.mode()) && prior_.value(prior_.mode()) == 0.0,
                      "the mode has no penalty");
    }

    // No other change within the bounds is better.
    void check_step() {
        const auto curvature = random_.pick(std::vector<double>{0.0, 0.1, 1.0, 5.0});
        const bool is_held = curvature + prior_.squared > 0.0 || std::abs(slope_) <= prior_.absolute ||
                             std::isfinite(slope_ > 0.0 ? prior_.low : prior_.high);
        const auto step = prior_.step(slope_, curvature, weight_);
        ledger_.check(!std::isnan(step), "a step is a number");
        if (!is_held) return;
        auto cost = [&](double change) {
            return slope_ * change + curvature * change * change / 2.0 + prior_.value(weight_ + change);
        };
        ledger_.check(std::isfinite(step) && weight_ + step >= prior_.low - 1e-12 &&
                          weight_ + step <= prior_.high + 1e-12,
                      "a step ends within the bounds");
        const auto best = cost(step);
        for (const auto weight : tried())
            ledger_.check(best <= cost(weight - weight_) + 1e-9 * (1.0 + std::abs(best)),
                          "no other step is better");
    }

    // By the change of the penalty on either side.
    void check_violation() {
        auto cost = [&](double weight) { return slope_ * weight + prior_.value(weight); };
        const auto apart = 1e-6;
        double expected = 0.0;
        for (const auto side : {-apart, apart})
            if (allows(weight_ + side))
                expected = std::max(expected, (cost(weight_) - cost(weight_ + side)) / apart);
        ledger_.check(std::abs(prior_.violation(slope_, weight_) - expected) <= 1e-4,
                      "a violation is the steepest descent");
    }

    void check_conjugate() {
        const auto conjugate = prior_.conjugate(slope_);
        double best = -no_bound;
        for (const auto weight : tried()) best = std::max(best, slope_ * weight - prior_.value(weight));
        ledger_.check(conjugate >= best - 1e-9 * (1.0 + std::abs(best)), "a conjugate is an upper bound");
        if (std::isinf(conjugate)) {
            const auto far = prior_.mean + std::copysign(1e9, slope_);
            ledger_.check(allows(far) && slope_ * far - prior_.value(far) > 1e5,
                          "an infinite conjugate is approached by weights");
            return;
        }
        ledger_.check(conjugate <= sup(slope_) + 1e-6 * (1.0 + std::abs(conjugate)),
                      "a conjugate is the least bound");
    }

    // By golden bracketing: the function is concave.
    double sup(double v) const {
        auto height = [&](double weight) { return v * weight - prior_.value(weight); };
        auto low = std::max(prior_.low, -1e5), high = std::min(prior_.high, 1e5);
        for (int round = 0; round < 200; ++round) {
            const auto left = low + (high - low) / 3.0, right = high - (high - low) / 3.0;
            if (height(left) > height(right)) high = right;
            else low = left;
        }
        return std::max(height((low + high) / 2.0), height(prior_.mode()));
    }

    void check_share() {
        const auto share = prior_.feasible_share(slope_);
        ledger_.check(share >= 0.0 && share <= 1.0, "a share is from 0 to 1");
        ledger_.check(std::isfinite(prior_.conjugate(slope_ * share)), "a share makes the conjugate finite");
        if (share < 1.0)
            ledger_.check(std::isinf(prior_.conjugate(slope_ * (share * 1.01 + 1e-9))),
                          "a greater share makes the conjugate infinite");
    }

    void check_slack() {
        const auto share = prior_.feasible_share(slope_);
        const auto slack = prior_.slack(slope_ * share, weight_);
        ledger_.check(std::isfinite(slack) && slack >= -1e-12 * (1.0 + prior_.value(weight_)),
                      "a slack is finite and at least 0");
        const auto away = weight_ - prior_.mean;
        auto pull = 2.0 * prior_.squared * away;
        if (away == 0.0) pull += prior_.absolute * random_.pick(std::vector<double>{-1.0, 0.0, 0.4, 1.0});
        else pull += std::copysign(prior_.absolute, away);
        ledger_.check(std::abs(prior_.slack(pull, weight_)) <= 1e-9 * (1.0 + prior_.value(weight_)),
                      "the slack is 0 in the subgradient");
        ledger_.check(prior_.violation(-pull, weight_) <= 1e-12 * (1.0 + std::abs(pull)),
                      "the violation is 0 in the subgradient");
    }

    Ledger& ledger_;
    Random& random_;
    Prior prior_;
    double weight_ = 0.0, slope_ = 0.0;
};

}  // namespace postil::tests
