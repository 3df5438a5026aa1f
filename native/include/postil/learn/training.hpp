// Trains many categories over one shared matrix, each category an independent task.
//
// Memory besides the matrix: a few doubles per document and per term for each worker, and 12 bytes
// for each non-zero weight. Results do not depend on the number of workers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "postil/learn/lanes/smoothed_lanes.hpp"
#include "postil/learn/priors/entropy_prior.hpp"
#include "postil/learn/problem.hpp"
#include "postil/learn/solvers/conjugate_gradient.hpp"
#include "postil/learn/solvers/dual_coordinate.hpp"
#include "postil/learn/solvers/em.hpp"
#include "postil/learn/solvers/newton_coordinate.hpp"
#include "postil/learn/solvers/online.hpp"
#include "postil/learn/solvers/primal_coordinate.hpp"
#include "postil/learn/solvers/smo.hpp"
#include "postil/system/threads.hpp"

namespace postil {

enum class LossName : std::uint8_t {
    squared,
    modified_squared,
    hinge,
    logistic,
    probit,
    perceptron,
    smoothed_hinge,
};
enum class SolverName : std::uint8_t {
    primal_coordinate,
    dual_coordinate,
    smo,
    newton_coordinate,
    em,
    mistake_driven,
    dual_gradient,
    conjugate_gradient,
    smoothed_conjugate_gradient,
};

struct LearnOptions {
    LossName loss = LossName::logistic;
    SolverName solver = SolverName::dual_coordinate;
    Intercept intercept = Intercept::penalised;
    double constant = 1.0;
    double rate = 1.0;           // step size of the hinge's dual step
    bool printed_bound = false;  // use the logistic curvature bound printed in algorithm 4
    bool keep_duals = false;     // return dual variables by document, e.g. for a warm start
    PrimalOptions primal;
    DualOptions dual;
    SmoOptions smo;
    NewtonOptions newton;
    EmOptions em;
    OnlineOptions online;
    EntropyPrior entropy;  // prior of the online solvers
    double gamma = 200.0;  // sharpness of the smoothed hinge
    CgOptions conjugate;
    SmoothingOptions smoothing;
};

// Lists of different lengths, concatenated.
struct Lists {
    std::span<const std::int64_t> starts;  // number of lists + 1
    std::span<const std::int32_t> places;

    std::span<const std::int32_t> operator[](std::size_t list) const {
        const auto first = static_cast<std::size_t>(starts[list]);
        return places.subspan(first, static_cast<std::size_t>(starts[list + 1]) - first);
    }
};

// Per-term priors: common to all categories, and per category.
struct TermPriors {
    std::span<const TermPrior> common;  // by term, the constant last; or empty
    Lists own;                          // for each category: its terms (the constant is past all terms)
    std::span<const TermPrior> own_priors;

    bool empty() const { return common.empty() && own_priors.empty(); }
};

// The categories to learn, their labels and settings. `starts` is empty or has one warm start for
// each category. Each category is fitted with one strength after the other, warm-started from the
// previous strength.
struct Assignment {
    Lists members;                             // documents of each category
    std::span<const double> document_weights;  // sample weights dᵢ
    std::span<const double> member_weights;    // class weight of the members, by category
    std::span<const double> other_weights;     // class weight of the other documents, by category
    std::span<const Strength> strengths;       // of the first category, then of the second, ...
    std::size_t points = 1;                    // number of strengths per category
    TermPriors term_priors;
    std::vector<std::span<const double>> starts;
    // Initial exponents θ₀ of each category, or none, for the online solvers: by position in its
    // terms, the constant last. The prior is then centred on the weights of θ₀.
    std::vector<std::span<const double>> initial_exponents;

    std::size_t categories() const { return members.starts.size() - 1; }
    std::span<const Strength> strengths_of(std::size_t category) const {
        return strengths.subspan(category * points, points);
    }
};

// Trains all categories. `terms` lists the terms that each category may use; null means all. The
// fits of a category's strengths are consecutive.
std::vector<Fit> train(const Design& design, const Lists* terms, const Assignment& assignment,
                       const LearnOptions& options, std::size_t workers, Monitor& monitor);

// Trains all categories from a precomputed kernel matrix. Fits have dual variables and no weights.
std::vector<Fit> train_by_kernel(const double* gram, std::size_t documents,
                                 const Assignment& assignment, const LearnOptions& options,
                                 std::size_t workers, Monitor& monitor);

}  // namespace postil
