// The weights of Winnow: w = unit (exp(θ) - exp(-θ)) (online.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "postil/learn/lanes/lane_terms.hpp"
#include "postil/learn/lanes/lanes.hpp"
#include "postil/learn/lanes/power_move.hpp"
#include "postil/learn/priors/entropy_prior.hpp"
#include "postil/system/cache_lines.hpp"

namespace postil {

// An update multiplies exp(θ) of a term by a factor that is the same for all terms of equal value
// in a document; θ is its logarithm. A lane is `far` once exp(θ) would leave the range of double
// precision: it then stores θ itself and exp(θ - shift).
template <std::size_t Lanes>
class MultiplicativeState {
public:
    MultiplicativeState(const UsableTerms<Lanes>& usable, const EntropyPrior& prior)
        : usable_(usable), prior_(prior), powers_((usable.terms() + 1) * Lanes),
          weights_(powers_.size()) {
        for (std::size_t lane = 0; lane < Lanes; ++lane) {
            for (std::size_t term = 0; term <= usable.terms(); ++term)
                starts_[lane] += usable(term, lane);
            if (!prior.positive) starts_[lane] *= 2.0;
            totals_[lane] = prior.total > 0.0 ? prior.total : prior.mu * starts_[lane];
        }
        set_exponents(std::vector<double>(powers_.size()));
    }

    void score(const Visited& document, LaneValues<Lanes>& scores) const {
        const auto* last = weights_.data() + usable_.terms() * Lanes;
        for (std::size_t lane = 0; lane < Lanes; ++lane) scores[lane] = document.constant * last[lane];
        add_products<Lanes>(document.row, weights_.data(), scores.data());
        for (std::size_t lane = 0; lane < Lanes; ++lane) {
            scores[lane] = is_far_[lane] ? far_score(document, lane) : scores[lane] * units_[lane];
            scores[lane] -= prior_.threshold;
        }
    }

    void update(const Visited& document, const LaneValues<Lanes>& by) {
        move_powers(document, by);
        if (prior_.kind == Entropy::normalised)
            for (std::size_t lane = 0; lane < Lanes; ++lane)
                if (by[lane] != 0.0) refresh_sum(lane);
    }

    // Computes the second derivative of the conjugate along the document: Σ w x² of both signs,
    // minus the square of the mean if weights are normalised. A step is reliable while no factor
    // exceeds e.
    void steepness(const Visited& document, LaneValues<Lanes>& out, double& reach) const {
        LaneValues<Lanes> scores;
        score(document, scores);
        out.fill(0.0);
        for_each(document, [&](std::size_t term, double x) {
            const auto* powers = powers_.data() + term * Lanes;
            for (std::size_t lane = 0; lane < Lanes; ++lane)
                out[lane] += x * x * (powers[lane] + opposite(term, lane));
        });
        for (std::size_t lane = 0; lane < Lanes; ++lane) {
            out[lane] *= units_[lane];
            if (prior_.kind == Entropy::normalised) {
                const auto score = scores[lane] + prior_.threshold;
                out[lane] = std::max(out[lane] - score * score / totals_[lane], 1e-12 * out[lane]);
            }
            // Terms far below others have almost no weight, but unlike documents without terms they
            // can move.
            constexpr auto least = std::numeric_limits<double>::min();
            if (!(out[lane] >= least)) out[lane] = has_terms(document, lane) ? least : 0.0;
        }
        reach = document.largest > 0.0 ? 1.0 / document.largest : 0.0;
    }

    // Sets weights, sums and units from exponents by term and lane.
    void set_exponents(const std::vector<double>& exponents) {
        for (std::size_t lane = 0; lane < Lanes; ++lane)
            set_lane(lane, [&](std::size_t term) { return exponents[term * Lanes + lane]; });
    }

    double weight(std::size_t term, std::size_t lane) const {
        const auto at = term * Lanes + lane;
        if (!is_far_[lane]) return weights_[at] * units_[lane];
        // From θ itself: relative to the largest power it may underflow, but not by itself.
        if (!usable_(term, lane)) return 0.0;
        const auto theta = exponents_[at];
        return far_power(theta, lane) - (prior_.positive ? 0.0 : far_power(-theta, lane));
    }
    // w = unit (exp(θ) - exp(-θ)), or unit exp(θ). Returns 0 if a normalised lane is so far, up or
    // down, that the weights do not determine θ.
    double unit(std::size_t lane) const {
        if (prior_.kind != Entropy::normalised) return prior_.mu;
        if (!is_far_[lane]) return units_[lane];
        const auto unit = far_power(0.0, lane);
        return std::isfinite(unit) ? unit : 0.0;
    }
    double threshold() const { return prior_.threshold; }

