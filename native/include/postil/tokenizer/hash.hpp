// Hashing of short byte strings: one multiply-mix per eight bytes, with the same result on every
// platform.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace postil {

// Strings passed to the hash must be readable this many bytes past their end.
inline constexpr std::size_t string_padding = 16;

inline std::uint64_t load_little_endian(const char* bytes) {
    std::uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    return word;
}

namespace hashing {

// Masks of the first k bytes.
inline constexpr std::uint64_t byte_masks[9] = {
    0x0,         0xFF,         0xFFFF,         0xFFFFFF,         0xFFFFFFFF,
    0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF};

}  // namespace hashing

// Returns the first eight bytes, zero past the end. Uses a table, because word lengths defeat
// branch prediction.
inline std::uint64_t leading_word(const char* bytes, std::size_t length) {
    return load_little_endian(bytes) & hashing::byte_masks[length < 8 ? length : 8];
}

namespace hashing {

inline constexpr std::uint64_t multiplier = 0x9E3779B97F4A7C15u, finisher = 0xD6E8FEB86659FD93u;

inline std::uint64_t mix(std::uint64_t state, std::uint64_t word) {
    state = (state ^ word) * multiplier;
    return state ^ (state >> 32);
}

inline std::uint64_t finish(std::uint64_t state) {
    state *= finisher;
    return state ^ (state >> 29);
}

}  // namespace hashing

// Returns the second eight bytes, zero past the end.
inline std::uint64_t second_word(const char* bytes, std::size_t length) {
    const auto rest = length > 8 ? length - 8 : 0;
    return load_little_endian(bytes + 8) & hashing::byte_masks[rest < 8 ? rest : 8];
}

// Returns a 64-bit hash of (space, bytes), given the first and second word, which callers have at
// hand. Nearly all words have at most sixteen bytes and take no branch here.
inline std::uint64_t hash_string(std::uint64_t first, std::uint64_t second, const char* bytes,
                                 std::size_t length, std::uint32_t space) {
    auto state = hashing::mix(length + (std::uint64_t{space} << 56), first);
    state = hashing::mix(state, second);
    for (std::size_t done = 16; done < length; done += 8)
        state = hashing::mix(state, leading_word(bytes + done, length - done));
    return hashing::finish(state);
}

}  // namespace postil
