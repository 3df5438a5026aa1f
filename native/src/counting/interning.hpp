// Adds many words to a table at once.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "postil/counting/term_table.hpp"

namespace postil {

// Adds the words that make_key(place, index) constructs, and calls sink(first index, numbers) for a
// few at a time. Their keys are made together and their table slots prefetched together, so that
// one wait for memory covers many.
template <class Table, class MakeKey, class Sink>
void intern_many(Table& words, std::size_t count, MakeKey&& make_key, Sink&& sink) {
    constexpr std::size_t few = 32;
    std::array<WordKey, few> keys;
    std::array<std::uint32_t, few> numbers;
    for (std::size_t from = 0; from < count; from += few) {
        const auto taken = std::min(few, count - from);
        for (std::size_t i = 0; i < taken; ++i) {
            make_key(&keys[i], from + i);
            words.prefetch(keys[i]);
        }
        for (std::size_t i = 0; i < taken; ++i) numbers[i] = words.intern(keys[i]);
        sink(from, std::span<const std::uint32_t>(numbers.data(), taken));
    }
}

}  // namespace postil