    // μ Σ (exp(±θ) - 1), or normalised W ln(Σ exp(±θ)/d) (entropy_prior.hpp).
    double conjugate(std::size_t lane) const {
        if (starts_[lane] == 0.0) return 0.0;
        if (prior_.kind == Entropy::normalised)
            return totals_[lane] * (std::log(sums_[lane] / starts_[lane]) + shifts_[lane]);
        double sum = 0.0;
        for (std::size_t term = 0; term <= usable_.terms(); ++term) {
            if (!usable_(term, lane)) continue;
            const auto theta = exponent(term, lane);
            if (!is_far_[lane]) sum += prior_.conjugate(theta);
            else if (prior_.positive) sum += far_power(theta, lane) - prior_.mu;
            else sum += far_power(theta, lane) + far_power(-theta, lane) - 2.0 * prior_.mu;
        }
        return sum;
    }

private:
    static constexpr double far = 300.0;  // exp(far) squared is still a double

    template <class Visit>
    void for_each(const Visited& document, Visit&& visit) const {
        for (std::size_t k = 0; k < document.row.size; ++k)
            visit(static_cast<std::size_t>(document.row.places[k]),
                  static_cast<double>(document.row.values[k]));
        if (document.constant != 0.0) visit(usable_.terms(), document.constant);
    }

    bool has_terms(const Visited& document, std::size_t lane) const {
        bool found = false;
        for_each(document, [&](std::size_t term, double) { found |= usable_(term, lane); });
        return found;
    }

    // Computed relative to the largest power of the document's own terms, so that the sign is right
    // however small they are compared to others.
    double far_score(const Visited& document, std::size_t lane) const {
        double most = -std::numeric_limits<double>::infinity(), sum = 0.0;
        const auto theta_of = [&](std::size_t term) { return exponents_[term * Lanes + lane]; };
        for_each(document, [&](std::size_t term, double) {
            if (!usable_(term, lane)) return;
            most = std::max(most, prior_.positive ? theta_of(term) : std::abs(theta_of(term)));
        });
        for_each(document, [&](std::size_t term, double x) {
            if (!usable_(term, lane)) return;
            sum += x * (std::exp(theta_of(term) - most) -
                        (prior_.positive ? 0.0 : std::exp(-theta_of(term) - most)));
        });
        if (sum == 0.0) return 0.0;
        const auto score = sum * far_power(most, lane);
        return score == 0.0 ? std::copysign(std::numeric_limits<double>::min(), sum) : score;
    }

    // Returns unit exp(θ) where neither factor may be a double. The shift is subtracted first,
    // because it may be as large.
    double far_power(double theta, std::size_t lane) const {
        return prior_.kind == Entropy::normalised
                   ? std::exp(std::log(units_[lane]) + (theta - shifts_[lane]))
                   : std::exp(std::log(prior_.mu) + theta);
    }

    double exponent(std::size_t term, std::size_t lane) const {
        const auto at = term * Lanes + lane;
        return is_far_[lane] ? exponents_[at] : std::log(powers_[at]);
    }
    // exp(-θ - shift), for balanced weights.
    double opposite(std::size_t term, std::size_t lane) const {
        return powers_[term * Lanes + lane] - weights_[term * Lanes + lane];
    }

    // Returns true if a step is so long that its factor may overflow.
    bool is_long(const Visited& document, const LaneValues<Lanes>& by) const {
        double most = 0.0;
        for (const auto each : by) most = std::max(most, std::abs(each));
        return most * document.largest > far;
    }

    void move_powers(const Visited& document, const LaneValues<Lanes>& by) {
        if constexpr (Lanes == block_lanes)
            if (may_move_together(document, by)) return move_together(document, by);
        for (std::size_t lane = 0; lane < Lanes; ++lane)
            if (by[lane] != 0.0) move_lane(document, lane, by[lane]);
    }

    // Returns true if all moving lanes can be updated side by side (power_move.hpp).
    bool may_move_together(const Visited& document, const LaneValues<Lanes>& by) const {
        return usable_.all() && !prior_.positive && !any_far_ && !is_long(document, by);
    }

    void move_together(const Visited& document, const LaneValues<Lanes>& by) {
        PowerMove move(by, sums_);
        move.run(document, usable_.terms(), powers_.data(), weights_.data());
        for (std::size_t lane = 0; lane < Lanes; ++lane) {
            if (by[lane] == 0.0) continue;  // a resting lane must not change by rounding
            sums_[lane] = move.sum(lane);
            check_range(lane, move.largest(lane), move.least(lane));
        }
    }

    void move_lane(const Visited& document, std::size_t lane, double by) {
        LaneValues<Lanes> alone{};
        alone[lane] = by;
        if (!is_far_[lane] && is_long(document, alone)) become_far(lane);
        if (is_far_[lane]) return move_far(document, lane, by);
        double of = 0.0, factor = 1.0, largest = 1.0, least = 1.0, sum = sums_[lane];
        for_each(document, [&](std::size_t term, double x) {
            if (x != of) factor = std::exp(by * x);
            of = x;
            auto& power = powers_[term * Lanes + lane];
            auto& weight = weights_[term * Lanes + lane];
            if (power == 0.0) return;  // the lane may not use the term
            const auto moved = power * factor, back = prior_.positive ? 0.0 : 1.0 / moved;
            sum += (moved + back) - (2.0 * power - weight);
            power = moved;
            weight = moved - back;
            largest = std::max(largest, moved);
            least = std::min(least, moved);
        });
        sums_[lane] = sum;
        check_range(lane, largest, least);
    }

