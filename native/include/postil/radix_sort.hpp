// Sorting by an unsigned number, digit by digit: linear time, no comparison to predict.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace postil {

// Sorts items by rising key_of(item), a std::uint64_t; equal keys keep their order. One pass over
// the items for each eleven bits in which any two keys differ; memory is a second copy of the items.
template <class Item, class KeyOf>
void radix_sort(std::vector<Item>& items, KeyOf&& key_of) {
    constexpr std::size_t bits = 11, digits = 6, values = std::size_t{1} << bits;
    if (items.empty()) return;
    std::vector<std::array<std::size_t, values>> places(digits);  // counts first
    for (const auto& item : items) {
        auto key = static_cast<std::uint64_t>(key_of(item));
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
        std::size_t before = 0;
        for (auto& count : next) before += std::exchange(count, before);
        sorted.resize(items.size());
        for (const auto& item : items) sorted[next[value_of(item)]++] = item;
        items.swap(sorted);
    }
}

}  // namespace postil
