// Weights as functions of a sum of documents θ = θ₀ + Σ aᵢ yᵢ xᵢ: what updates one by one move.
//
//     additive         w = θ                            Perceptron, SVM
//     multiplicative   w = unit (exp(θ) - exp(-θ))      balanced Winnow; positive: unit exp(θ)
//
// (zhang-2000, section 2). Lanes of a term lie together. A look at a document and a move along it cost
// its terms, also where weights are normalised: their sum is kept up to date on the way. Memory: 8
// bytes for each term and lane of an additive state, 32 of a multiplicative one.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "postil/entropy_prior.hpp"
#include "postil/lanes.hpp"

namespace postil {

// Which terms each lane may use, and the constant past them; without a list all of them.
template <std::size_t Lanes>
class UsableTerms {
public:
    UsableTerms(std::size_t terms, bool has_constant) : terms_(terms), has_constant_(has_constant) {}

    void limit(std::size_t lane, std::span<const std::int32_t> to) {
        if (flags_.empty()) {
            flags_.assign((terms_ + 1) * Lanes, 1.0f);
            if (!has_constant_) std::fill(flags_.end() - Lanes, flags_.end(), 0.0f);
        }
        for (std::size_t term = 0; term < terms_; ++term) flags_[term * Lanes + lane] = 0.0f;
        for (const auto term : to) flags_[static_cast<std::size_t>(term) * Lanes + lane] = 1.0f;
    }

    bool all() const { return flags_.empty(); }
    std::size_t terms() const { return terms_; }
    bool has_constant() const { return has_constant_; }
    const float* at(std::size_t term) const { return flags_.data() + term * Lanes; }
    bool operator()(std::size_t term, std::size_t lane) const {
        if (all()) return term < terms_ || has_constant_;
        return flags_[term * Lanes + lane] != 0.0f;
    }

private:
    std::size_t terms_;
    bool has_constant_;
    std::vector<float> flags_;  // empty: all
};

template <std::size_t Lanes>
using LaneValues = std::array<double, Lanes>;

// A document with its constant feature, as a state sees it.
struct Visited {
    SparseLine row;
    double constant;  // 0: there is none
};

template <std::size_t Lanes>
class AdditiveState {
public:
    AdditiveState(const UsableTerms<Lanes>& usable, const EntropyPrior&)
        : usable_(usable), weights_((usable.terms() + 1) * Lanes) {}

    void look(const Visited& document, LaneValues<Lanes>& scores) const {
        const auto* last = weights_.data() + usable_.terms() * Lanes;
        for (std::size_t lane = 0; lane < Lanes; ++lane) scores[lane] = document.constant * last[lane];
        add_products<Lanes>(document.row, weights_.data(), scores.data());
    }

    void move(const Visited& document, const LaneValues<Lanes>& by) {
        if (usable_.all()) add_multiples<Lanes>(document.row, by.data(), weights_.data());
        else
            for (std::size_t k = 0; k < document.row.size; ++k) {
                const auto term = static_cast<std::size_t>(document.row.places[k]);
                const auto* mask = usable_.at(term);
                const double x = document.row.values[k];
                for (std::size_t lane = 0; lane < Lanes; ++lane)
                    weights_[term * Lanes + lane] += x * by[lane] * mask[lane];
            }
        auto* last = weights_.data() + usable_.terms() * Lanes;
        for (std::size_t lane = 0; lane < Lanes; ++lane) last[lane] += document.constant * by[lane];
    }

    // ‖x‖², how fast a score moves with its document's dual variable; and the largest step that
    // the expansion can be trusted for.
    void steepness(const Visited& document, LaneValues<Lanes>& out, double& reach) const {
        out.fill(document.constant * document.constant);
        for (std::size_t k = 0; k < document.row.size; ++k) {
            const double square = static_cast<double>(document.row.values[k]) * document.row.values[k];
            for (std::size_t lane = 0; lane < Lanes; ++lane)
                out[lane] += usable_.all() ? square
                                           : square * usable_.at(static_cast<std::size_t>(
                                                          document.row.places[k]))[lane];
        }
        reach = no_limit;
    }

    // θ itself, to be written to; settle() then makes weights of it.
    double& exponent(std::size_t term, std::size_t lane) { return weights_[term * Lanes + lane]; }
    void settle() {}

    double weight(std::size_t term, std::size_t lane) const { return weights_[term * Lanes + lane]; }
    double unit(std::size_t) const { return 0.0; }
    static constexpr double threshold() { return 0.0; }

