// The margin of each score over those of competing categories (gao-wu-lee-chua-2003, eq. 4.13).
//
// With class scores g = exp(s), which are positive for every s, the logarithm of the second term of
// equation 4.13 is the bar (1/η) ln( 1/(N-1) Σ_{i≠j} exp(η s_i) ). The margin of a category is its
// s minus this bar: the negative of the misclassification function d. As η grows, the bar
// approaches the highest of the other scores. Sums are taken relative to their highest score to
// avoid overflow, and the sum without the best category is computed separately to avoid
// cancellation.
//
// A capped bar is -ln(1 + exp(-η bar)) / η, a smooth minimum of the bar and 0, for documents that
// no competing category claims.
//
// Cost: two exponentials for each document and category.
#pragma once

#include <cstddef>

#include "postil/system/threads.hpp"

namespace postil {

struct RivalTable {
    std::size_t documents;
    std::size_t categories;  // at least two
    double sharpness;        // η
    bool is_capped = false;
    std::size_t absent = 0;  // categories that never compete: counted in N, in no sum
};

// Computes margins[j] = s_j - bar_j; `margins` may be the table of the scores.
template <class Value>
void margins_over_rivals(const Value* scores, const RivalTable& table, Value* margins,
                         std::size_t threads, Monitor& monitor);

// Converts slopes with respect to the margins to slopes with respect to the scores, in place.
template <class Value>
void slopes_through_rivals(const Value* scores, const RivalTable& table, Value* slopes,
                           std::size_t threads, Monitor& monitor);

}  // namespace postil
