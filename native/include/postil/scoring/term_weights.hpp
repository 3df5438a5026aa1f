// The weights of terms for categories, and their sum over the terms of a document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace postil {

// A terms-by-categories matrix, compressed by term, in its owner's memory.
struct WeightRows {
    const std::int64_t* row_starts;  // terms + 1
    const std::int32_t* categories;
    const float* values;
    std::size_t terms;
    std::size_t size;  // of `categories` and of `values`
};

// A term with weights for many categories gets a dense row, which is smaller and faster. All other
// rows are read in their owner's memory, which must outlive this object. Own memory: 4 bytes per
// term, and 4 bytes per category for each dense row.
class TermWeights {
public:
    // Throws std::invalid_argument if the rows are malformed.
    TermWeights(const WeightRows& rows, std::size_t categories);

    std::size_t terms() const { return rows_.terms; }
    std::size_t categories() const { return categories_; }
    std::size_t dense_rows() const { return dense_rows_; }

    // Returns the number of categories rounded up to whole vectors: the required length of an array
    // of sums.
    std::size_t width() const { return width_; }

    // Adds values[i] * weights(terms[i]) to the sums for every term of a document, in float64. A
    // product of two floats is exact there, so the sums are the same on every machine.
    void add(const std::int32_t* terms, const float* values, std::size_t count,
             double* sums) const;

private:
    void check() const;
    void lay_out_dense_rows();

    const float* dense_row(std::size_t number) const { return dense_.data() + number * width_; }
    void add_sparse(std::size_t term, double value, double* sums) const;

    WeightRows rows_;
    std::size_t categories_;
    std::size_t width_;
    std::size_t dense_rows_ = 0;
    std::vector<std::uint32_t> dense_number_;  // by term; `sparse` if it has no dense row
    std::vector<float> dense_;
};

}  // namespace postil
