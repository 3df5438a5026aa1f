// A cache of kernel matrix rows, computed on demand.
#pragma once

#include <cstdint>
#include <list>
#include <span>
#include <unordered_map>
#include <vector>

#include "postil/learn/problem.hpp"

namespace postil {

// K(i, ·) = xᵢ·x over the terms of the category, from the columns of the terms of xᵢ: the cost is
// the number of documents that share them, not the size of the matrix.
class LinearKernel {
public:
    explicit LinearKernel(const BinaryProblem& problem);

    std::size_t size() const { return design_.documents.count; }
    double diagonal(std::size_t i) const { return diagonal_[i]; }
    void fill(std::size_t i, std::span<float> row) const;

    // Computes Σᵢ factorᵢ K(i, ·) for all documents, by way of w.
    void combine(std::span<const double> factors, std::span<double> sums) const;
    std::vector<double> weights(std::span<const double> factors) const;  // by term

private:
    Design design_;
    std::vector<float> usable_;
    std::vector<double> diagonal_;
};

// A precomputed kernel matrix, row by row.
class GramKernel {
public:
    GramKernel(const double* gram, std::size_t size) : gram_(gram), size_(size) {}

    std::size_t size() const { return size_; }
    double diagonal(std::size_t i) const { return gram_[i * size_ + i]; }
    void fill(std::size_t i, std::span<float> row) const;
    void combine(std::span<const double> factors, std::span<double> sums) const;

private:
    const double* gram_;
    std::size_t size_;
};

// Keeps the most recently used rows within a memory limit, but at least two.
template <class Kernel>
class KernelCache {
public:
    KernelCache(const Kernel& kernel, std::size_t bytes)
        : kernel_(kernel),
          most_(std::max<std::size_t>(2, bytes / (sizeof(float) * (kernel.size() + 1)))) {}

    // Valid until two further rows have been requested.
    std::span<const float> row(std::size_t i) {
        if (const auto found = where_.find(i); found != where_.end()) {
            rows_.splice(rows_.begin(), rows_, found->second);
            return rows_.front().values;
        }
        if (rows_.size() < most_) {
            rows_.emplace_front();
            rows_.front().values.resize(kernel_.size());
        } else {
            where_.erase(rows_.back().index);
            rows_.splice(rows_.begin(), rows_, std::prev(rows_.end()));
        }
        rows_.front().index = i;
        kernel_.fill(i, rows_.front().values);
        where_[i] = rows_.begin();
        return rows_.front().values;
    }

private:
    struct Row {
        std::size_t index = 0;
        std::vector<float> values;
    };

    const Kernel& kernel_;
    std::size_t most_;
    std::list<Row> rows_;  // most recently used first
    std::unordered_map<std::size_t, typename std::list<Row>::iterator> where_;
};

}  // namespace postil
