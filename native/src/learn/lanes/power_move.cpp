#include "postil/learn/lanes/power_move.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "../wide.hpp"

namespace postil {

namespace {

// Several lanes as one vector. Written explicitly, because compilers do not vectorize a loop over
// lanes with this many results, and scalar divisions would dominate the cost.
typedef double Wide __attribute__((vector_size(wide_lanes * sizeof(double))));

[[gnu::always_inline]] inline void read(Wide& value, const double* from) {
    std::memcpy(&value, from, sizeof value);
}
[[gnu::always_inline]] inline void write(const Wide& value, double* to) {
    std::memcpy(to, &value, sizeof value);
}

// Updates the lanes beginning at `first`.
POSTIL_WIDE void multiply_lanes(const std::int32_t* terms, std::size_t size, std::size_t first,
                                const double* factors, double* __restrict powers,
                                double* __restrict weights, PowerMove::Found& found) {
    Wide factor, sum, largest, least;
    read(factor, factors + first);
    read(sum, found.sums.data() + first);
    read(largest, found.largest.data() + first);
    read(least, found.least.data() + first);
    for (std::size_t k = 0; k < size; ++k) {
        const auto at = static_cast<std::size_t>(terms[k]) * block_lanes + first;
        Wide before, weight;
        read(before, powers + at);
        read(weight, weights + at);
        const Wide power = before * factor, back = 1.0 / power;
        sum += (power + back) - (2.0 * before - weight);
        largest = largest < power ? power : largest;
        least = power < least ? power : least;
        write(power, powers + at);
        write(power - back, weights + at);
    }
    write(sum, found.sums.data() + first);
    write(largest, found.largest.data() + first);
    write(least, found.least.data() + first);
}

}  // namespace

PowerMove::PowerMove(const Values& by, const Values& sums) : by_(by) {
    factors_.fill(1.0);
    found_.sums = sums;
    found_.largest.fill(1.0);
    found_.least.fill(1.0);
}

void PowerMove::run(const Visited& document, std::size_t constant, double* powers, double* weights) {
    const auto& row = document.row;
    for (std::size_t first = 0, end = 0; first < row.size; first = end) {
        while (end < row.size && row.values[end] == row.values[first]) ++end;
        multiply(row.places + first, end - first, row.values[first], powers, weights);
    }
    const auto last = static_cast<std::int32_t>(constant);
    if (document.constant != 0.0) multiply(&last, 1, document.constant, powers, weights);
}

void PowerMove::multiply(const std::int32_t* terms, std::size_t size, double x, double* powers,
                         double* weights) {
    if (x != value_)
        for (std::size_t lane = 0; lane < block_lanes; ++lane)
            if (by_[lane] != 0.0) factors_[lane] = std::exp(by_[lane] * x);
    value_ = x;
    for (std::size_t first = 0; first < block_lanes; first += wide_lanes) {
        const auto* own = by_.data() + first;
        if (std::any_of(own, own + wide_lanes, [](double each) { return each != 0.0; }))
            multiply_lanes(terms, size, first, factors_.data(), powers, weights, found_);
    }
}

}  // namespace postil
