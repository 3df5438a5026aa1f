#include "postil/learn/classes/multiclass_svm.hpp"

#include <chrono>

#include "../finishing.hpp"
#include "postil/learn/classes/multiclass_svm_solver.hpp"

namespace postil {

PolychotomousFit train_multiclass_svm(const PolychotomousProblem& problem,
                                      const MulticlassSvmOptions& options, std::size_t workers,
                                      Monitor& monitor) {
    const auto begun = std::chrono::steady_clock::now();
    auto fit = MulticlassSvm(problem, options, workers, monitor).solve();
    if (!std::isfinite(fit.objective) || !std::isfinite(fit.certificate))
        throw_out_of_range(problem.strengths.front());
    fit.seconds = seconds_since(begun);
    return fit;
}

}  // namespace postil
