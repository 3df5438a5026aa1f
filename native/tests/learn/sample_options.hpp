// Random options of every one-vs-rest solver, with a loss and an intercept that it supports.
#pragma once

#include <cstdint>
#include <vector>

#include "../random.hpp"
#include "postil/learn/training.hpp"

namespace postil::tests {

inline LossName random_loss(SolverName solver, Random& random) {
    if (solver == SolverName::smo || solver == SolverName::smoothed_conjugate_gradient)
        return LossName::hinge;
    const auto loss = random.pick(std::vector<LossName>{
        LossName::squared, LossName::modified_squared, LossName::hinge, LossName::logistic,
        LossName::probit, LossName::smoothed_hinge});
    if (loss == LossName::hinge && solver != SolverName::dual_coordinate) return LossName::logistic;
    // Its curvature says nothing about margins far from 1.
    const bool is_newton = solver == SolverName::newton_coordinate;
    return loss == LossName::smoothed_hinge && is_newton ? LossName::logistic : loss;
}

inline Intercept random_intercept(SolverName solver, Random& random) {
    if (solver == SolverName::smo) return Intercept::free;
    return static_cast<Intercept>(random.below(solver == SolverName::dual_coordinate ? 2 : 3));
}

inline LearnOptions sample_options(Random& random) {
    LearnOptions options;
    options.solver = random.pick(std::vector<SolverName>{
        SolverName::primal_coordinate, SolverName::dual_coordinate, SolverName::smo,
        SolverName::newton_coordinate, SolverName::conjugate_gradient,
        SolverName::smoothed_conjugate_gradient});
    options.loss = random_loss(options.solver, random);
    options.intercept = random_intercept(options.solver, random);
    options.constant = random.pick(std::vector<double>{1.0, 1.0, 0.1, 10.0});
    options.rate = random.pick(std::vector<double>{1.0, 1.0, 0.1, 1.9});
    options.printed_bound = random.one_in(4);
    const auto tolerance = random.pick(std::vector<double>{0.0, 0.1, 1e-3, 1e-6});
    const auto seed = random.next();
    options.primal.sweeps = static_cast<std::uint32_t>(random.between(1, 100));
    options.primal.tolerance = tolerance;
    options.primal.seed = seed;
    options.primal.shuffle = random.one_in(2);
    options.primal.trust_region = static_cast<TrustRegion>(random.below(2));
    options.primal.movement = random.one_in(4) ? 1e-3 : 0.0;
    options.primal.movement_of = static_cast<Movement>(random.below(2));
    options.primal.constant_visits = static_cast<std::uint32_t>(random.between(1, 40));
    options.primal.continuation = random.one_in(4) ? 10 : 0;
    options.primal.least_reach = random.one_in(2) ? 1e-3 : 0.0;
    options.keep_duals = true;
    options.dual.passes = static_cast<std::uint32_t>(random.between(1, 200));
    options.dual.tolerance = tolerance;
    options.dual.seed = seed;
    options.dual.shuffle = random.one_in(2);
    options.dual.shrink = random.one_in(2);
    options.smo.steps = random.between(1, 2000);
    options.smo.tolerance = tolerance;
    options.smo.cache_bytes = random.one_in(2) ? 0 : 4096;
    options.smo.shrink = random.one_in(2);
    options.newton.steps = static_cast<std::uint32_t>(random.between(1, 60));
    options.newton.tolerance = tolerance;
    options.newton.passes = static_cast<std::uint32_t>(random.between(1, 20));
    options.newton.least_set = random.between(1, 8);
    options.gamma = random.pick(std::vector<double>{0.5, 5.0, 200.0});
    options.conjugate.iterations = static_cast<std::uint32_t>(random.between(1, 200));
    options.conjugate.tolerance = tolerance;
    options.conjugate.direction = static_cast<CgDirection>(random.below(3));
    options.conjugate.restart = random.one_in(4) ? 5 : 0;
    options.conjugate.powell = random.one_in(4) ? 0.2 : 0.0;
    options.conjugate.is_scaled = random.one_in(2);
    options.conjugate.trace = random.one_in(4);
    options.smoothing.steps_per_gamma = static_cast<std::uint32_t>(random.between(1, 20));
    options.smoothing.gamma_growth = random.one_in(3) ? 2.0 : 1.0;
    return options;
}

// Options of online updates: both rules, with every kind of weights.
inline LearnOptions sample_online_options(Random& random) {
    LearnOptions options;
    const bool is_mistake_driven = random.one_in(2);
    options.solver = is_mistake_driven ? SolverName::mistake_driven : SolverName::dual_gradient;
    options.loss = is_mistake_driven ? LossName::perceptron : LossName::hinge;
    options.intercept = random.one_in(2) ? Intercept::none : Intercept::penalised;
    options.constant = random.pick(std::vector<double>{1.0, 1.0, 0.1, 10.0});
    options.keep_duals = true;
    options.online.passes = static_cast<std::uint32_t>(random.between(1, 40));
    options.online.tolerance = random.pick(std::vector<double>{0.0, 0.1, 1e-3, 1e-6});
    options.online.rate = random.pick(std::vector<double>{0.01, 0.01, 0.1, 1.0, 10.0, 1e-4});
    if (!is_mistake_driven && random.one_in(2)) options.online.rate = 0.0;  // Newton steps
    options.online.shuffle = random.one_in(2);
    options.online.seed = random.next();
    options.entropy.kind = static_cast<Entropy>(random.below(3));
    if (options.entropy.kind == Entropy::none) return options;
    options.entropy.mu = random.pick(std::vector<double>{0.01, 0.01, 0.01, 1.0, 1e-6, 100.0});
    if (random.one_in(20)) options.entropy.mu = random.one_in(2) ? 1e-100 : 1e100;
    options.entropy.positive = random.one_in(2);
    options.entropy.threshold = random.pick(std::vector<double>{0.0, 0.0, 1.0, -0.5});
    if (options.entropy.kind == Entropy::normalised)
        options.entropy.total = random.pick(std::vector<double>{0.0, 0.0, 1.0, 20.0});
    return options;
}

// The tolerance of the chosen solver.
inline double tolerance_of(const LearnOptions& options) {
    switch (options.solver) {
        case SolverName::primal_coordinate: return options.primal.tolerance;
        case SolverName::dual_coordinate: return options.dual.tolerance;
        case SolverName::newton_coordinate: return options.newton.tolerance;
        case SolverName::conjugate_gradient:
        case SolverName::smoothed_conjugate_gradient: return options.conjugate.tolerance;
        default: return options.smo.tolerance;
    }
}

}  // namespace postil::tests
