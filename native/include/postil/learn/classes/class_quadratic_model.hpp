// The quadratic model of the polychotomous loss over a working set of weights, minimised together
// with the priors.
//
// Coordinate descent visits class after class. During the turn of a class each document has two
// numbers: the slope of the model along its score, and its curvature p (1 - p), so that a weight
// costs its column, as with two classes. The best common shift of a term's weights in all classes
// (common_shift.hpp) needs no pass over the documents. Anderson extrapolation (extrapolation.hpp)
// accelerates the passes.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "postil/learn/classes/class_scores.hpp"
#include "postil/learn/classes/class_weights.hpp"
#include "postil/learn/classes/common_shift.hpp"
#include "postil/learn/classes/extrapolation.hpp"
#include "postil/system/threads.hpp"

namespace postil {

class ClassQuadraticModel {
public:
    // `shares` are cᵢ / n.
    ClassQuadraticModel(ClassWeights& weights, ClassScores& scores, std::span<const double> shares,
                   bool has_reference, std::uint32_t passes, Monitor& monitor)
        : weights_(weights), scores_(scores), shares_(shares), has_reference_(has_reference),
          passes_(passes), monitor_(monitor), places_(shares.size()), means_(shares.size()) {}

    // Sets the working set: terms by class, the constant past all terms.
    void choose(std::vector<std::vector<std::int32_t>>& wanted) {
        chosen_.clear();
        starts_.assign(1, 0);
        for (auto& each : wanted) {
            std::sort(each.begin(), each.end());
            chosen_.insert(chosen_.end(), each.begin(), each.end());
            starts_.push_back(chosen_.size());
        }
        curvatures_.resize(chosen_.size());
        changes_.resize(chosen_.size());
    }

    // Minimises the model plus the priors by coordinate descent; returns the sum of the violations
    // seen in the first pass.
    double minimise() {
        scores_.forget_steps();
        std::fill(means_.begin(), means_.end(), 0.0);
        std::fill(changes_.begin(), changes_.end(), 0.0);
        extrapolation_.clear();
        double first = 0.0;
        for (std::uint32_t pass = 0; pass < passes_; ++pass) {
            double met = 0.0;
            for (const auto c : weights_.moving()) {
                monitor_.check();
                if (starts_[c] < starts_[c + 1]) met += run_turn(c, pass == 0);
            }
            shift_terms();
            if (pass == 0) first = met;
            else if (met <= inner_share * first) break;
            extrapolation_.add(changes_);
            if (extrapolation_.find(extrapolated_)) try_extrapolated();
        }
        return first;
    }

    // Returns the change of the penalty by a share of the step.
    double penalty_change(double share) {
        double sum = 0.0;
        over_chosen([&](const Prior& prior, double at, double change) {
            if (change != 0.0) sum += prior.value(at + share * change) - prior.value(at);
        });
        return sum;
    }

    void take(double share) {
        over_chosen([&](const Prior& prior, double& at, double step) {
            at = rounded(at, share * step, prior.mode());
        });
        scores_.take(share);
        // Enlarge the trust region after whole steps, reduce it after short ones.
        if (share == 1.0) reach_ = std::min(2.0 * reach_, first_reach);
        else if (share < 0.25) reach_ *= 0.5;
    }

private:
    // The data of a document during the turn of a class.
    struct Place {
        double slope;
        double curvature;
        double change;
    };
    // Runs the turn of one class; returns the violations seen.
    double run_turn(std::size_t of_class, bool is_first) {
        prepare_places(of_class);
        const auto first = starts_[of_class], end = starts_[of_class + 1];
        const bool has_constant = term_of(end - 1) == weights_.terms();
        double met = 0.0;
        if (is_first) for (auto at = first; at < end; ++at) find_curvature(at);
        // The constant interacts with all terms: it is visited first and once more at the end.
        if (has_constant) met += improve(of_class, end - 1);
        for (auto at = first; at + has_constant < end; ++at) met += improve(of_class, at);
        if (has_constant) improve(of_class, end - 1);
        store_places(of_class);
        return met;
    }

    void find_curvature(std::size_t at) {
        double curvature = 0.0;
        weights_.for_each(term_of(at),
                 [&](std::size_t i, double x) { curvature += places_[i].curvature * x * x; });
        curvatures_[at] = curvature;
    }

    double improve(std::size_t of_class, std::size_t at) {
        const auto term = term_of(at);
        double slope = 0.0;
        weights_.for_each(term, [&](std::size_t i, double x) { slope += places_[i].slope * x; });
        const auto prior = within_reach(of_class, term);
        const auto now = weights_(of_class, term) + changes_[at];
        const auto change = prior.step(slope, curvatures_[at] + ridge, now);
        if (change != 0.0) {
            changes_[at] += change;
            weights_.for_each(term, [&](std::size_t i, double x) {
                const auto step = change * x;
                places_[i].slope += places_[i].curvature * step;
                places_[i].change += step;
            });
        }
        return prior.violation(slope, now);
    }

    // The model is inaccurate far away, above all along weights with little curvature: in one step
    // no weight may move any score by more than the trust region.
    Prior within_reach(std::size_t of_class, std::size_t term) {
        auto prior = weights_.prior(of_class, term);
        const auto from = weights_(of_class, term);
        const auto most = weights_.largest(term) > 0.0 ? reach_ / weights_.largest(term) : no_bound;
        prior.low = std::max(prior.low, from - most);
        prior.high = std::min(prior.high, from + most);
        return prior;
    }

