// Proximal Newton steps over a working set of terms.
//
//     minimise  (1/n) Σ cᵢ f(zᵢ) + Σⱼ priorⱼ(wⱼ)
//
// The loss is replaced by its quadratic model at the current weights. Coordinate descent minimises
// the model plus the priors over the working set, and a line search takes the step (Yuan, Ho and
// Lin 2012, "newGLMNET", do this over all terms). Under a Laplace prior most weights stay at their
// mean. Such a term stays out of the active set as long as bounds prove that its optimality
// condition holds (active_coordinates.hpp), so that most columns are never read.
//
// A Newton step costs the documents, and for every inner pass the non-zeros of the terms that move.
// A check of all terms costs one number for each of them, the rows of documents whose slope has
// changed, and the columns of active terms.
//
// Near the optimum the slopes that the quadratic model predicts are better dual variables than the
// slopes of the loss after the step: they satisfy the optimality conditions of the working set
// exactly, and the certificate is sensitive to small violations. One precise step is then often
// enough to move from one strength to the next.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "postil/learn/losses/loss_view.hpp"
#include "postil/learn/problem.hpp"
#include "postil/learn/solvers/quadratic_model.hpp"
#include "postil/learn/solvers/active_coordinates.hpp"
#include "postil/learn/solvers/optimality.hpp"
#include "postil/system/threads.hpp"

namespace postil {

struct NewtonOptions {
    std::uint32_t steps = 1000;  // a step that needs more passes counts as several
    double tolerance = 1e-4;     // of the certificate; 0: until no step lowers the objective
    std::uint32_t passes = 50;   // of coordinate descent within a step
    std::size_t least_set = 32;  // minimum number of terms by which a working set grows
    bool has_kinks = true;       // false: no prior has an absolute value, so all terms are active
};

template <class Loss>
class NewtonCoordinateDescent {
public:
    NewtonCoordinateDescent(const BinaryProblem& problem, const ColumnFacts& facts, Loss loss,
                            const NewtonOptions& options)
        : problem_(problem),
          loss_(loss),
          options_(options),
          active_(problem, facts, options.has_kinks),
          model_(problem) {}

    // `start` holds weights by position in the terms, the constant last; empty means the modes of
    // the priors.
    void begin(std::span<const double> start) {
        weights_.assign(problem_.coordinates(), 0.0);
        current_.resize(problem_.size());
        trial_.resize(problem_.size());
        std::fill(current_.scores.begin(), current_.scores.end(), 0.0);
        model_.begin();
        at_zero_ = loss_.value(loss_.at(0.0)) * summed(problem_.weights) / problem_.documents;
        has_gap_ = problem_.has_gap();
        is_balanced_ = has_gap_ && problem_.is_constant_free();
        if (!has_gap_) steepest_ = problem_.steepest_slopes(loss_.slope(0.0));
        if (!start.empty() || !problem_.term_priors.empty()) begin_away_from_zero(start);
        current_.evaluate(problem_, loss_);
        active_.invalidate();
    }

    // Solves with the current strength of the problem, warm-started from the last call. The fit
    // holds the non-zero weights and their positions.
    Fit solve(Monitor& monitor) {
        Fit fit;
        fit.iterations = std::exchange(has_begun_, true) ? 0 : 1;  // fitting the constant counts as 1
        double best = no_bound, objective = no_bound;
        std::uint32_t stalled = 0;
        fit_constant();
        for (;;) {
            balance_duals();
            active_.find(duals(), weights_);
            certify(fit);
            if (options_.tolerance > 0.0 && fit.certificate <= options_.tolerance) {
                fit.stop = Stop::certified;
                break;
            }
            if (fit.objective < vanishing * at_zero_) {
                fit.stop = Stop::precision;
                break;
            }
            if (fit.iterations >= options_.steps) break;
            const bool is_lower = fit.objective < (1.0 - 1e-5) * objective;
            stalled = is_lower || fit.certificate < 0.9 * best ? 0 : stalled + 1;
            best = std::min(best, fit.certificate);
            objective = fit.objective;
            if (stalled > 1 && uses_predicted_) {
                discard_predicted();
                continue;
            }
            precision_ = stalled > 0 ? std::min(4 * precision_, most_precision) : 1;
            // Steps too small to be visible in the objective continue while the certificate
            // improves.
            is_near_ = can_use_predicted() && stalled <= 1 && fit.certificate <= near;
            const bool is_invisible = !descend(fit, monitor);
            if (is_invisible && stalled > 8) {
                fit.stop = Stop::precision;
                break;
            }
        }
        keep_weights(fit);
        return fit;
    }

    // By position in the terms, the constant last.
    std::span<const double> weights() const { return weights_; }

