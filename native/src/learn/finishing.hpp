// Helpers around the solution of a category's problem, independent of the solver.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "postil/learn/training.hpp"

namespace postil {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Removes what was not requested and zero weights: there may be very many categories.
inline Fit compacted(Fit fit, const LearnOptions& options) {
    if (!options.keep_duals) {
        // Swap in new vectors: assigning {} would keep the memory.
        fit.duals = std::vector<double>();
        fit.factors = std::vector<double>();
        fit.exponents = std::vector<double>();
    }
    const auto used = fit.weights.size() - static_cast<std::size_t>(std::count(
                                               fit.weights.begin(), fit.weights.end(), 0.0));
    std::vector<double> kept;
    kept.reserve(used);
    fit.places.reserve(used);
    for (std::size_t place = 0; place < fit.weights.size(); ++place) {
        if (fit.weights[place] == 0.0) continue;
        fit.places.push_back(static_cast<std::int32_t>(place));
        kept.push_back(fit.weights[place]);
    }
    fit.weights = std::move(kept);
    return fit;
}

// A strength near the end of the range of doubles may make weights overflow.
[[noreturn]] inline void throw_out_of_range(const Strength& strength) {
    const auto lambda = strength.absolute + strength.squared;
    char message[120] = "the weights overflow double precision: use a smaller rate or shorter vectors";
    if (lambda > 0.0)
        std::snprintf(message, sizeof message,
                      "with λ = %g the weights overflow double precision: use a larger λ", lambda);
    throw std::overflow_error(message);
}
inline void check_finite(const Fit& fit, const Strength& strength) {
    const auto is_finite = [](double value) { return std::isfinite(value); };
    if (is_finite(fit.objective) && is_finite(fit.certificate) && is_finite(fit.intercept) &&
        std::all_of(fit.weights.begin(), fit.weights.end(), is_finite))
        return;
    throw_out_of_range(strength);
}

inline BinaryProblem shared_problem(const LearnOptions& options) {
    BinaryProblem problem;
    problem.intercept = options.intercept;
    problem.constant = options.constant;
    return problem;
}

inline std::span<const double> start_of(const Assignment& assignment, std::size_t category) {
    return assignment.starts.empty() ? std::span<const double>() : assignment.starts[category];
}

}  // namespace postil
