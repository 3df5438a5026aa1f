// Checks of the parts of merit training, in single and in double precision.
#pragma once

#include <string>

#include "../ledger.hpp"
#include "../random.hpp"
#include "rival_checks.hpp"
#include "soft_count_checks.hpp"
#include "table_product_checks.hpp"

namespace postil::tests {

class MeritChecks {
public:
    MeritChecks(Ledger& ledger, Random& random) : ledger_(ledger), random_(random) {}

    void run() {
        run_all<float>("float32");
        run_all<double>("float64");
    }

private:
    template <class Value>
    void run_all(const char* values) {
        try {
            SoftCountChecks<Value>(ledger_, random_).run();
            RivalChecks<Value>(ledger_, random_).run();
            ProductChecks<Value>(ledger_, random_).run();
        } catch (const Failure& failure) {
            throw Failure(std::string(failure.what()) + " (" + values + ")");
        }
    }

    Ledger& ledger_;
    Random& random_;
};

}  // namespace postil::tests
