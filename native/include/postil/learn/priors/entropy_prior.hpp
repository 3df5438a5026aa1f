// Entropy priors: the penalty of Winnow weights relative to initial weights μ (zhang-2000, section
// 2.2).
//
// The penalty of a positive weight w = μ exp(θ) is its relative entropy
//
//     w ln(w/μ) - w + μ                conjugate: μ (exp(θ) - 1)
//
// A balanced weight is w = w⁺ - w⁻ = 2μ sinh(θ), the weights of x and -x. The minimum penalty of
// such a pair is
//
//     w θ - 2μ (cosh(θ) - 1)           conjugate: 2μ (cosh(θ) - 1)
//
// In a normalised prior all weights, both of each pair, sum to W. The penalty is then the relative
// entropy, and the joint conjugate is W ln(Σ exp(θ)/d) for d equal initial weights.
#pragma once

#include <cmath>
#include <cstdint>

namespace postil {

enum class Entropy : std::uint8_t { none, unnormalised, normalised };

struct EntropyPrior {
    Entropy kind = Entropy::none;
    double mu = 0.01;
    bool positive = false;   // true: positive weights; false: balanced
    double threshold = 0.0;  // subtracted from scores: positive weights cannot use 0
    double total = 0.0;      // W; 0: the sum of the initial weights

    // Functions of a single weight and its exponent θ.
    double weight(double theta) const {
        return positive ? mu * std::exp(theta) : 2.0 * mu * std::sinh(theta);
    }
    double exponent(double weight) const {
        return positive ? std::log(weight / mu) : std::asinh(weight / (2.0 * mu));
    }
    double value(double weight) const {
        if (positive) return weight > 0.0 ? weight * std::log(weight / mu) - weight + mu : mu;
        return weight * exponent(weight) - conjugate(exponent(weight));
    }
    double slope(double weight) const { return exponent(weight); }
    double conjugate(double theta) const {
        if (positive) return mu * std::expm1(theta);
        const auto half = std::sinh(0.5 * theta);
        return 4.0 * mu * half * half;
    }
};

}  // namespace postil
