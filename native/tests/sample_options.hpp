// Options of every solver of one category against the rest, with a loss and an intercept that it takes.
#pragma once

#include <cstdint>
#include <vector>

#include "postil/training.hpp"
#include "random.hpp"

namespace postil::tests {

inline LossName random_loss(SolverName solver, Random& random) {
    if (solver == SolverName::smo) return LossName::hinge;
    const auto loss = static_cast<LossName>(random.below(5));
    const bool is_legal = solver == SolverName::dual_coordinate || loss != LossName::hinge;
    return is_legal ? loss : LossName::logistic;
}

inline Intercept random_intercept(SolverName solver, Random& random) {
    if (solver == SolverName::smo) return Intercept::free;
    return static_cast<Intercept>(random.below(solver == SolverName::dual_coordinate ? 2 : 3));
}

inline LearnOptions sample_options(Random& random) {
    LearnOptions options;
    options.solver = static_cast<SolverName>(random.below(4));
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
    return options;
}

// Of updates document by document: both rules, with every kind of weights that they move.
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
    if (!is_mistake_driven && random.one_in(2)) options.online.rate = 0.0;  // Newton's
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

// Of the solver that is chosen.
inline double tolerance_of(const LearnOptions& options) {
    switch (options.solver) {
        case SolverName::primal_coordinate: return options.primal.tolerance;
        case SolverName::dual_coordinate: return options.dual.tolerance;
        case SolverName::newton_coordinate: return options.newton.tolerance;
        default: return options.smo.tolerance;
    }
}

}  // namespace postil::tests
