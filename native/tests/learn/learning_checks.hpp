// Learns small awkward problems with every solver. Checks that weights are finite, that the
// objective is that of the weights, that the certificate holds, and that results depend neither on
// threads nor on warm starts beyond the tolerance.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "../ledger.hpp"
#include "column_gram_checks.hpp"
#include "postil/learn/losses/loss_table.hpp"
#include "prior_checks.hpp"
#include "sample_problem.hpp"
#include "sample_options.hpp"
#include "slack_checks.hpp"

namespace postil::tests {

class LearningChecks {
public:
    LearningChecks(Ledger& ledger, Random& random)
        : ledger_(ledger), random_(random), sample_(random, sizes(random)) {}

    void run() {
        for (int time = 0; time < 3; ++time) {
            PriorChecks(ledger_, random_).run();
            SlackChecks(ledger_, random_).run();
        }
        ColumnPairChecks(ledger_, random_).run();
        options_ = sample_options(random_);
        try {
            check_all();
        } catch (const std::overflow_error&) {
            ledger_.check(sample_.is_extreme(), "only extreme strengths leave the range of doubles");
        } catch (const Failure& failure) {
            throw Failure(std::string(failure.what()) + " (" + description() + ")");
        }
    }

private:
    // Sometimes more categories than fit into a block.
    static ProblemSizes sizes(Random& random) { return {24, 1, random.one_in(6) ? 19u : 4u}; }

    using Fits = std::vector<Fit>;

    void check_all() {
        const auto fits = train(assignment(), 1);
        check_each(fits);
        check_threads(fits);
        check_warm_start(fits);
        if (random_.one_in(10)) check_interruption();
        if (random_.one_in(5)) check_memory();
        if (takes_kernels()) check_kernel(fits);
        if (random_.one_in(3)) check_expectation_maximisation();
    }

    // Its optimum is local and its prior has no strength: checks that all numbers are finite, and
    // that threads change nothing.
    void check_expectation_maximisation() {
        auto options = options_;
        options.solver = SolverName::em;
        if (options.loss == LossName::hinge) options.loss = LossName::logistic;
        options.em.iterations = static_cast<std::uint32_t>(random_.between(1, 60));
        options.em.tolerance = tolerance();
        const auto terms = sample_.chosen_terms();
        const auto learn = [&](std::size_t workers) {
            Monitor monitor;
            return postil::train(sample_.design(), terms ? &*terms : nullptr,
                                 sample_.assignment(false), options, workers, monitor);
        };
        const auto alone = learn(1), together = learn(3);
        for (std::size_t k = 0; k < alone.size(); ++k) {
            for (const auto weight : alone[k].weights)
                ledger_.check(std::isfinite(weight), "expectation maximisation: finite weights");
            ledger_.check(std::isfinite(alone[k].intercept) && alone[k].certificate >= 0.0,
                          "expectation maximisation: a finite intercept, and a certificate");
            ledger_.check(alone[k].weights == together[k].weights &&
                              alone[k].intercept == together[k].intercept,
                          "expectation maximisation is the same in threads");
        }
    }

    bool takes_any_prior() const {
        return options_.solver == SolverName::primal_coordinate ||
               options_.solver == SolverName::newton_coordinate;
    }
    bool takes_kernels() const {
        return options_.solver == SolverName::dual_coordinate || options_.solver == SolverName::smo;
    }
    Assignment assignment() const { return sample_.assignment(takes_any_prior()); }

    double tolerance() const { return tolerance_of(options_); }

    Fits train(const Assignment& assignment, std::size_t workers) {
        const auto terms = sample_.chosen_terms();
        Monitor monitor;
        return postil::train(sample_.design(), terms ? &*terms : nullptr, assignment, options_,
                             workers, monitor);
    }

    void check_each(const Fits& fits) {
        ledger_.check(fits.size() == sample_.categories() * sample_.points(),
                      "there is a fit for each category and point");
        for (point_ = 0; point_ < sample_.points(); ++point_)
            for (std::size_t category = 0; category < sample_.categories(); ++category)
                check(fits[category * sample_.points() + point_], category);
    }

