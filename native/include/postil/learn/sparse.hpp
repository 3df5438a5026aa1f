// The shared matrix, by rows and by columns. All index arithmetic of the solvers is here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace postil {

// One row or one column: positions and values of its non-zeros.
struct SparseLine {
    const std::int32_t* places;
    const float* values;
    std::size_t size;

    double dot(const double* dense) const {
        double sum = 0.0;
        for (std::size_t k = 0; k < size; ++k) sum += dense[places[k]] * values[k];
        return sum;
    }

    void add_to(double* dense, double factor) const {
        for (std::size_t k = 0; k < size; ++k) dense[places[k]] += factor * values[k];
    }

    double squared_norm() const {
        double sum = 0.0;
        for (std::size_t k = 0; k < size; ++k)
            sum += static_cast<double>(values[k]) * static_cast<double>(values[k]);
        return sum;
    }
};

// Compressed rows, or compressed columns. A view: it owns nothing.
struct SparseLines {
    const std::int64_t* starts;  // number of lines + 1
    const std::int32_t* places;
    const float* values;
    std::size_t count;

    SparseLine operator[](std::size_t line) const {
        const auto first = static_cast<std::size_t>(starts[line]);
        return {places + first, values + first, static_cast<std::size_t>(starts[line + 1]) - first};
    }
};

// The matrix of documents × terms in both orders.
struct Design {
    SparseLines documents;
    SparseLines terms;
};

}  // namespace postil
