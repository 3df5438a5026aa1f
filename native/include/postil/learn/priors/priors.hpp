// Priors (penalties): functions of one weight, added to the average loss.
//
//     prior(w) = a |w - m| + b (w - m)²   for low <= w <= high, else infinite
//
// b alone is ridge (Gaussian), a alone the lasso (Laplace), both the elastic net. m is the mean
// (and mode) of the prior. A bound at m turns the Laplace prior into an exponential one.
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

    // Returns the change d of w that minimises slope·d + curvature·d²/2 + prior(w + d).
    double step(double slope, double curvature, double weight) const {
        const auto steepness = curvature + 2.0 * squared;
        if (!(steepness > 0.0)) return along(slope, weight);
        const auto pull = slope + 2.0 * squared * (weight - mean);
        return clamped(towards(pull, steepness, weight - mean), weight);
    }

    // Returns the distance of 0 from the subgradient of slope·w + prior(w): the violation of the
    // optimality condition.
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

    // Returns the conjugate sup_w (v w - prior(w)); infinite if w is unbounded.
    double conjugate(double v) const {
        auto best = mode();
        const auto excess = std::abs(v) - absolute;
        if (excess > 1e-12 * absolute) {  // the feasible share may have been rounded up
            const auto away = squared > 0.0 ? excess / (2.0 * squared) : no_bound;
            best = std::clamp(mean + std::copysign(away, v), low, high);
        }
        return std::isinf(best) ? no_bound : v * best - value(best);
    }

    // Returns the greatest share of v for which the conjugate is finite.
    double feasible_share(double v) const {
        if (squared > 0.0 || std::abs(v) <= absolute) return 1.0;
        if (std::isfinite(v > 0.0 ? high : low)) return 1.0;
        return absolute / std::abs(v);
    }

    // Returns prior(w) + conjugate(v) - w v: never negative, and 0 if v is in the subgradient at w.
    double slack(double v, double weight) const {
        if (absolute == 0.0 && low == -no_bound && high == no_bound) {
            if (squared == 0.0) return v == 0.0 ? 0.0 : no_bound;
            const auto pull = v - 2.0 * squared * (weight - mean);
            return pull * pull / (4.0 * squared);
        }
        return value(weight) + conjugate(v) - weight * v;
    }

    // Returns true if the prior bounds the weight, so that the conjugate is finite in an interval
    // around 0.
    bool is_bounded() const {
        return absolute > 0.0 || squared > 0.0 || (std::isfinite(low) && std::isfinite(high));
    }

    // Returns the mode: the weight that minimises the prior.
    double mode() const { return std::clamp(mean, low, high); }

private:
    // The step without curvature: to the mean, or to a bound.
    double along(double slope, double weight) const {
        if (absolute == 0.0 && slope == 0.0) return 0.0;
        if (std::abs(slope) <= absolute) return clamped(mean - weight, weight);
        const auto bound = slope > 0.0 ? low : high;
        return std::isfinite(bound) ? bound - weight : 0.0;
    }

    // The step without bounds: soft thresholding around the mean.
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
