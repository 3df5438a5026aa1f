// Sorting by an unsigned number, digit by digit: linear time, no comparison to predict.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace postil {

// Sorts fewer than 2^32 items by rising key_of(item), an unsigned number; equal keys keep their order.
// One pass over the items for each eleven bits in which any two keys differ; memory is a second copy of
// the items.
template <class Item, class KeyOf>
void radix_sort(std::vector<Item>& items, KeyOf&& key_of) {
    using Key = std::invoke_result_t<KeyOf, const Item&>;
    static_assert(std::is_unsigned_v<Key>);
    constexpr std::size_t bits = 11, values = std::size_t{1} << bits;
    constexpr std::size_t digits = (std::numeric_limits<Key>::digits + bits - 1) / bits;
    if (items.empty()) return;
    std::vector<std::array<std::uint32_t, values>> places(digits);  // counts first
    for (const auto& item : items) {
        auto key = key_of(item);
        for (auto& counts : places) {
            ++counts[key % values];
            key /= values;
        }
    }
    std::vector<Item> sorted;
    for (std::size_t digit = 0; digit < digits; ++digit) {
        auto value_of = [&](const Item& item) { return key_of(item) >> (bits * digit) & (values - 1); };
        auto& next = places[digit];
        if (next[value_of(items[0])] == items.size()) continue;  // all alike
        std::uint32_t before = 0;
        for (auto& count : next) before += std::exchange(count, before);
        sorted.resize(items.size());
        for (const auto& item : items) sorted[next[value_of(item)]++] = item;
        items.swap(sorted);
    }
}

}  // namespace postil
