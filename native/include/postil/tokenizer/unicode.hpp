// Properties of a code point that the tokenizer uses: its class, lower case and unaccented form.
#pragma once

#include <cstdint>
#include <span>

namespace postil::unicode {

enum Class : std::uint8_t {
    letter = 1,
    spaced = 2,        // letters, numbers and connectors ('_' and similar) that are not `unspaced`
    unspaced = 4,      // letters of scripts without spaces between words
    mark = 8,          // combining marks and joiners: they continue a word but never begin one
    space = 16,        // Python's str.isspace
    python_word = 32,  // Python's \w
    cased = 64,        // this and case_ignorable decide the form of a final sigma
    case_ignorable = 128,
};

inline constexpr char32_t replacement = 0xFFFD;
inline constexpr char32_t capital_sigma = 0x3A3, small_sigma = 0x3C3, final_sigma = 0x3C2;

std::uint8_t class_bits(char32_t code);

using Image = std::span<const char32_t>;

// The image of a code point under one map. The pair (changed, image) costs one branch less than an
// optional.
struct Mapped {
    bool changed;
    Image image;
};

Mapped lower(char32_t code);
Mapped casefold(char32_t code);
Mapped unaccent(char32_t code);  // except Hangul syllables, which decompose arithmetically

inline constexpr char32_t hangul_first = 0xAC00, hangul_count = 11172;

// Khmer coeng and Myanmar virama: the next letter is written below the one before.
inline bool ties_letters(char32_t code) { return code == 0x17D2 || code == 0x1039; }

inline bool is_hangul_syllable(char32_t code) { return code - hangul_first < hangul_count; }

}  // namespace postil::unicode