    // Returns the duals of the last certificate; empty if the weights determine them.
    std::vector<double> gap_duals() const {
        const auto slopes = duals();
        std::vector<double> found(uses_predicted_ ? slopes.size() : 0);
        for (std::size_t i = 0; i < found.size(); ++i)
            if (problem_.weights[i] > 0.0)
                found[i] = -slopes[i] * problem_.labels[i] * problem_.documents / problem_.weights[i];
        return found;
    }

private:
    void begin_away_from_zero(std::span<const double> start) {
        for (std::size_t place = 0; place < weights_.size(); ++place) {
            const auto prior = problem_.prior(place);
            const auto from = place < start.size() ? start[place] : prior.mean;
            const auto weight = std::clamp(from, prior.low, prior.high);
            if (weight == 0.0) continue;
            weights_[place] = weight;
            problem_.for_each(place, [&](std::size_t i, double x) { current_.scores[i] += weight * x; });
        }
    }

    // Non-zero weights are active, unless per-term priors have their modes elsewhere.
    void keep_weights(Fit& fit) const {
        const auto keep = [&](std::size_t place) {
            if (place == problem_.terms.size() || weights_[place] == 0.0) return;
            fit.places.push_back(static_cast<std::int32_t>(place));
            fit.weights.push_back(weights_[place]);
        };
        if (problem_.term_priors.empty())
            for (const auto& each : active_) keep(each.place);
        else
            for (std::size_t place = 0; place < problem_.terms.size(); ++place) keep(place);
        fit.intercept = problem_.has_constant() ? weights_.back() * problem_.constant : 0.0;
    }

    // Sets the constant to its optimum while all other weights are at their modes: if all documents
    // have the same score, it depends only on the class weights. Without this, common words would
    // seem to matter.
    void fit_constant() {
        if (!problem_.has_constant() || current_.scores.empty() || scores_differ()) return;
        double inside = 0.0, outside = 0.0;
        for (std::size_t i = 0; i < problem_.size(); ++i)
            (problem_.labels[i] > 0.0f ? inside : outside) += problem_.weights[i] / problem_.documents;
        const auto prior = problem_.prior(problem_.terms.size());
        const auto x = problem_.constant;
        auto& weight = weights_.back();
        auto score = current_.scores.front();
        for (int round = 0; round < 50; ++round) {
            const auto in = loss_.at(score), out = loss_.at(-score);
            const auto slope = x * (inside * loss_.slope(in) - outside * loss_.slope(out));
            const auto curvature =
                x * x * (inside * loss_.curvature(in) + outside * loss_.curvature(out));
            const auto change = std::clamp(prior.step(slope, curvature, weight), -1.0 / x, 1.0 / x);
            weight += change;
            score += change * x;
            if (std::abs(change) * x <= 1e-9) break;
        }
        std::fill(current_.scores.begin(), current_.scores.end(), score);
        current_.evaluate(problem_, loss_);
        uses_predicted_ = false;
        active_.invalidate();
    }

    bool scores_differ() const {
        const auto& scores = current_.scores;
        return std::adjacent_find(scores.begin(), scores.end(), std::not_equal_to<>()) != scores.end();
    }

    // Inactive coordinates contribute nothing.
    Optimality measure_optimality() const {
        Optimality found;
        for (const auto& each : active_) found.find_share(problem_.prior(each.place), each.slope);
        for (const auto& each : active_) {
            const auto prior = problem_.prior(each.place);
            const auto unit = has_gap_ ? 1.0 : violation_unit(prior, steepest_[each.place]);
            found.add(prior, each.slope, weights_[each.place], unit);
        }
        return found;
    }

    void certify(Fit& fit) const {
        const auto found = measure_optimality();
        fit.objective = current_.average + found.penalty();
        if (!has_gap_) {
            fit.kind = Certificate::kkt_residual;
            fit.certificate = found.largest_violation();
            return;
        }
        fit.kind = Certificate::duality_gap;
        const auto scale = fit.objective > 0.0 ? fit.objective : 1.0;
        const auto slack = current_.slack(problem_, loss_, duals(), found.share(), shares_);
        fit.certificate = found.gap_with(slack) / scale;
        if constexpr (has_slack<Loss>) return;
        // The bound is a small multiple of the gap: if it is far too large, so is the gap.
        if (fit.certificate <= options_.tolerance || fit.certificate > 3.0 * options_.tolerance) return;
        const auto margin = [&](std::size_t i) { return problem_.labels[i] * current_.scores[i]; };
        const auto slope_at = [&](std::size_t i) { return loss_.slope(margin(i)); };
        fit.certificate = found.gap(problem_, loss_, shares_, margin, slope_at) / scale;
    }

    // Chooses a working set and takes Newton steps on it. Returns false if no step is visible in
    // the objective.
    bool descend(Fit& fit, Monitor& monitor) {
        choose();
        double goal = 0.0;
        bool any_visible = false;
        const int rounds = is_near_ ? 1 : 2;  // maximum number of Newton steps on a working set
        for (int round = 0; round < rounds && fit.iterations < options_.steps; ++round) {
            monitor.check();
            model_.expand(current_, weights_);
            const auto violation = model_.violation();
            if (round == 0) goal = 0.1 * violation;
            else if (violation <= goal) break;
            fit.iterations += minimise_model(options_.steps - fit.iterations, monitor);
            const auto predicted = model_.predicted_change();
            const bool is_visible = predicted < -1e-13 * (current_.average + model_.penalty());
            if (!search_line(predicted, is_visible)) break;
            any_visible |= is_visible;
        }
        return any_visible;
    }

