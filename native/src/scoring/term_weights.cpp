#include "postil/scoring/term_weights.hpp"

#include <algorithm>
#include <stdexcept>

namespace postil {

namespace {

constexpr std::uint32_t sparse = 0xFFFFFFFFu;
constexpr std::size_t vector_lanes = 4;

// A sparse weight takes eight bytes and is added by itself; in a dense row it takes four and is
// added with its neighbours, about four times as fast. In between, speed is worth the memory.
constexpr std::size_t dense_share = 4;

std::size_t rounded_up(std::size_t count) {
    return (count + vector_lanes - 1) / vector_lanes * vector_lanes;
}

struct DenseTerm {
    const float* row;
    double value;
};

void add_row(const DenseTerm& term, std::size_t width, double* __restrict sums) {
    const auto* __restrict const row = term.row;
    const auto value = term.value;
    for (std::size_t i = 0; i < width; ++i) sums[i] += value * static_cast<double>(row[i]);
}

constexpr std::size_t rows_at_once = 4;

// Loads and stores a sum once for four rows. Products are added one after another, in the same
// order as row by row.
void add_rows(const DenseTerm* terms, std::size_t width, double* __restrict sums) {
    const auto* __restrict const row0 = terms[0].row;
    const auto* __restrict const row1 = terms[1].row;
    const auto* __restrict const row2 = terms[2].row;
    const auto* __restrict const row3 = terms[3].row;
    const auto value0 = terms[0].value, value1 = terms[1].value;
    const auto value2 = terms[2].value, value3 = terms[3].value;
    for (std::size_t i = 0; i < width; ++i) {
        auto sum = sums[i] + value0 * static_cast<double>(row0[i]);
        sum += value1 * static_cast<double>(row1[i]);
        sum += value2 * static_cast<double>(row2[i]);
        sums[i] = sum + value3 * static_cast<double>(row3[i]);
    }
}

}  // namespace

TermWeights::TermWeights(const WeightRows& rows, std::size_t categories)
    : rows_(rows), categories_(categories), width_(rounded_up(categories)) {
    check();
    lay_out_dense_rows();
}

void TermWeights::check() const {
    const auto* const starts = rows_.row_starts;
    if (starts[0] != 0 || !std::is_sorted(starts, starts + rows_.terms + 1) ||
        static_cast<std::uint64_t>(starts[rows_.terms]) != rows_.size)
        throw std::invalid_argument("row starts must rise from 0 to the number of weights");
    for (std::size_t at = 0; at < rows_.size; ++at)
        if (static_cast<std::uint32_t>(rows_.categories[at]) >= categories_)
            throw std::invalid_argument("a weight is of a category that does not exist");
}

void TermWeights::lay_out_dense_rows() {
    auto stored = [&](std::size_t term) {
        return static_cast<std::size_t>(rows_.row_starts[term + 1] - rows_.row_starts[term]);
    };
    dense_number_.assign(rows_.terms, sparse);
    for (std::size_t term = 0; term < rows_.terms; ++term)
        if (stored(term) > 0 && stored(term) * dense_share >= categories_)
            dense_number_[term] = static_cast<std::uint32_t>(dense_rows_++);
    dense_.assign(dense_rows_ * width_, 0.0f);
    for (std::size_t term = 0; term < rows_.terms; ++term) {
        if (dense_number_[term] == sparse) continue;
        auto* const row = dense_.data() + dense_number_[term] * width_;
        for (auto at = rows_.row_starts[term]; at < rows_.row_starts[term + 1]; ++at)
            row[rows_.categories[at]] += rows_.values[at];
    }
}

void TermWeights::add_sparse(std::size_t term, double value, double* sums) const {
    const auto end = rows_.row_starts[term + 1];
    for (auto at = rows_.row_starts[term]; at < end; ++at)
        sums[rows_.categories[at]] += value * static_cast<double>(rows_.values[at]);
}

void TermWeights::add(const std::int32_t* terms, const float* values, std::size_t count,
                      double* sums) const {
    DenseTerm waiting[rows_at_once];
    std::size_t waits = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto term = static_cast<std::size_t>(terms[i]);
        const auto number = dense_number_[term];
        const auto value = static_cast<double>(values[i]);
        if (number == sparse) {
            add_sparse(term, value, sums);
            continue;
        }
        waiting[waits++] = {dense_row(number), value};
        if (waits == rows_at_once) {
            add_rows(waiting, width_, sums);
            waits = 0;
        }
    }
    for (std::size_t i = 0; i < waits; ++i) add_row(waiting[i], width_, sums);
}

}  // namespace postil