    void check(const Fit& fit, std::size_t category) {
        const auto terms = sample_.terms_of(category);
        check_finite(fit);
        const auto by_place = all_weights(fit, category);
        std::vector<double> weights(sample_.terms());
        for (std::size_t place = 0; place < terms.size(); ++place)
            weights[static_cast<std::size_t>(terms[place])] = by_place[place];
        check_bounds(fit, category, weights);
        if (options_.intercept == Intercept::none)
            ledger_.check(fit.intercept == 0.0, "without an intercept it is 0");
        if (fit.stop == Stop::certified)
            ledger_.check(fit.certificate <= tolerance(), "a certified fit is within the tolerance");
        if (sample_.is_extreme() || is_one_sided(category)) return;
        const auto own = objective(category, weights, fit.intercept);
        ledger_.check(std::abs(own - fit.objective) <= 1e-6 * (own + 1e-9),
                      "the objective is that of the weights");
        if (fit.kind == Certificate::duality_gap) check_bound(fit, category, weights);
    }

    // With an unpenalised intercept and documents of one class only, there is no minimum or it is
    // 0, and the objective is mere rounding. (Such a category is never learned: its intercept is
    // known.)
    bool is_one_sided(std::size_t category) const {
        if (options_.intercept != Intercept::free) return false;
        double sums[2] = {};
        for (std::size_t i = 0; i < sample_.documents(); ++i)
            sums[sample_.is_member(i, category)] += sample_.weight(i, category);
        return sums[0] == 0.0 || sums[1] == 0.0;
    }

    Prior prior(std::size_t category, std::size_t term) const {
        return sample_.prior(category, point_, term, takes_any_prior());
    }

    void check_bounds(const Fit& fit, std::size_t category, const std::vector<double>& weights) {
        auto within = [&](const Prior& prior, double weight) {
            ledger_.check(prior.low - 1e-9 <= weight && weight <= prior.high + 1e-9,
                          "weights are within their bounds");
        };
        for (const auto term : sample_.terms_of(category))
            within(prior(category, static_cast<std::size_t>(term)), weights[static_cast<std::size_t>(term)]);
        if (options_.intercept == Intercept::penalised)
            within(prior(category, sample_.terms()), fit.intercept / options_.constant);
    }

    // The weights of all terms of a category, by position.
    std::vector<double> all_weights(const Fit& fit, std::size_t category) {
        std::vector<double> weights(sample_.terms_of(category).size());
        ledger_.check(fit.places.size() == fit.weights.size(), "each weight has a place");
        for (std::size_t at = 0; at < fit.weights.size(); ++at)
            weights.at(static_cast<std::size_t>(fit.places[at])) = fit.weights[at];
        return weights;
    }

    void check_finite(const Fit& fit) {
        for (const auto weight : fit.weights) ledger_.check(std::isfinite(weight), "finite weights");
        for (const auto dual : fit.duals) ledger_.check(std::isfinite(dual), "finite duals");
        for (const auto factor : fit.factors) ledger_.check(std::isfinite(factor), "finite factors");
        ledger_.check(std::isfinite(fit.intercept), "a finite intercept");
        ledger_.check(std::isfinite(fit.objective) && fit.objective >= 0.0,
                      "a finite objective of at least 0");
        ledger_.check(std::isfinite(fit.certificate) && fit.certificate >= 0.0,
                      "a finite certificate of at least 0");
    }

    // No other weights have an objective below this one minus its gap.
    void check_bound(const Fit& fit, std::size_t category, std::vector<double> weights) {
        const auto bound = fit.objective * (1.0 - fit.certificate);
        auto other = [&](std::vector<double> some, double intercept) {
            clamp_to_bounds(category, some, intercept);
            ledger_.check(bound <= objective(category, some, intercept) + 1e-7 * fit.objective,
                          "the minimum is not below its certified bound");
        };
        const auto has_intercept = options_.intercept != Intercept::none;
        other(std::vector<double>(weights.size()), 0.0);
        if (has_intercept) other(std::vector<double>(weights.size()), 1.0);
        for (const auto factor : {0.5, 0.99, 1.01, 2.0}) {
            auto moved = weights;
            for (auto& weight : moved) weight *= factor;
            other(moved, fit.intercept * factor);
            if (has_intercept) other(weights, fit.intercept * factor);
        }
        for (const auto term : sample_.terms_of(category)) {
            auto moved = weights;
            moved[static_cast<std::size_t>(term)] += random_.one_in(2) ? 0.1 : -0.1;
            other(moved, fit.intercept);
        }
    }

    // Clamps weights to their bounds.
    void clamp_to_bounds(std::size_t category, std::vector<double>& weights, double& intercept) const {
        for (const auto term : sample_.terms_of(category)) {
            const auto own = prior(category, static_cast<std::size_t>(term));
            auto& weight = weights[static_cast<std::size_t>(term)];
            weight = std::clamp(weight, own.low, own.high);
        }
        if (options_.intercept != Intercept::penalised) return;
        const auto own = prior(category, sample_.terms());
        intercept = std::clamp(intercept / options_.constant, own.low, own.high) * options_.constant;
    }

