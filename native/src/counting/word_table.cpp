#include "postil/counting/word_table.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace postil {

std::uint32_t WordTable::insert(std::size_t place, const WordKey& key) {
    if (entries_.size() >= absent || key.length >= absent)
        throw std::length_error("a word table holds at most 2^32 - 1 words of under 4 GiB each");
    if (key.length == 0 || key.space > max_space)
        throw std::invalid_argument("a word has at least one byte and one of 256 spaces");
    const auto needed = arena_used_ + key.length + string_padding;
    if (needed > arena_.size()) arena_.resize(needed + arena_.size());
    static_assert(string_padding >= 16);
    // Copies sixteen bytes whatever the length: both ends have the padding, and most words are no
    // longer.
    auto* const copy = arena_.data() + arena_used_;
    std::memcpy(copy, key.bytes, 16);
    if (key.length > 16) std::memcpy(copy + 16, key.bytes + 16, key.length - 16);

    const auto id = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({key.hash, key.space, arena_used_});
    arena_used_ += key.length;
    slots_[place] = {key.first, key.second, shape_of(key), id};
    // Bounded, because the expected number may be wrong: not far beyond doubling.
    const auto words = entries_.size();
    if (crowded(words, slots_.size())) grow(std::clamp(expected_, words, 4 * words));
    return id;
}

void WordTable::grow(std::size_t words) {
    auto slots = std::max<std::size_t>(64, slots_.size());
    while (crowded(words, slots)) slots *= 2;
    if (slots > slots_.size()) resize(slots);
}

void WordTable::reserve(std::size_t words) {
    grow(words);
    entries_.reserve(words);
    arena_.resize(std::max(arena_.size(), words * usual_length + string_padding));
}

void WordTable::resize(std::size_t slots) {
    const auto old = std::move(slots_);
    slots_.assign(slots, {});
    mask_ = slots_.size() - 1;
    for (const auto& slot : old) {
        if (slot.shape == vacant) continue;
        auto place = hash_of(slot) & mask_;
        while (slots_[place].shape != vacant) place = (place + 1) & mask_;
        slots_[place] = slot;
    }
}

}  // namespace postil
