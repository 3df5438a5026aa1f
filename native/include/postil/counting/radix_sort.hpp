// Radix sort by an unsigned key: linear time, no comparisons to mispredict.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace postil {

inline constexpr unsigned radix_digit_bits = 11;

// Sorts fewer than 2^32 items by the lowest `Digits` digits of key_of(item). The sort is stable. It
// makes one pass over the items for each digit in which any two keys differ, and needs memory for a
// second copy of the items.
template <unsigned Digits, class Item, class KeyOf>
void radix_sort(std::vector<Item>& items, KeyOf&& key_of) {
    static_assert(std::is_unsigned_v<std::invoke_result_t<KeyOf, const Item&>>);
    constexpr std::size_t values = std::size_t{1} << radix_digit_bits;
    if (items.empty()) return;
    std::array<std::array<std::uint32_t, values>, Digits> places{};  // counts, then positions
    for (const auto& item : items) {
        auto key = key_of(item);
        for (auto& counts : places) {
            ++counts[key % values];
            key /= values;
        }
    }
    std::vector<Item> sorted;
    for (unsigned digit = 0; digit < Digits; ++digit) {
        auto value_of = [&](const Item& item) {
            return key_of(item) >> (radix_digit_bits * digit) & (values - 1);
        };
        auto& next = places[digit];
        if (next[value_of(items[0])] == items.size()) continue;  // all keys have the same digit
        std::uint32_t before = 0;
        for (auto& count : next) before += std::exchange(count, before);
        sorted.resize(items.size());
        for (const auto& item : items) sorted[next[value_of(item)]++] = item;
        items.swap(sorted);
    }
}

}  // namespace postil
