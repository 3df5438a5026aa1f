// Normalises code points in reading order: folds case and drops accents.
#pragma once

#include "postil/tokenizer/options.hpp"
#include "postil/tokenizer/unicode.hpp"

namespace postil {

// Decomposes Hangul syllables arithmetically (Unicode, section 3.12).
template <class Sink>
void decompose_hangul(char32_t code, Sink&& sink) {
    const auto index = code - unicode::hangul_first;
    sink(0x1100 + index / 588);
    sink(0x1161 + index % 588 / 28);
    if (index % 28 != 0) sink(0x11A7 + index % 28);
}

template <class Sink>
void drop_accents(char32_t code, Sink&& sink) {
    if (unicode::is_hangul_syllable(code)) return decompose_hangul(code, sink);
    const auto mapped = unicode::unaccent(code);
    if (!mapped.changed) return sink(code);
    for (const auto part : mapped.image) sink(part);
}

template <class Reader>
bool cased_letter_follows(Reader ahead) {
    while (!ahead.done()) {
        const auto bits = unicode::class_bits(ahead.next());
        if ((bits & unicode::case_ignorable) == 0) return (bits & unicode::cased) != 0;
    }
    return false;
}

// Calls sink(code) for every code point of the normalised text; at that time the reader has just
// read the source character. Lower case follows str.lower on the whole text: a capital sigma at the
// end of a word takes its final form.
template <class Reader, class Sink>
void normalise(Reader& reader, LetterCase letter_case, bool fold_accents, Sink&& sink) {
    auto emit = [&](char32_t code) {
        if (fold_accents && code >= 128) drop_accents(code, sink);
        else sink(code);
    };
    bool after_cased = false;
    while (!reader.done()) {
        auto code = reader.next();
        if (letter_case == LetterCase::keep) {
            emit(code);
            continue;
        }
        if (code == unicode::capital_sigma && letter_case == LetterCase::lower) {
            const bool final = after_cased && !cased_letter_follows(reader);
            emit(final ? unicode::final_sigma : unicode::small_sigma);
            after_cased = true;
            continue;
        }
        const auto bits = unicode::class_bits(code);
        if ((bits & unicode::case_ignorable) == 0) after_cased = (bits & unicode::cased) != 0;
        const auto mapped = letter_case == LetterCase::lower ? unicode::lower(code)
                                                             : unicode::casefold(code);
        if (!mapped.changed) emit(code);
        else for (const auto part : mapped.image) emit(part);
    }
}

}  // namespace postil
