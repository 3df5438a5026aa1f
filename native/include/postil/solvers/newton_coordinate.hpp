// Proximal Newton steps over a working set of terms.
//
//     minimise  (1/n) Σ cᵢ f(zᵢ) + Σⱼ priorⱼ(wⱼ)
//
// Around the weights the loss is taken for its second-order expansion; coordinate descent minimises
// that and the priors together over the working set, and a line search takes the step (Yuan, Ho and
// Lin 2012, "newGLMNET", do this over all terms). Under a Laplace prior most weights rest at their
// mean. A term at rest stays out of the working set as long as the slope of the loss along it is
// surely less than what holds it (slope_bounds.hpp), so that most columns are never looked at.
//
// A Newton step costs the documents, and for every inner pass the non-zeros of the terms that move; a
// check of all terms costs one number for each of them, the rows of documents whose slope has changed
// and the columns of terms that could move.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "postil/loss_view.hpp"
#include "postil/optimality.hpp"
#include "postil/problem.hpp"
#include "postil/slope_bounds.hpp"
#include "postil/threads.hpp"

namespace postil {

struct NewtonOptions {
    std::uint32_t steps = 1000;
    double tolerance = 1e-4;     // of the certificate; 0: until no step lowers the objective
    std::uint32_t passes = 50;   // of coordinate descent within a step, at most
    std::size_t least_set = 32;  // terms by which a working set grows, at least
};

template <class Loss>
class NewtonCoordinateDescent {
public:
    NewtonCoordinateDescent(const BinaryProblem& problem, const ColumnFacts& facts, Loss loss,
                            const NewtonOptions& options)
        : problem_(problem), facts_(facts), loss_(loss), options_(options) {}

    // `start` holds weights by place in the terms and last the constant's; empty means at rest.
    void begin(std::span<const double> start) {
        const auto size = problem_.coordinates();
        weights_.assign(size, 0.0);
        here_.resize(problem_.size());
        there_.resize(problem_.size());
        std::fill(here_.scores.begin(), here_.scores.end(), 0.0);
        changes_.assign(problem_.size(), 0.0);
        constant_ = {};
        here_.look(problem_, loss_);
        is_held_ = problem_.holds_all();
        if (!is_held_) {
            find_open();
            initial_residual_ = measured().largest_violation();
        }
        for (std::size_t place = 0; place < size; ++place) {
            const auto prior = problem_.prior(place);
            const auto from = place < start.size() ? start[place] : prior.mean;
            if (const auto weight = std::clamp(from, prior.low, prior.high); weight != 0.0) {
                weights_[place] = weight;
                problem_.for_each(place, [&](std::size_t i, double x) { here_.scores[i] += weight * x; });
            }
        }
        if (start.empty() && problem_.has_constant()) begin_with_constant();
        here_.look(problem_, loss_);
    }

    // From where the last call ended, with the strength that the problem has now.
    Fit solve(Monitor& monitor) {
        Fit fit;
        fit.iterations = std::exchange(has_begun_, true) ? 0 : 1;  // the constant's own steps
        double best = no_bound, objective = no_bound;
        std::uint32_t in_vain = 0;
        for (;;) {
            find_open();
            certify(fit);
            if (options_.tolerance > 0.0 && fit.certificate <= options_.tolerance) {
                fit.stop = Stop::certified;
                break;
            }
            if (fit.iterations >= options_.steps) break;
            const bool is_lower = fit.objective < (1.0 - 1e-5) * objective;
            in_vain = is_lower || fit.certificate < 0.9 * best ? 0 : in_vain + 1;
            best = std::min(best, fit.certificate);
            objective = fit.objective;
            care_ = in_vain > 0 ? std::min(care_ * 4.0, most_care) : 1.0;
            // Steps too small to be seen in the objective go on while the certificate gets better.
            const bool is_blind = !descend(fit, monitor);
            if (is_blind && in_vain > 8) {
                fit.stop = Stop::precision;
                break;
            }
        }
        const auto terms = static_cast<std::ptrdiff_t>(problem_.terms.size());
        fit.weights.assign(weights_.begin(), weights_.begin() + terms);
        fit.intercept = problem_.has_constant() ? weights_.back() * problem_.constant : 0.0;
        return fit;
    }

private:
    // A coordinate with the slope of the loss along it.
    struct Open {
        std::uint32_t place;
        double slope;
    };
    struct Chosen {
        std::uint32_t place;
        Prior prior;
        double slope = 0.0;
        double curvature = 0.0;
        double cross = 0.0;   // with the constant
        double change = 0.0;  // dⱼ
        std::size_t first = 0;  // of its products in products_
    };

