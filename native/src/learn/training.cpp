#include "postil/learn/training.hpp"

#include <chrono>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "finishing.hpp"
#include "labels.hpp"
#include "lanes/training_blocks.hpp"
#include "losses/with_loss.hpp"
#include "solvers/online.hpp"

namespace postil {

namespace {

Fit solve_primal(const BinaryProblem& problem, const LearnOptions& options,
                 std::span<const double> start, Monitor& monitor) {
    return with_loss(options, [&](auto loss) -> Fit {
        if constexpr (decltype(loss)::smooth)
            return PrimalCoordinateDescent(problem, loss, options.primal).solve(start, monitor);
        else throw std::invalid_argument("primal coordinate descent needs a smooth loss");
    });
}

Fit solve_em(const BinaryProblem& problem, const LearnOptions& options,
             std::span<const double> start, Monitor& monitor) {
    return with_loss(options, [&](auto loss) -> Fit {
        if constexpr (decltype(loss)::smooth)
            return ExpectationMaximisation(problem, loss, options.em).solve(start, monitor);
        else throw std::invalid_argument("expectation maximisation needs a smooth loss");
    });
}

template <class Products>
Fit solve_dual(const BinaryProblem& problem, Products& products, const LearnOptions& options,
               std::span<const double> start, Monitor& monitor) {
    return with_loss(options, [&](auto loss) {
        return DualCoordinateDescent(problem, loss, products, options.dual).solve(start, monitor);
    });
}

Fit solve_dual(const BinaryProblem& problem, const LearnOptions& options,
               std::span<const double> start, Monitor& monitor) {
    LinearProducts products(problem);
    auto fit = solve_dual(problem, products, options, start, monitor);
    for (const auto term : problem.terms)
        fit.weights.push_back(products.weight(static_cast<std::size_t>(term)));
    fit.intercept = products.intercept();
    return fit;
}

Fit solve_smo(const BinaryProblem& problem, const LearnOptions& options, Monitor& monitor) {
    const LinearKernel kernel(problem);
    auto fit = SequentialMinimalOptimisation(problem, kernel, options.smo).solve(monitor);
    const auto weights = kernel.weights(fit.factors);
    for (const auto term : problem.terms)
        fit.weights.push_back(weights[static_cast<std::size_t>(term)]);
    return fit;
}

// The documents as rows of a kernel matrix; keeps the scores of all of them up to date.
class GramProducts {
public:
    GramProducts(const BinaryProblem& problem, const double* gram)
        : gram_(gram),
          scores_(problem.size()),
          factors_(problem.size()),
          constant_(problem.intercept == Intercept::penalised ? problem.constant : 0.0) {}

    double score(std::size_t i) const { return scores_[i]; }
    double squared_norm(std::size_t i) const { return product(i, i); }

    void add(std::size_t i, double factor) {
        factors_[i] += factor;
        for (std::size_t k = 0; k < scores_.size(); ++k) scores_[k] += factor * product(i, k);
    }

    double weights_squared() const {
        return std::inner_product(factors_.begin(), factors_.end(), scores_.begin(), 0.0);
    }

    const std::vector<double>& factors() const { return factors_; }
    double intercept() const {
        return std::accumulate(factors_.begin(), factors_.end(), 0.0) * constant_ * constant_;
    }

private:
    double product(std::size_t i, std::size_t k) const {
        return gram_[i * scores_.size() + k] + constant_ * constant_;
    }

