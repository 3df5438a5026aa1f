// A small random number generator with the same sequence on every platform.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace postil {

// SplitMix64.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        auto bits = state_ += 0x9E3779B97F4A7C15u;
        bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
        return bits ^ (bits >> 31);
    }

    // Returns a number below `end` < 2^32, by multiplication: no division, and negligible bias.
    std::uint32_t below(std::uint32_t end) {
        return static_cast<std::uint32_t>(((next() >> 32) * end) >> 32);
    }

    template <class Value>
    void shuffle(std::span<Value> values) {
        for (std::size_t left = values.size(); left > 1; --left)
            std::swap(values[left - 1], values[below(static_cast<std::uint32_t>(left))]);
    }

private:
    std::uint64_t state_;
};

}  // namespace postil
