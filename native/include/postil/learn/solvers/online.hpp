// Online updates: Perceptron and Winnow driven by mistakes, SVM and large margin Winnow by dual
// variables (zhang-2000, section 2).
//
// The weights are a function of a sum of documents θ = θ₀ + Σ aᵢ yᵢ xᵢ:
//
//     additive         w = θ                            Perceptron, SVM
//     multiplicative   w = unit (exp(θ) - exp(-θ))      balanced Winnow; positive: unit exp(θ)
//
// The update at each document is
//
//     mistake-driven   a += η                                         if it is misclassified
//     dual gradient    a  = max(min(C c, a + η (1 - z)), 0)           z = y (w·x + b)
//
// The second ascends the dual of R(w) + C Σ cᵢ max(0, 1 - zᵢ), where R is half the squared norm or
// the relative entropy of the weights, relative to the weights at θ₀. Because w is the gradient of
// R* at θ, the duality gap is a sum of non-negative terms:
//
//     Σ [C cᵢ max(0, 1 - zᵢ) - aᵢ (1 - zᵢ)]
//
// Divided by C n, objective and gap are those of problem.hpp.
//
// Eight categories are updated side by side. A visit costs the terms of the document for the
// scores, and as much again for an update; a pass costs the non-zeros. Memory of a block: 8 bytes
// for each term and lane of an additive state, 16 of a multiplicative one, and 20 bytes for each
// document and lane.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "postil/learn/lanes/additive_state.hpp"
#include "postil/learn/lanes/multiplicative_state.hpp"
#include "postil/learn/problem.hpp"
#include "postil/learn/random.hpp"
#include "postil/system/threads.hpp"

namespace postil {

struct OnlineOptions {
    std::uint32_t passes = 100;
    double tolerance = 1e-3;  // of the relative gap, for dual gradients; 0: not checked
    double rate = 0.01;       // η; 0: a Newton step along each dual variable
    bool shuffle = true;      // a new order in each pass; else the order of the documents
    std::uint64_t seed = 0;
};

// The categories of a block. Unused lanes have only documents of weight 0.
template <std::size_t Lanes>
struct LaneProblems {
    SparseLines documents;
    double constant = 0.0;        // value of the constant feature; 0: none
    std::vector<float> labels;    // by document and lane
    std::vector<double> weights;  // cᵢ
    LaneValues<Lanes> sizes{};    // n
    std::vector<float> largest;   // |x| by document
    std::size_t size() const { return documents.count; }
    Visited operator[](std::size_t i) const {
        return {documents[i], constant, std::max(std::abs(constant), static_cast<double>(largest[i]))};
    }
};

// a += η for every mistake. Stops after a pass without mistakes.
struct MistakeRule {
    static constexpr bool has_objective = false;
    double rate;

    static bool is_mistake(double label, double score) { return (score >= 0.0) != (label > 0.0); }

    double step(double label, double score, double, double weight, double) const {
        return is_mistake(label, score) ? rate * weight : 0.0;
    }
};

// One step up the dual, clamped to its bounds.
struct MarginRule {
    static constexpr bool has_objective = true;
    double rate;

    double step(double label, double score, double dual, double most, double rate_here) const {
        return std::clamp(dual + rate_here * (1.0 - label * score), 0.0, most) - dual;
    }
};

template <std::size_t Lanes, class Rule, class State>
class OnlineUpdates {
public:
    OnlineUpdates(const LaneProblems<Lanes>& problems, const UsableTerms<Lanes>& usable,
                  const EntropyPrior& prior, const OnlineOptions& options)
        : problems_(problems), usable_(usable), options_(options), state_(usable, prior),
          rule_{options.rate}, duals_(problems.size() * Lanes), order_(problems.size()),
          initial_exponents_((usable.terms() + 1) * Lanes) {
        initial_conjugates_.fill(0.0);
    }

    // Warm start: θ₀ of a term (past all terms the constant), and dual variables as shares of their
    // bounds.
    double& initial_exponent(std::size_t lane, std::size_t term) {
        return initial_exponents_[term * Lanes + lane];
    }
    void set_duals(std::size_t lane, std::span<const double> shares) {
        for (std::size_t i = 0; i < shares.size(); ++i) duals_[i * Lanes + lane] = shares[i];
    }
    void warm_start(const LaneValues<Lanes>& strengths) {
        std::vector<double> shares(duals_.size());
        std::swap(shares, duals_);
        recompute_exponents();
        for (std::size_t lane = 0; lane < Lanes; ++lane) initial_conjugates_[lane] = state_.conjugate(lane);
        for (std::size_t at = 0; at < duals_.size(); ++at)
            duals_[at] = shares[at] * bound(at, strengths[at % Lanes]);
        recompute_exponents();
    }