    const double* gram_;
    std::vector<double> scores_, factors_;
    double constant_;
};

// Runs solve(problem, category, fits) for every category with its labels set; `fits` has one fit
// for each of its strengths.
template <class Solve>
std::vector<Fit> train_each(const BinaryProblem& shared, const Assignment& assignment,
                            std::size_t workers, Monitor& monitor, Solve&& solve) {
    std::vector<Fit> fits(assignment.categories() * assignment.points);
    std::vector<LabelScratch> scratch(workers);
    run_tasks(assignment.categories(), workers, monitor, [&](std::size_t category, std::size_t worker) {
        auto problem = shared;
        scratch[worker].prepare(assignment, category, problem);
        solve(problem, category, std::span(fits).subspan(category * assignment.points, assignment.points));
        monitor.advance();
    });
    return fits;
}

// Calls solve(point) for every strength after setting it in the problem, and stores the fits.
template <class Solve>
void follow_path(BinaryProblem& problem, std::span<const Strength> strengths, std::span<Fit> fits,
                 Solve&& solve) {
    for (std::size_t point = 0; point < strengths.size(); ++point) {
        const auto begun = std::chrono::steady_clock::now();
        problem.strength = strengths[point];
        fits[point] = solve(point);
        check_finite(fits[point], strengths[point]);
        fits[point].seconds = seconds_since(begun);
    }
}

// Returns the warm start of the next strength: the same weights. They are (1/2bn) Σ cᵢ aᵢ yᵢ xᵢ, so
// the duals scale with b.
std::vector<double> next_start(const Fit& fit, const BinaryProblem& problem, double change) {
    auto start = fit.duals.empty() ? fit.weights : fit.duals;
    if (!fit.duals.empty())
        for (auto& dual : start) dual *= change;
    else start.push_back(problem.has_constant() ? fit.intercept / problem.constant : 0.0);
    return start;
}

void solve_newton(BinaryProblem& problem, const ColumnFacts& facts, const LearnOptions& options,
                  std::span<const double> start, std::span<const Strength> strengths,
                  std::span<Fit> fits, Monitor& monitor) {
    with_loss(options, [&](auto loss) -> int {
        if constexpr (decltype(loss)::smooth) {
            problem.strength = strengths.front();
            NewtonCoordinateDescent solver(problem, facts, loss, options.newton);
            solver.begin(start);
            follow_path(problem, strengths, fits, [&](std::size_t) {
                auto fit = solver.solve(monitor);
                if (options.keep_duals) fit.gap_duals = solver.gap_duals();
                return fit;
            });
            return 0;
        } else throw std::invalid_argument("Newton steps need a smooth loss");
    });
}

// Solves with a solver that takes a warm start.
void solve_from_starts(BinaryProblem& problem, const LearnOptions& options,
                       std::span<const double> start, std::span<const Strength> strengths,
                       std::span<Fit> fits, Monitor& monitor) {
    std::vector<double> from(start.begin(), start.end());
    follow_path(problem, strengths, fits, [&](std::size_t point) {
        auto fit = [&]() -> Fit {
            switch (options.solver) {
                case SolverName::primal_coordinate:
                    return solve_primal(problem, options, from, monitor);
                case SolverName::dual_coordinate:
                    return solve_dual(problem, options, from, monitor);
                case SolverName::smo: return solve_smo(problem, options, monitor);
                case SolverName::em: return solve_em(problem, options, from, monitor);
                default: throw std::invalid_argument("unknown solver");
            }
        }();
        if (point + 1 < strengths.size())
            from = next_start(fit, problem, strengths[point + 1].squared / strengths[point].squared);
        return compacted(std::move(fit), options);
    });
}

}  // namespace

std::vector<Fit> train(const Design& design, const Lists* terms, const Assignment& assignment,
                       const LearnOptions& options, std::size_t workers, Monitor& monitor) {
    if (is_online(options.solver)) return train_online(design, terms, assignment, options, workers, monitor);
    if (trains_in_blocks(options.solver))
        return train_in_blocks(design, terms, assignment, options, workers, monitor);
    std::vector<std::int32_t> all(terms == nullptr ? design.terms.count : 0);
    std::iota(all.begin(), all.end(), 0);
    auto shared = shared_problem(options);
    shared.design = design;
    const bool is_newton = options.solver == SolverName::newton_coordinate;
    const auto facts =
        is_newton ? ColumnFacts(design.terms, assignment.document_weights) : ColumnFacts();
    return train_each(shared, assignment, workers, monitor,
                      [&](BinaryProblem& problem, std::size_t category, std::span<Fit> fits) {
                          problem.terms = terms == nullptr ? std::span<const std::int32_t>(all)
                                                           : (*terms)[category];
                          const auto start = start_of(assignment, category);
                          const auto strengths = assignment.strengths_of(category);
                          if (is_newton)
                              solve_newton(problem, facts, options, start, strengths, fits, monitor);
                          else
                              solve_from_starts(problem, options, start, strengths, fits, monitor);
                      });
}

std::vector<Fit> train_by_kernel(const double* gram, std::size_t documents,
                                 const Assignment& assignment, const LearnOptions& options,
                                 std::size_t workers, Monitor& monitor) {
    return train_each(
        shared_problem(options), assignment, workers, monitor,
        [&](BinaryProblem& problem, std::size_t category, std::span<Fit> fits) {
            const auto strengths = assignment.strengths_of(category);
            follow_path(problem, strengths, fits, [&](std::size_t) {
                if (options.solver == SolverName::smo) {
                    const GramKernel kernel(gram, documents);
                    return SequentialMinimalOptimisation(problem, kernel, options.smo).solve(monitor);
                }
                if (options.solver != SolverName::dual_coordinate)
                    throw std::invalid_argument("this solver has no kernel form");
                GramProducts products(problem, gram);
                auto fit = solve_dual(problem, products, options, start_of(assignment, category),
                                      monitor);
                fit.intercept = products.intercept();
                fit.factors = products.factors();
                return fit;
            });
        });
}

}  // namespace postil
