#include "postil/learn/classes/polychotomous.hpp"

#include <chrono>

#include "postil/learn/classes/polychotomous_solver.hpp"

namespace postil {

PolychotomousFit train_polychotomous(const PolychotomousProblem& problem,
                                     const PolychotomousOptions& options, std::size_t workers,
                                     Monitor& monitor) {
    const auto begun = std::chrono::steady_clock::now();
    auto fit = PolychotomousNewton(problem, options, workers, monitor).solve();
    fit.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    return fit;
}

}  // namespace postil
