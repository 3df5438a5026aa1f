// Polychotomous (multinomial) logistic regression: one problem for all classes.
//
//     minimise  (1/n) Σ cᵢ [ln Σₖ exp(zᵢₖ) - zᵢ,y(i)] + Σₖ Σⱼ priorₖⱼ(wₖⱼ)     zᵢₖ = wₖ·xᵢ + bₖ
//
// Every document has exactly one class y(i) (genkin-lewis-madigan-2004, section 7). The scores of a
// reference class stay 0, so that the others are odds against it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "postil/learn/problem.hpp"
#include "postil/learn/training.hpp"
#include "postil/system/threads.hpp"

namespace postil {

struct PolychotomousOptions {
    Intercept intercept = Intercept::penalised;
    double constant = 1.0;         // value of the constant feature
    std::uint32_t steps = 1000;    // maximum number of Newton steps
    double tolerance = 1e-3;       // of the certificate; 0: until no step lowers the objective
    std::uint32_t passes = 30;     // maximum number of coordinate descent passes within a step
    std::uint32_t least_set = 64;  // minimum number of weights per class by which a working set grows
};

inline constexpr std::int32_t no_reference = -1;

struct PolychotomousProblem {
    Design design;
    const Lists* terms = nullptr;          // terms that each class may use; null means all
    std::span<const std::int32_t> labels;  // y(i)
    std::span<const double> weights;       // cᵢ; documents of weight 0 are ignored
    double documents = 0.0;                // n
    std::span<const Strength> strengths;   // by class
    TermPriors term_priors;                // common to all classes, and per class
    std::int32_t reference = no_reference;

    std::size_t size() const { return labels.size(); }
    std::size_t classes() const { return strengths.size(); }
};

// The non-zero weights, class by class, and the report of the fit. The certificate is as in Fit: a
// duality gap, or a KKT residual if intercepts or other weights have no prior.
struct PolychotomousFit {
    std::vector<std::int64_t> starts;
    std::vector<std::int32_t> terms;
    std::vector<double> weights;
    std::vector<double> intercepts;
    double objective = 0.0;
    double certificate = 0.0;
    Certificate kind = Certificate::duality_gap;
    Stop stop = Stop::iterations;
    std::uint32_t iterations = 0;
    double seconds = 0.0;
    double smoothing = 0.0;  // as in Fit
};

// Trains all classes. Counts progress in hundredths of the way to the tolerance. Results do not
// depend on the number of workers.
PolychotomousFit train_polychotomous(const PolychotomousProblem& problem,
                                     const PolychotomousOptions& options, std::size_t workers,
                                     Monitor& monitor);

}  // namespace postil