    // The documents at the scores and a share of the changes.
    void look_along(double share) {
        const auto shift = constant_.change * problem_.constant;
        for (std::size_t i = 0; i < problem_.size(); ++i)
            there_.scores[i] = here_.scores[i] + share * (changes_[i] + shift);
        there_.look(problem_, loss_);
    }

    // The best constant while all other weights rest: where every document has the same score, it
    // depends on the classes' weights alone. Without it common words look as if they mattered.
    void begin_with_constant() {
        const bool differ = std::adjacent_find(here_.scores.begin(), here_.scores.end(), std::not_equal_to<>()) !=
                            here_.scores.end();
        if (differ || here_.scores.empty()) return;
        double inside = 0.0, outside = 0.0;
        for (std::size_t i = 0; i < problem_.size(); ++i)
            (problem_.labels[i] > 0.0f ? inside : outside) += problem_.weights[i] / problem_.documents;
        const auto prior = problem_.prior(problem_.terms.size());
        const auto x = problem_.constant;
        auto& weight = weights_.back();
        auto score = here_.scores.front();
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
        std::fill(here_.scores.begin(), here_.scores.end(), score);
    }

    double slope(std::size_t place) const {
        double sum = 0.0;
        problem_.for_each(place, [&](std::size_t i, double x) { sum += here_.slopes[i] * x; });
        return sum;
    }

    // Finds the coordinates that may not stay where they are, with their slopes.
    void find_open() {
        open_.clear();
        const bool can_rest = problem_.strength.absolute > 0.0 || !problem_.beliefs.empty();
        if (can_rest) follow();
        for (std::size_t place = 0; place < weights_.size(); ++place)
            if (!can_rest || !rests(place))
                open_.push_back({static_cast<std::uint32_t>(place), slope(place)});
    }

    void follow() {
        if (!bounds_.has_begun()) bounds_.begin(facts_, slope_of_others());
        bounds_.follow(problem_.design.documents, here_.slopes, 0.3 * problem_.strength.absolute);
    }

    // For a unit of a document's weight.
    double slope_of_others() const {
        for (std::size_t i = 0; i < problem_.size(); ++i)
            if (problem_.labels[i] < 0.0f && problem_.weights[i] > 0.0)
                return here_.slopes[i] / facts_.document_weights[i];
        return 0.0;
    }

    bool rests(std::size_t place) const {
        if (place == problem_.terms.size()) return false;
        const auto term = static_cast<std::size_t>(problem_.terms[place]);
        const auto slope = bounds_.slope(term), doubt = bounds_.doubt(term);
        if (problem_.beliefs.empty())
            return weights_[place] == 0.0 && std::abs(slope) + doubt <= problem_.strength.absolute;
        const auto prior = problem_.prior(place);
        if (prior.absolute == 0.0 || weights_[place] != prior.rest()) return false;
        return prior.violation(slope - doubt, weights_[place]) == 0.0 &&
               prior.violation(slope + doubt, weights_[place]) == 0.0;
    }

    // Coordinates that rest add nothing.
    Optimality measured() const {
        Optimality found;
        for (const auto& each : open_) found.limit(problem_.prior(each.place), each.slope);
        for (const auto& each : open_)
            found.add(problem_.prior(each.place), each.slope, weights_[each.place]);
        return found;
    }

    void certify(Fit& fit) const {
        const auto found = measured();
        fit.objective = here_.average + found.penalty();
        if (!is_held_) {
            fit.kind = Certificate::kkt_residual;
            const auto unit = problem_.violation_unit(initial_residual_);
            fit.certificate = unit > 0.0 ? found.largest_violation() / unit : 0.0;
            return;
        }
        fit.kind = Certificate::duality_gap;
        const auto scale = fit.objective > 0.0 ? fit.objective : 1.0;
        fit.certificate = found.gap_at_most(here_.average) / scale;
        // The bound is some times the gap: where it is far too large, so is the gap.
        if (fit.certificate <= options_.tolerance || fit.certificate > 5.0 * options_.tolerance) return;
        const auto margin = [&](std::size_t i) { return problem_.labels[i] * here_.scores[i]; };
        const auto slope_at = [&](std::size_t i) { return loss_.slope(margin(i)); };
        fit.certificate = found.gap(problem_, loss_, margin, slope_at) / scale;
    }

