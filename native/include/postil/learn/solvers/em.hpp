// Expectation maximisation under the Jeffreys prior: genkin-lewis-madigan-2004, section 3.3, after
// Figueiredo (2001, 2003).
//
// Each weight is Gaussian with mean 0 and a variance τ of its own, p(τ) ∝ 1/τ. Integrating out τ
// gives
//
//     minimise  (1/n) Σ cᵢ f(zᵢ) + (1/n) Σ ln|wⱼ|      over the non-zero weights
//
// E-step: E[1/τⱼ | wⱼ] = 1/wⱼ². M-step: ridge with variance wⱼ² for each weight, by proximal Newton
// steps warm-started from the last solution. Neither step raises the objective, even if inexact. A
// weight that falls below `least_weight` converges to 0, where the density of the prior is
// unbounded: it is removed for good. Figueiredo also treats the latent scores of the probit link as
// missing data; minimising the loss itself has the same fixed points and takes fewer iterations.
//
// The result is a local optimum that depends on the start: the given weights, or the ridge solution
// with one variance. An iteration costs a few Newton steps over the remaining weights, soon very
// few.
//
// The certificate is the largest |1 + n wⱼ gⱼ|, gⱼ being the slope of the loss: the violation of
// the optimality condition gⱼ + 1/(n wⱼ) = 0, relative to the slope of the prior. After an exact
// M-step it is |1 - (wⱼ/previous wⱼ)²|, twice the relative change. The slope along an unpenalised
// constant is relative to the sum of the absolute slopes at zero weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "postil/learn/losses/loss_view.hpp"
#include "postil/learn/problem.hpp"
#include "postil/learn/solvers/newton_coordinate.hpp"
#include "postil/system/threads.hpp"

namespace postil {

struct EmOptions {
    std::uint32_t iterations = 1000;
    double tolerance = 1e-4;        // of the certificate; 0: until the objective stops falling
    double least_weight = 1e-6;     // a smaller weight becomes 0 for good
    double start_variance = 100.0;  // of the ridge solution used as start if none is given
    std::uint32_t passes = 20;      // of coordinate descent within a Newton step, at most
};

template <class Loss>
class ExpectationMaximisation {
public:
    ExpectationMaximisation(const BinaryProblem& problem, Loss loss, const EmOptions& options)
        : problem_(problem), loss_(loss), options_(options), left_(problem) {
        newton_.passes = options.passes;
        newton_.has_kinks = false;
    }

    // `start` holds weights by position in the terms, the constant last; empty means the ridge
    // solution. Weights of 0 stay 0.
    Fit solve(std::span<const double> start, Monitor& monitor) {
        begin(start, monitor);
        Fit fit;
        certify(fit);
        for (;;) {
            if (options_.tolerance > 0.0 && fit.certificate <= options_.tolerance) {
                fit.stop = Stop::certified;
                break;
            }
            if (fit.iterations >= options_.iterations) break;
            monitor.check();
            ++fit.iterations;
            const auto before = fit.objective;
            maximise(fit, monitor);
            const bool dropped = drop();
            certify(fit);
            if (!dropped && !(fit.objective < before)) {
                fit.stop = Stop::precision;
                break;
            }
        }
        fit.weights.assign(problem_.terms.size(), 0.0);
        for (std::size_t k = 0; k < places_.size(); ++k) fit.weights[places_[k]] = weights_[k];
        fit.intercept = left_.has_constant() ? weights_.back() * problem_.constant : 0.0;
        return fit;
    }

private:
    void begin(std::span<const double> start, Monitor& monitor) {
        view_.resize(problem_.size());
        measure_zero();
        term_priors_.assign(problem_.design.terms.count + 1, {});
        terms_.assign(problem_.terms.begin(), problem_.terms.end());
        places_.resize(terms_.size());
        for (std::size_t place = 0; place < places_.size(); ++place) places_[place] = place;
        if (start.empty()) begin_with_ridge(monitor);
        else {
            weights_.assign(start.begin(), start.end());
            weights_.resize(problem_.coordinates());
        }
        left_.strength = {};
        left_.term_priors = term_priors_;
        drop();
    }

