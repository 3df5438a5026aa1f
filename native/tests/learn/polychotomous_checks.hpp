// Learns all classes of small awkward problems together. Checks that weights are finite and within
// their bounds, that the objective is that of the weights and no higher than at the modes of the
// priors, that the certificate holds, and that threads change nothing.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "../ledger.hpp"
#include "sample_classes.hpp"

namespace postil::tests {

class PolychotomousChecks {
public:
    PolychotomousChecks(Ledger& ledger, Random& random)
        : ledger_(ledger), random_(random), sample_(random) {}

    void run() {
        try {
            check_all();
        } catch (const Failure& failure) {
            throw Failure("polychotomous: " + std::string(failure.what()) + " (" + description() + ")");
        }
    }

private:
    void check_all() {
        const auto fit = train(sample_.options(), 1);
        check_form(fit);
        check_stop(fit);
        const auto weights = table_of(fit);
        check_weights(fit, weights);
        check_threads(fit);
        if (random_.one_in(10)) check_interruption();
        // A penalty of 1e100 leaves no digits to compare.
        if (sample_.is_extreme()) return;
        check_objective(fit, weights);
        if (fit.kind == Certificate::duality_gap) check_bound(fit, weights);
        else check_residual(fit, weights);
        if (fit.stop == Stop::precision) check_precision(fit);
    }

    PolychotomousFit train(const PolychotomousOptions& options, std::size_t workers) {
        Monitor monitor;
        auto fit = train_polychotomous(sample_.problem(), options, workers, monitor);
        ledger_.check(monitor.done() <= 100, "progress is at most one hundred");
        return fit;
    }

    void check_form(const PolychotomousFit& fit) {
        const auto count = fit.weights.size();
        ledger_.check(fit.terms.size() == count, "each weight has a term");
        ledger_.check(fit.intercepts.size() == sample_.classes(), "each class has an intercept");
        ledger_.check(fit.starts.size() == sample_.classes() + 1 && fit.starts.front() == 0 &&
                          static_cast<std::size_t>(fit.starts.back()) == count,
                      "each class has its weights");
        for (std::size_t c = 0; c < sample_.classes(); ++c)
            for (auto at = fit.starts[c]; at < fit.starts[c + 1]; ++at) {
                const auto place = static_cast<std::size_t>(at);
                ledger_.check(fit.weights[place] != 0.0, "weights of 0 are left out");
                ledger_.check(fit.terms[place] >= 0 &&
                                  static_cast<std::size_t>(fit.terms[place]) < sample_.terms(),
                              "every weight belongs to an existing term");
                ledger_.check(at == fit.starts[c] || fit.terms[place - 1] < fit.terms[place],
                              "terms of a class rise");
            }
    }

    void check_stop(const PolychotomousFit& fit) {
        const auto& options = sample_.options();
        ledger_.check(std::isfinite(fit.objective) && fit.objective >= 0.0,
                      "a finite objective of at least 0");
        ledger_.check(std::isfinite(fit.certificate) && fit.certificate >= 0.0,
                      "a finite certificate of at least 0");
        ledger_.check((fit.kind == Certificate::duality_gap) == sample_.has_gap(),
                      "there is a gap if priors bound all weights");
        ledger_.check(fit.iterations <= options.steps, "no more steps than allowed");
        if (fit.stop == Stop::certified)
            ledger_.check(options.tolerance > 0.0 && fit.certificate <= options.tolerance,
                          "a certified fit is within the tolerance");
        if (fit.stop == Stop::iterations)
            ledger_.check(fit.iterations == options.steps, "a fit that ran out of steps used all of them");
    }

    // With the constant's weights instead of the intercepts.
    ClassTable table_of(const PolychotomousFit& fit) const {
        auto table = sample_.table();
        for (std::size_t c = 0; c < table.size(); ++c) {
            for (auto at = fit.starts[c]; at < fit.starts[c + 1]; ++at)
                table[c][static_cast<std::size_t>(fit.terms[static_cast<std::size_t>(at)])] =
                    fit.weights[static_cast<std::size_t>(at)];
            table[c].back() = constants_weight(c, fit.intercepts[c]);
        }
        return table;
    }

    // Division may miss a kink or bound of the prior by a rounding error.
    double constants_weight(std::size_t of_class, double intercept) const {
        const auto weight = intercept / sample_.options().constant;
        const auto prior = sample_.prior(of_class, sample_.terms());
        for (const auto point : {prior.mean, prior.low, prior.high})
            if (std::isfinite(point) && std::abs(weight - point) <= 1e-14 * std::abs(point)) return point;
        return weight;
    }

