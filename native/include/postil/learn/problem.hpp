// One category's learning problem, and what a solver makes of it.
//
//     minimise  (1/n) Σ cᵢ f(yᵢ (w·xᵢ + b)) + Σⱼ prior(wⱼ)       y in {-1, +1}, n = Σ dᵢ
//
// where dᵢ are the documents' weights and cᵢ = dᵢ times the weight of the document's class.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "postil/learn/priors/priors.hpp"
#include "postil/learn/sparse.hpp"

namespace postil {

// b is the weight of a constant feature, regularised like any other or not at all.
enum class Intercept : std::uint8_t { none, penalised, free };

// How strongly the prior common to all terms holds weights back: a and b of priors.hpp.
struct Strength {
    double absolute = 0.0;
    double squared = 0.0;
};

// What is thought of one term: shares of the common strength, a strength of its own besides, where
// the prior has its mean, and bounds of the weight.
struct Belief {
    double absolute_share = 1.0;
    double squared_share = 1.0;
    double own_absolute = 0.0;
    double own_squared = 0.0;
    double mean = 0.0;
    double low = -no_bound;
    double high = no_bound;

    Prior prior(const Strength& common) const {
        return {common.absolute * absolute_share + own_absolute,
                common.squared * squared_share + own_squared, mean, low, high};
    }
};

// The unit of a weight's violation in the KKT residual: the steepest slope of the loss along it, or its
// Laplace prior's a, if that is less. Each weight has its own, so that a column of large values cannot
// hide the others. A violation below the last digits of the slope says nothing, however weak the prior.
inline double violation_unit(const Prior& prior, double steepest) {
    const auto least = 4.0 * std::numeric_limits<double>::epsilon() * steepest;
    return prior.absolute > 0.0 ? std::max(least, std::min(steepest, prior.absolute)) : steepest;
}

struct BinaryProblem {
    Design design;
    std::span<const std::int32_t> terms;  // those the category may use, rising
    std::span<const float> labels;        // +1 or -1
    std::span<const double> weights;      // cᵢ; a document of weight 0 takes no part
    double documents = 0.0;               // n
    Strength strength;
    std::span<const Belief> beliefs;  // by term of the design, the constant's last; or none
    Intercept intercept = Intercept::penalised;
    double constant = 1.0;  // the value of the constant feature

    std::size_t size() const { return labels.size(); }
    bool has_constant() const { return intercept != Intercept::none; }
    std::size_t coordinates() const { return terms.size() + has_constant(); }

    // The prior of a coordinate: a place in the terms, or past them the constant.
    Prior prior(std::size_t place) const {
        const bool is_constant = place == terms.size();
        if (is_constant && intercept == Intercept::free) return {};
        if (beliefs.empty()) return Belief{}.prior(strength);
        const auto at = is_constant ? beliefs.size() - 1 : static_cast<std::size_t>(terms[place]);
        return beliefs[at].prior(strength);
    }

    // Whether the constant has no prior: the dual variables must then be balanced (dual_balance.hpp).
    bool is_constant_free() const { return has_constant() && !prior(terms.size()).holds(); }

    // Whether there is a duality gap: every term has a prior that keeps its conjugate finite near zero.
    bool has_gap() const {
        if (beliefs.empty()) return terms.empty() || prior(0).holds();
        for (std::size_t place = 0; place < terms.size(); ++place)
            if (!prior(place).holds()) return false;
        return true;
    }

    // The steepest slope that the average loss can have along each coordinate at zero weights, given the
    // loss's slope there.
    std::vector<double> steepest_slopes(double slope_of_loss) const {
        std::vector<double> slopes(coordinates());
        for (std::size_t place = 0; place < slopes.size(); ++place) {
            double sum = 0.0;
            for_each(place, [&](std::size_t i, double x) { sum += weights[i] * std::abs(x); });
            slopes[place] = std::abs(slope_of_loss) * sum / documents;
        }
        return slopes;
    }

    // Calls visit(document, x) for every non-zero of a coordinate's column.
    template <class Visit>
    void for_each(std::size_t place, Visit&& visit) const {
        if (place == terms.size()) {
            for (std::size_t i = 0; i < size(); ++i) visit(i, constant);
            return;
        }
        const auto column = design.terms[static_cast<std::size_t>(terms[place])];
        for (std::size_t k = 0; k < column.size; ++k)
            visit(static_cast<std::size_t>(column.places[k]), static_cast<double>(column.values[k]));
    }
};

enum class Stop : std::uint8_t {
    certified,
    movement,
    iterations,
    precision,  // no step lowers the objective in double precision
};

enum class Certificate : std::uint8_t {
    duality_gap,   // the objective less a lower bound of the minimum
    kkt_residual,  // the largest violation of the optimality conditions
    mistakes,      // the share of documents that the last pass misclassified; there is no objective
};

// What a solver reports of one category. The certificate is relative: a gap to the objective, each
// violation of the optimality conditions to its coordinate's unit.
struct Fit {
    std::vector<double> weights;  // by place in the problem's terms, from a solver
    std::vector<std::int32_t> places;  // from training: of the weights that are not 0, the others
                                       // are left out
    double intercept = 0.0;       // b: the constant's weight times its value
    std::vector<double> duals;    // a by document, where the solver starts from them
    std::vector<double> gap_duals;  // a by document where the gap is measured, if no weights tell them
    std::vector<double> exponents;  // θ by place and the constant's last, where it starts from them
    double unit = 0.0;            // of weights that are a function of exponents (weight_states.hpp)
    std::vector<double> factors;  // of the documents in w = Σ factorᵢ xᵢ, where that is known
    double objective = 0.0;
    double certificate = 0.0;
    Certificate kind = Certificate::duality_gap;
    Stop stop = Stop::iterations;
    std::uint32_t iterations = 0;
    double seconds = 0.0;
    double smoothing = 0.0;  // how far the objective may have been moved by smoothing the loss
    std::vector<double> trace_seconds, trace_objectives;  // step by step, where asked for
};

}  // namespace postil
