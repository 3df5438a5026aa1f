// The fast path for ASCII texts: 64 bytes at a time become a bit mask of token characters, and
// tokens are read off the edges of the mask. Loops over fixed-size blocks are plain, so that the
// compiler vectorizes them on any machine.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "postil/tokenizer/hash.hpp"
#include "postil/tokenizer/options.hpp"
#include "postil/tokenizer/tokens.hpp"

namespace postil::ascii {

inline constexpr std::size_t block = 64;

inline std::uint8_t lower_byte(std::uint8_t byte) {
    return static_cast<std::uint8_t>(byte + (static_cast<std::uint8_t>(byte - 'A') < 26 ? 32 : 0));
}

struct IsLetter {
    static bool test(std::uint8_t byte) {
        return static_cast<std::uint8_t>((byte | 32) - 'a') < 26;
    }
};

struct IsWord {
    static bool test(std::uint8_t byte) {
        return IsLetter::test(byte) | (static_cast<std::uint8_t>(byte - '0') < 10) | (byte == '_');
    }
};

struct IsJoiner {
    static bool test(std::uint8_t byte) { return (byte == '\'') | (byte == '-'); }
};

struct IsNotSpace {
    static bool test(std::uint8_t byte) {
        return !((byte == ' ') | (static_cast<std::uint8_t>(byte - 9) < 5) |
                 (static_cast<std::uint8_t>(byte - 28) < 4));
    }
};

// Returns one bit for each of 64 bytes. One multiplication gathers eight flags.
template <class Test>
std::uint64_t mask_of(const std::uint8_t* bytes) {
    std::uint8_t flags[block];
    for (std::size_t i = 0; i < block; ++i) flags[i] = Test::test(bytes[i]);
    std::uint64_t mask = 0;
    for (std::size_t group = 0; group < 8; ++group) {
        const auto eight = load_little_endian(reinterpret_cast<const char*>(flags) + group * 8);
        mask |= ((eight * 0x0102040810204080u) >> 56) << (group * 8);
    }
    return mask;
}

// The case-folded text, zero-padded to whole blocks and beyond, and one bit per byte that says
// whether the byte is part of a token.
struct Scratch {
    std::vector<std::uint8_t> text;
    std::vector<std::uint64_t> masks;
    std::vector<Stretch> stretches;
};

inline void copy_block(const std::uint8_t* source, std::uint8_t* target, bool lower) {
    if (lower)
        for (std::size_t i = 0; i < block; ++i) target[i] = lower_byte(source[i]);
    else
        std::memcpy(target, source, block);
}

template <class Test>
void load(Scratch& scratch, const char* source, std::size_t length, bool lower) {
    const auto blocks = (length + block - 1) / block;
    const auto needed = blocks * block + string_padding;
    if (scratch.text.size() < needed) scratch.text.resize(needed);
    if (scratch.masks.size() < blocks) scratch.masks.resize(blocks);
    const auto* from = reinterpret_cast<const std::uint8_t*>(source);
    auto* text = scratch.text.data();
    auto* masks = scratch.masks.data();
    const auto whole = length / block;
    for (std::size_t i = 0; i < whole; ++i) {
        copy_block(from + i * block, text + i * block, lower);
        masks[i] = mask_of<Test>(text + i * block);
    }
    if (whole < blocks) {
        std::uint8_t last[block] = {};
        std::memcpy(last, from + whole * block, length - whole * block);
        copy_block(last, text + whole * block, lower);
        // Bytes past the end are not token characters, although they are not white space either.
        const auto present = (std::uint64_t{1} << (length - whole * block)) - 1;
        masks[whole] = mask_of<Test>(text + whole * block) & present;
    }
    std::memset(text + blocks * block, 0, string_padding);
}

// Joins words across a single apostrophe or hyphen that has a word character on both sides.
inline void join_compounds(Scratch& scratch, std::size_t blocks) {
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < blocks; ++i) {
        const auto words = scratch.masks[i];
        const auto after = i + 1 < blocks ? scratch.masks[i + 1] : 0;
        const auto joiners = mask_of<IsJoiner>(scratch.text.data() + i * block);
        scratch.masks[i] |= joiners & ((words << 1) | (before >> 63)) & ((words >> 1) | (after << 63));
        before = words;
    }
}

// The number of blocks per call of the sink: a token and its separator take at least two bytes.
inline constexpr std::size_t blocks_at_once = 2 * most_tokens_at_once / block;

template <class Sink>
void emit_tokens(Scratch& scratch, std::size_t length, std::size_t min_length, Sink&& sink) {
    const auto* text = reinterpret_cast<const char*>(scratch.text.data());
    const auto blocks = (length + block - 1) / block;
    scratch.stretches.resize(most_tokens_at_once + 2);  // one spare entry at each end
    auto* const first = scratch.stretches.data();
    auto position = [](std::size_t index, std::uint64_t bits) {
        return index * block + static_cast<std::size_t>(std::countr_zero(bits));
    };
    std::uint64_t carry = 0;  // 1 if the previous block ended inside a token
    std::size_t begin = 0;
    for (std::size_t from = 0; from < blocks; from += blocks_at_once) {
        auto* next = first;
        // A token that is too short is written and then overwritten, which avoids a branch on its
        // length.
        auto put = [&](std::size_t end) {
            *next = {begin, end - begin};
            next += end - begin >= min_length;
        };
        const auto to = std::min(blocks, from + blocks_at_once);
        for (auto i = from; i < to; ++i) {
            const auto mask = scratch.masks[i];
            const auto before = (mask << 1) | carry;
            auto starts = mask & ~before;
            auto ends = before & ~mask;
            if (carry != 0 && ends != 0) {
                put(position(i, ends));
                ends &= ends - 1;
            }
            for (; ends != 0; starts &= starts - 1, ends &= ends - 1) {
                begin = position(i, starts);
                put(position(i, ends));
            }
            if (starts != 0) begin = position(i, starts);
            carry = mask >> 63;
        }
        if (to == blocks && carry != 0) put(length);
        if (next != first) sink(Tokens{text, first, static_cast<std::size_t>(next - first)});
    }
}

template <class Sink>
void tokenize(const char* source, std::size_t length, const TokenizerOptions& options,
              Scratch& scratch, Sink&& sink) {
    const bool lower = options.letter_case != LetterCase::keep;
    switch (options.kind) {
        case TokenKind::letters: load<IsLetter>(scratch, source, length, lower); break;
        case TokenKind::whitespace: load<IsNotSpace>(scratch, source, length, lower); break;
        default: load<IsWord>(scratch, source, length, lower);
    }
    if (options.kind == TokenKind::compounds) join_compounds(scratch, (length + block - 1) / block);
    emit_tokens(scratch, length, options.min_length, sink);
}

}  // namespace postil::ascii
