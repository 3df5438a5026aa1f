// Sparse matrix products with tables: agree with three plain loops, by documents and by terms.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "../ledger.hpp"
#include "merit_reference.hpp"
#include "postil/learn/merit/table_products.hpp"
#include "sample_problem.hpp"
#include "sample_table.hpp"

namespace postil::tests {

template <class Value>
class ProductChecks {
public:
    ProductChecks(Ledger& ledger, Random& random)
        : ledger_(ledger), table_(random), problems_(random.below(random.one_in(50) ? 2000 : 20)),
          kind_(random.one_in(2) ? Scores::usual : Scores::mixed),
          sample_(random, {random.one_in(20) ? std::size_t{700} : std::size_t{24}}) {}

    void run() {
        const auto design = sample_.design();
        check(design.documents, sample_.terms(), [&](auto i, auto j) { return sample_.value(i, j); });
        check(design.terms, sample_.documents(), [&](auto j, auto i) { return sample_.value(i, j); });
    }

private:
    using Values = std::vector<Value>;

    Values products(const SparseLines& lines, const Values& table, std::size_t threads) const {
        Monitor monitor;
        Values found(lines.count * problems_, Value{7});
        table_products(lines, table.data(), problems_, found.data(), threads, monitor);
        return found;
    }

    template <class At>
    void check(const SparseLines& lines, std::size_t places, At&& at) {
        const auto table = table_.template scores<Value>(places * problems_, kind_);
        const auto found = products(lines, table, 1);
        const auto rounding = std::numeric_limits<Value>::epsilon() * static_cast<Long>(places + 2);
        for (std::size_t line = 0; line < lines.count; ++line)
            for (std::size_t p = 0; p < problems_; ++p) {
                Long sum = 0.0L, size = 0.0L;
                for (std::size_t place = 0; place < places; ++place) {
                    const auto part = static_cast<Long>(at(line, place)) * table[place * problems_ + p];
                    sum += part;
                    size += std::abs(part);
                }
                ledger_.check(std::abs(found[line * problems_ + p] - sum) <= rounding * size + written<Value>(0.0L),
                              "a product sums over places");
            }
        ledger_.check(same_bits(products(lines, table, 3), found), "three threads find the same products");
    }

    Ledger& ledger_;
    SampleTable table_;
    std::size_t problems_;
    Scores kind_;
    SampleProblem sample_;
};

}  // namespace postil::tests
