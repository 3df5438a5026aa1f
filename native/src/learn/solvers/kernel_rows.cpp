#include "postil/learn/solvers/kernel_rows.hpp"

#include <algorithm>

namespace postil {

LinearKernel::LinearKernel(const BinaryProblem& problem)
    : design_(problem.design), usable_(problem.design.terms.count), diagonal_(size()) {
    for (const auto term : problem.terms) usable_[static_cast<std::size_t>(term)] = 1.0f;
    for (std::size_t i = 0; i < size(); ++i) {
        const auto row = design_.documents[i];
        for (std::size_t k = 0; k < row.size; ++k)
            diagonal_[i] += static_cast<double>(usable_[row.places[k]]) * row.values[k] * row.values[k];
    }
}

void LinearKernel::fill(std::size_t i, std::span<float> row) const {
    std::fill(row.begin(), row.end(), 0.0f);
    const auto document = design_.documents[i];
    for (std::size_t k = 0; k < document.size; ++k) {
        if (usable_[document.places[k]] == 0.0f) continue;
        const auto value = document.values[k];
        const auto column = design_.terms[static_cast<std::size_t>(document.places[k])];
        for (std::size_t m = 0; m < column.size; ++m) row[column.places[m]] += value * column.values[m];
    }
}

std::vector<double> LinearKernel::weights(std::span<const double> factors) const {
    std::vector<double> weights(usable_.size());
    for (std::size_t i = 0; i < size(); ++i)
        if (factors[i] != 0.0) design_.documents[i].add_to(weights.data(), factors[i]);
    for (std::size_t term = 0; term < weights.size(); ++term) weights[term] *= usable_[term];
    return weights;
}

void LinearKernel::combine(std::span<const double> factors, std::span<double> sums) const {
    const auto by_term = weights(factors);
    for (std::size_t i = 0; i < size(); ++i) sums[i] = design_.documents[i].dot(by_term.data());
}

void GramKernel::fill(std::size_t i, std::span<float> row) const {
    std::copy_n(gram_ + i * size_, size_, row.begin());
}

void GramKernel::combine(std::span<const double> factors, std::span<double> sums) const {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::size_t i = 0; i < size_; ++i) {
        if (factors[i] == 0.0) continue;
        for (std::size_t k = 0; k < size_; ++k) sums[k] += factors[i] * gram_[i * size_ + k];
    }
}

}  // namespace postil
