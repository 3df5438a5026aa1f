// Polychotomous logistic regression by proximal Newton steps over a working set of weights.
//
//     minimise  (1/n) Σ cᵢ f(zᵢ) + Σₖ Σⱼ priorₖⱼ(wₖⱼ)       f(z) = ln Σₖ exp(zₖ) - z_y
//
// Around the weights the loss is taken for its second-order expansion, with the curvature
// diag(p) - p pᵀ of a document's scores: classes lean on each other, and the expansion says how. It
// is minimised, with the priors, by coordinate descent over the working set, class after class. While
// one class has its turn, a document keeps two numbers for it: the expansion's slope along its score,
// and its curvature p (1 - p); so that a weight costs its column, as with two classes. A line search
// takes the step. What the same shift of a term's weight in all classes can do (common_shift.hpp) is
// done without a look at the documents.
//
// Dual variables are probabilities q on the simplex, with k(·) the negative entropy:
//
//     D(q) = -(1/n) Σ cᵢ Σₖ qᵢₖ ln qᵢₖ - Σₖ Σⱼ priorₖⱼ*(vₖⱼ)     vₖⱼ = (1/n) Σ cᵢ (yᵢₖ - qᵢₖ) xᵢⱼ
//
// and at q = s p + (1 - s) y the gap falls into the parts of optimality.hpp.
//
// A Newton step costs documents × classes, and the working set's non-zeros for every inner pass; a look
// at all weights costs the non-zeros × classes. Memory: 32 bytes for each document and class, 16 for
// each term and class, 68 for each weight of the working set.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "postil/class_priors.hpp"
#include "postil/class_scores.hpp"
#include "postil/common_shift.hpp"
#include "postil/extrapolation.hpp"
#include "postil/optimality.hpp"
#include "postil/polychotomous.hpp"

namespace postil {

class PolychotomousNewton {
public:
    PolychotomousNewton(const PolychotomousProblem& problem, const PolychotomousOptions& options,
                        std::size_t workers, Monitor& monitor)
        : problem_(problem), options_(options), workers_(workers), monitor_(monitor),
          priors_(problem, options), shares_(problem.weights.begin(), problem.weights.end()),
          scores_(problem.labels, shares_, problem.classes(), workers, monitor),
          width_(problem.design.terms.count + 1), weights_(problem.classes() * width_),
          slopes_(weights_.size()), wanted_(problem.classes()), places_(problem.size()),
          means_(problem.size()) {
        for (auto& share : shares_) share /= problem.documents;
        for (std::size_t c = 0; c < problem.classes(); ++c)
            if (static_cast<std::int32_t>(c) != problem.reference) moving_.push_back(c);
    }

