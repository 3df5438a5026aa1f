// Blocks of table rows of a fixed size, with sums that do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "postil/system/threads.hpp"

namespace postil {

inline constexpr std::size_t block_rows = 256;

// Calls work(first, last) for blocks of rows.
template <class Work>
void run_row_blocks(std::size_t rows, std::size_t threads, Monitor& monitor, Work&& work) {
    const auto blocks = (rows + block_rows - 1) / block_rows;
    run_tasks(blocks, threads, monitor, [&](std::size_t block, std::size_t) {
        const auto first = block * block_rows;
        work(first, std::min(rows, first + block_rows));
    });
}

// Calls work(row, sums) for every row with the sums of its block, and adds these up in order.
template <class Work>
std::vector<double> sum_row_blocks(std::size_t rows, std::size_t width, std::size_t threads,
                                   Monitor& monitor, Work&& work) {
    const auto blocks = (rows + block_rows - 1) / block_rows;
    std::vector<double> partial(blocks * width);
    run_row_blocks(rows, threads, monitor, [&](std::size_t first, std::size_t last) {
        auto* sums = partial.data() + first / block_rows * width;
        for (auto row = first; row < last; ++row) work(row, sums);
    });
    std::vector<double> total(width);
    for (std::size_t block = 0; block < blocks; ++block)
        for (std::size_t k = 0; k < width; ++k) total[k] += partial[block * width + k];
    return total;
}

}  // namespace postil
