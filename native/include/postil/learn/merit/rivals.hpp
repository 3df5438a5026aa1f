// What a score says beside those of its rivals (gao-wu-lee-chua-2003, equation 4.13).
//
// With class scores g = exp(s), which are positive whatever s is, the logarithm of equation 4.13's
// second term is (1/η) ln( 1/(N-1) Σ_{i≠j} exp(η s_i) ). The margin of a category is its s less this
// bar: the negative of the misclassification function d. As η grows the bar goes to the highest of the
// other scores. Sums are taken relative to the highest score in them, so that nothing overflows, and
// the sum without the best category is made anew rather than by taking away nearly all of it.
//
// A capped bar is -ln(1 + exp(-η bar)) / η, the smooth lesser of the bar and 0: rivals then matter for
// documents that none of them claims.
//
// Cost: documents × categories, two exponentials for each.
#pragma once

#include <cstddef>

#include "postil/system/threads.hpp"

namespace postil {

struct RivalTable {
    std::size_t documents;
    std::size_t categories;  // two or more
    double sharpness;        // η
    bool is_capped = false;
    std::size_t absent = 0;  // rivals that never compete: counted in N, and part of no sum
};

// margins[j] = s_j - bar_j; may be the table of the scores itself.
template <class Value>
void margins_over_rivals(const Value* scores, const RivalTable& table, Value* margins,
                         std::size_t threads, Monitor& monitor);

// Slopes in the margins to slopes in the scores, in place.
template <class Value>
void slopes_through_rivals(const Value* scores, const RivalTable& table, Value* slopes,
                           std::size_t threads, Monitor& monitor);

}  // namespace postil