    void check_weights(const PolychotomousFit& fit, const ClassTable& weights) {
        for (const auto intercept : fit.intercepts)
            ledger_.check(std::isfinite(intercept), "a finite intercept");
        for (std::size_t c = 0; c < weights.size(); ++c)
            for (std::size_t term = 0; term < weights[c].size(); ++term) {
                const auto weight = weights[c][term];
                const auto prior = sample_.prior(c, term);
                ledger_.check(std::isfinite(weight), "finite weights");
                ledger_.check(prior.low - 1e-9 <= weight && weight <= prior.high + 1e-9,
                              "weights are within their bounds");
            }
    }

    void check_objective(const PolychotomousFit& fit, const ClassTable& weights) {
        const auto own = sample_.objective(weights);
        // If one class is certain, the loss is a difference of scores and has their rounding
        // errors.
        const auto last_digits = 1e-12 * (1.0 + sample_.steepest());
        ledger_.check(std::abs(own - fit.objective) <= 1e-6 * own + last_digits,
                      "the objective is that of the weights");
        const auto at_rest = sample_.objective(sample_.at_rest());
        ledger_.check(fit.objective <= at_rest * (1.0 + 1e-9) + last_digits,
                      "the objective is no higher than at the modes");
    }

    // No other weights have an objective below this one minus its gap: neither nearby weights nor
    // the best known.
    void check_bound(const PolychotomousFit& fit, const ClassTable& weights) {
        const auto bound = fit.objective * (1.0 - fit.certificate);
        auto other = [&](ClassTable some) {
            clamp_to_bounds(some);
            ledger_.check(bound <= sample_.objective(some) + 1e-7 * fit.objective,
                          "the minimum is not below its certified bound");
        };
        other(sample_.table());
        other(sample_.at_rest());
        for (const auto factor : {0.5, 0.99, 1.01, 2.0}) {
            auto scaled = weights;
            for (auto& own : scaled)
                for (auto& weight : own) weight *= factor;
            other(scaled);
        }
        for (int time = 0; time < 5; ++time) {
            auto moved = weights;
            moved[random_.below(moved.size())][random_.below(sample_.terms() + 1)] +=
                random_.one_in(2) ? 0.1 : -0.1;
            other(moved);
        }
        other(table_of(train(thorough(), 1)));
    }

    PolychotomousOptions thorough() const {
        auto options = sample_.options();
        options.steps = 500;
        options.passes = 30;
        options.tolerance = 1e-9;
        return options;
    }

    // Clamps weights to their bounds.
    void clamp_to_bounds(ClassTable& weights) const {
        for (std::size_t c = 0; c < weights.size(); ++c)
            for (std::size_t term = 0; term < weights[c].size(); ++term) {
                const auto prior = sample_.prior(c, term);
                weights[c][term] = std::clamp(weights[c][term], prior.low, prior.high);
            }
    }

    // The certificate is the violation at the weights.
    void check_residual(const PolychotomousFit& fit, const ClassTable& weights) {
        const auto residual = sample_.residual(weights);
        ledger_.check(std::abs(fit.certificate - residual) <= 1e-9 + 1e-6 * residual,
                      "the residual is that of the weights");
    }

    // If no step lowers the objective, and not because of rounding, the solver has failed. With
    // documents of one class only, the minimum is 0, and nothing is small relative to it.
    void check_precision(const PolychotomousFit& fit) {
        ledger_.check(fit.certificate <= 1e-4 || fit.objective <= 1e-9,
                      "only near the optimum no step is better");
    }

    void check_threads(const PolychotomousFit& fit) {
        const auto again = train(sample_.options(), 3);
        ledger_.check(again.starts == fit.starts && again.terms == fit.terms &&
                          again.weights == fit.weights && again.intercepts == fit.intercepts &&
                          again.objective == fit.objective && again.certificate == fit.certificate,
                      "three workers learn as one does");
    }

    void check_interruption() {
        Monitor monitor;
        monitor.stop();
        bool stopped = false;
        try {
            train_polychotomous(sample_.problem(), sample_.options(), 2, monitor);
        } catch (const Interrupted&) {
            stopped = true;
        }
        ledger_.check(stopped, "a monitor stops the learning");
    }

    std::string description() const {
        const auto& options = sample_.options();
        return std::to_string(sample_.classes()) + " classes, reference " +
               std::to_string(sample_.problem().reference) + ", intercept " +
               std::to_string(static_cast<int>(options.intercept)) + ", " +
               std::to_string(sample_.documents()) + " documents, " + std::to_string(sample_.terms()) +
               " terms, tolerance " + std::to_string(options.tolerance);
    }

    Ledger& ledger_;
    Random& random_;
    SampleClasses sample_;
};

}  // namespace postil::tests
