// Products of the columns of a working set, Σᵢ hᵢ xᵢⱼ xᵢₖ for all pairs of them.
//
// With them a step of coordinate descent costs the columns of the set, and not the documents in which
// a term occurs. They are worth their making where a set is small and many passes over it are needed,
// as near an optimum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "postil/learn/sparse.hpp"

namespace postil {

// Making them costs, for each document, half the square of the number of the set's terms in it. Memory:
// 8 bytes for each pair of columns, each non-zero and each document.
class ColumnPairs {
public:
    static bool takes(std::size_t columns, std::size_t nonzeros) {
        return columns <= 1024 && nonzeros < (std::size_t{1} << 24);
    }
    // What a look finds at least.
    static double least_price(std::size_t nonzeros) { return 2.75 * static_cast<double>(nonzeros); }

    // Takes columns, and says what making their products would cost: as much as a pass over so many
    // non-zeros. A look itself costs the columns and the documents.
    double look(std::vector<SparseLine> columns, std::size_t documents) {
        columns_ = std::move(columns);
        ends_.assign(documents, 0);
        for (const auto& column : columns_)
            for (std::size_t k = 0; k < column.size; ++k)
                ++ends_[static_cast<std::size_t>(column.places[k])];
        double cost = 0.0;
        std::uint32_t end = 0;
        for (auto& each : ends_) {
            const auto count = std::exchange(each, end);
            cost += 0.75 * count * count;  // a pair is dearer than a non-zero of a pass
            end += count;
        }
        entries_.resize(end);
        return cost + 2.0 * end + static_cast<double>(documents);
    }

    // After a look; `scaled` holds hᵢ xᵢⱼ for the non-zeros of the columns, one column after the other.
    void make(const float* scaled) {
        fill_entries();
        const auto size = columns_.size();
        products_.assign(size * size, 0.0);
        for (std::size_t j = 0; j < size; ++j) {
            auto* row = products_.data() + j * size;
            for (std::size_t k = 0; k < columns_[j].size; ++k, ++scaled) {
                const auto i = static_cast<std::size_t>(columns_[j].places[k]);
                // Up to the column's own entry.
                for (auto at = i > 0 ? ends_[i - 1] : 0;; ++at) {
                    row[entries_[at].column] += *scaled * entries_[at].value;
                    if (entries_[at].column == j) break;
                }
            }
            for (std::size_t k = 0; k < j; ++k) products_[k * size + j] = row[k];
        }
    }

    // Those of one column with all.
    const double* operator[](std::size_t column) const { return products_.data() + column * columns_.size(); }

private:
    struct Entry {
        std::uint32_t column;
        float value;
    };

    // The terms of each document, in the order of the columns.
    void fill_entries() {
        for (std::size_t j = 0; j < columns_.size(); ++j)
            for (std::size_t k = 0; k < columns_[j].size; ++k) {
                const auto i = static_cast<std::size_t>(columns_[j].places[k]);
                entries_[ends_[i]++] = {static_cast<std::uint32_t>(j), columns_[j].values[k]};
            }
    }

    std::vector<SparseLine> columns_;
    std::vector<std::uint32_t> ends_;  // of each document's entries, which begin where those before end
    std::vector<Entry> entries_;
    std::vector<double> products_;
};

}  // namespace postil