    void begin_with_ridge(Monitor& monitor) {
        auto ridge = problem_;
        ridge.strength = {0.0, 1.0 / (2.0 * problem_.documents * options_.start_variance)};
        ridge.term_priors = {};
        newton_.tolerance = start_tolerance;
        NewtonCoordinateDescent solver(ridge, facts_, loss_, newton_);
        solver.begin({});
        solver.solve(monitor);
        weights_.assign(solver.weights().begin(), solver.weights().end());
    }

    // Sums the absolute slopes of all documents at zero weights.
    void measure_zero() {
        std::fill(view_.scores.begin(), view_.scores.end(), 0.0);
        view_.evaluate(problem_, loss_);
        for (const auto each : view_.slopes) all_slopes_ += std::abs(each) * problem_.constant;
    }

    double slope(const BinaryProblem& problem, std::size_t place) const {
        double sum = 0.0;
        problem.for_each(place, [&](std::size_t i, double x) { sum += view_.slopes[i] * x; });
        return sum;
    }

    bool is_free(std::size_t k) const {
        return k == terms_.size() && left_.intercept == Intercept::free;
    }

    // Removes small weights; returns true if there were any.
    bool drop() {
        const auto before = weights_.size();
        const auto is_small = [&](std::size_t k) {
            return !is_free(k) && !(std::abs(weights_[k]) >= options_.least_weight);
        };
        const bool loses_constant = left_.has_constant() && is_small(terms_.size());
        std::size_t kept = 0;
        for (std::size_t k = 0; k < terms_.size(); ++k) {
            if (is_small(k)) continue;
            terms_[kept] = terms_[k];
            places_[kept] = places_[k];
            weights_[kept++] = weights_[k];
        }
        if (left_.has_constant() && !loses_constant) weights_[kept] = weights_.back();
        else left_.intercept = Intercept::none;
        terms_.resize(kept);
        places_.resize(kept);
        left_.terms = terms_;
        weights_.resize(left_.coordinates());
        return weights_.size() < before;
    }

    void maximise(const Fit& fit, Monitor& monitor) {
        const auto n = problem_.documents;
        for (std::size_t k = 0; k < weights_.size(); ++k) {
            if (is_free(k)) continue;
            const auto at = k < terms_.size() ? static_cast<std::size_t>(terms_[k]) : term_priors_.size() - 1;
            term_priors_[at].own_squared = 1.0 / (2.0 * n * weights_[k] * weights_[k]);
        }
        // Solve the M-step to a tenth of the current certificate. Near its end its duality gap is
        // (1/2n) Σ (1 + n wⱼ gⱼ)².
        const auto share = 0.1 * std::min(1.0, fit.certificate);
        newton_.tolerance =
            share * share / (2.0 * n * view_.average + static_cast<double>(weights_.size()));
        NewtonCoordinateDescent solver(left_, facts_, loss_, newton_);
        solver.begin(weights_);
        solver.solve(monitor);
        std::ranges::copy(solver.weights(), weights_.begin());
    }

    void certify(Fit& fit) {
        std::fill(view_.scores.begin(), view_.scores.end(), 0.0);
        for (std::size_t k = 0; k < weights_.size(); ++k)
            left_.for_each(k, [&](std::size_t i, double x) { view_.scores[i] += weights_[k] * x; });
        view_.evaluate(problem_, loss_);
        double logarithms = 0.0;
        fit.kind = Certificate::kkt_residual;
        fit.certificate = 0.0;
        for (std::size_t k = 0; k < weights_.size(); ++k) {
            const auto pull = slope(left_, k);
            double violation = 0.0;
            if (is_free(k)) violation = std::abs(pull) / all_slopes_;
            else {
                logarithms += std::log(std::abs(weights_[k]));
                violation = std::abs(1.0 + problem_.documents * weights_[k] * pull);
            }
            fit.certificate = std::max(fit.certificate, violation);
        }
        fit.objective = view_.average + logarithms / problem_.documents;
    }

    static constexpr double start_tolerance = 1e-4;

    const BinaryProblem& problem_;
    Loss loss_;
    const EmOptions& options_;
    BinaryProblem left_;  // restricted to the remaining weights
    NewtonOptions newton_;
    ColumnFacts facts_;  // unused: no prior has an absolute value
    std::vector<std::int32_t> terms_;
    std::vector<std::size_t> places_;  // positions of these terms in the problem
    std::vector<double> weights_;      // of these terms, the constant last
    std::vector<TermPrior> term_priors_;
    LossView view_;
    double all_slopes_ = 0.0;
};

}  // namespace postil
