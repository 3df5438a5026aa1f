// Checks the Gram matrix of columns against a loop over all documents.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "../ledger.hpp"
#include "postil/learn/solvers/column_gram.hpp"
#include "sample_problem.hpp"

namespace postil::tests {

class ColumnPairChecks {
public:
    ColumnPairChecks(Ledger& ledger, Random& random)
        : ledger_(ledger), random_(random), sample_(random, {24, 1, 1}) {}

    void run() {
        const auto terms = sample_.design().terms;
        std::vector<std::size_t> chosen;
        std::vector<SparseLine> columns;
        std::vector<float> scaled;
        for (std::size_t term = 0; term < terms.count; ++term) {
            if (random_.one_in(3)) continue;
            const auto column = terms[term];
            chosen.push_back(term);
            columns.push_back(column);
            for (std::size_t k = 0; k < column.size; ++k)
                scaled.push_back(factor(static_cast<std::size_t>(column.places[k])) * column.values[k]);
        }
        const auto price = gram_.build_cost(std::move(columns), sample_.documents());
        ledger_.check(price >= ColumnGram::least_build_cost(scaled.size()), "the least build cost is a lower bound");
        gram_.build(scaled.data());
        for (std::size_t j = 0; j < chosen.size(); ++j)
            for (std::size_t k = 0; k < chosen.size(); ++k) check(chosen[j], chosen[k], gram_[j][k]);
    }

private:
    // Integers, so that single precision adds no rounding errors.
    static float factor(std::size_t document) { return static_cast<float>(document % 3); }

    void check(std::size_t one, std::size_t other, double found) {
        double sum = 0.0, size = 0.0;
        for (std::size_t i = 0; i < sample_.documents(); ++i) {
            const double part = static_cast<double>(factor(i)) * sample_.value(i, one) * sample_.value(i, other);
            sum += part;
            size += std::abs(part);
        }
        ledger_.check(std::abs(found - sum) <= 1e-6 * size, "a product of columns sums over documents");
    }

    Ledger& ledger_;
    Random& random_;
    SampleProblem sample_;
    ColumnGram gram_;
};

}  // namespace postil::tests
