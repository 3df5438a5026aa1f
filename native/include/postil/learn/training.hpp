// Many categories over one shared matrix, each a task of its own.
//
// Memory besides the matrix: some doubles for each document and each term of a worker, and 12 bytes
// for each weight that is not 0. Time is that of the categories, spread over the workers; results
// do not depend on their number.
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
    double rate = 1.0;           // of the hinge's dual step
    bool printed_bound = false;  // the logistic curvature bound of algorithm 4
    bool keep_duals = false;     // by document, for each category: to start from, or to look at
    PrimalOptions primal;
    DualOptions dual;
    SmoOptions smo;
    NewtonOptions newton;
    EmOptions em;
    OnlineOptions online;
    EntropyPrior entropy;  // of solvers that move along documents
    double gamma = 200.0;        // of the smoothed hinge
    CgOptions conjugate;
    SmoothingOptions smoothing;
};

// Lists of different lengths, one after the other.
struct Lists {
    std::span<const std::int64_t> starts;  // one more than there are lists
    std::span<const std::int32_t> places;

    std::span<const std::int32_t> operator[](std::size_t list) const {
        const auto first = static_cast<std::size_t>(starts[list]);
        return places.subspan(first, static_cast<std::size_t>(starts[list + 1]) - first);
    }
};

// What is thought of single terms: by all categories, and by each besides.
struct Beliefs {
    std::span<const Belief> common;  // by term, the constant's last; or none
    Lists own;                       // of each category: terms, the constant being past them
    std::span<const Belief> of_own;

    bool empty() const { return common.empty() && of_own.empty(); }
};

// What is learned about, and from what. Starts are empty, or hold one for each category. Each
// category learns with one strength after the other, every one but the first from where the one
// before it ended.
struct Assignment {
    Lists members;                              // documents of each category
    std::span<const double> document_weights;   // dᵢ
    std::span<const double> member_weights;     // by category: of its members
    std::span<const double> other_weights;      // and of the others
    std::span<const Strength> strengths;        // of the first category, then of the second...
    std::size_t points = 1;                     // how many each has
    Beliefs beliefs;
    std::vector<std::span<const double>> starts;
    // θ₀ of each category, or none, for solvers that move weights along documents: by place in its
    // terms, the constant's last. What is learned is beside the weights that belong to it.
    std::vector<std::span<const double>> beginnings;

    std::size_t categories() const { return members.starts.size() - 1; }
    std::span<const Strength> strengths_of(std::size_t category) const {
        return strengths.subspan(category * points, points);
    }
};

// Terms are those each category may use; without lists all of them. The fits of a category's
// strengths follow each other.
std::vector<Fit> train(const Design& design, const Lists* terms, const Assignment& assignment,
                       const LearnOptions& options, std::size_t workers, Monitor& monitor);

// The same by a kernel matrix given whole: fits hold duals, and no weights.
std::vector<Fit> train_by_kernel(const double* gram, std::size_t documents,
                                 const Assignment& assignment, const LearnOptions& options,
                                 std::size_t workers, Monitor& monitor);

}  // namespace postil
