#include "postil/lanes.hpp"

#include <algorithm>

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

POSTIL_WIDE void multiply_block_powers(const std::int32_t* terms, std::size_t size,
                                       const double* __restrict factors, double* __restrict powers,
                                       double* __restrict weights, double* __restrict sums,
                                       double* __restrict largest, double* __restrict least) {
    for (std::size_t k = 0; k < size; ++k) {
        auto* of_term = powers + static_cast<std::size_t>(terms[k]) * lanes;
        auto* weight = weights + static_cast<std::size_t>(terms[k]) * lanes;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const auto power = of_term[lane] * factors[lane], back = 1.0 / power;
            sums[lane] += (power + back) - (2.0 * of_term[lane] - weight[lane]);
            of_term[lane] = power;
            weight[lane] = power - back;
            largest[lane] = std::max(largest[lane], power);
            least[lane] = std::min(least[lane], power);
        }
    }
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

void multiply_powers(const std::int32_t* terms, std::size_t size, const double* __restrict factors,
                     double* __restrict powers, double* __restrict weights, double* __restrict sums,
                     double* __restrict largest, double* __restrict least) {
    multiply_block_powers(terms, size, factors, powers, weights, sums, largest, least);
}

}  // namespace postil
