// Polychotomous logistic regression by proximal Newton steps over a working set of weights.
//
//     minimise  (1/n) Σ cᵢ f(zᵢ) + Σₖ Σⱼ priorₖⱼ(wₖⱼ)       f(z) = ln Σₖ exp(zₖ) - z_y
//
// The loss is replaced by its quadratic model at the current weights, with the curvature diag(p) -
// p pᵀ of a document's scores, which couples the classes. The model plus the priors is minimised
// over the working set (class_quadratic_model.hpp), and a line search takes the step.
//
// Dual variables are probabilities q on the simplex, with k(·) the negative entropy:
//
//     D(q) = -(1/n) Σ cᵢ Σₖ qᵢₖ ln qᵢₖ - Σₖ Σⱼ priorₖⱼ*(vₖⱼ)     vₖⱼ = (1/n) Σ cᵢ (yᵢₖ - qᵢₖ) xᵢⱼ
//
// At q = s p + (1 - s) y the gap has the parts of optimality.hpp. Unpenalised intercepts require Σ
// cᵢ (yᵢₖ - qᵢₖ) = 0 for every class k: the probabilities that documents of one class give to
// another are flows between classes, which are balanced (flow_balance.hpp).
//
// A Newton step costs documents × classes, and the working set's non-zeros for every inner pass;
// checking all weights costs non-zeros × classes. Memory: 32 bytes for each document and class, 16
// for each term and class, 68 for each weight of the working set.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "postil/learn/classes/class_quadratic_model.hpp"
#include "postil/learn/classes/class_scores.hpp"
#include "postil/learn/classes/class_weights.hpp"
#include "postil/learn/classes/flow_balance.hpp"
#include "postil/learn/classes/polychotomous.hpp"
#include "postil/learn/solvers/optimality.hpp"

namespace postil {

class PolychotomousNewton {
public:
    PolychotomousNewton(const PolychotomousProblem& problem, const PolychotomousOptions& options,
                        std::size_t workers, Monitor& monitor)
        : problem_(problem), options_(options), workers_(workers), monitor_(monitor),
          weights_(problem, options), shares_(shares_of(problem)),
          scores_(problem.labels, shares_, problem.classes(), workers, monitor),
          model_(weights_, scores_, shares_, problem.reference != no_reference, options.passes,
                     monitor),
          slopes_(weights_.size()), working_set_(problem.classes()) {}

    PolychotomousFit solve() {
        PolychotomousFit fit;
        begin();
        for (;;) {
            measure();
            certify(fit);
            report_progress(fit);
            if (options_.tolerance > 0.0 && fit.certificate <= options_.tolerance) {
                fit.stop = Stop::certified;
                break;
            }
            if (fit.iterations >= options_.steps) break;
            if (!descend(fit)) {
                fit.stop = Stop::precision;
                break;
            }
        }
        keep(fit);
        return fit;
    }

private:
    struct Violator {
        double violation;
        std::uint32_t of_class;
        std::int32_t term;
    };

    // Returns cᵢ / n.
    static std::vector<double> shares_of(const PolychotomousProblem& problem) {
        std::vector<double> shares(problem.weights.begin(), problem.weights.end());
        for (auto& share : shares) share /= problem.documents;
        return shares;
    }

    void begin() {
        inspect_priors();
        for (const auto c : weights_.moving())
            for (std::size_t term = 0; term < weights_.coordinates(); ++term) {
                const auto mode = weights_.prior(c, term).mode();
                weights_(c, term) = mode;
                if (mode == 0.0) continue;
                weights_.for_each(term, [&](std::size_t i, double x) { scores_.scores(c)[i] += mode * x; });
            }
        scores_.evaluate();
    }

    // There is a duality gap if the conjugate of every term's prior is finite, and either all
    // constants have a prior or none has.
    void inspect_priors() {
        std::size_t free_terms = 0, free_constants = 0;
        for (const auto c : weights_.moving())
            for (std::size_t term = 0; term < weights_.coordinates(); ++term)
                if (!weights_.prior(c, term).is_bounded())
                    ++(term == weights_.terms() ? free_constants : free_terms);
        is_balanced_ = free_constants > 0;
        has_gap_ = free_terms == 0 && (!is_balanced_ || free_constants == weights_.moving().size());
        if (has_gap_) return;
        is_balanced_ = false;
        steepest_.resize(weights_.coordinates());
        for (std::size_t term = 0; term < steepest_.size(); ++term)
            weights_.for_each(term, [&](std::size_t i, double x) {
                steepest_[term] += shares_[i] * std::abs(x);
            });
    }

    // Returns the factor of a class's probability that gives its dual, for documents of another
    // class.
    double dual_share(std::size_t own, std::size_t c) const {
        return dual_shares_.empty() ? 1.0 : dual_shares_[own * problem_.classes() + c];
    }

