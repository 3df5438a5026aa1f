// The loss of the probit link: f(z) = -ln Φ(z), Φ the normal distribution function.
//
// With h(z) = φ(z)/Φ(z), the inverse of Mills' ratio at -z,
//
//     f' = -h        f'' = h (h + z), which falls from 1 to 0 as z rises
//
// Far below 0 both φ and Φ vanish and h + z cancels. There Laplace's continued fraction gives
// h + z itself, with x = -z:
//
//     h(z) - x = 1/(x + 2/(x + 3/(x + ...)))
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace postil {

struct ProbitLoss {
    static constexpr bool smooth = true;

    double value(double z) const {
        if (z > 0.0) return -std::log1p(-0.5 * std::erfc(z * half_root));
        if (z > far) return -std::log(0.5 * std::erfc(-z * half_root));
        return 0.5 * z * z + log_root_two_pi + std::log(excess(-z) - z);
    }
    double slope(double z) const { return at(z).slope; }
    double curvature(double z) const { return at(z).curvature; }

    // erfc and exp are expensive: one of each for each change of a margin.
    struct Point {
        double margin = 0.0;
        double slope = 0.0;
        double curvature = 0.0;
    };
    Point at(double margin) const {
        if (margin > far) {
            const auto h = density(margin) / (0.5 * std::erfc(-margin * half_root));
            return {margin, -h, h * (h + margin)};
        }
        const auto over = excess(-margin), h = over - margin;
        return {margin, -h, std::min(1.0, h * over)};
    }
    void move(Point& point, double by) const { point = at(point.margin + by); }
    double slope(const Point& point) const { return point.slope; }
    double value(const Point& point) const { return value(point.margin); }
    double curvature(const Point& point) const { return point.curvature; }

    // The curvature decreases everywhere, so its maximum in a trust region is at the lower end.
    struct Reach {
        double distance;
    };
    Reach reach(double distance) const { return {distance}; }
    double bound(const Point& point, Reach reach) const {
        return curvature(std::max(point.margin - reach.distance, -1e100));
    }

    // The supremum of -u a - f(u) is where h(u) = a.
    double conjugate(double a) const {
        if (a <= 0.0) return 0.0;
        const auto u = margin_of(a);
        return -u * a - value(u);
    }
    // With a = h(s) the equation is s = z + q (h(s) - a). The left side minus the right rises with
    // a slope between 1 and 1 + q and is concave, so Newton steps approach the root from below and
    // never overshoot. For huge q they are as short as 1/s, so that hundreds may be needed; usually
    // a few suffice.
    double dual_step(double a, double z, double q) const {
        const auto low = z - q * a;
        const auto high = std::max(z, z + q * (h(z) - a));
        auto s = std::clamp(z, low, high);
        for (int round = 0; round < 2000; ++round) {
            const auto point = at(s);
            const auto over = s - z - q * (-point.slope - a);
            if (std::abs(over) <= 1e-12 * (1.0 + std::abs(s))) break;
            const auto next = std::clamp(s - over / (1.0 + q * point.curvature), low, high);
            if (next == s) break;
            s = next;
        }
        return h(s);
    }
    double violation(double a, double z) const { return a > 0.0 ? std::abs(margin_of(a) - z) : no_limit; }
    bool can_shrink(double, double, double) const { return false; }

private:
    static constexpr double half_root = 1.0 / std::numbers::sqrt2;
    static constexpr double log_root_two_pi = 0.91893853320467274178;
    static constexpr double far = -5.0;  // below this the continued fraction has converged
    static constexpr int depth = 30;
    static constexpr double no_limit = std::numeric_limits<double>::infinity();

    static double density(double z) { return std::exp(-0.5 * z * z - log_root_two_pi); }

    double h(double z) const { return -at(z).slope; }

    // Returns h(-x) - x, for x >= 5.
    static double excess(double x) {
        double fraction = x;
        for (int k = depth; k > 1; --k) fraction = x + k / fraction;
        return 1.0 / fraction;
    }

    // Solves h(u) = a > 0. ln h is concave and falls with slope -(u + h), so Newton steps approach
    // the root from above after the first.
    double margin_of(double a) const {
        const auto goal = std::log(a);
        auto u = a < 0.5 ? std::sqrt(-2.0 * goal) : -a;
        for (int round = 0; round < 100; ++round) {
            const bool is_far = u <= far;
            const auto over = is_far ? excess(-u) : h(u) + u;
            const auto log_h = is_far ? std::log(over - u) : value(u) - 0.5 * u * u - log_root_two_pi;
            const auto next = u + (log_h - goal) / over;
            if (!(std::abs(next - u) > 1e-15 * (1.0 + std::abs(u)))) break;
            u = next;
        }
        return u;
    }
};

}  // namespace postil