    // Chooses a working set and takes Newton steps on it; false if no step can be seen in the objective.
    bool descend(Fit& fit, Monitor& monitor) {
        choose();
        double goal = 0.0;
        bool is_seen = false;
        for (int round = 0; round < 2 && fit.iterations < options_.steps; ++round) {
            monitor.check();
            expand();
            const auto violation = total_violation();
            if (round == 0) goal = 0.1 * violation;
            else if (violation <= goal) break;
            ++fit.iterations;
            minimise_expansion();
            const auto promised = promise();
            const bool can_be_seen = promised < -1e-13 * (here_.average + penalty_);
            if (!search_line(promised, can_be_seen)) break;
            is_seen |= can_be_seen;
        }
        return is_seen;
    }

    // What is away from rest, and of the others those that are pulled most.
    void choose() {
        chosen_.clear();
        ranked_.clear();
        for (const auto& each : open_) {
            const auto prior = problem_.prior(each.place);
            const auto weight = weights_[each.place];
            const auto violation = prior.violation(each.slope, weight);
            if (each.place == problem_.terms.size()) constant_ = {each.place, prior};
            else if (weight != prior.rest() || prior.absolute == 0.0)
                chosen_.push_back({each.place, prior});
            else if (violation > 0.0) ranked_.push_back({-violation, each.place});
        }
        const auto room = std::min(ranked_.size(), std::max(options_.least_set, chosen_.size()));
        const auto last = ranked_.begin() + static_cast<std::ptrdiff_t>(room);
        std::nth_element(ranked_.begin(), last, ranked_.end());
        for (auto each = ranked_.begin(); each != last; ++each)
            chosen_.push_back({each->second, problem_.prior(each->second)});
        std::ranges::sort(chosen_, {}, &Chosen::place);
    }

    SparseLine column_of(const Chosen& each) const {
        return problem_.design.terms[static_cast<std::size_t>(problem_.terms[each.place])];
    }

    // The loss's slope and curvature along every chosen coordinate, and the constant.
    void expand() {
        std::size_t first = 0;
        for (auto& each : chosen_) {
            const auto column = column_of(each);
            if (products_.size() < first + column.size) products_.resize(2 * (first + column.size));
            auto* products = products_.data() + (each.first = first);
            double slope = 0.0, curvature = 0.0, cross = 0.0;
            for (std::size_t k = 0; k < column.size; ++k) {
                const auto i = column.places[k];
                const double x = column.values[k];
                products[k] = here_.curvatures[i] * x;
                slope += here_.slopes[i] * x;
                curvature += products[k] * x;
                cross += products[k];
            }
            first += column.size;
            each.slope = slope;
            each.curvature = curvature;
            each.cross = cross * problem_.constant;
        }
        if (!problem_.has_constant()) return;
        double slope = 0.0, curvature = 0.0;
        for (std::size_t i = 0; i < problem_.size(); ++i) {
            slope += here_.slopes[i];
            curvature += here_.curvatures[i];
        }
        constant_.slope = slope * problem_.constant;
        constant_.curvature = curvature * problem_.constant * problem_.constant;
    }

    double total_violation() const {
        double sum = 0.0;
        for (const auto& each : chosen_) sum += each.prior.violation(each.slope, weights_[each.place]);
        if (problem_.has_constant())
            sum += constant_.prior.violation(constant_.slope, weights_.back());
        return sum;
    }