    void balance_duals() {
        const auto classes = problem_.classes();
        dual_shares_.assign(classes * classes, 0.0);  // zero duals are always feasible
        FlowBalance balance(scores_.flows(), classes);
        if (!balance.run()) return;
        for (std::size_t own = 0; own < classes; ++own)
            for (std::size_t other = 0; other < classes; ++other)
                dual_shares_[own * classes + other] = balance.share(own, other);
        // The duals of a document must not sum to more than 1 after scaling up.
        const auto given = duals_of_others();
        double most = 1.0;
        for (std::size_t i = 0; i < given.size(); ++i)
            if (shares_[i] > 0.0) most = std::max(most, given[i]);
        for (auto& share : dual_shares_) share /= most;
    }

    // Returns the sum of each document's duals for classes other than its own.
    std::vector<double> duals_of_others() const {
        std::vector<double> sums(problem_.size());
        for (std::size_t c = 0; c < problem_.classes(); ++c) {
            const auto* probabilities = scores_.probabilities(c);
            for (std::size_t i = 0; i < sums.size(); ++i)
                if (const auto own = scores_.own_class(i); own != c)
                    sums[i] += dual_share(own, c) * probabilities[i];
        }
        return sums;
    }

    // Computes the slope along every weight at the duals. The classes of a document are adjacent,
    // so that each column is read once for all of them.
    void compute_slopes() {
        const auto& moving = weights_.moving();
        const auto width = moving.size();
        if (is_balanced_) balance_duals();
        const auto given = duals_of_others();
        std::vector<double> slopes(problem_.size() * width);
        for (std::size_t m = 0; m < width; ++m) {
            const auto c = moving[m];
            const auto* probabilities = scores_.probabilities(c);
            for (std::size_t i = 0; i < problem_.size(); ++i) {
                const auto own = scores_.own_class(i);
                const auto pull = own == c ? -given[i] : dual_share(own, c) * probabilities[i];
                slopes[i * width + m] = shares_[i] * pull;
            }
        }
        constexpr std::size_t block = 1024;  // terms
        run_tasks((weights_.coordinates() + block - 1) / block, workers_, monitor_,
                  [&](std::size_t task, std::size_t) {
                      std::vector<double> sums(width);
                      const auto end = std::min(weights_.coordinates(), (task + 1) * block);
                      for (std::size_t term = task * block; term < end; ++term) {
                          std::fill(sums.begin(), sums.end(), 0.0);
                          weights_.for_each(term, [&](std::size_t i, double x) {
                              const auto* row = slopes.data() + i * width;
                              for (std::size_t m = 0; m < width; ++m) sums[m] += x * row[m];
                          });
                          for (std::size_t m = 0; m < width; ++m)
                              slopes_[weights_.place(moving[m], term)] = sums[m];
                      }
                  });
    }

    // Measures the violations of all optimality conditions.
    void measure() {
        compute_slopes();
        measured_ = {};
        for_moving([&](const Prior& prior, double slope, double, std::size_t) {
            measured_.find_share(prior, slope);
        });
        for_moving([&](const Prior& prior, double slope, double at, std::size_t term) {
            measured_.add(prior, slope, at, has_gap_ ? 1.0 : violation_unit(prior, steepest_[term]));
        });
    }

    template <class Visit>
    void for_moving(Visit&& visit) {
        for (const auto c : weights_.moving())
            for (std::size_t term = 0; term < weights_.coordinates(); ++term)
                visit(weights_.prior(c, term), slopes_[weights_.place(c, term)], weights_(c, term), term);
    }

    void certify(PolychotomousFit& fit) {
        fit.objective = scores_.average_loss() + measured_.penalty();
        if (!has_gap_) {
            fit.kind = Certificate::kkt_residual;
            fit.certificate = measured_.largest_violation();
            return;
        }
        fit.kind = Certificate::duality_gap;
        const auto scale = fit.objective > 0.0 ? fit.objective : 1.0;
        if (!is_balanced_) {
            fit.certificate = measured_.gap_at_most(scores_.average_loss()) / scale;
            if (measured_.share() == 1.0 || fit.certificate <= options_.tolerance) return;
        }
        const auto divergence = scores_.divergence(
            [&](std::size_t own, std::size_t c) { return measured_.share() * dual_share(own, c); });
        fit.certificate = measured_.gap_with(divergence) / scale;
    }

    // Reports progress: a certificate falls by powers of ten, so its logarithm measures the way
    // done.
    void report_progress(const PolychotomousFit& fit) {
        auto share = static_cast<double>(fit.iterations) / options_.steps;
        if (options_.tolerance > 0.0 && fit.certificate > 0.0)
            share = std::max(share, std::log(fit.certificate) / std::log(options_.tolerance));
        while (static_cast<double>(monitor_.done()) < 99.0 * std::min(share, 1.0)) monitor_.advance();
    }

