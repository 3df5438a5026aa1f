// The schedule by which a smoothed loss approaches the loss itself: zhang-jin-yang-hauptmann-2003,
// algorithm 1.
#pragma once

#include <algorithm>
#include <cstdint>

namespace postil {

struct SmoothingOptions {
    double first_gamma = 1.0;
    double gamma_step = 10.0;  // γ ← γ gamma_growth + gamma_step
    double gamma_growth = 1.0;
    std::uint32_t steps_per_gamma = 10;

    double after(double gamma) const {
        return std::min(most_gamma, gamma * gamma_growth + gamma_step);
    }

    static constexpr double most_gamma = 1e6;
};

// Returns the maximum of m sum - m² square for 0 <= m <= 1/most: the dual objective at the best
// multiple of duals that are at most `most` and may be at most 1. Returns 0 if the duals have
// underflowed.
inline double best_multiple(double sum, double square, double most) {
    constexpr double least = 1e-100;
    if (!(most > least)) return 0.0;
    const auto longest = 1.0 / most;
    const auto m = square > 0.0 ? std::min(longest, sum / (2.0 * square)) : longest;
    return m * sum - m * m * square;
}

}  // namespace postil