    PolychotomousFit solve() {
        PolychotomousFit fit;
        begin();
        for (;;) {
            settle();
            certify(fit);
            tell(fit);
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
    // What coordinate descent asks of a document while a class has its turn.
    struct Place {
        double slope;
        double curvature;
        double change;
    };
    struct Violator {
        double violation;
        std::uint32_t of_class;
        std::int32_t term;
    };

    std::size_t terms() const { return width_ - 1; }
    // How many weights a class has: with an intercept the constant's, past all terms.
    std::size_t coordinates() const { return terms() + (options_.intercept != Intercept::none); }
    double& weight(std::size_t of_class, std::size_t term) { return weights_[of_class * width_ + term]; }

    template <class Visit>
    void for_each(std::size_t term, Visit&& visit) const {
        if (term == terms()) {
            for (std::size_t i = 0; i < problem_.size(); ++i) visit(i, options_.constant);
            return;
        }
        const auto column = problem_.design.terms[term];
        for (std::size_t k = 0; k < column.size; ++k)
            visit(static_cast<std::size_t>(column.places[k]), static_cast<double>(column.values[k]));
    }

    void begin() {
        largest_.assign(width_, options_.constant);
        for (std::size_t term = 0; term < terms(); ++term) {
            largest_[term] = 0.0;
            for_each(term, [&](std::size_t, double x) {
                largest_[term] = std::max(largest_[term], std::abs(x));
            });
        }
        // Where nothing holds a weight back its conjugate is infinite, and there is no gap.
        over_moving([&](const Prior& prior, double, double) { has_free_ = has_free_ || !prior.holds(); });
        if (has_free_) {
            scores_.look();
            look_at_all();
            over_moving([&](const Prior& prior, double slope, double) {
                initial_residual_ = std::max(initial_residual_, prior.violation(slope, 0.0));
            });
            // As problem.hpp measures violations: by what holds a weight at rest, if that is less.
            for (const auto c : moving_)
                if (const auto held = problem_.strengths[c].absolute; held > 0.0)
                    initial_residual_ = std::min(initial_residual_, held);
        }
        for (const auto c : moving_)
            for (std::size_t term = 0; term < coordinates(); ++term) {
                const auto rest = priors_(c, term).rest();
                weight(c, term) = rest;
                if (rest == 0.0) continue;
                for_each(term, [&](std::size_t i, double x) { scores_.scores(c)[i] += rest * x; });
            }
        scores_.look();
    }

    // The slope of the loss along every weight. A document's classes side by side, each column is read
    // once for all of them.
    void look_at_all() {
        const auto width = moving_.size();
        std::vector<double> slopes(problem_.size() * width);
        for (std::size_t m = 0; m < width; ++m)
            for (std::size_t i = 0; i < problem_.size(); ++i)
                slopes[i * width + m] = scores_.slope(i, moving_[m]);
        constexpr std::size_t block = 1024;  // terms
        run_tasks((coordinates() + block - 1) / block, workers_, monitor_,
                  [&](std::size_t task, std::size_t) {
                      std::vector<double> sums(width);
                      const auto end = std::min(coordinates(), (task + 1) * block);
                      for (std::size_t term = task * block; term < end; ++term) {
                          std::fill(sums.begin(), sums.end(), 0.0);
                          for_each(term, [&](std::size_t i, double x) {
                              const auto* row = slopes.data() + i * width;
                              for (std::size_t m = 0; m < width; ++m) sums[m] += x * row[m];
                          });
                          for (std::size_t m = 0; m < width; ++m)
                              slopes_[moving_[m] * width_ + term] = sums[m];
                      }
                  });
    }

    // How far the whole is from optimal.
    void settle() {
        look_at_all();
        measured_ = {};
        over_moving([&](const Prior& prior, double slope, double) { measured_.limit(prior, slope); });
        over_moving([&](const Prior& prior, double slope, double at) { measured_.add(prior, slope, at); });
    }

    template <class Visit>
    void over_moving(Visit&& visit) {
        for (const auto c : moving_)
            for (std::size_t term = 0; term < coordinates(); ++term)
                visit(priors_(c, term), slopes_[c * width_ + term], weights_[c * width_ + term]);
    }

    void certify(PolychotomousFit& fit) {
        fit.objective = scores_.average_loss() + measured_.penalty();
        if (has_free_) {
            fit.kind = Certificate::kkt_residual;
            // A slope is no more than the largest |x|; what its last digits say is nothing.
            const auto noise = digits * *std::max_element(largest_.begin(), largest_.end());
            const auto residual = measured_.largest_violation();
            fit.certificate = residual > noise ? residual / std::max(initial_residual_, noise) : 0.0;
            return;
        }
        fit.kind = Certificate::duality_gap;
        const auto scale = fit.objective > 0.0 ? fit.objective : 1.0;
        fit.certificate = measured_.gap_at_most(scores_.average_loss()) / scale;
        if (measured_.share() == 1.0 || fit.certificate <= options_.tolerance) return;
        const auto unchanged = measured_.gap_at_most(0.0);
        fit.certificate = (unchanged + scores_.divergence(measured_.share())) / scale;
    }

    // A certificate falls by powers of ten: its logarithm says how much of the way is done.
    void tell(const PolychotomousFit& fit) {
        auto share = static_cast<double>(fit.iterations) / options_.steps;
        if (options_.tolerance > 0.0 && fit.certificate > 0.0)
            share = std::max(share, std::log(fit.certificate) / std::log(options_.tolerance));
        while (static_cast<double>(monitor_.done()) < 99.0 * std::min(share, 1.0)) monitor_.count();
    }

    // Chooses a working set and takes Newton steps on it; false if none lowers the objective.
    bool descend(PolychotomousFit& fit) {
        choose();
        double goal = 0.0;
        bool moved = false;
        for (int round = 0; round < 10 && fit.iterations < options_.steps; ++round) {
            ++fit.iterations;
            const auto met = minimise_expansion();
            if (round == 0) goal = 0.3 * met;
            if (!search_line()) break;
            moved = true;
            if (round > 0 && met <= goal) break;
        }
        return moved;
    }

    // All weights that are away from rest, and those that nothing holds there; of the others the worst.
    void choose() {
        for (auto& each : wanted_) each.clear();
        violators_.clear();
        std::size_t away = 0;
        for (const auto c : moving_)
            for (std::size_t term = 0; term < coordinates(); ++term) {
                const auto prior = priors_(c, term);
                const auto violation = prior.violation(slopes_[c * width_ + term], weight(c, term));
                const bool is_away = weight(c, term) != prior.rest();
                away += is_away;
                if (is_away || term == terms() || (violation > 0.0 && prior.absolute == 0.0))
                    wanted_[c].push_back(static_cast<std::int32_t>(term));
                else if (violation > 0.0)
                    violators_.push_back({violation, static_cast<std::uint32_t>(c),
                                          static_cast<std::int32_t>(term)});
            }
        choose_worst(std::max<std::size_t>(options_.least_set * moving_.size(), away));
        chosen_.clear();
        starts_.assign(1, 0);
        for (auto& each : wanted_) {
            std::sort(each.begin(), each.end());
            chosen_.insert(chosen_.end(), each.begin(), each.end());
            starts_.push_back(chosen_.size());
        }
        curvatures_.resize(chosen_.size());
        changes_.resize(chosen_.size());
    }

    void choose_worst(std::size_t most) {
        const auto room = static_cast<std::ptrdiff_t>(std::min(violators_.size(), most));
        std::nth_element(violators_.begin(), violators_.begin() + room, violators_.end(),
                         [](const Violator& a, const Violator& b) {
                             if (a.violation != b.violation) return a.violation > b.violation;
                             return a.of_class != b.of_class ? a.of_class < b.of_class : a.term < b.term;
                         });
        for (auto each = violators_.begin(); each != violators_.begin() + room; ++each)
            wanted_[each->of_class].push_back(each->term);
    }

    std::size_t term_of(std::size_t at) const { return static_cast<std::size_t>(chosen_[at]); }

    // Coordinate descent on the second-order expansion and the priors; gives the sum of violations
    // that its first pass met.
    double minimise_expansion() {
        scores_.forget_steps();
        std::fill(means_.begin(), means_.end(), 0.0);
        std::fill(changes_.begin(), changes_.end(), 0.0);
        extrapolation_.clear();
        double first = 0.0;
        for (std::uint32_t pass = 0; pass < options_.passes; ++pass) {
            double met = 0.0;
            for (const auto c : moving_) {
                monitor_.check();
                if (starts_[c] < starts_[c + 1]) met += pass_over(c, pass == 0);
            }
            shift_terms();
            if (pass == 0) first = met;
            else if (met <= inner_share * first) break;
            extrapolation_.add(changes_);
            if (extrapolation_.find(further_)) go_further();
        }
        return first;
    }

    // One class's turn.
    double pass_over(std::size_t of_class, bool is_first) {
        prepare_places(of_class);
        const auto first = starts_[of_class], end = starts_[of_class + 1];
        const bool has_constant = term_of(end - 1) == terms();
        double met = 0.0;
        if (is_first) for (auto at = first; at < end; ++at) find_curvature(at);
        // All terms lean on the constant: it comes first, and once more at the end.
        if (has_constant) met += improve(of_class, end - 1);
        for (auto at = first; at + has_constant < end; ++at) met += improve(of_class, at);
        if (has_constant) improve(of_class, end - 1);
        keep_places(of_class);
        return met;
    }

    void find_curvature(std::size_t at) {
        double curvature = 0.0;
        for_each(term_of(at),
                 [&](std::size_t i, double x) { curvature += places_[i].curvature * x * x; });
        curvatures_[at] = curvature;
    }

    double improve(std::size_t of_class, std::size_t at) {
        const auto term = term_of(at);
        double slope = 0.0;
        for_each(term, [&](std::size_t i, double x) { slope += places_[i].slope * x; });
        const auto prior = within_reach(of_class, term);
        const auto now = weight(of_class, term) + changes_[at];
        const auto change = prior.step(slope, curvatures_[at] + ridge, now);
        if (change != 0.0) {
            changes_[at] += change;
            for_each(term, [&](std::size_t i, double x) {
                const auto step = change * x;
                places_[i].slope += places_[i].curvature * step;
                places_[i].change += step;
            });
        }
        return prior.violation(slope, now);
    }

    // Far from here the expansion is wrong, above all along weights that hardly bend it: in one step no
    // weight moves any score by more than the reach.
    Prior within_reach(std::size_t of_class, std::size_t term) {
        auto prior = priors_(of_class, term);
        const auto from = weight(of_class, term);
        const auto most = largest_[term] > 0.0 ? reach_ / largest_[term] : no_bound;
        prior.low = std::max(prior.low, from - most);
        prior.high = std::min(prior.high, from + most);
        return prior;
    }

    // Where the passes are going, if the expansion is lower there.
    void go_further() {
        const auto before = scores_.expansion() + penalty_change(1.0);
        for (const auto c : moving_)
            for (auto at = starts_[c]; at < starts_[c + 1]; ++at) {
                const auto prior = within_reach(c, term_of(at));
                const auto from = weight(c, term_of(at));
                if (from + further_[at] < prior.low) further_[at] = prior.low - from;
                if (from + further_[at] > prior.high) further_[at] = prior.high - from;
            }
        std::swap(changes_, further_);
        scores_.save_steps();
        for (const auto c : moving_)
            for (auto at = starts_[c]; at < starts_[c + 1]; ++at) {
                const auto change = changes_[at] - further_[at];
                auto* steps = scores_.steps(c);
                if (change != 0.0)
                    for_each(term_of(at), [&](std::size_t i, double x) { steps[i] += change * x; });
            }
        if (scores_.expansion() + penalty_change(1.0) < before) scores_.mean_steps(means_);
        else {
            std::swap(changes_, further_);
            scores_.restore_steps();
        }
    }

    // The expansion's slope along zᵢₖ is that of the loss and pₖ (dₖ - Σ p d), for steps d so far.
    void prepare_places(std::size_t of_class) {
        const auto* probabilities = scores_.probabilities(of_class);
        const auto* steps = scores_.steps(of_class);
        for (std::size_t i = 0; i < places_.size(); ++i) {
            const auto p = probabilities[i], share = shares_[i];
            places_[i] = {scores_.slope(i, of_class) + share * p * (steps[i] - means_[i]),
                          share * p * (1.0 - p), 0.0};
        }
    }

    void keep_places(std::size_t of_class) {
        const auto* probabilities = scores_.probabilities(of_class);
        auto* steps = scores_.steps(of_class);
        for (std::size_t i = 0; i < places_.size(); ++i) {
            steps[i] += places_[i].change;
            means_[i] += probabilities[i] * places_[i].change;
        }
    }

    // Moves the weights of terms that all classes have chosen to where their priors like them best.
    // Scores would move by the same number in all classes: they may as well stay.
    void shift_terms() {
        if (problem_.reference != no_reference) return;
        cursors_.assign(starts_.begin(), starts_.end() - 1);
        these_.resize(moving_.size());
        now_.resize(moving_.size());
        for (auto at = starts_[0]; at < starts_[1]; ++at)
            if (advance_cursors(chosen_[at])) shift_term(term_of(at));
    }

    bool advance_cursors(std::int32_t term) {
        bool has_all = true;
        for (const auto c : moving_) {
            while (cursors_[c] < starts_[c + 1] && chosen_[cursors_[c]] < term) ++cursors_[c];
            has_all = has_all && cursors_[c] < starts_[c + 1] && chosen_[cursors_[c]] == term;
        }
        return has_all;
    }

    void shift_term(std::size_t term) {
        for (const auto c : moving_) {
            these_[c] = priors_(c, term);
            now_[c] = weight(c, term) + changes_[cursors_[c]];
        }
        const auto shift = best_shift_(these_, now_);
        for (const auto c : moving_) changes_[cursors_[c]] += shift;
    }

    template <class Visit>
    void over_chosen(Visit&& visit) {
        for (const auto c : moving_)
            for (auto at = starts_[c]; at < starts_[c + 1]; ++at)
                visit(priors_(c, term_of(at)), weight(c, term_of(at)), changes_[at]);
    }

    double penalty_change(double share) {
        double sum = 0.0;
        over_chosen([&](const Prior& prior, double at, double change) {
            if (change != 0.0) sum += prior.value(at + share * change) - prior.value(at);
        });
        return sum;
    }

    // Takes the longest of the step, its half, its quarter... that lowers the objective enough. Near the
    // end a step promises less than the objective's last digits show: some such are taken on trust.
    bool search_line() {
        const auto promised = scores_.slope_along_steps() + penalty_change(1.0);
        if (!(promised < 0.0)) return false;
        const auto noise = digits * scores_.average_loss();
        faint_ = promised > -noise ? faint_ + 1 : 0;
        const auto slack = 0 < faint_ && faint_ < most_faint ? noise : 0.0;
        double share = 1.0;
        for (int halvings = 0; halvings < 40; ++halvings, share *= 0.5) {
            const auto change =
                scores_.loss_after(share) - scores_.average_loss() + penalty_change(share);
            if (change > 0.01 * share * promised + slack) continue;
            over_chosen([&](const Prior& prior, double& at, double step) {
                at = rounded(at, share * step, prior.rest());
            });
            scores_.take(share);
            if (share == 1.0) reach_ = std::min(2.0 * reach_, first_reach);
            else if (share < 0.25) reach_ *= 0.5;
            return true;
        }
        return false;
    }

    // What was to end at rest ends there, and not a last digit from it.
    static double rounded(double from, double step, double rest) {
        const auto to = from + step;
        return std::abs(to - rest) <= digits * (std::abs(from) + std::abs(step)) ? rest : to;
    }

    void keep(PolychotomousFit& fit) {
        fit.starts.assign(1, 0);
        for (std::size_t c = 0; c < problem_.classes(); ++c) {
            for (std::size_t term = 0; term < terms(); ++term) {
                if (weight(c, term) == 0.0) continue;
                fit.terms.push_back(static_cast<std::int32_t>(term));
                fit.weights.push_back(weight(c, term));
            }
            fit.starts.push_back(static_cast<std::int64_t>(fit.terms.size()));
            fit.intercepts.push_back(weight(c, terms()) * options_.constant);
        }
    }

    static constexpr double digits = 4.0 * std::numeric_limits<double>::epsilon();
    static constexpr int most_faint = 20;
    static constexpr double ridge = 1e-12;       // for columns without curvature
    static constexpr double first_reach = 8.0;   // of scores in one step
    static constexpr double inner_share = 0.1;   // of the first violations, where inner passes end

    const PolychotomousProblem& problem_;
    const PolychotomousOptions& options_;
    std::size_t workers_;
    Monitor& monitor_;
    ClassPriors priors_;
    std::vector<double> shares_;  // cᵢ / n
    ClassScores scores_;
    std::size_t width_;                     // terms, and the constant
    std::vector<double> weights_, slopes_;  // by class, then by term
    std::vector<double> largest_;           // |x| of each term
    double reach_ = first_reach;
    int faint_ = 0;                         // steps that promised next to nothing, one after the other
    std::vector<std::size_t> moving_;       // classes, but for the reference
    std::vector<std::vector<std::int32_t>> wanted_;  // terms of the working set, by class
    std::vector<std::int32_t> chosen_;      // the same, one class after the other; the constant last
    std::vector<std::size_t> starts_;       // where each class begins
    std::vector<double> curvatures_, changes_, further_;  // of what is chosen
    Extrapolation extrapolation_;
    std::vector<Violator> violators_;
    std::vector<Place> places_;
    std::vector<double> means_;  // Σ p d by document
    Optimality measured_;
    bool has_free_ = false;  // some weight has no prior
    double initial_residual_ = 0.0;
    CommonShift best_shift_;
    std::vector<std::size_t> cursors_;
    std::vector<Prior> these_;
    std::vector<double> now_;
};

}  // namespace postil