    // Learns with the strengths C of each lane, warm-started from the current state. The weights of
    // a fit are by term.
    std::array<Fit, Lanes> solve(const LaneValues<Lanes>& strengths, Monitor& monitor) {
        set_strengths(strengths);
        std::array<Fit, Lanes> fits;
        active_.fill(1.0);
        // Restart the order, so that a lane does not depend on how long other lanes took before.
        std::iota(order_.begin(), order_.end(), 0u);
        Random random(options_.seed);
        std::uint32_t checked = 0;
        for (std::uint32_t pass = 1; pass <= options_.passes; ++pass) {
            if (options_.shuffle) random.shuffle(std::span(order_));
            run_pass(monitor);
            for (std::size_t lane = 0; lane < Lanes; ++lane)
                if (active_[lane] != 0.0) fits[lane].iterations = pass;
            if (!is_check_due(pass)) continue;
            checked = pass;
            certify(fits);
            if (std::none_of(active_.begin(), active_.end(), [](double a) { return a != 0.0; })) break;
        }
        if (checked < options_.passes) certify(fits);
        if constexpr (!Rule::has_objective) recompute_exponents();
        for (std::size_t lane = 0; lane < Lanes; ++lane) finish(fits[lane], lane);
        return fits;
    }

private:
    // Computing the gap costs two passes: check after 1, 2, 4, ... passes. Mistakes are counted
    // anyway.
    bool is_check_due(std::uint32_t pass) const {
        if (pass == options_.passes || !Rule::has_objective) return true;
        return options_.tolerance > 0.0 && (pass & (pass - 1)) == 0;
    }

    // Returns the upper bound of a dual variable or, without an objective, the weight of a mistake.
    double bound(std::size_t at, double strength) const {
        return problems_.weights[at] * (Rule::has_objective ? strength : options_.rate);
    }

    void set_strengths(const LaneValues<Lanes>& strengths) {
        strengths_ = strengths;
        if constexpr (Rule::has_objective) {
            for (std::size_t at = 0; at < duals_.size(); ++at)
                duals_[at] = std::min(duals_[at], bound(at, strengths[at % Lanes]));
            recompute_exponents();
        }
    }

    void run_pass(Monitor& monitor) {
        mistakes_.fill(0.0);
        for (std::size_t at = 0; at < order_.size(); ++at) {
            if (at % 1024 == 0) monitor.check();
            visit(order_[at]);
        }
    }

    void visit(std::size_t i) {
        const auto document = problems_[i];
        LaneValues<Lanes> scores, by;
        state_.score(document, scores);
        const auto* labels = problems_.labels.data() + i * Lanes;
        const auto* weights = problems_.weights.data() + i * Lanes;
        auto* duals = duals_.data() + i * Lanes;
        LaneValues<Lanes> rates;
        rates.fill(options_.rate);
        if (options_.rate == 0.0 && !newton_rates(document, scores, labels, weights, duals, rates)) return;
        double moved = 0.0;
        for (std::size_t lane = 0; lane < Lanes; ++lane) {
            const auto most = Rule::has_objective ? weights[lane] * strengths_[lane] : weights[lane];
            const auto step =
                active_[lane] * rule_.step(labels[lane], scores[lane], duals[lane], most, rates[lane]);
            duals[lane] += step;
            // A step to the bound may be rounded beyond it.
            if constexpr (Rule::has_objective) duals[lane] = std::min(duals[lane], most);
            by[lane] = labels[lane] * step;
            mistakes_[lane] += step;
            moved += std::abs(step);
        }
        if (moved != 0.0) state_.update(document, by);
    }

    // Sets η = 1 / the second derivative of the dual, limited to where it is reliable. Returns
    // false if no lane moves.
    bool newton_rates(const Visited& document, const LaneValues<Lanes>& scores, const float* labels,
                      const double* weights, const double* duals, LaneValues<Lanes>& rates) const {
        bool moves = false;
        for (std::size_t lane = 0; lane < Lanes; ++lane) {
            const auto slope = 1.0 - labels[lane] * scores[lane];
            moves |= active_[lane] != 0.0 &&
                     (slope > 0.0 ? duals[lane] < weights[lane] * strengths_[lane] : duals[lane] > 0.0);
        }
        if (!moves) return false;
        double reach = 0.0;
        state_.steepness(document, rates, reach);
        for (std::size_t lane = 0; lane < Lanes; ++lane) {
            const auto slope = std::abs(1.0 - labels[lane] * scores[lane]);
            // A document without terms moves no weight: its dual variable goes to its bound.
            const auto rate = rates[lane] > 0.0 ? 1.0 / rates[lane] : std::numeric_limits<double>::max();
            rates[lane] = rates[lane] > 0.0 && slope * rate > reach ? reach / slope : rate;
        }
        return true;
    }

