// Losses: functions f of the margin z = y (w·x + b).
//
// Each loss is a struct with the following members:
//
//     smooth          true if the slope is continuous
//     value(z), slope(z) = f'(z), curvature(z) = f''(z); value and slope also take a Point
//     Point           a margin with cached values for its slope and curvature; at(z) makes one,
//                     move(point, by) changes its margin
//     Reach           a trust region of margins; reach(distance) makes one
//     bound(point, reach)   an upper bound of the curvature within the trust region
//     conjugate(a)    k(-a), where k(v) = sup_u (uv - f(u)) is the Legendre transform, a >= 0
//                     where f falls
//     dual_step(a, z, q)    the new a for which k'(-a) = z + q (a_new - a): the exact minimum of
//                     zhang-oles-2001's (**), where z is the margin and q = c‖x‖²/(2λn)
//     violation(a, z) the violation of the optimality condition of a, in units of the margin
//     can_shrink(a, z, slack)   true if a is at a bound and the margin keeps it there
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "postil/learn/losses/elementary.hpp"

namespace postil {

// f(z) = (1 - z)²: least squares, for y² = 1.
struct SquaredLoss {
    static constexpr bool smooth = true;

    double value(double z) const { return (1.0 - z) * (1.0 - z); }
    double slope(double z) const { return 2.0 * (z - 1.0); }
    double curvature(double) const { return 2.0; }

    struct Point {
        double margin = 0.0;
    };
    void move(Point& point, double by) const { point.margin += by; }
    Point at(double margin) const { return {margin}; }
    double slope(const Point& point) const { return slope(point.margin); }
    double value(const Point& point) const { return value(point.margin); }
    double curvature(const Point&) const { return 2.0; }
    struct Reach {};
    Reach reach(double) const { return {}; }
    double bound(const Point&, Reach) const { return 2.0; }

    double conjugate(double a) const { return a * a / 4.0 - a; }
    double dual_step(double a, double z, double q) const {
        return (1.0 - z + q * a) / (0.5 + q);
    }
    double violation(double a, double z) const { return std::abs(1.0 - 0.5 * a - z); }
    bool can_shrink(double, double, double) const { return false; }
};

// f(z) = (1 - z)² for z <= 1, else c (1 - z)²: h of zhang-oles-2001 (eq. 11) with c = 0, and its
// continuation (eq. 13).
struct ModifiedSquaredLoss {
    static constexpr bool smooth = true;
    double beyond = 0.0;  // c

    double value(double z) const { return (z <= 1.0 ? 1.0 : beyond) * (1.0 - z) * (1.0 - z); }
    double slope(double z) const { return (z <= 1.0 ? 2.0 : 2.0 * beyond) * (z - 1.0); }
    double curvature(double z) const { return z <= 1.0 ? 2.0 : 2.0 * beyond; }

    struct Point {
        double margin = 0.0;
    };
    void move(Point& point, double by) const { point.margin += by; }
    Point at(double margin) const { return {margin}; }
    // The side of 1 is unpredictable for the processor, hence no branches.
    double slope(const Point& point) const {
        const auto excess = point.margin - 1.0, size = std::abs(excess);
        return (excess - size) + beyond * (excess + size);
    }
    double value(const Point& point) const { return value(point.margin); }
    double curvature(const Point& point) const { return curvature(point.margin); }
    struct Reach {
        double limit;
        double curvatures[2];  // above the limit, and up to it
    };
    Reach reach(double distance) const { return {1.0 + distance, {2.0 * beyond, 2.0}}; }
    double bound(const Point& point, const Reach& reach) const {
        return reach.curvatures[point.margin <= reach.limit];
    }

    double conjugate(double a) const { return a * a / 4.0 - a; }
    double dual_step(double a, double z, double q) const {
        return std::max(0.0, (1.0 - z + q * a) / (0.5 + q));
    }
    double violation(double a, double z) const {
        const auto slope = 1.0 - 0.5 * a - z;
        return a == 0.0 ? std::max(0.0, slope) : std::abs(slope);
    }
    bool can_shrink(double a, double z, double slack) const { return a == 0.0 && z > 1.0 + slack; }
};

// f(z) = max(0, 1 - z): the support vector machine.
struct HingeLoss {
    static constexpr bool smooth = false;
    double rate = 1.0;  // η of zhang-oles-2001: the share of the full dual step

    double value(double z) const { return std::max(0.0, 1.0 - z); }
    double slope(double z) const { return z < 1.0 ? -1.0 : 0.0; }

    double conjugate(double a) const { return -a; }
    double dual_step(double a, double z, double q) const {
        // A document without terms has q = 0: only its constant loss depends on a.
        if (q == 0.0) return z < 1.0 ? 1.0 : 0.0;
        return std::clamp(a + rate * (1.0 - z) / q, 0.0, 1.0);
    }
    double violation(double a, double z) const {
        if (a == 0.0) return std::max(0.0, 1.0 - z);
        return a == 1.0 ? std::max(0.0, z - 1.0) : std::abs(1.0 - z);
    }
    bool can_shrink(double a, double z, double slack) const {
        return (a == 0.0 && z > 1.0 + slack) || (a == 1.0 && z < 1.0 - slack);
    }
};

// f(z) = max(0, -z): the Perceptron, whose updates are its slopes.
struct PerceptronLoss {
    static constexpr bool smooth = false;