    // ½‖θ‖²: the conjugate of the prior ½‖w‖².
    double conjugate(std::size_t lane) const {
        double sum = 0.0;
        for (std::size_t at = lane; at < weights_.size(); at += Lanes) sum += weights_[at] * weights_[at];
        return 0.5 * sum;
    }

private:
    static constexpr double no_limit = 1e300;
    const UsableTerms<Lanes>& usable_;
    std::vector<double> weights_;
};

// exp(θ) of a term moves by a factor that is the same for all terms of equal value in a document. Far
// out, where that would leave double precision, a lane keeps exp(θ - shift) instead, from θ each time.
template <std::size_t Lanes>
class MultiplicativeState {
public:
    MultiplicativeState(const UsableTerms<Lanes>& usable, const EntropyPrior& prior)
        : usable_(usable), prior_(prior), cells_(usable.terms() + 1),
          weights_(cells_.size() * Lanes) {
        every_lane_.fill(1.0f);
        for (std::size_t lane = 0; lane < Lanes; ++lane) {
            for (std::size_t term = 0; term < cells_.size(); ++term) starts_[lane] += usable_(term, lane);
            if (!prior.positive) starts_[lane] *= 2.0;
            totals_[lane] = prior.total > 0.0 ? prior.total : prior.mu * starts_[lane];
        }
        settle();
    }

    void look(const Visited& document, LaneValues<Lanes>& scores) const {
        const auto* last = weights_.data() + usable_.terms() * Lanes;
        for (std::size_t lane = 0; lane < Lanes; ++lane) scores[lane] = document.constant * last[lane];
        add_products<Lanes>(document.row, weights_.data(), scores.data());
        for (std::size_t lane = 0; lane < Lanes; ++lane)  // the unit may be infinite, see unit()
            scores[lane] = (scores[lane] == 0.0 ? 0.0 : scores[lane] * units_[lane]) - prior_.threshold;
    }

    void move(const Visited& document, const LaneValues<Lanes>& by) {
        Step step{by};
        for (std::size_t k = 0; k < document.row.size; ++k)
            move_term(static_cast<std::size_t>(document.row.places[k]), document.row.values[k], step);
        if (document.constant != 0.0) move_term(usable_.terms(), document.constant, step);
        for (std::size_t lane = 0; lane < Lanes; ++lane)
            if (step.is_far[lane]) settle(lane);
        if (prior_.kind == Entropy::normalised)
            for (std::size_t lane = 0; lane < Lanes; ++lane) renew_unit(lane);
    }

    // The second derivative of the conjugate along the document: Σ w x² of both signs, less the
    // square of the mean where weights are normalised.
    void steepness(const Visited& document, LaneValues<Lanes>& out, double& reach) const {
        out.fill(0.0);
        double largest = std::abs(document.constant);
        auto add = [&](std::size_t term, double x) {
            const auto& cell = cells_[term];
            for (std::size_t lane = 0; lane < Lanes; ++lane)
                out[lane] += x * x * (cell.plus[lane] + cell.minus[lane]);
            largest = std::max(largest, std::abs(x));
        };
        for (std::size_t k = 0; k < document.row.size; ++k)
            add(static_cast<std::size_t>(document.row.places[k]), document.row.values[k]);
        if (document.constant != 0.0) add(usable_.terms(), document.constant);
        LaneValues<Lanes> scores;
        look(document, scores);
        for (std::size_t lane = 0; lane < Lanes; ++lane) {
            out[lane] *= units_[lane];
            if (prior_.kind != Entropy::normalised) continue;
            const auto score = scores[lane] + prior_.threshold;
            out[lane] = std::max(out[lane] - score * score / totals_[lane], 1e-12 * out[lane]);
        }
        reach = largest > 0.0 ? 1.0 / largest : 0.0;
    }

    double& exponent(std::size_t term, std::size_t lane) { return cells_[term].theta[lane]; }

    // Weights, sums and units from the exponents.
    void settle() {
        for (std::size_t lane = 0; lane < Lanes; ++lane) settle(lane);
    }

    double weight(std::size_t term, std::size_t lane) const {
        const auto weight = weights_[term * Lanes + lane];
        return weight == 0.0 ? 0.0 : weight * units_[lane];
    }
    // w = unit (exp(θ) - exp(-θ)), or unit exp(θ). Infinite where θ is far out of what w can be, and
    // 0 where a normalised lane has gone that far: then weights are known, and θ is not.
    double unit(std::size_t lane) const { return units_[lane] * std::exp(-shifts_[lane]); }
    double threshold() const { return prior_.threshold; }

