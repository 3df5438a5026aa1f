#include "postil/lanes.hpp"

#include <cstring>

#include "wide.hpp"

namespace postil {

namespace {

constexpr auto lanes = block_lanes;

POSTIL_WIDE void add_block_products(const SparseLine& row, const double* __restrict weights,
                                    double* __restrict out) {
    lane_loops::add_products<lanes>(row, weights, out);
}

POSTIL_WIDE void add_block_multiples(const SparseLine& row, const double* __restrict factors,
                                     double* __restrict weights) {
    lane_loops::add_multiples<lanes>(row, factors, weights);
}

// Some lanes as one value. Written out, as a compiler leaves a loop over lanes with so many results
// lane by lane, and the divisions of single lanes would be most of a move.
typedef double Wide __attribute__((vector_size(wide_lanes * sizeof(double))));

[[gnu::always_inline]] inline void read(Wide& value, const double* from) {
    std::memcpy(&value, from, sizeof value);
}
[[gnu::always_inline]] inline void write(const Wide& value, double* to) {
    std::memcpy(to, &value, sizeof value);
}

POSTIL_WIDE void multiply_wide(const std::int32_t* terms, std::size_t size, std::size_t first,
                               PowerMove& move, double* __restrict powers, double* __restrict weights) {
    Wide factor, sum, largest, least;
    read(factor, move.factors + first);
    read(sum, move.sums + first);
    read(largest, move.largest + first);
    read(least, move.least + first);
    for (std::size_t k = 0; k < size; ++k) {
        const auto at = static_cast<std::size_t>(terms[k]) * lanes + first;
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
    write(sum, move.sums + first);
    write(largest, move.largest + first);
    write(least, move.least + first);
}

}  // namespace

template <>
void add_products<block_lanes>(const SparseLine& row, const double* __restrict weights,
                               double* __restrict out) {
    add_block_products(row, weights, out);
}

template <>
void add_multiples<block_lanes>(const SparseLine& row, const double* __restrict factors,
                                double* __restrict weights) {
    add_block_multiples(row, factors, weights);
}

void multiply_powers(const std::int32_t* terms, std::size_t size, std::size_t first, PowerMove& move,
                     double* __restrict powers, double* __restrict weights) {
    multiply_wide(terms, size, first, move, powers, weights);
}

}  // namespace postil
