// The common shift of a term's weights in all classes that minimises their priors.
//
// Adding the same number to a term's weight in every class changes no probability, only the priors.
// Coordinate descent converges slowly in that direction, because it changes one class at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "postil/learn/priors/priors.hpp"

namespace postil {

class CommonShift {
public:
    // Returns the t that minimises Σ priorₖ(wₖ + t); without priors, the t that makes the mean of
    // the weights 0. Cost: the classes, times their logarithm if there are absolute values.
    double operator()(std::span<const Prior> priors, std::span<const double> weights) {
        double squared = 0.0, pull = 0.0, low = -no_bound, high = no_bound;
        kinks_.clear();
        for (std::size_t k = 0; k < priors.size(); ++k) {
            const auto& prior = priors[k];
            squared += 2.0 * prior.squared;
            pull += 2.0 * prior.squared * (weights[k] - prior.mean);
            if (prior.absolute > 0.0) kinks_.push_back({prior.mean - weights[k], prior.absolute});
            low = std::max(low, prior.low - weights[k]);
            high = std::min(high, prior.high - weights[k]);
        }
        if (!(low < high)) return 0.0;
        return std::clamp(kinks_.empty() ? without_kinks(squared, pull, weights)
                                         : among_kinks(squared, pull), low, high);
    }

private:
    static double without_kinks(double squared, double pull, std::span<const double> weights) {
        if (squared > 0.0) return -pull / squared;
        return -std::accumulate(weights.begin(), weights.end(), 0.0) /
               static_cast<double>(weights.size());
    }

    // Finds the zero of the derivative pull + squared t + Σ aₖ sign(t - kinkₖ).
    double among_kinks(double squared, double pull) {
        std::sort(kinks_.begin(), kinks_.end());
        for (const auto& kink : kinks_) pull -= kink.second;
        auto last = -no_bound;
        for (const auto& [at, absolute] : kinks_) {
            if (pull + squared * at >= 0.0)  // before this kink
                return squared > 0.0 ? -pull / squared : end_of_flat(last, at);
            pull += 2.0 * absolute;
            if (pull + squared * at >= 0.0) return at;
            last = at;
        }
        return squared > 0.0 ? -pull / squared : last;
    }

    // Between two kinks the priors are constant. At a kink a weight is at its mean, which makes
    // more weights 0.
    static double end_of_flat(double last, double at) {
        return std::abs(last) < std::abs(at) ? last : at;
    }

    std::vector<std::pair<double, double>> kinks_;
};

}  // namespace postil