    // Coordinate descent on the second-order expansion and the priors: over all chosen ones, then
    // over those that moved until they hardly do, and all over again.
    void minimise_expansion() {
        std::fill(changes_.begin(), changes_.end(), 0.0);
        for (auto& each : chosen_) each.change = 0.0;
        constant_.change = 0.0;
        pull_ = constant_.slope;
        step_of_constant();
        const auto most_passes = static_cast<double>(options_.passes) * care_;
        const auto enough = inner_tolerance / (care_ * care_);
        double passes = 0.0;
        double first = 0.0;
        for (bool is_first = true; passes < most_passes; is_first = false) {
            moving_.clear();
            double met = 0.0;
            for (auto& each : chosen_) {
                met += step(each);
                if (weights_[each.place] + each.change != each.prior.rest()) moving_.push_back(&each);
            }
            ++passes;
            if (is_first) first = met;
            else if (met <= enough * first) break;
            for (; passes < most_passes; ++passes) {
                met = 0.0;
                for (auto* each : moving_) met += step(*each);
                if (met <= 0.5 * enough * first) break;
            }
        }
    }

    // One step of coordinate descent; how far the coordinate was from optimal.
    double step(Chosen& each) {
        const auto column = column_of(each);
        const auto* products = products_.data() + each.first;
        double slope = each.slope + each.cross * constant_.change;
        for (std::size_t k = 0; k < column.size; ++k) slope += products[k] * changes_[column.places[k]];
        const auto weight = weights_[each.place] + each.change;
        const auto change = each.prior.step(slope, each.curvature + ridge, weight);
        if (change != 0.0) {
            each.change += change;
            column.add_to(changes_.data(), change);
            pull_ += change * each.cross;
            step_of_constant();
        }
        return each.prior.violation(slope, weight);
    }

    // All terms lean on the constant: it is kept at its best after every step, which needs no look at
    // the documents.
    void step_of_constant() {
        if (!problem_.has_constant()) return;
        const auto change = constant_.prior.step(pull_, constant_.curvature + ridge,
                                                 weights_.back() + constant_.change);
        constant_.change += change;
        pull_ += change * constant_.curvature;
    }

    // What the expansion and the priors promise a whole step to change; never above 0.
    double promise() {
        double promised = 0.0;
        penalty_ = 0.0;
        const auto add = [&](const Chosen& each) {
            const auto now = each.prior.value(weights_[each.place]);
            penalty_ += now;
            promised +=
                each.slope * each.change + each.prior.value(weights_[each.place] + each.change) - now;
        };
        std::ranges::for_each(chosen_, add);
        if (problem_.has_constant()) add(constant_);
        return promised;
    }

    // Takes the longest of the step, its half, its quarter... that lowers the objective enough. A step
    // too small to be seen in the objective is a good one: it is taken whole.
    bool search_line(double promised, bool is_seen) {
        if (!(promised < 0.0)) return false;
        double share = 1.0;
        for (int halvings = 0; halvings < 40; ++halvings, share *= 0.5) {
            look_along(share);
            double change = there_.average - here_.average - penalty_;
            for (const auto& each : chosen_)
                change += each.prior.value(weights_[each.place] + share * each.change);
            if (problem_.has_constant())
                change += constant_.prior.value(weights_.back() + share * constant_.change);
            if (change <= 0.01 * share * promised || !is_seen) {
                take(share);
                return true;
            }
        }
        return false;
    }

    void take(double share) {
        for (const auto& each : chosen_) weights_[each.place] += share * each.change;
        if (problem_.has_constant()) weights_.back() += share * constant_.change;
        std::swap(here_, there_);
    }

    static constexpr double ridge = 1e-12;  // for columns without curvature
    static constexpr double inner_tolerance = 0.5;
    static constexpr double most_care = 4096.0;

    const BinaryProblem& problem_;
    const ColumnFacts& facts_;
    Loss loss_;
    const NewtonOptions& options_;
    std::vector<double> weights_;
    std::vector<double> changes_;  // Σⱼ dⱼ xᵢⱼ
    LossView here_, there_;
    SlopeBounds bounds_;
    std::vector<Open> open_;
    std::vector<Chosen> chosen_;  // the working set
    std::vector<Chosen*> moving_;
    Chosen constant_{};
    double pull_ = 0.0;             // the expansion's slope along the constant
    std::vector<double> products_;  // curvatureᵢ xᵢⱼ of the chosen columns, one after the other
    std::vector<std::pair<double, std::uint32_t>> ranked_;
    bool is_held_ = true;
    double care_ = 1.0;  // grows where rough steps do not better the certificate
    bool has_begun_ = false;
    double penalty_ = 0.0;  // of the chosen coordinates
    double initial_residual_ = 0.0;
};

}  // namespace postil
