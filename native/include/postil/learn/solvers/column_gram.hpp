// The Gram matrix of the columns of a working set, Σᵢ hᵢ xᵢⱼ xᵢₖ for all pairs of columns.
//
// With it a step of coordinate descent costs the number of columns in the set instead of the number
// of documents that contain the term. It pays where the set is small and needs many passes, as near
// an optimum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "postil/learn/sparse.hpp"

namespace postil {

// Building it costs, for each document, half the square of the number of its terms in the set.
// Memory: 8 bytes for each pair of columns, each non-zero and each document.
class ColumnGram {
public:
    static bool is_small_enough(std::size_t columns, std::size_t nonzeros) {
        return columns <= 1024 && nonzeros < (std::size_t{1} << 24);
    }
    // Returns a lower bound of build_cost.
    static double least_build_cost(std::size_t nonzeros) { return 2.75 * static_cast<double>(nonzeros); }

    // Sets the columns and returns the cost of `build`, in non-zeros of a pass. This itself costs
    // the non-zeros of the columns and the documents.
    double build_cost(std::vector<SparseLine> columns, std::size_t documents) {
        columns_ = std::move(columns);
        ends_.assign(documents, 0);
        for (const auto& column : columns_)
            for (std::size_t k = 0; k < column.size; ++k)
                ++ends_[static_cast<std::size_t>(column.places[k])];
        double cost = 0.0;
        std::uint32_t end = 0;
        for (auto& each : ends_) {
            const auto count = std::exchange(each, end);
            cost += 0.75 * count * count;  // a pair costs more than a non-zero of a pass
            end += count;
        }
        entries_.resize(end);
        return cost + 2.0 * end + static_cast<double>(documents);
    }

    // Builds the matrix after build_cost. `scaled` holds hᵢ xᵢⱼ for the non-zeros of the columns,
    // column after column.
    void build(const float* scaled) {
        fill_entries();
        const auto size = columns_.size();
        products_.assign(size * size, 0.0);
        for (std::size_t j = 0; j < size; ++j) {
            auto* row = products_.data() + j * size;
            for (std::size_t k = 0; k < columns_[j].size; ++k, ++scaled) {
                const auto i = static_cast<std::size_t>(columns_[j].places[k]);
                // Up to the entry of the column itself.
                for (auto at = i > 0 ? ends_[i - 1] : 0;; ++at) {
                    row[entries_[at].column] += *scaled * entries_[at].value;
                    if (entries_[at].column == j) break;
                }
            }
            for (std::size_t k = 0; k < j; ++k) products_[k * size + j] = row[k];
        }
    }

    // Returns the products of one column with all columns.
    const double* operator[](std::size_t column) const { return products_.data() + column * columns_.size(); }

private:
    struct Entry {
        std::uint32_t column;
        float value;
    };

    // Lists the terms of each document, in the order of the columns.
    void fill_entries() {
        for (std::size_t j = 0; j < columns_.size(); ++j)
            for (std::size_t k = 0; k < columns_[j].size; ++k) {
                const auto i = static_cast<std::size_t>(columns_[j].places[k]);
                entries_[ends_[i]++] = {static_cast<std::uint32_t>(j), columns_[j].values[k]};
            }
    }

    std::vector<SparseLine> columns_;
    std::vector<std::uint32_t> ends_;  // end of each document's entries
    std::vector<Entry> entries_;
    std::vector<double> products_;
};

}  // namespace postil