    // μ Σ (exp(±θ) - 1), or normalised W ln(Σ exp(±θ)/d) (entropy_prior.hpp).
    double conjugate(std::size_t lane) const {
        if (prior_.kind == Entropy::normalised)
            return totals_[lane] * (std::log(sums_[lane] / starts_[lane]) + shifts_[lane]);
        double sum = 0.0;
        for (std::size_t term = 0; term < cells_.size(); ++term)
            if (usable_(term, lane)) sum += prior_.conjugate(cells_[term].theta[lane]);
        return sum;
    }

private:
    static constexpr double near = 300.0;  // exp() of it can be multiplied on for a while

    struct Cell {
        double theta[Lanes] = {}, plus[Lanes] = {}, minus[Lanes] = {};  // exp(±θ - shift)
    };
    struct Step {
        const LaneValues<Lanes>& by;
        double x = 0.0;  // of the factors
        LaneValues<Lanes> ups{}, downs{};
        std::array<bool, Lanes> is_far{};

        void factors_for(double value) {
            if (value == x) return;
            x = value;
            for (std::size_t lane = 0; lane < Lanes; ++lane) {
                ups[lane] = by[lane] == 0.0 ? 1.0 : std::exp(std::clamp(by[lane] * x, -near, near));
                downs[lane] = 1.0 / ups[lane];
            }
        }
    };

    void move_term(std::size_t term, double x, Step& step) {
        if (x == 0.0) return;
        step.factors_for(x);
        auto& cell = cells_[term];
        auto* weights = weights_.data() + term * Lanes;
        const auto* mask = usable_.all() ? every_lane_.data() : usable_.at(term);
        for (std::size_t lane = 0; lane < Lanes; ++lane) {
            const auto plus = cell.plus[lane] * step.ups[lane];  // 0 where a lane may not use the term
            const auto minus = cell.minus[lane] * step.downs[lane];
            sums_[lane] += (plus - cell.plus[lane]) + (minus - cell.minus[lane]);
            cell.theta[lane] += step.by[lane] * x * mask[lane];
            cell.plus[lane] = plus;
            cell.minus[lane] = minus;
            weights[lane] = plus - minus;
        }
        for (std::size_t lane = 0; lane < Lanes; ++lane)
            step.is_far[lane] |= std::abs(cell.theta[lane]) > shifts_[lane] + near;
        if (has_shifts_) settle_shifted(term, step);
    }

    void settle(std::size_t lane) {
        double furthest = 0.0;
        for (const auto& cell : cells_) furthest = std::max(furthest, std::abs(cell.theta[lane]));
        shifts_[lane] = furthest > near ? furthest : 0.0;
        has_shifts_ = std::any_of(shifts_.begin(), shifts_.end(), [](double s) { return s > 0.0; });
        sums_[lane] = 0.0;
        for (std::size_t term = 0; term < cells_.size(); ++term) {
            if (!usable_(term, lane)) continue;
            settle_cell(term, lane);
            sums_[lane] += cells_[term].plus[lane] + cells_[term].minus[lane];
        }
        renew_unit(lane);
    }

    // A factor would take what has become 0 nowhere.
    void settle_shifted(std::size_t term, const Step& step) {
        for (std::size_t lane = 0; lane < Lanes; ++lane) {
            if (shifts_[lane] == 0.0 || step.is_far[lane] || !usable_(term, lane)) continue;
            const auto before = cells_[term].plus[lane] + cells_[term].minus[lane];
            settle_cell(term, lane);
            sums_[lane] += cells_[term].plus[lane] + cells_[term].minus[lane] - before;
        }
    }

    void settle_cell(std::size_t term, std::size_t lane) {
        auto& cell = cells_[term];
        cell.plus[lane] = std::exp(cell.theta[lane] - shifts_[lane]);
        cell.minus[lane] = prior_.positive ? 0.0 : std::exp(-cell.theta[lane] - shifts_[lane]);
        weights_[term * Lanes + lane] = cell.plus[lane] - cell.minus[lane];
    }

    void renew_unit(std::size_t lane) {
        if (prior_.kind != Entropy::normalised) units_[lane] = prior_.mu * std::exp(shifts_[lane]);
        else units_[lane] = sums_[lane] > 0.0 ? totals_[lane] / sums_[lane] : 0.0;
    }

    const UsableTerms<Lanes>& usable_;
    const EntropyPrior& prior_;
    std::vector<Cell> cells_;
    std::vector<double> weights_;  // plus - minus
    LaneValues<Lanes> starts_{}, totals_{};  // how many weights there are, and W
    LaneValues<Lanes> shifts_{}, sums_{}, units_{};
    std::array<float, Lanes> every_lane_{};
    bool has_shifts_ = false;
};

}  // namespace postil
