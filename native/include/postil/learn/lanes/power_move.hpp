// A move of a block's balanced powers along a document, where all its terms are usable:
//
//     p ← p exp(by x)      w ← p - 1/p      sum += what p + 1/p gains
//
// Lanes take part in groups of wide_lanes, as many as one wide instruction takes; a group that rests
// costs nothing. Terms of one value share their factors, and so exp() is not asked for each of them.
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

    // Rows of powers and weights are by term, the constant's at `constant`.
    void run(const Visited& document, std::size_t constant, double* powers, double* weights);

    // Of lanes that rest they mean nothing.
    double sum(std::size_t lane) const { return found_.sums[lane]; }
    double largest(std::size_t lane) const { return found_.largest[lane]; }
    double least(std::size_t lane) const { return found_.least[lane]; }

    // Sums, and the powers that were met.
    struct Found {
        Values sums, largest, least;
    };

private:
    void multiply(const std::int32_t* terms, std::size_t size, double x, double* powers, double* weights);

    const Values& by_;
    Values factors_;      // of terms whose value is
    double value_ = 0.0;  // this
    Found found_;
};

}  // namespace postil
