// Which categories are learned side by side.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "postil/lanes.hpp"
#include "postil/training.hpp"

namespace postil {

// Categories with the same terms, some at a time; categories with terms of their own go alone. Blocks
// are in the order of their first category. Costs the lists of terms, and the logarithm of how many
// differ.
inline std::vector<std::vector<std::size_t>> blocks_of(std::size_t categories, const Lists* terms) {
    struct InOrder {
        bool operator()(std::span<const std::int32_t> a, std::span<const std::int32_t> b) const {
            return std::ranges::lexicographical_compare(a, b);
        }
    };
    std::vector<std::vector<std::size_t>> blocks;
    std::map<std::span<const std::int32_t>, std::size_t, InOrder> open;  // the block that has room
    for (std::size_t category = 0; category < categories; ++category) {
        const auto own = terms == nullptr ? std::span<const std::int32_t>() : (*terms)[category];
        const auto [at, is_new] = open.try_emplace(own, blocks.size());
        if (!is_new && blocks[at->second].size() == block_lanes) at->second = blocks.size();
        if (at->second == blocks.size()) blocks.emplace_back();
        blocks[at->second].push_back(category);
    }
    return blocks;
}

}  // namespace postil
