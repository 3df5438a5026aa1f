// Multi-class SVMs of small awkward problems. Checks that numbers are finite, that the objective is
// that of the weights, that no weights are below the bound of the certificate, and that threads
// change nothing.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "../ledger.hpp"
#include "postil/learn/classes/multiclass_svm.hpp"
#include "sample_problem.hpp"

namespace postil::tests {

class MulticlassChecks {
public:
    MulticlassChecks(Ledger& ledger, Random& random)
        : ledger_(ledger), random_(random), sample_(random, sizes(random)),
          chosen_(sample_.chosen_terms()) {
        choose();
    }
    // Not copyable: the problem points to members.
    MulticlassChecks(const MulticlassChecks&) = delete;
    MulticlassChecks& operator=(const MulticlassChecks&) = delete;

    void run() {
        try {
            check_all();
        } catch (const std::overflow_error&) {
            ledger_.check(sample_.is_extreme(), "only extreme strengths leave the range of doubles");
        } catch (const Failure& failure) {
            throw Failure("multi-class SVM: " + std::string(failure.what()) + " (" + description() + ")");
        }
    }

private:
    using Table = std::vector<std::vector<double>>;  // by class, the constant past the terms

    static ProblemSizes sizes(Random& random) {
        return {random.one_in(50) ? std::size_t{1200} : std::size_t{24}, 2, random.one_in(4) ? 19u : 4u};
    }

    std::size_t classes() const { return sample_.categories(); }

    void choose() {
        const auto common = random_.one_in(2) ? classes() : 2;
        for (std::size_t i = 0; i < sample_.documents(); ++i)
            labels_.push_back(
                static_cast<std::int32_t>(random_.below(random_.one_in(20) ? classes() : common)));
        const auto given = sample_.assignment(false);
        weights_.assign(given.document_weights.begin(), given.document_weights.end());
        for (std::size_t c = 0; c < classes(); ++c) strengths_.push_back(given.strengths_of(c)[0]);
        options_.intercept = static_cast<Intercept>(random_.below(3));
        options_.constant = random_.pick(std::vector<double>{1.0, 1.0, 0.1, 10.0});
        auto& conjugate = options_.conjugate;
        conjugate.iterations = static_cast<std::uint32_t>(random_.between(1, random_.one_in(4) ? 300 : 40));
        conjugate.tolerance = random_.pick(std::vector<double>{0.0, 0.1, 1e-2});
        conjugate.direction = static_cast<CgDirection>(random_.below(3));
        conjugate.restart = random_.one_in(4) ? 3 : 0;
        conjugate.powell = random_.one_in(4) ? 0.2 : 0.0;
        conjugate.is_scaled = random_.one_in(2);
        options_.smoothing.steps_per_gamma = static_cast<std::uint32_t>(random_.between(1, 20));
        options_.smoothing.gamma_growth = random_.one_in(3) ? 2.0 : 1.0;
    }

    PolychotomousProblem problem() const {
        PolychotomousProblem problem;
        problem.design = sample_.design();
        problem.terms = chosen_ ? &*chosen_ : nullptr;
        problem.labels = labels_;
        problem.weights = weights_;
        problem.documents = sample_.total();
        problem.strengths = strengths_;
        return problem;
    }

    PolychotomousFit train(std::size_t workers) {
        Monitor monitor;
        auto fit = train_multiclass_svm(problem(), options_, workers, monitor);
        ledger_.check(monitor.done() <= 100, "progress is at most one hundred");
        return fit;
    }

    void check_all() {
        const auto fit = train(1);
        check_numbers(fit);
        check_threads(fit);
        if (random_.one_in(10)) check_interruption();
        if (sample_.is_extreme()) return;
        const auto weights = table_of(fit);
        const auto own = objective(weights);
        ledger_.check(std::abs(own - fit.objective) <= 1e-6 * own + 1e-12,
                      "the objective is that of the weights");
        check_bound(fit, weights);
    }

