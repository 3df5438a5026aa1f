// A hash table of distinct strings, numbered in order of first appearance.
//
// A string belongs to a space (a document field kept separate): the same bytes in two spaces are
// two words. Open addressing: a slot holds the first sixteen bytes of a word and its length, so
// that nearly every look-up touches one cache line. Finding costs O(length); memory is about 80
// bytes plus the string for each distinct word.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "postil/tokenizer/hash.hpp"

namespace postil {

using Space = std::uint32_t;
inline constexpr Space max_space = 255;

// A string with the precomputed values that a table compares.
struct WordKey {
    const char* bytes;  // readable string_padding bytes past the end
    std::size_t length;
    std::uint64_t first, second;  // the leading sixteen bytes
    std::uint64_t hash;
    Space space;

    WordKey() = default;
    WordKey(Space word_space, std::string_view text)
        : bytes(text.data()),
          length(text.size()),
          first(leading_word(text.data(), text.size())),
          second(second_word(text.data(), text.size())),
          hash(hash_string(first, second, text.data(), text.size(), word_space)),
          space(word_space) {}
};

// Aligned so that the tables of two workers never share a cache line.
class alignas(128) WordTable {
public:
    static constexpr std::uint32_t absent = 0xFFFFFFFFu;

    WordTable() : slots_(1), mask_(0) {}

    // Reserves room for `words` words, so that an empty table does not grow until it has that many.
    void reserve(std::size_t words);

    // Announces the final number of words, so that a table that has to grow does so once.
    void expect(std::size_t words) { expected_ = words; }

    std::size_t size() const { return entries_.size(); }
    Space space(std::uint32_t id) const { return static_cast<Space>(entries_[id].space); }

    // Returns the bytes of a word, readable string_padding bytes past the end.
    std::string_view text(std::uint32_t id) const {
        return {arena_.data() + entries_[id].offset, length_of(id)};
    }

    WordKey key(std::uint32_t id) const {
        const auto& entry = entries_[id];
        WordKey key;
        key.bytes = arena_.data() + entry.offset;
        key.length = length_of(id);
        key.first = leading_word(key.bytes, key.length);
        key.second = second_word(key.bytes, key.length);
        key.hash = entry.hash;
        key.space = static_cast<Space>(entry.space);
        return key;
    }

    void prefetch(const WordKey& key) const { __builtin_prefetch(&slots_[key.hash & mask_]); }

    // Returns the id of the word and adds it if it is new. A word has at least one byte.
    std::uint32_t intern(const WordKey& key) {
        const auto shape = shape_of(key);
        auto place = key.hash & mask_;
        for (;; place = (place + 1) & mask_) {
            const auto& slot = slots_[place];
            if (slot.holds(key, shape) && tail_matches(slot.id, key)) return slot.id;
            if (slot.shape == vacant) return insert(place, key);
        }
    }

    // Returns the id of the word, or `absent`.
    std::uint32_t find(const WordKey& key) const {
        const auto shape = shape_of(key);
        for (auto place = key.hash & mask_;; place = (place + 1) & mask_) {
            const auto& slot = slots_[place];
            if (slot.holds(key, shape) && tail_matches(slot.id, key)) return slot.id;
            if (slot.shape == vacant) return absent;
        }
    }

private:
    static constexpr std::uint32_t vacant = 0;
    static constexpr std::size_t usual_length = 8;
    // The shape of a word: its length, up to this limit, and above it the space.
    static constexpr std::uint32_t longest_told = 0xFFFFFF, space_shift = 24;

    struct Slot {
        std::uint64_t first = 0, second = 0;
        std::uint32_t shape = vacant;  // length and space
        std::uint32_t id = absent;

        bool holds(const WordKey& key, std::uint32_t key_shape) const {
            return first == key.first && shape == key_shape && second == key.second;
        }
    };

    // A word ends in the arena where the next one begins.
    struct Entry {
        std::uint64_t hash;
        std::uint64_t space : 8;
        std::uint64_t offset : 56;  // into the arena
    };

    std::uint64_t end_of(std::uint32_t id) const {
        return id + 1 < entries_.size() ? entries_[id + 1].offset : arena_used_;
    }
    std::size_t length_of(std::uint32_t id) const { return end_of(id) - entries_[id].offset; }

    // Never returns `vacant`. Distinguishes any two short words with the same leading bytes.
    static std::uint32_t shape_of(const WordKey& key) {
        return static_cast<std::uint32_t>(key.length < longest_told ? key.length : longest_told) |
               key.space << space_shift;
    }

    bool tail_matches(std::uint32_t id, const WordKey& key) const {
        if (key.length <= 16) return true;
        if (length_of(id) != key.length) return false;
        const auto* known = arena_.data() + entries_[id].offset;
        for (std::size_t done = 16; done < key.length; done += 8)
            if (leading_word(known + done, key.length - done) !=
                leading_word(key.bytes + done, key.length - done))
                return false;
        return true;
    }

    // Rehashes a short word from its slot, which holds all of it: entries lie elsewhere in memory,
    // in another order.
    std::uint64_t hash_of(const Slot& slot) const {
        const auto length = slot.shape & longest_told;
        if (length > 16) return entries_[slot.id].hash;
        return hash_string(slot.first, slot.second, nullptr, length, slot.shape >> space_shift);
    }

    // The load factor is at most two thirds.
    static bool crowded(std::size_t words, std::size_t slots) { return words * 3 >= slots * 2; }

    std::uint32_t insert(std::size_t place, const WordKey& key);
    void grow(std::size_t words);
    void resize(std::size_t slots);

    std::vector<Slot> slots_;
    std::uint64_t mask_;
    std::vector<Entry> entries_;
    std::vector<char> arena_;
    std::uint64_t arena_used_ = 0;
    std::size_t expected_ = 0;
};

}  // namespace postil
