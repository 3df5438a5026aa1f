// Rows of counted terms to one sparse matrix.
#pragma once

#include <cstdint>
#include <vector>

#include "postil/counting.hpp"
#include "postil/weighting.hpp"

namespace postil {

// A compressed sparse row matrix under construction. The arrays are allocated, not cleared, and
// a chunk is freed as soon as it is written, so that the peak is about one matrix, not two.
struct MatrixTarget {
    std::int64_t* row_starts;  // documents + 1
    std::int32_t* terms;
    float* values;
};

// The final number of each row's terms, by lane: WordTable::absent drops a term.
using FinalTerms = std::vector<std::vector<std::uint32_t>>;

class MatrixBuilder {
public:
    // Rows are renumbered, terms that became one are added up, and rows are sorted by term.
    MatrixBuilder(std::vector<Chunk> chunks, const FinalTerms& final_terms, std::size_t terms,
                  const Weighting& weighting, std::size_t workers, Monitor& monitor);

    std::size_t documents() const { return documents_; }
    std::size_t entries() const { return entries_; }

    // Writes the weighted rows; with a constant column each row ends in a 1 there.
    void write(const MatrixTarget& target, const Weighting& weighting,
               const std::int32_t* constant_column, std::size_t workers, Monitor& monitor);

private:
    std::vector<Chunk> chunks_;
    std::vector<std::vector<double>> unseen_;  // by chunk and row; empty where nothing is unseen
    std::size_t documents_ = 0;
    std::size_t entries_ = 0;
};

}  // namespace postil
