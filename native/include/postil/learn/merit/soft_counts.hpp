// Smooth counts of decisions, and the gradient of a figure of merit with respect to the scores.
//
// gao-wu-lee-chua-2003, equations 4.4 to 4.7: with d = -f, the class loss l = 1 / (1 + exp(-α(d +
// β))) is near 0 where a document is accepted, and a = 1 - l is its soft acceptance. TP sums a over
// members and FP over the other documents. The slope of a figure of merit M(TP, FP) with respect to
// a score is α a (1 - a) ∂M/∂TP, or ∂M/∂FP: as if each document had a sample weight.
//
// Tables are documents × problems, row by row. `cases` is 1 for members of a problem, -1 for other
// documents, 0 for documents outside the problem; `weights` are sample weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "postil/system/threads.hpp"

namespace postil {

struct Cases {
    const std::int8_t* values;
    std::span<const double> weights;  // by document
    std::size_t problems;

    std::size_t documents() const { return weights.size(); }
};

// The sigmoid of each problem: a = 1 / (1 + exp(-α(f - β))).
struct Windows {
    std::span<const double> steepness;  // α
    std::span<const double> offsets;    // β
};

// Counts of each problem: smooth counts, and those of the decision f > 0.
struct SoftCounts {
    explicit SoftCounts(std::size_t problems);

    std::vector<double> true_positives, false_positives;
    std::vector<double> sure_true_positives, sure_false_positives;
};

// Computes the soft acceptances, 0 for documents outside a problem, and returns the counts.
template <class Value>
SoftCounts accept(const Value* scores, const Cases& cases, const Windows& windows, Value* acceptances,
                  std::size_t threads, Monitor& monitor);

// Converts acceptances to slopes of the figure of merit with respect to the scores, in place;
// returns their sum for each problem.
template <class Value>
std::vector<double> slopes_of(Value* acceptances, const Cases& cases,
                              std::span<const double> steepness, std::span<const double> by_member,
                              std::span<const double> by_other, std::size_t threads, Monitor& monitor);

}  // namespace postil
