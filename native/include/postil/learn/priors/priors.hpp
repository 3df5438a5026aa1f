// Priors (penalties): functions of one weight, added to the average loss.
//
//     prior(w) = a |w - m| + b (w - m)²   for low <= w <= high, else infinite
//
// b alone is ridge (Gaussian), a alone the lasso (Laplace), both the elastic net; m is the prior's
// mean (its mode); a bound at m makes of the Laplace prior an exponential one.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace postil {

inline constexpr double no_bound = std::numeric_limits<double>::infinity();

struct Prior {
    double absolute = 0.0;  // a
    double squared = 0.0;   // b
    double mean = 0.0;
    double low = -no_bound;
    double high = no_bound;

    double value(double weight) const {
        const auto away = weight - mean;
        return absolute * std::abs(away) + squared * away * away;
    }

    // The change of w that minimises slope·d + curvature·d²/2 + prior(w + d).
    double step(double slope, double curvature, double weight) const {
        const auto steepness = curvature + 2.0 * squared;
        if (!(steepness > 0.0)) return along(slope, weight);
        const auto pull = slope + 2.0 * squared * (weight - mean);
        return clamped(towards(pull, steepness, weight - mean), weight);
    }

    // How far 0 is from the subgradient of slope·w + prior(w): the optimality condition's violation.
    double violation(double slope, double weight) const {
        const auto away = weight - mean;
        const auto pull = slope + 2.0 * squared * away;
        auto least = pull - absolute, most = pull + absolute;  // the subgradient, an interval
        if (away > 0.0) least = most;
        if (away < 0.0) most = least;
        if (weight <= low) least = -no_bound;
        if (weight >= high) most = no_bound;
        return std::max({0.0, least, -most});
    }

    // The conjugate sup_w (v w - prior(w)); infinite where nothing holds w back.
    double conjugate(double v) const {
        auto best = rest();
        const auto excess = std::abs(v) - absolute;
        if (excess > 1e-12 * absolute) {  // the feasible share of a pull may be rounded up
            const auto away = squared > 0.0 ? excess / (2.0 * squared) : no_bound;
            best = std::clamp(mean + std::copysign(away, v), low, high);
        }
        return std::isinf(best) ? no_bound : v * best - value(best);
    }

    // The greatest share of v for which the conjugate is finite.
    double feasible_share(double v) const {
        if (squared > 0.0 || std::abs(v) <= absolute) return 1.0;
        if (std::isfinite(v > 0.0 ? high : low)) return 1.0;
        return absolute / std::abs(v);
    }

    // prior(w) + conjugate(v) - w v: never negative, and 0 where v pulls as much as the prior holds.
    double slack(double v, double weight) const {
        if (absolute == 0.0 && low == -no_bound && high == no_bound) {
            if (squared == 0.0) return v == 0.0 ? 0.0 : no_bound;
            const auto pull = v - 2.0 * squared * (weight - mean);
            return pull * pull / (4.0 * squared);
        }
        return value(weight) + conjugate(v) - weight * v;
    }

    // Whether a weight cannot run away, whatever pulls: then the conjugate is finite somewhere around 0.
    bool holds() const {
        return absolute > 0.0 || squared > 0.0 || (std::isfinite(low) && std::isfinite(high));
    }

    // Where a weight rests that nothing pulls.
    double rest() const { return std::clamp(mean, low, high); }

private:
    // Without curvature: to the mean, or as far as a bound lets it go.
    double along(double slope, double weight) const {
        if (absolute == 0.0 && slope == 0.0) return 0.0;
        if (std::abs(slope) <= absolute) return clamped(mean - weight, weight);
        const auto bound = slope > 0.0 ? low : high;
        return std::isfinite(bound) ? bound - weight : 0.0;
    }

    // Without bounds: soft thresholding around the mean.
    double towards(double pull, double steepness, double away) const {
        if (absolute == 0.0) return -pull / steepness;
        const auto target = steepness * away - pull;
        if (std::abs(target) <= absolute) return -away;
        return (target - std::copysign(absolute, target)) / steepness - away;
    }

    double clamped(double step, double from) const {
        if (low == -no_bound && high == no_bound) return step;
        return std::clamp(from + step, low, high) - from;
    }
};

}  // namespace postil