    double value(double z) const { return std::max(0.0, -z); }
    double slope(double z) const { return z < 0.0 ? -1.0 : 0.0; }

    double conjugate(double) const { return 0.0; }
    double dual_step(double a, double z, double q) const {
        if (q == 0.0) return z < 0.0 ? 1.0 : 0.0;
        return std::clamp(a - z / q, 0.0, 1.0);
    }
    double violation(double a, double z) const {
        if (a == 0.0) return std::max(0.0, -z);
        return a == 1.0 ? std::max(0.0, z) : std::abs(z);
    }
    bool can_shrink(double a, double z, double slack) const {
        return (a == 0.0 && z > slack) || (a == 1.0 && z < -slack);
    }
};

// f(z) = ln(1 + exp(-z)).
struct LogisticLoss {
    static constexpr bool smooth = true;
    bool printed_bound = false;  // F of zhang-oles-2001's algorithm 4; else the exact supremum

    double value(double z) const {
        return z > 0.0 ? std::log1p(std::exp(-z)) : std::log1p(std::exp(z)) - z;
    }
    double slope(double z) const { return -1.0 / (1.0 + std::exp(z)); }
    double curvature(double z) const {
        const auto small = std::exp(-std::abs(z));
        return small / ((1.0 + small) * (1.0 + small));
    }

    // Exponentials are expensive: one for each change of a margin.
    struct Point {
        double margin = 0.0;
        double slope = -0.5;
        double small = 1.0;  // exp(-|margin|)
        double curvature = 0.25;
    };
    Point at(double margin) const {
        const auto small = exp_below(-std::abs(margin));
        const auto share = 1.0 / (1.0 + small);
        return {margin, -share * (margin > 0.0 ? small : 1.0), small, small * share * share};
    }
    void move(Point& point, double by) const { point = at(point.margin + by); }
    double slope(const Point& point) const { return point.slope; }
    double value(const Point& point) const {
        return log1p_share(point.small) - std::min(0.0, point.margin);
    }
    double curvature(const Point& point) const { return point.curvature; }

    // Returns a tight upper bound of c [f(z) + k(-a) + az] for a dual a in [0, 1] near q = -f'(z).
    // The exact value is a ln(a/q) + (1 - a) ln((1 - a)/(1 - q)); the bound uses ln(1 + u) <= u (6
    // + u)/(6 + 4u). `dual` is ca, `slope` is cq and `curvature` is c f''(z) = cq (1 - q); NaN or
    // infinite if that is 0.
    static double slack(double weight, double dual, double slope, double curvature) {
        const auto away = dual - slope;
        return dual * logarithm(away, slope) +
               (weight - dual) * logarithm(-away * slope, weight * curvature);
    }

    struct Reach {
        double distance;
        double growth;  // exp(distance)
    };
    Reach reach(double distance) const { return {distance, std::exp(distance)}; }
    double bound(const Point& point, Reach reach) const {
        if (printed_bound) return std::min(0.25, reach.growth * point.curvature);
        if (std::abs(point.margin) <= reach.distance) return 0.25;
        if (std::isinf(reach.growth)) return curvature(std::abs(point.margin) - reach.distance);
        const auto small = point.small * reach.growth;
        return small >= 1.0 ? 0.25 : small / ((1.0 + small) * (1.0 + small));
    }

    // Returns a tight upper bound of ln(1 + over/under).
    static double logarithm(double over, double under) {
        return over * (6.0 * under + over) / (under * (6.0 * under + 4.0 * over));
    }

    double conjugate(double a) const {
        auto term = [](double p) { return p > 0.0 ? p * std::log(p) : 0.0; };
        return term(a) + term(1.0 - a);
    }
    // With a = 1/(1 + exp(s)) the equation is s = z + q (a(s) - a). It has one root, in a bracket
    // of width q, where the left side minus the right rises with a slope between 1 and 1 + q/4.
    double dual_step(double a, double z, double q) const {
        auto share = [](double s) {
            return s > 0.0 ? std::exp(-s) / (1.0 + std::exp(-s)) : 1.0 / (1.0 + std::exp(s));
        };
        auto low = z - q * a, high = z + q * (1.0 - a);
        auto s = std::clamp(z, low, high), last = std::numeric_limits<double>::infinity();
        for (int round = 0; round < 200; ++round) {
            const auto p = share(s);
            const auto excess = s - z - q * (p - a);
            if (std::abs(excess) <= 1e-12 * (1.0 + std::abs(s))) break;
            (excess > 0.0 ? high : low) = s;
            auto next = s - excess / (1.0 + q * p * (1.0 - p));
            // From one flat end a Newton step leads to the other and back: bisect instead.
            const bool is_slow = std::abs(excess) > 0.5 * std::exchange(last, std::abs(excess));
            if (is_slow || !(next > low && next < high)) next = 0.5 * (low + high);
            if (next == s) break;
            s = next;
        }
        return share(s);
    }
    double violation(double a, double z) const { return std::abs(std::log((1.0 - a) / a) - z); }
    bool can_shrink(double, double, double) const { return false; }
};

}  // namespace postil
