// A line search: finds the minimum of a convex function of one number, to a share of its initial
// slope.
//
// The caller evaluates slope and curvature at at() and passes them to update() until done(). A
// Newton step is taken if it stays inside the bracket and the last step halved the slope; else
// regula falsi and bisection alternate.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace postil {

class SlopeSearch {
public:
    // Starts at t = 0, where the slope is negative, and searches for a slope of at most `share` of
    // it. The first step is at most `most`.
    void begin(double slope, double curvature, double share, double most) {
        goal_ = share * std::abs(slope);
        low_ = 0.0;
        low_slope_ = slope;
        high_ = none;
        rounds_ = 0;
        last_ = std::abs(slope);
        at_ = curvature > 0.0 ? std::min(-slope / curvature, most) : most;
        if (std::isinf(at_)) at_ = 1.0;
        done_ = !(slope < 0.0 && at_ > 0.0);
        if (done_) at_ = 0.0;
    }

    bool done() const { return done_; }
    double at() const { return at_; }

    void update(double slope, double curvature) {
        const auto size = std::abs(slope);
        if (size <= goal_) {
            done_ = true;
            return;
        }
        const bool is_low = slope < 0.0;
        if (is_low) {
            low_ = at_;
            low_slope_ = slope;
        } else {
            high_ = at_;
            high_slope_ = slope;
        }
        // If rounding leaves no point between the ends, or on NaN, stop where the function still
        // falls.
        auto next = choose(slope, curvature, size <= 0.5 * last_);
        last_ = size;
        if (++rounds_ == most_rounds || !(next > low_ && next < high_)) {
            at_ = low_;
            done_ = true;
            return;
        }
        at_ = next;
    }

private:
    double choose(double slope, double curvature, bool is_fast) const {
        const auto newton = curvature > 0.0 ? at_ - slope / curvature : none;
        if (std::isinf(high_)) return std::min(newton, growth * at_);
        if (is_fast && newton > low_ && newton < high_) return newton;
        const auto chord = low_ - low_slope_ * (high_ - low_) / (high_slope_ - low_slope_);
        const auto middle = 0.5 * (low_ + high_);
        return rounds_ % 2 == 0 && chord > low_ && chord < high_ ? chord : middle;
    }

    static constexpr double none = std::numeric_limits<double>::infinity();
    static constexpr double growth = 10.0;  // of a step while the bracket has no upper end
    static constexpr int most_rounds = 100;

    double goal_ = 0.0, at_ = 0.0, last_ = 0.0;
    double low_ = 0.0, high_ = none, low_slope_ = 0.0, high_slope_ = 0.0;
    int rounds_ = 0;
    bool done_ = true;
};

}  // namespace postil
