// An update of a block's balanced powers along a document whose terms are all usable:
//
//     p ← p exp(by x)      w ← p - 1/p      sum += increase of p + 1/p
//
// Lanes are processed in groups of wide_lanes, one wide instruction each; a resting group costs
// nothing. Consecutive terms of equal value share their factors, which saves calls of exp().
#pragma once

#include <cstddef>
#include <cstdint>

#include "postil/learn/lanes/lane_terms.hpp"
#include "postil/learn/lanes/lanes.hpp"

namespace postil {

inline constexpr std::size_t wide_lanes = 4;

class PowerMove {
public:
    using Values = LaneValues<block_lanes>;

    PowerMove(const Values& by, const Values& sums);

    // Rows of powers and weights are by term, the constant at `constant`.
    void run(const Visited& document, std::size_t constant, double* powers, double* weights);

    // Undefined for resting lanes.
    double sum(std::size_t lane) const { return found_.sums[lane]; }
    double largest(std::size_t lane) const { return found_.largest[lane]; }
    double least(std::size_t lane) const { return found_.least[lane]; }

    // Sums, and the largest and least powers seen.
    struct Found {
        Values sums, largest, least;
    };

private:
    void multiply(const std::int32_t* terms, std::size_t size, double x, double* powers, double* weights);

    const Values& by_;
    Values factors_;      // exp(by x) for the value x
    double value_ = 0.0;  // x
    Found found_;
};

}  // namespace postil
