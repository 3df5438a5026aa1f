// Smooth counts of decisions, and how a figure of merit of them grows with each score.
//
// gao-wu-lee-chua-2003, equations 4.4 to 4.7: with d = -f the class loss l = 1 / (1 + exp(-α(d + β)))
// is near 0 where a document is accepted, and a = 1 - l is how far it is. TP sums a over members and FP
// over the others. A figure of merit M(TP, FP) then grows with a score by α a (1 - a) ∂M/∂TP, or
// ∂M/∂FP: as if each document had a weight of its own.
//
// Tables are documents × problems, row by row. `cases` says of each entry what the document is to the
// problem: 1 a member, -1 another, 0 no part of it; `weights` is how much each document counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "postil/system/threads.hpp"

namespace postil {

struct Cases {
    const std::int8_t* values;
    std::span<const double> weights;  // one for each document
    std::size_t problems;

    std::size_t documents() const { return weights.size(); }
};

// The sigmoid of each problem: a = 1 / (1 + exp(-α(f - β))).
struct Windows {
    std::span<const double> steepness;  // α
    std::span<const double> offsets;    // β
};

// Of each problem: smooth counts, and those of f > 0.
struct SoftCounts {
    explicit SoftCounts(std::size_t problems);

    std::vector<double> true_positives, false_positives;
    std::vector<double> sure_true_positives, sure_false_positives;
};

// Writes how far each document is accepted; 0 where it is no part of the problem.
template <class Value>
SoftCounts accept(const Value* scores, const Cases& cases, const Windows& windows, Value* acceptances,
                  std::size_t threads, Monitor& monitor);

// Turns acceptances into slopes of the figure of merit in the scores; gives the sums of each problem.
template <class Value>
std::vector<double> slopes_of(Value* acceptances, const Cases& cases,
                              std::span<const double> steepness, std::span<const double> by_member,
                              std::span<const double> by_other, std::size_t threads, Monitor& monitor);

}  // namespace postil
