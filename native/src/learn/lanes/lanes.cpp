#include "postil/learn/lanes/lanes.hpp"

#include "../wide.hpp"

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

}  // namespace postil