    // Chooses a working set and takes Newton steps on it. Returns false if none lowers the
    // objective.
    bool descend(PolychotomousFit& fit) {
        choose();
        double goal = 0.0;
        bool moved = false;
        for (int round = 0; round < 10 && fit.iterations < options_.steps; ++round) {
            ++fit.iterations;
            const auto met = model_.minimise();
            if (round == 0) goal = 0.3 * met;
            if (!search_line()) break;
            moved = true;
            if (round > 0 && met <= goal) break;
        }
        return moved;
    }

    // Chooses all weights not at their modes and those without a kink there; of the others those
    // with the largest violations.
    void choose() {
        for (auto& each : working_set_) each.clear();
        violators_.clear();
        std::size_t away = 0;
        for (const auto c : weights_.moving())
            for (std::size_t term = 0; term < weights_.coordinates(); ++term) {
                const auto prior = weights_.prior(c, term);
                const auto violation = prior.violation(slopes_[weights_.place(c, term)], weights_(c, term));
                const bool is_away = weights_(c, term) != prior.mode();
                away += is_away;
                if (is_away || term == weights_.terms() || (violation > 0.0 && prior.absolute == 0.0))
                    working_set_[c].push_back(static_cast<std::int32_t>(term));
                else if (violation > 0.0)
                    violators_.push_back({violation, static_cast<std::uint32_t>(c),
                                          static_cast<std::int32_t>(term)});
            }
        choose_worst(std::max<std::size_t>(options_.least_set * weights_.moving().size(), away));
        model_.choose(working_set_);
    }

    void choose_worst(std::size_t most) {
        const auto room = static_cast<std::ptrdiff_t>(std::min(violators_.size(), most));
        std::nth_element(violators_.begin(), violators_.begin() + room, violators_.end(),
                         [](const Violator& a, const Violator& b) {
                             if (a.violation != b.violation) return a.violation > b.violation;
                             return a.of_class != b.of_class ? a.of_class < b.of_class : a.term < b.term;
                         });
        for (auto each = violators_.begin(); each != violators_.begin() + room; ++each)
            working_set_[each->of_class].push_back(each->term);
    }

    // Takes the longest of the step, its half, its quarter, ... that lowers the objective enough.
    // Near the optimum a step predicts a decrease below the rounding error of the objective: a few
    // such steps are accepted.
    bool search_line() {
        const auto predicted = scores_.slope_along_steps() + model_.penalty_change(1.0);
        if (!(predicted < 0.0)) return false;
        const auto noise = digits * scores_.average_loss();
        below_rounding_ = predicted > -noise ? below_rounding_ + 1 : 0;
        const auto slack = 0 < below_rounding_ && below_rounding_ < most_below_rounding ? noise : 0.0;
        double share = 1.0;
        for (int halvings = 0; halvings < 40; ++halvings, share *= 0.5) {
            const auto change =
                scores_.loss_after(share) - scores_.average_loss() + model_.penalty_change(share);
            if (change > 0.01 * share * predicted + slack) continue;
            model_.take(share);
            return true;
        }
        return false;
    }

    void keep(PolychotomousFit& fit) {
        fit.starts.assign(1, 0);
        for (std::size_t c = 0; c < problem_.classes(); ++c) {
            for (std::size_t term = 0; term < weights_.terms(); ++term) {
                if (weights_(c, term) == 0.0) continue;
                fit.terms.push_back(static_cast<std::int32_t>(term));
                fit.weights.push_back(weights_(c, term));
            }
            fit.starts.push_back(static_cast<std::int64_t>(fit.terms.size()));
            fit.intercepts.push_back(weights_(c, weights_.terms()) * options_.constant);
        }
    }

    static constexpr double digits = 4.0 * std::numeric_limits<double>::epsilon();
    static constexpr int most_below_rounding = 20;

    const PolychotomousProblem& problem_;
    const PolychotomousOptions& options_;
    std::size_t workers_;
    Monitor& monitor_;
    ClassWeights weights_;
    std::vector<double> shares_;
    ClassScores scores_;
    ClassQuadraticModel model_;
    std::vector<double> slopes_;                          // of the loss, along all weights
    std::vector<std::vector<std::int32_t>> working_set_;  // terms of the working set, by class
    std::vector<Violator> violators_;
    int below_rounding_ = 0;  // consecutive steps with a predicted decrease below rounding
    Optimality measured_;
    bool has_gap_ = true;
    bool is_balanced_ = false;         // constants are unpenalised: the duals of the gap are balanced
    std::vector<double> dual_shares_;  // classes × classes; empty: the duals are the probabilities
    std::vector<double> steepest_;     // slopes of the loss by term; only without a gap
};

}  // namespace postil