    // Minimises the quadratic model as precisely as `steps` steps allow; returns how many the work
    // counts for.
    std::uint32_t minimise_model(std::uint32_t steps, Monitor& monitor) {
        const std::uint64_t passes = std::max(1u, options_.passes);
        const auto most = passes * std::min(precision_, steps);
        const auto enough = inner_tolerance() / (static_cast<double>(precision_) * precision_);
        const auto done = model_.minimise(most, enough, monitor);
        return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (done + passes - 1) / passes));
    }

    // Far from the optimum minimising the model precisely does not pay.
    double inner_tolerance() {
        if (!is_near_) return 0.5;
        return model_.make_passes_cheap() ? 0.01 : 0.2;
    }

    // Chooses the active terms not at their modes, and of the others those with the largest
    // violations.
    void choose() {
        model_.clear();
        ranked_.clear();
        for (const auto& each : active_) {
            const auto prior = problem_.prior(each.place);
            const auto weight = weights_[each.place];
            const auto violation = prior.violation(each.slope, weight);
            if (weight != prior.mode() || prior.absolute == 0.0 || each.place == problem_.terms.size())
                model_.add(each.place, prior);
            else if (violation > 0.0) ranked_.push_back({-violation, each.place});
        }
        const auto room = std::min(ranked_.size(), std::max(options_.least_set, model_.size()));
        const auto last = ranked_.begin() + static_cast<std::ptrdiff_t>(room);
        std::nth_element(ranked_.begin(), last, ranked_.end());
        for (auto each = ranked_.begin(); each != last; ++each)
            model_.add(each->second, problem_.prior(each->second));
        model_.sort();
    }

    // Takes the longest of the step, its half, its quarter, ... that lowers the objective enough. A
    // step too small to be visible in the objective is taken whole.
    bool search_line(double predicted, bool is_visible) {
        if (!(predicted < 0.0)) return false;
        double share = 1.0;
        for (int halvings = 0; halvings < 40; ++halvings, share *= 0.5) {
            model_.move_scores(current_.scores, share, trial_.scores);
            trial_.evaluate(problem_, loss_);
            const auto change = trial_.average - current_.average + model_.penalty_change(share);
            if (change <= 0.01 * share * predicted || !is_visible) {
                model_.move_weights(share, weights_);
                uses_predicted_ = is_near_ && share == 1.0;
                if (uses_predicted_) model_.predict_slopes(current_, predicted_duals_);
                std::swap(current_, trial_);
                active_.invalidate();
                return true;
            }
        }
        return false;
    }

    // Only a duality gap can use duals other than the slopes of the loss.
    bool can_use_predicted() const { return has_slack<Loss> && has_gap_; }

    // The duals of the certificate, as slopes.
    std::span<const double> duals() const {
        if (is_balanced_) return balanced_;
        return uses_predicted_ ? predicted_duals_ : current_.slopes;
    }

    void balance_duals() {
        if (!is_balanced_) return;
        balanced_ = uses_predicted_ ? predicted_duals_ : current_.slopes;
        double members = 0.0, others = 0.0;
        for (std::size_t i = 0; i < balanced_.size(); ++i)
            (problem_.labels[i] > 0.0f ? members : others) -= balanced_[i] * problem_.labels[i];
        shares_ = balanced_shares(members, others);
        for (std::size_t i = 0; i < balanced_.size(); ++i) balanced_[i] *= shares_(problem_.labels[i]);
    }

    void discard_predicted() {
        uses_predicted_ = false;
        active_.invalidate();
    }

    static constexpr double near = 0.3;  // certificate below which steps are precise
    static constexpr std::uint32_t most_precision = 4096;
    // Share of the loss at zero weights below which an objective is none. Curvatures then lie below
    // the ridge of the quadratic model, so that steps hardly move. Only a strength near 0 on
    // separable documents comes so far.
    static constexpr double vanishing = 1e-12;

    const BinaryProblem& problem_;
    Loss loss_;
    const NewtonOptions& options_;
    std::vector<double> weights_;
    LossView current_, trial_;
    ActiveCoordinates active_;
    QuadraticModel model_;  // over the working set
    std::vector<std::pair<double, std::uint32_t>> ranked_;
    double at_zero_ = 0.0;  // the average loss at zero weights
    bool has_gap_ = true;
    bool is_balanced_ = false;  // the constant is unpenalised: the duals of the gap are balanced
    DualShares shares_;         // factors of the slopes that make the duals balanced
    std::vector<double> balanced_;
    std::vector<double> steepest_;  // slopes of the loss by coordinate; only without a gap
    std::uint32_t precision_ = 1;   // grows if inexact steps do not improve the certificate
    bool has_begun_ = false;
    bool is_near_ = false;
    bool uses_predicted_ = false;  // duals are the slopes that the last step predicted
    std::vector<double> predicted_duals_;
};

}  // namespace postil
