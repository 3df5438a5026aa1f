// The learning problem of one category, and the result of a solver.
//
//     minimise  (1/n) Σ cᵢ f(yᵢ (w·xᵢ + b)) + Σⱼ prior(wⱼ)       y in {-1, +1}, n = Σ dᵢ
//
// where dᵢ are the sample weights and cᵢ is dᵢ times the class weight of the document's class.
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

// The strength of the prior common to all terms: a and b of priors.hpp.
struct Strength {
    double absolute = 0.0;
    double squared = 0.0;
};

// The prior of one term: factors of the common strength, an additional strength of its own, the
// mean of the prior, and bounds of the weight.
struct TermPrior {
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

// Returns the unit of a weight's violation in the KKT residual: the steepest slope of the loss
// along the weight, or the a of its Laplace prior if that is smaller. Each weight has its own unit,
// so that a column of large values cannot hide the others. Violations below the rounding error of
// the slope do not count, however weak the prior.
inline double violation_unit(const Prior& prior, double steepest) {
    const auto least = 4.0 * std::numeric_limits<double>::epsilon() * steepest;
    return prior.absolute > 0.0 ? std::max(least, std::min(steepest, prior.absolute)) : steepest;
}

struct BinaryProblem {
    Design design;
    std::span<const std::int32_t> terms;  // terms that the category may use, rising
    std::span<const float> labels;        // +1 or -1
    std::span<const double> weights;      // cᵢ; documents of weight 0 are ignored
    double documents = 0.0;               // n
    Strength strength;
    std::span<const TermPrior> term_priors;  // by term of the design, the constant last; or empty
    Intercept intercept = Intercept::penalised;
    double constant = 1.0;  // value of the constant feature

    std::size_t size() const { return labels.size(); }
    bool has_constant() const { return intercept != Intercept::none; }
    std::size_t coordinates() const { return terms.size() + has_constant(); }

    // Returns the prior of a coordinate: a position in the terms, or past them the constant.
    Prior prior(std::size_t place) const {
        const bool is_constant = place == terms.size();
        if (is_constant && intercept == Intercept::free) return {};
        if (term_priors.empty()) return TermPrior{}.prior(strength);
        const auto at = is_constant ? term_priors.size() - 1 : static_cast<std::size_t>(terms[place]);
        return term_priors[at].prior(strength);
    }

    // Returns true if the constant has no prior. The dual variables must then be balanced
    // (dual_balance.hpp).
    bool is_constant_free() const { return has_constant() && !prior(terms.size()).is_bounded(); }

    // Returns true if there is a duality gap: the conjugate of every prior is finite around zero.
    bool has_gap() const {
        if (term_priors.empty()) return terms.empty() || prior(0).is_bounded();
        for (std::size_t place = 0; place < terms.size(); ++place)
            if (!prior(place).is_bounded()) return false;
        return true;
    }

    // Returns the steepest slope of the average loss along each coordinate at zero weights, given
    // the slope of the loss there.
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
    duality_gap,   // the objective minus a lower bound of the minimum
    kkt_residual,  // the largest violation of the optimality conditions
    mistakes,      // the share of documents misclassified in the last pass; there is no objective
};

// The result of a solver for one category. The certificate is relative: a duality gap to the
// objective, a violation of the optimality conditions to the unit of its coordinate.
struct Fit {
    std::vector<double> weights;       // from a solver: by position in the problem's terms
    std::vector<std::int32_t> places;  // from training: positions of the non-zero weights,
                                       // to which `weights` is then reduced
    double intercept = 0.0;         // b: weight of the constant times its value
    std::vector<double> duals;      // a by document, if the solver can be warm-started from them
    std::vector<double> gap_duals;  // a by document of the gap, if the weights do not determine them
    std::vector<double> exponents;  // θ by position, the constant last, for a warm start
    double unit = 0.0;              // factor of weights that are a function of exponents
    std::vector<double> factors;    // of the documents in w = Σ factorᵢ xᵢ, where known
    double objective = 0.0;
    double certificate = 0.0;
    Certificate kind = Certificate::duality_gap;
    Stop stop = Stop::iterations;
    std::uint32_t iterations = 0;
    double seconds = 0.0;
    double smoothing = 0.0;  // upper bound of the change of the objective by smoothing the loss
    std::vector<double> trace_seconds, trace_objectives;  // by step, if requested
};

}  // namespace postil