    // Moves to the extrapolated point if the model is lower there.
    void try_extrapolated() {
        const auto before = scores_.model_change() + penalty_change(1.0);
        for (const auto c : weights_.moving())
            for (auto at = starts_[c]; at < starts_[c + 1]; ++at) {
                const auto prior = within_reach(c, term_of(at));
                const auto from = weights_(c, term_of(at));
                if (from + extrapolated_[at] < prior.low) extrapolated_[at] = prior.low - from;
                if (from + extrapolated_[at] > prior.high) extrapolated_[at] = prior.high - from;
            }
        std::swap(changes_, extrapolated_);
        scores_.save_steps();
        for (const auto c : weights_.moving())
            for (auto at = starts_[c]; at < starts_[c + 1]; ++at) {
                const auto change = changes_[at] - extrapolated_[at];
                auto* steps = scores_.steps(c);
                if (change != 0.0)
                    weights_.for_each(term_of(at), [&](std::size_t i, double x) { steps[i] += change * x; });
            }
        if (scores_.model_change() + penalty_change(1.0) < before) scores_.mean_steps(means_);
        else {
            std::swap(changes_, extrapolated_);
            scores_.restore_steps();
        }
    }

    // The slope of the model along zᵢₖ is that of the loss plus pₖ (dₖ - Σ p d), for the steps d so
    // far.
    void prepare_places(std::size_t of_class) {
        const auto* probabilities = scores_.probabilities(of_class);
        const auto* steps = scores_.steps(of_class);
        for (std::size_t i = 0; i < places_.size(); ++i) {
            const auto p = probabilities[i], share = shares_[i];
            places_[i] = {scores_.slope(i, of_class) + share * p * (steps[i] - means_[i]),
                          share * p * (1.0 - p), 0.0};
        }
    }

    void store_places(std::size_t of_class) {
        const auto* probabilities = scores_.probabilities(of_class);
        auto* steps = scores_.steps(of_class);
        for (std::size_t i = 0; i < places_.size(); ++i) {
            steps[i] += places_[i].change;
            means_[i] += probabilities[i] * places_[i].change;
        }
    }

    // Shifts the weights of terms in the working sets of all classes to the minimum of their
    // priors. All scores of a document would move by the same number, so they stay.
    void shift_terms() {
        if (has_reference_) return;
        cursors_.assign(starts_.begin(), starts_.end() - 1);
        these_.resize(weights_.moving().size());
        now_.resize(weights_.moving().size());
        for (auto at = starts_[0]; at < starts_[1]; ++at)
            if (advance_cursors(chosen_[at])) shift_term(term_of(at));
    }

    bool advance_cursors(std::int32_t term) {
        bool has_all = true;
        for (const auto c : weights_.moving()) {
            while (cursors_[c] < starts_[c + 1] && chosen_[cursors_[c]] < term) ++cursors_[c];
            has_all = has_all && cursors_[c] < starts_[c + 1] && chosen_[cursors_[c]] == term;
        }
        return has_all;
    }

    void shift_term(std::size_t term) {
        for (const auto c : weights_.moving()) {
            these_[c] = within_reach(c, term);
            now_[c] = weights_(c, term) + changes_[cursors_[c]];
        }
        const auto shift = best_shift_(these_, now_);
        for (const auto c : weights_.moving()) changes_[cursors_[c]] += shift;
    }

    template <class Visit>
    void over_chosen(Visit&& visit) {
        for (const auto c : weights_.moving())
            for (auto at = starts_[c]; at < starts_[c + 1]; ++at)
                visit(weights_.prior(c, term_of(at)), weights_(c, term_of(at)), changes_[at]);
    }

    std::size_t term_of(std::size_t at) const { return static_cast<std::size_t>(chosen_[at]); }

    // A weight meant to end at its mode ends exactly there, without rounding error.
    static double rounded(double from, double step, double mode) {
        const auto to = from + step;
        return std::abs(to - mode) <= digits * (std::abs(from) + std::abs(step)) ? mode : to;
    }

    static constexpr double digits = 4.0 * std::numeric_limits<double>::epsilon();
    static constexpr double ridge = 1e-12;      // for columns without curvature
    static constexpr double first_reach = 8.0;  // trust region of scores in one step
    static constexpr double inner_share = 0.1;  // passes end at this share of the first violations

    ClassWeights& weights_;
    ClassScores& scores_;
    std::span<const double> shares_;
    bool has_reference_;
    std::uint32_t passes_;
    Monitor& monitor_;
    std::vector<std::int32_t> chosen_;  // terms of the working set, class after class
    std::vector<std::size_t> starts_;  // start of each class
    std::vector<double> curvatures_, changes_, extrapolated_;  // of the working set
    Extrapolation extrapolation_;
    std::vector<Place> places_;
    std::vector<double> means_;  // Σ p d by document
    double reach_ = first_reach;
    CommonShift best_shift_;
    std::vector<std::size_t> cursors_;
    std::vector<Prior> these_;
    std::vector<double> now_;
};

}  // namespace postil
