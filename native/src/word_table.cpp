#include "postil/word_table.hpp"

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
    std::memcpy(arena_.data() + arena_used_, key.bytes, key.length);

    const auto id = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({key.hash, key.space, arena_used_});
    arena_used_ += key.length;
    slots_[place] = {key.first, key.second, shape_of(key), id};
    if (entries_.size() * 3 >= slots_.size() * 2) grow();  // at most two thirds full
    return id;
}

void WordTable::grow() {
    const auto old = std::move(slots_);
    slots_.assign(std::max<std::size_t>(64, old.size() * 2), {});
    mask_ = slots_.size() - 1;
    for (const auto& slot : old) {
        if (slot.shape == vacant) continue;
        auto place = entries_[slot.id].hash & mask_;
        while (slots_[place].shape != vacant) place = (place + 1) & mask_;
        slots_[place] = slot;
    }
}

}  // namespace postil
