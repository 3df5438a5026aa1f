#include "postil/learn/merit/table_products.hpp"

#include <algorithm>

#include "../wide.hpp"
#include "row_blocks.hpp"

namespace postil {

namespace {

template <class Value>
[[gnu::always_inline]] inline void add_row(Value factor, const Value* __restrict row,
                                           std::size_t problems, Value* __restrict into) {
    for (std::size_t p = 0; p < problems; ++p) into[p] += factor * row[p];
}

POSTIL_WIDE void sum_singles(const SparseLine& line, const float* table, std::size_t problems,
                             float* into) {
    for (std::size_t k = 0; k < line.size; ++k)
        add_row(line.values[k], table + static_cast<std::size_t>(line.places[k]) * problems, problems,
                into);
}

POSTIL_WIDE void sum_doubles(const SparseLine& line, const double* table, std::size_t problems,
                             double* into) {
    for (std::size_t k = 0; k < line.size; ++k)
        add_row(static_cast<double>(line.values[k]),
                table + static_cast<std::size_t>(line.places[k]) * problems, problems, into);
}

constexpr auto sum_values(const float*) { return &sum_singles; }
constexpr auto sum_values(const double*) { return &sum_doubles; }

}  // namespace

template <class Value>
void table_products(const SparseLines& lines, const Value* table, std::size_t problems, Value* products,
                    std::size_t threads, Monitor& monitor) {
    run_row_blocks(lines.count, threads, monitor, [&](std::size_t first, std::size_t last) {
        std::fill(products + first * problems, products + last * problems, Value{0});
        for (auto line = first; line < last; ++line)
            sum_values(table)(lines[line], table, problems, products + line * problems);
    });
}

template void table_products(const SparseLines&, const float*, std::size_t, float*, std::size_t,
                             Monitor&);
template void table_products(const SparseLines&, const double*, std::size_t, double*, std::size_t,
                             Monitor&);

}  // namespace postil