    void check_numbers(const PolychotomousFit& fit) {
        for (const auto weight : fit.weights) ledger_.check(std::isfinite(weight), "finite weights");
        for (const auto each : fit.intercepts) ledger_.check(std::isfinite(each), "finite intercepts");
        ledger_.check(std::isfinite(fit.objective) && fit.objective >= 0.0, "a finite objective");
        ledger_.check(fit.certificate >= 0.0 && fit.certificate <= 1.0 + 1e-12, "a gap of 0 to 1");
        ledger_.check(fit.iterations >= 1 && fit.iterations <= options_.conjugate.iterations,
                      "some steps, and no more than are allowed");
        ledger_.check(fit.smoothing > 0.0, "the smoothing error is positive");
        if (fit.stop == Stop::certified)
            ledger_.check(fit.certificate <= options_.conjugate.tolerance, "a certified fit is within the tolerance");
    }

    Table table_of(const PolychotomousFit& fit) const {
        Table table(classes(), std::vector<double>(sample_.terms() + 1));
        for (std::size_t c = 0; c < classes(); ++c) {
            for (auto at = fit.starts[c]; at < fit.starts[c + 1]; ++at)
                table[c].at(static_cast<std::size_t>(fit.terms[static_cast<std::size_t>(at)])) =
                    fit.weights[static_cast<std::size_t>(at)];
            table[c].back() = fit.intercepts[c] / options_.constant;
        }
        return table;
    }

    // The objective by direct computation over all pairs.
    double objective(const Table& weights) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < sample_.documents(); ++i) {
            std::vector<double> scores;
            for (const auto& own : weights) {
                scores.push_back(own.back() * options_.constant);
                for (std::size_t j = 0; j < sample_.terms(); ++j)
                    scores.back() += own[j] * sample_.value(i, j);
            }
            const auto own = static_cast<std::size_t>(labels_[i]);
            for (std::size_t c = 0; c < classes(); ++c)
                if (c != own)
                    sum += weights_[i] / sample_.total() * std::max(0.0, 2.0 - (scores[own] - scores[c]));
        }
        for (std::size_t c = 0; c < classes(); ++c) {
            const auto last = sample_.terms() + (options_.intercept == Intercept::penalised);
            for (std::size_t j = 0; j < last; ++j)
                sum += strengths_[c].squared * weights[c][j] * weights[c][j];
        }
        return sum;
    }

    void check_bound(const PolychotomousFit& fit, const Table& weights) {
        const auto bound = fit.objective * (1.0 - fit.certificate);
        const auto other = [&](const Table& some) {
            ledger_.check(bound <= objective(some) + 1e-7 * fit.objective,
                          "the minimum is not below its certified bound");
        };
        other(Table(classes(), std::vector<double>(sample_.terms() + 1)));
        for (const auto factor : {0.5, 0.99, 1.01, 2.0}) {
            auto scaled = weights;
            for (auto& own : scaled)
                for (auto& weight : own) weight *= factor;
            other(scaled);
        }
        for (int time = 0; time < 8; ++time) {
            auto moved = weights;
            const auto c = random_.below(classes());
            if (options_.intercept != Intercept::none && random_.one_in(2))
                moved[c].back() += random_.one_in(2) ? 0.5 : -0.5;
            const auto terms = sample_.terms_of(c);
            if (!terms.empty())
                moved[c][static_cast<std::size_t>(terms[random_.below(terms.size())])] +=
                    random_.one_in(2) ? 0.1 : -0.1;
            other(moved);
        }
    }

    void check_threads(const PolychotomousFit& fit) {
        const auto again = train(3);
        ledger_.check(again.starts == fit.starts && again.terms == fit.terms &&
                          again.weights == fit.weights && again.intercepts == fit.intercepts &&
                          again.certificate == fit.certificate,
                      "three workers learn as one does");
    }

    void check_interruption() {
        Monitor monitor;
        monitor.stop();
        bool stopped = false;
        try {
            train_multiclass_svm(problem(), options_, 2, monitor);
        } catch (const Interrupted&) {
            stopped = true;
        }
        ledger_.check(stopped, "a monitor stops the learning");
    }

    std::string description() const {
        return std::to_string(classes()) + " classes, intercept " +
               std::to_string(static_cast<int>(options_.intercept)) + ", " +
               std::to_string(sample_.documents()) + " documents, " + std::to_string(sample_.terms()) +
               " terms, steps " + std::to_string(options_.conjugate.iterations);
    }

    Ledger& ledger_;
    Random& random_;
    SampleProblem sample_;
    std::optional<Lists> chosen_;
    std::vector<std::int32_t> labels_;
    std::vector<double> weights_;
    std::vector<Strength> strengths_;
    MulticlassSvmOptions options_;
};

}  // namespace postil::tests
