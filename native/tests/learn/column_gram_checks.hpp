// Products of columns: what a loop over all documents says of each pair.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "../ledger.hpp"
#include "postil/learn/solvers/column_gram.hpp"
#include "sample_lesson.hpp"

namespace postil::tests {

class ColumnPairChecks {
public:
    ColumnPairChecks(Ledger& ledger, Random& random)
        : ledger_(ledger), random_(random), lesson_(random, {24, 1, 1}) {}

    void run() {
        const auto terms = lesson_.design().terms;
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
        const auto price = gram_.build_cost(std::move(columns), lesson_.documents());
        ledger_.check(price >= ColumnGram::least_build_cost(scaled.size()), "a price is known from below");
        gram_.build(scaled.data());
        for (std::size_t j = 0; j < chosen.size(); ++j)
            for (std::size_t k = 0; k < chosen.size(); ++k) check(chosen[j], chosen[k], gram_[j][k]);
    }

private:
    // Whole numbers, so that single precision adds nothing.
    static float factor(std::size_t document) { return static_cast<float>(document % 3); }

    void check(std::size_t one, std::size_t other, double found) {
        double sum = 0.0, size = 0.0;
        for (std::size_t i = 0; i < lesson_.documents(); ++i) {
            const double part = static_cast<double>(factor(i)) * lesson_.value(i, one) * lesson_.value(i, other);
            sum += part;
            size += std::abs(part);
        }
        ledger_.check(std::abs(found - sum) <= 1e-6 * size, "a product of columns sums over documents");
    }

    Ledger& ledger_;
    Random& random_;
    SampleLesson lesson_;
    ColumnGram gram_;
};

}  // namespace postil::tests
