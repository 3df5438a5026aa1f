// exp and log1p on the half-lines that the logistic loss needs, without branches, so that loops
// over documents are vectorized. Errors are a few units in the last place.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace postil {

// Returns exp(x) for x <= 0; exp(-708) for smaller x.
inline double exp_below(double x) {
    constexpr double log2_e = 1.4426950408889634, ln2_high = 0.693147180369123816490,
                     ln2_low = 1.90821492927058770002e-10;
    constexpr double rounder = 6755399441055744.0;  // 1.5 · 2^52: adding it rounds to an integer
    x = std::max(-708.0, x);
    const double shifted = x * log2_e + rounder;
    const double whole = shifted - rounder;
    const double rest = (x - whole * ln2_high) - whole * ln2_low;
    // Σ restᵏ/k!; |rest| <= ln(2)/2.
    double sum = 1.0 / 6227020800;
    sum = sum * rest + 1.0 / 479001600;
    sum = sum * rest + 1.0 / 39916800;
    sum = sum * rest + 1.0 / 3628800;
    sum = sum * rest + 1.0 / 362880;
    sum = sum * rest + 1.0 / 40320;
    sum = sum * rest + 1.0 / 5040;
    sum = sum * rest + 1.0 / 720;
    sum = sum * rest + 1.0 / 120;
    sum = sum * rest + 1.0 / 24;
    sum = sum * rest + 1.0 / 6;
    sum = sum * rest + 0.5;
    sum = sum * rest + 1.0;
    sum = sum * rest + 1.0;
    // The integer is in the lowest bits of `shifted`: add it to the exponent.
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum) +
                                 (std::bit_cast<std::uint64_t>(shifted) << 52));
}

// Returns ln(1 + x) for -1/2 <= x <= 1, by 2 artanh(x / (2 + x)).
inline double log1p_share(double x) {
    const double ratio = x / (2.0 + x), square = ratio * ratio;
    double sum = 1.0 / 33;
    sum = sum * square + 1.0 / 31;
    sum = sum * square + 1.0 / 29;
    sum = sum * square + 1.0 / 27;
    sum = sum * square + 1.0 / 25;
    sum = sum * square + 1.0 / 23;
    sum = sum * square + 1.0 / 21;
    sum = sum * square + 1.0 / 19;
    sum = sum * square + 1.0 / 17;
    sum = sum * square + 1.0 / 15;
    sum = sum * square + 1.0 / 13;
    sum = sum * square + 1.0 / 11;
    sum = sum * square + 1.0 / 9;
    sum = sum * square + 1.0 / 7;
    sum = sum * square + 1.0 / 5;
    sum = sum * square + 1.0 / 3;
    sum = sum * square + 1.0 / 1;
    return 2.0 * ratio * sum;
}

}  // namespace postil