    void check_range(std::size_t lane, double largest, double least) {
        static const double most = std::exp(far);
        if (largest > most || least < 1.0 / most) become_far(lane);
    }

    // Switches a lane to storing θ itself.
    void become_far(std::size_t lane) {
        if (exponents_.empty()) exponents_.resize(powers_.size());
        for (std::size_t term = 0; term <= usable_.terms(); ++term)
            if (usable_(term, lane)) exponents_[term * Lanes + lane] = std::log(powers_[term * Lanes + lane]);
        reset_far(lane);
    }

    void move_far(const Visited& document, std::size_t lane, double by) {
        bool is_beyond = false;
        for_each(document, [&](std::size_t term, double x) {
            if (!usable_(term, lane)) return;
            auto& theta = exponents_[term * Lanes + lane];
            const auto before = powers_[term * Lanes + lane] + opposite(term, lane);
            theta += by * x;
            is_beyond |= (prior_.positive ? theta : std::abs(theta)) > shifts_[lane] + far;
            if (!is_beyond) sums_[lane] += set_cell(term, lane, theta) - before;
        });
        if (is_beyond) reset_far(lane);
    }

    void reset_far(std::size_t lane) {
        set_lane(lane, [&](std::size_t term) { return exponents_[term * Lanes + lane]; }, true);
    }

    template <class Exponent>
    void set_lane(std::size_t lane, Exponent&& exponent_of, bool stays_far = false) {
        double furthest = 0.0, highest = -std::numeric_limits<double>::infinity();
        for (std::size_t term = 0; term <= usable_.terms(); ++term) {
            if (!usable_(term, lane)) continue;
            furthest = std::max(furthest, std::abs(exponent_of(term)));
            highest = std::max(highest, exponent_of(term));
        }
        is_far_[lane] = stays_far || furthest > far;
        if (is_far_[lane] && exponents_.empty()) exponents_.resize(powers_.size());
        any_far_ = std::any_of(is_far_.begin(), is_far_.end(), [](bool each) { return each; });
        shifts_[lane] = !is_far_[lane] ? 0.0 : prior_.positive ? highest : furthest;
        sums_[lane] = 0.0;
        for (std::size_t term = 0; term <= usable_.terms(); ++term) {
            if (!usable_(term, lane)) continue;
            const auto theta = exponent_of(term);
            if (is_far_[lane]) exponents_[term * Lanes + lane] = theta;
            sums_[lane] += set_cell(term, lane, theta);
        }
        peaks_[lane] = sums_[lane];
        update_unit(lane);
    }

    // A sum that was much larger keeps its rounding errors, so it is recomputed. This takes a fall
    // by so many factors that the cost is negligible.
    void refresh_sum(std::size_t lane) {
        peaks_[lane] = std::max(peaks_[lane], sums_[lane]);
        if (sums_[lane] < 1e-6 * peaks_[lane])
            set_lane(lane, [&](std::size_t term) { return exponent(term, lane); }, is_far_[lane]);
        update_unit(lane);
    }

    // Sets a term and returns exp(θ - shift) + exp(-θ - shift).
    double set_cell(std::size_t term, std::size_t lane, double theta) {
        const auto power = std::exp(theta - shifts_[lane]);
        // Not far: the same formula as in PowerMove, which also rewrites resting lanes.
        const auto back = prior_.positive ? 0.0
                          : !is_far_[lane]  ? 1.0 / power
                                            : std::exp(-theta - shifts_[lane]);
        powers_[term * Lanes + lane] = power;
        weights_[term * Lanes + lane] = power - back;
        return power + back;
    }

    void update_unit(std::size_t lane) {
        // Without normalisation this may overflow, and so does the weight then.
        if (prior_.kind != Entropy::normalised) units_[lane] = prior_.mu * std::exp(shifts_[lane]);
        else units_[lane] = sums_[lane] > 0.0 ? totals_[lane] / sums_[lane] : 0.0;
    }

    const UsableTerms<Lanes>& usable_;
    const EntropyPrior& prior_;
    CacheLines<double> powers_;  // exp(θ - shift) by term and lane
    CacheLines<double> weights_;  // exp(θ - shift) - exp(-θ - shift)
    std::vector<double> exponents_;  // θ of lanes that are far; empty if there are none
    LaneValues<Lanes> starts_{}, totals_{};  // number of weights, and W
    LaneValues<Lanes> shifts_{}, sums_{}, peaks_{}, units_{};  // peaks: of sums since recomputed
    std::array<bool, Lanes> is_far_{};
    bool any_far_ = false;
};

}  // namespace postil
