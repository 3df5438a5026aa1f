// One category's learning problem, and what a solver makes of it.
//
//     minimise  (1/n) Σ cᵢ f(yᵢ (w·xᵢ + b)) + Σⱼ prior(wⱼ)       y in {-1, +1}, n = Σ dᵢ
//
// where dᵢ are the documents' weights and cᵢ = dᵢ times the weight of the document's class.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "postil/sparse.hpp"

namespace postil {

// b is the weight of a constant feature, regularised like any other or not at all.
enum class Intercept : std::uint8_t { none, penalised, free };

struct BinaryProblem {
    Design design;
    std::span<const std::int32_t> terms;  // those the category may use, rising
    std::span<const float> labels;        // +1 or -1
    std::span<const double> weights;      // cᵢ; a document of weight 0 takes no part
    double documents = 0.0;               // n
    double lambda = 0.0;
    Intercept intercept = Intercept::penalised;
    double constant = 1.0;  // the value of the constant feature

    std::size_t size() const { return labels.size(); }
};

enum class Stop : std::uint8_t { certified, movement, iterations };

enum class Certificate : std::uint8_t {
    duality_gap,   // the objective less a lower bound of the minimum
    kkt_residual,  // the largest violation of the optimality conditions
};

// What a solver reports of one category. The certificate is relative: a gap to the objective, a
// residual to that of the zero weights.
struct Fit {
    std::vector<double> weights;  // by place in the problem's terms, from a solver
    std::vector<std::int32_t> places;  // from training: of the weights that are not 0, the others
                                       // are left out
    double intercept = 0.0;       // b: the constant's weight times its value
    std::vector<double> duals;    // a by document, where the solver starts from them
    std::vector<double> factors;  // of the documents in w = Σ factorᵢ xᵢ, where that is known
    double objective = 0.0;
    double certificate = 0.0;
    Certificate kind = Certificate::duality_gap;
    Stop stop = Stop::iterations;
    std::uint32_t iterations = 0;
    double seconds = 0.0;
};

}  // namespace postil
