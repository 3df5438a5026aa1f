// Entropy priors: what a weight of a Winnow costs, beside a start μ (zhang-2000, section 2.2).
//
// A positive weight w = μ exp(θ) costs its relative entropy
//
//     w ln(w/μ) - w + μ                conjugate: μ (exp(θ) - 1)
//
// A balanced one is w = w⁺ - w⁻ = 2μ sinh(θ), the weights of x and -x; the cheapest such pair costs
//
//     w θ - 2μ (cosh(θ) - 1)           conjugate: 2μ (cosh(θ) - 1)
//
// In a normalised prior the sum of all weights, both of a pair, is W: then the cost is the relative
// entropy alone, and the conjugate of all of them together W ln(Σ exp(θ)/d) for d equal starts.
#pragma once

#include <cmath>
#include <cstdint>

namespace postil {

enum class Entropy : std::uint8_t { none, unnormalised, normalised };

struct EntropyPrior {
    Entropy kind = Entropy::none;
    double mu = 0.01;
    bool positive = false;   // else balanced
    double threshold = 0.0;  // what a score has to reach: with positive weights 0 is no threshold
    double total = 0.0;      // W; 0: the sum of the starts

    // Of one weight, by its exponent.
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
