// Products of the shared sparse matrix with dense tables of one column per problem.
//
// Every sum runs over one line of the matrix in order, so that results do not depend on the number
// of threads. Cost: non-zeros × problems.
#pragma once

#include <cstddef>

#include "postil/learn/sparse.hpp"
#include "postil/system/threads.hpp"

namespace postil {

// Computes products[line] = Σ value · table[place] over the non-zeros of each line. With the
// documents of a design and weights by term these are scores; with its terms and slopes by
// document, a gradient.
template <class Value>
void table_products(const SparseLines& lines, const Value* table, std::size_t problems, Value* products,
                    std::size_t threads, Monitor& monitor);

}  // namespace postil
