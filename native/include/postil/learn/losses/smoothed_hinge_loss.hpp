// The smoothed hinge: g(z) = (1/γ) ln(1 + exp(-γ(z - 1))), zhang-jin-yang-hauptmann-2003, eq. 1.
//
// It exceeds the hinge max(0, 1 - z) by at most ln2/γ (proposition 1). It is expressed by the
// logistic loss L at u = γ(z - 1):
//
//     g = L(u)/γ     g' = L'(u)     g'' = γ L''(u)     k(-a) = -a + k_L(-a)/γ
//
// and the dual step k'(-a) = z + q (a - old) is that of L at u, with γq for q.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "postil/learn/losses/losses.hpp"

namespace postil {

struct SmoothedHingeLoss {
    static constexpr bool smooth = true;
    double gamma = 200.0;

    double value(double z) const { return logistic.value(inner(z)) / gamma; }
    double slope(double z) const { return logistic.slope(inner(z)); }
    double curvature(double z) const { return gamma * logistic.curvature(inner(z)); }
    // The maximum excess over the hinge.
    double excess() const { return std::numbers::ln2 / gamma; }

    struct Point {
        double margin = 0.0;
        LogisticLoss::Point inner;
    };
    Point at(double margin) const { return {margin, logistic.at(inner(margin))}; }
    void move(Point& point, double by) const { point = at(point.margin + by); }
    double slope(const Point& point) const { return point.inner.slope; }
    double value(const Point& point) const { return logistic.value(point.inner) / gamma; }
    double curvature(const Point& point) const { return gamma * point.inner.curvature; }

    // As in LogisticLoss; `curvature` is that of a Point, γ times that of L.
    double slack(double weight, double dual, double slope, double curvature) const {
        return logistic.slack(weight, dual, slope, curvature / gamma) / gamma;
    }

    using Reach = LogisticLoss::Reach;
    Reach reach(double distance) const { return logistic.reach(gamma * distance); }
    double bound(const Point& point, Reach reach) const {
        // A Point has no exponentials below exp(-708).
        const auto nearest = std::abs(point.inner.margin) - reach.distance;
        return gamma * (nearest > far ? logistic.curvature(nearest) : logistic.bound(point.inner, reach));
    }

    double conjugate(double a) const { return logistic.conjugate(a) / gamma - a; }
    double dual_step(double a, double z, double q) const {
        return logistic.dual_step(a, inner(z), gamma * q);
    }
    double violation(double a, double z) const {
        // Duals of exactly 0 or 1 stand for all values that round to them.
        if (a == 0.0) return std::max(0.0, most_margin - inner(z)) / gamma;
        if (a == 1.0) return std::max(0.0, inner(z) - least_margin) / gamma;
        return logistic.violation(a, inner(z)) / gamma;
    }
    bool can_shrink(double a, double z, double slack) const {
        return (a == 0.0 && inner(z) > most_margin + gamma * slack) ||
               (a == 1.0 && inner(z) < least_margin - gamma * slack);
    }

private:
    static constexpr LogisticLoss logistic{};
    static constexpr double far = 700.0;
    // Beyond these margins 1/(1 + exp(u)) is 0 or 1 in double precision.
    static constexpr double most_margin = 745.0, least_margin = -37.0;

    double inner(double z) const { return gamma * (z - 1.0); }
};

}  // namespace postil
