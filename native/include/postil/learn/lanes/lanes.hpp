// Weight vectors of several categories side by side: the weights of a term are adjacent, one lane
// for each category.
//
// One read of a document serves all lanes: its positions and values are read once, and a cache line
// holds the weights of a term for eight categories. The numbers of a lane do not depend on the
// other lanes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "postil/learn/sparse.hpp"

namespace postil {

// The number of lanes of a block. Categories processed alone use one lane.
inline constexpr std::size_t block_lanes = 8;

// The loops, inlined so that the caller decides for which processor they are compiled.
namespace lane_loops {

template <std::size_t Lanes>
[[gnu::always_inline]] inline void add_products(const SparseLine& row, const double* __restrict weights,
                                                double* __restrict out) {
    double sums[Lanes];
    for (std::size_t lane = 0; lane < Lanes; ++lane) sums[lane] = out[lane];
    for (std::size_t k = 0; k < row.size; ++k) {
        const auto* of_term = weights + static_cast<std::size_t>(row.places[k]) * Lanes;
        const double x = row.values[k];
        for (std::size_t lane = 0; lane < Lanes; ++lane) sums[lane] += x * of_term[lane];
    }
    for (std::size_t lane = 0; lane < Lanes; ++lane) out[lane] = sums[lane];
}

template <std::size_t Lanes>
[[gnu::always_inline]] inline void add_multiples(const SparseLine& row, const double* __restrict factors,
                                                 double* __restrict weights) {
    for (std::size_t k = 0; k < row.size; ++k) {
        auto* of_term = weights + static_cast<std::size_t>(row.places[k]) * Lanes;
        const double x = row.values[k];
        for (std::size_t lane = 0; lane < Lanes; ++lane) of_term[lane] += x * factors[lane];
    }
}

}  // namespace lane_loops

// out[lane] += Σ x w[lane] over the terms of a document.
template <std::size_t Lanes>
inline void add_products(const SparseLine& row, const double* __restrict weights,
                         double* __restrict out) {
    lane_loops::add_products<Lanes>(row, weights, out);
}

// w[lane] += x factor[lane] for the terms of a document.
template <std::size_t Lanes>
inline void add_multiples(const SparseLine& row, const double* __restrict factors,
                          double* __restrict weights) {
    lane_loops::add_multiples<Lanes>(row, factors, weights);
}

// A whole block with AVX2 where the processor has it: the same operations in the same order, so
// that results do not depend on the processor.
template <>
void add_products<block_lanes>(const SparseLine& row, const double* __restrict weights,
                               double* __restrict out);
template <>
void add_multiples<block_lanes>(const SparseLine& row, const double* __restrict factors,
                                double* __restrict weights);

}  // namespace postil
