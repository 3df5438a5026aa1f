// A random number generator with the same sequence on every machine (SplitMix64).
#pragma once

#include <cstddef>
#include <cstdint>

namespace postil::tests {

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15u;
        auto mixed = state_;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
        return mixed ^ (mixed >> 31);
    }

    // Returns a number in 0 .. end - 1; 0 if there is none.
    std::size_t below(std::size_t end) { return end == 0 ? 0 : next() % end; }
    std::size_t between(std::size_t first, std::size_t last) {
        return first + below(last - first + 1);
    }
    bool one_in(std::size_t chances) { return below(chances) == 0; }

    template <class Choices>
    const auto& pick(const Choices& choices) {
        return choices[below(std::size(choices))];
    }

private:
    std::uint64_t state_;
};

}  // namespace postil::tests
