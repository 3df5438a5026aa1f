// The documents as seen by lanes: the terms that each lane may use, and the constant feature.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "postil/learn/sparse.hpp"

namespace postil {

// The terms that each lane may use, and the constant past them; without a list all of them.
template <std::size_t Lanes>
class UsableTerms {
public:
    UsableTerms(std::size_t terms, bool has_constant) : terms_(terms), has_constant_(has_constant) {}

    void limit(std::size_t lane, std::span<const std::int32_t> to) {
        if (flags_.empty()) {
            flags_.assign((terms_ + 1) * Lanes, 1.0f);
            if (!has_constant_) std::fill(flags_.end() - Lanes, flags_.end(), 0.0f);
        }
        for (std::size_t term = 0; term < terms_; ++term) flags_[term * Lanes + lane] = 0.0f;
        for (const auto term : to) flags_[static_cast<std::size_t>(term) * Lanes + lane] = 1.0f;
    }

    bool all() const { return flags_.empty(); }
    std::size_t terms() const { return terms_; }
    bool has_constant() const { return has_constant_; }
    const float* at(std::size_t term) const { return flags_.data() + term * Lanes; }
    bool operator()(std::size_t term, std::size_t lane) const {
        if (all()) return term < terms_ || has_constant_;
        return flags_[term * Lanes + lane] != 0.0f;
    }

private:
    std::size_t terms_;
    bool has_constant_;
    std::vector<float> flags_;  // empty: all terms are usable
};

template <std::size_t Lanes>
using LaneValues = std::array<double, Lanes>;

// A document with its constant feature.
struct Visited {
    SparseLine row;
    double constant;  // 0: none
    double largest;   // largest |x|, including the constant
};

}  // namespace postil
