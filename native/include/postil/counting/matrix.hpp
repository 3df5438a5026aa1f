// Converts rows of counted terms to one sparse matrix.
#pragma once

#include <cstdint>
#include <vector>

#include "postil/counting/counting.hpp"
#include "postil/counting/weighting.hpp"

namespace postil {

// The arrays of a compressed sparse row matrix, allocated but not cleared. A chunk is freed as soon
// as it is written, so that peak memory is about one matrix, not two. Each worker requests up to 4
// MB of pages before it fills them.
struct MatrixTarget {
    std::int64_t* row_starts;  // documents + 1
    std::int32_t* terms;
    float* values;
};

class MatrixBuilder {
public:
    // Computes the size of the matrix: words without a term are dropped, and words of a row that
    // became the same term are one entry.
    MatrixBuilder(std::vector<Chunk> chunks, FinalTerms final_terms, Fate fate,
                  std::size_t terms, std::size_t workers, Monitor& monitor);

    std::size_t documents() const { return documents_; }
    std::size_t entries() const { return entries_; }

    // Writes the weighted rows, sorted by term. With a constant column each row ends in a 1 there.
    // Call it once: it frees the chunks.
    void write(const MatrixTarget& target, const Weighting& weighting,
               const std::int32_t* constant_column, std::size_t workers, Monitor& monitor);

private:
    std::vector<Chunk> chunks_;
    FinalTerms final_terms_;
    std::vector<std::size_t> kept_;  // entries of the matrix, by chunk
    std::size_t terms_;
    std::size_t documents_ = 0;
    std::size_t counted_ = 0;  // entries of the chunks
    std::size_t entries_ = 0;  // of the matrix
};

}  // namespace postil
