// Counts checks and records the first that failed.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace postil::tests {

struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Ledger {
public:
    void check(bool holds, const char* rule) {
        if (!holds) throw Failure(rule);
        ++passed_;
    }

    std::uint64_t passed() const { return passed_; }

private:
    std::uint64_t passed_ = 0;
};

}  // namespace postil::tests
