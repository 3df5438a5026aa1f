// Tokenizer options: how characters are normalised, and where tokens begin and end.
#pragma once

#include <cstdint>

#include "postil/tokenizer/unicode.hpp"

namespace postil {

enum class TokenKind : std::uint8_t {
    words,           // whole_runs, but scripts without spaces give pairs: runs.hpp
    whole_runs,      // runs of letters, numbers, connectors; marks continue a run
    python_words,    // runs of Python's \w
    letters,         // runs of letters; marks continue a run
    compounds,       // words joined by single inner apostrophes or hyphens
    whitespace,      // runs of anything but white space
    trec,            // ASCII words without markup: see trec.hpp
    chars,           // character n-grams of the whole text
    chars_in_words,  // character n-grams within words padded by a space on each side
};

enum class LetterCase : std::uint8_t { keep, lower, casefold };

struct TokenizerOptions {
    TokenKind kind = TokenKind::words;
    LetterCase letter_case = LetterCase::lower;
    bool fold_accents = false;
    std::uint32_t min_length = 1;  // in code points; ignored for character n-grams
    std::uint32_t gram_min = 1;    // character n-grams only
    std::uint32_t gram_max = 1;
};

inline bool makes_char_grams(TokenKind kind) {
    return kind == TokenKind::chars || kind == TokenKind::chars_in_words;
}

// Returns true if tokens are runs of characters of fixed classes, so that many can be cut at once.
inline bool cuts_runs(TokenKind kind) {
    return !makes_char_grams(kind) && kind != TokenKind::trec;
}

// The class bits that begin and that continue a token, and those that give pairs. Whitespace tokens
// are the complement of the class `space`, so the bits are flipped before they are tested.
struct TokenClasses {
    std::uint8_t begin;
    std::uint8_t proceed;
    std::uint8_t flip;
    std::uint8_t paired;
};

inline TokenClasses classes_of(TokenKind kind) {
    using namespace unicode;
    switch (kind) {
        case TokenKind::python_words: return {python_word, python_word, 0, 0};
        case TokenKind::letters: return {letter, letter | mark, 0, 0};
        case TokenKind::whitespace:
        case TokenKind::chars:
        case TokenKind::chars_in_words: return {space, space, space, 0};
        case TokenKind::words: return {spaced, spaced | mark, 0, unspaced};
        default: return {spaced | unspaced, spaced | unspaced | mark, 0, 0};
    }
}

inline bool is_inner_joiner(char32_t code) {
    return code == U'\'' || code == U'-' || code == U'\u2019' || code == U'\u2010';
}

}  // namespace postil