    // Recomputes θ from the dual variables, which removes accumulated rounding errors.
    void recompute_exponents() {
        exponents_ = initial_exponents_;
        for (std::size_t i = 0; i < problems_.size(); ++i) {
            LaneValues<Lanes> by;
            double moved = 0.0;
            for (std::size_t lane = 0; lane < Lanes; ++lane) {
                by[lane] = problems_.labels[i * Lanes + lane] * duals_[i * Lanes + lane];
                moved += std::abs(by[lane]);
            }
            if (moved == 0.0) continue;
            add_multiples<Lanes>(problems_.documents[i], by.data(), exponents_.data());
            for (std::size_t lane = 0; lane < Lanes; ++lane)
                exponents_[usable_.terms() * Lanes + lane] += problems_.constant * by[lane];
        }
        for (std::size_t term = 0; term <= usable_.terms(); ++term)
            for (std::size_t lane = 0; lane < Lanes; ++lane)
                if (!usable_(term, lane)) exponents_[term * Lanes + lane] = 0.0;
        state_.set_exponents(exponents_);
    }

    void certify(std::array<Fit, Lanes>& fits) {
        if constexpr (Rule::has_objective) {
            recompute_exponents();
            certify_gaps(fits);
        } else certify_mistakes(fits);
    }

    void certify_mistakes(std::array<Fit, Lanes>& fits) {
        for (std::size_t lane = 0; lane < Lanes; ++lane) {
            if (active_[lane] == 0.0) continue;
            const auto share = mistakes_[lane] / (options_.rate * std::max(problems_.sizes[lane], 1e-300));
            fits[lane].kind = Certificate::mistakes;
            fits[lane].objective = fits[lane].certificate = share;
            if (mistakes_[lane] > 0.0) continue;
            fits[lane].stop = Stop::certified;
            active_[lane] = 0.0;
        }
    }

    void certify_gaps(std::array<Fit, Lanes>& fits) {
        LaneValues<Lanes> gaps{}, losses{}, scores;
        for (std::size_t i = 0; i < problems_.size(); ++i) {
            state_.score(problems_[i], scores);
            for (std::size_t lane = 0; lane < Lanes; ++lane) {
                const auto at = i * Lanes + lane;
                const auto slack = 1.0 - problems_.labels[at] * scores[lane];
                const auto loss = problems_.weights[at] * strengths_[lane] * std::max(0.0, slack);
                losses[lane] += loss;
                gaps[lane] += loss - duals_[at] * slack;
            }
        }
        for (std::size_t lane = 0; lane < Lanes; ++lane) {
            if (active_[lane] == 0.0) continue;
            const auto scale = 1.0 / (strengths_[lane] * std::max(problems_.sizes[lane], 1e-300));
            auto& fit = fits[lane];
            fit.kind = Certificate::duality_gap;
            fit.objective = (losses[lane] + cost(lane)) * scale;
            // NaN stays NaN, and the fit is refused.
            const auto gap = (gaps[lane] < 0.0 ? 0.0 : gaps[lane]) * scale;
            fit.certificate = fit.objective > 0.0 ? gap / fit.objective : gap;
            if (fit.certificate > options_.tolerance || options_.tolerance <= 0.0) continue;
            fit.stop = Stop::certified;
            active_[lane] = 0.0;
        }
    }

    // Returns R(w) relative to the start: w·(θ - θ₀) - R*(θ) + R*(θ₀).
    double cost(std::size_t lane) const {
        double sum = 0.0;
        for (std::size_t term = 0; term <= usable_.terms(); ++term)
            if (usable_(term, lane))
                sum += state_.weight(term, lane) *
                       (exponents_[term * Lanes + lane] - initial_exponents_[term * Lanes + lane]);
        const auto cost = sum - state_.conjugate(lane) + initial_conjugates_[lane];
        return cost < 0.0 ? 0.0 : cost;
    }

    void finish(Fit& fit, std::size_t lane) {
        fit.unit = state_.unit(lane);
        fit.duals.resize(problems_.size());
        for (std::size_t i = 0; i < problems_.size(); ++i) {
            const auto most = bound(i * Lanes + lane, strengths_[lane]);
            fit.duals[i] = most > 0.0 ? duals_[i * Lanes + lane] / most : 0.0;
        }
        fit.weights.resize(usable_.terms());
        fit.exponents.resize(usable_.terms() + 1);
        for (std::size_t term = 0; term <= usable_.terms(); ++term)
            fit.exponents[term] = exponents_[term * Lanes + lane];
        for (std::size_t term = 0; term < usable_.terms(); ++term)
            fit.weights[term] = usable_(term, lane) ? state_.weight(term, lane) : 0.0;
        fit.intercept = -state_.threshold();
        if (usable_.has_constant())
            fit.intercept += state_.weight(usable_.terms(), lane) * problems_.constant;
    }

    const LaneProblems<Lanes>& problems_;
    const UsableTerms<Lanes>& usable_;
    const OnlineOptions& options_;
    State state_;
    Rule rule_;
    std::vector<double> duals_;  // by document and lane
    std::vector<std::uint32_t> order_;
    std::vector<double> initial_exponents_;  // θ₀ by term and lane
    std::vector<double> exponents_;          // θ when it was last recomputed
    LaneValues<Lanes> initial_conjugates_;   // R*(θ₀)
    LaneValues<Lanes> strengths_{};          // C
    LaneValues<Lanes> active_{};             // 1 while a lane learns, then 0
    LaneValues<Lanes> mistakes_{};           // of a pass, times the rate
};

}  // namespace postil