    // The objective by direct computation: all terms of all documents, in double.
    double objective(std::size_t category, const std::vector<double>& weights, double intercept) {
        double sum = 0.0;
        for (std::size_t i = 0; i < sample_.documents(); ++i) {
            auto score = intercept;
            for (std::size_t j = 0; j < weights.size(); ++j) score += weights[j] * sample_.value(i, j);
            const double margin[] = {sample_.is_member(i, category) ? score : -score};
            sum += sample_.weight(i, category) * tabulate(options_, margin).values[0];
        }
        sum /= sample_.total();
        auto pay = [&](std::size_t term, double weight) {
            const auto own = prior(category, term);
            const auto away = std::abs(weight - own.mean);
            sum += own.absolute * away + own.squared * away * away;
        };
        for (const auto term : sample_.terms_of(category))
            pay(static_cast<std::size_t>(term), weights[static_cast<std::size_t>(term)]);
        if (options_.intercept == Intercept::penalised)
            pay(sample_.terms(), intercept / options_.constant);
        return sum;
    }

    void check_threads(const Fits& fits) {
        const auto again = train(assignment(), 3);
        for (std::size_t at = 0; at < fits.size(); ++at)
            ledger_.check(again[at].weights == fits[at].weights &&
                              again[at].places == fits[at].places &&
                              again[at].intercept == fits[at].intercept &&
                              again[at].certificate == fits[at].certificate,
                          "three workers learn as one does");
    }

    // Warm starts: from the end of a fit, from zero, and from random weights.
    void check_warm_start(const Fits& fits) {
        if (options_.solver == SolverName::smo) return;
        std::vector<std::vector<double>> starts;
        for (std::size_t category = 0; category < sample_.categories(); ++category) {
            const auto& fit = fits[(category + 1) * sample_.points() - 1];
            starts.push_back(fit.duals.empty() ? all_weights(fit, category) : fit.duals);
            if (random_.one_in(4)) starts.back().clear();
        }
        auto given = assignment();
        for (const auto& start : starts) given.starts.emplace_back(start);
        check_each(train(given, 2));
    }

    // With very many categories memory matters: results that were not requested are not kept.
    void check_memory() {
        const auto keeping = options_;
        options_.keep_duals = false;
        for (const auto& fit : train(assignment(), 1))
            ledger_.check(fit.duals.capacity() + fit.factors.capacity() + fit.exponents.capacity() == 0,
                          "duals that are not kept take no memory");
        options_ = keeping;
    }

    void check_interruption() {
        const auto terms = sample_.chosen_terms();
        Monitor monitor;
        monitor.stop();
        bool stopped = false;
        try {
            postil::train(sample_.design(), terms ? &*terms : nullptr, assignment(),
                          options_, 2, monitor);
        } catch (const Interrupted&) {
            stopped = true;
        }
        ledger_.check(stopped, "a monitor stops the learning");
    }

    // A precomputed kernel matrix gives no weights, but the same objective up to the tolerance.
    void check_kernel(const Fits& fits) {
        const auto gram = sample_.gram();
        Monitor monitor;
        const auto by_kernel = postil::train_by_kernel(gram.data(), sample_.documents(),
                                                       assignment(), options_, 2, monitor);
        for (std::size_t at = 0; at < fits.size(); ++at) {
            const auto& fit = by_kernel[at];
            check_finite(fit);
            ledger_.check(fit.factors.size() == sample_.documents(), "each document has a factor");
            if (sample_.is_extreme() || sample_.chosen_terms()) continue;
            const auto above = std::max(fit.objective, fits[at].objective);
            const auto slack = (fit.certificate + fits[at].certificate + 1e-6) * above;
            ledger_.check(std::abs(fit.objective - fits[at].objective) <= slack,
                          "a linear kernel finds what the linear solver finds");
        }
    }

    std::string description() const {
        return "solver " + std::to_string(static_cast<int>(options_.solver)) + ", loss " +
               std::to_string(static_cast<int>(options_.loss)) + ", intercept " +
               std::to_string(static_cast<int>(options_.intercept)) + ", " +
               std::to_string(sample_.documents()) + " documents, " +
               std::to_string(sample_.terms()) + " terms, lambda " +
               std::to_string(sample_.lambda(0)) + ", point " + std::to_string(point_) + " of " +
               std::to_string(sample_.points()) + ", tolerance " + std::to_string(tolerance());
    }

    Ledger& ledger_;
    Random& random_;
    SampleProblem sample_;
    LearnOptions options_;
    std::size_t point_ = 0;  // the current point of the path
};

}  // namespace postil::tests
