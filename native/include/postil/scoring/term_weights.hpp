// The weights of terms for categories, and their sum over the terms of a document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace postil {

// Terms by categories, compressed by term, as its owner holds it.
struct WeightRows {
    const std::int64_t* row_starts;  // terms + 1
    const std::int32_t* categories;
    const float* values;
    std::size_t terms;
    std::size_t size;  // of `categories` and of `values`
};

// A term with weights for many categories gets a dense row of its own, which is both smaller and
// faster; the others are read where their owner holds them, so those must outlive this. Memory of
// its own: 4 bytes a term, and 4 bytes a category for each dense row.
class TermWeights {
public:
    // Throws std::invalid_argument where the rows are not what they should be.
    TermWeights(const WeightRows& rows, std::size_t categories);

    std::size_t terms() const { return rows_.terms; }
    std::size_t categories() const { return categories_; }
    std::size_t dense_rows() const { return dense_rows_; }

    // Categories rounded up to whole vectors: how long an array of sums must be.
    std::size_t width() const { return width_; }

    // Adds values[i] * weights(terms[i]) to the sums for every term of a document, in float64. A
    // product of two floats is exact there: the sums are the same on every machine.
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
    std::vector<std::uint32_t> dense_number_;  // by term; `sparse` where it has no dense row
    std::vector<float> dense_;
};

}  // namespace postil
