// Tokens that are runs of characters of fixed classes.
//
// Scripts without spaces between words (Han, Kana, Thai, Lao, Khmer, Myanmar) would give whole
// sentences. For TokenKind::words a run of their letters gives each two neighbouring units instead:
// 東京都 gives 東京 and 京都. A unit is a letter with the marks after it; a mark that ties (Khmer
// coeng, Myanmar virama) adds the next letter. A run of one unit is one token, and a run ends where
// any other character stands, so that 用Python写 gives 用, Python and 写.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "postil/tokenizer/normalise.hpp"
#include "postil/tokenizer/options.hpp"
#include "postil/tokenizer/tokens.hpp"
#include "postil/tokenizer/unicode.hpp"

namespace postil::runs {

// Held instead of a joiner while a run of units is open. Kinds that have joiners have no units.
inline constexpr char32_t open_run = 0xFFFFFFFF;

template <class Reader, class Text, class Sink, class Noted>
void tokenize(Reader reader, const TokenizerOptions& options, Text& text,
              std::vector<Stretch>& stretches, Sink&& sink, Noted& places) {
    const auto classes = classes_of(options.kind);
    const bool compounds = options.kind == TokenKind::compounds;
    text.shorten(0);
    TokenBatch batch(stretches, sink);
    std::size_t begin = 0;   // of the current token or unit, in bytes
    std::size_t length = 0;  // of the current token or unit, in code points
    char32_t held = 0;       // a joiner seen after a word, for a word that follows immediately
    bool tied = false;       // the unit takes the next letter
    std::size_t before_begin = 0, before_length = 0;  // of the unit before the current one, if any

    // Sends the batch on; the text from `from` stays.
    auto flush = [&](std::size_t from) {
        batch.flush(text.data());
        text.drop_front(from);
    };
    // Ends a unit: it gives a token with the unit before it, or alone if no other is in the run.
    auto close_unit = [&](bool last) {
        const bool paired = before_length > 0;
        const auto from = paired ? before_begin : begin;
        const bool kept = (paired || last) && before_length + length >= options.min_length;
        if (kept) batch.add(from, text.size() - from);
        places.close_unit(kept, paired);
        before_begin = begin;
        before_length = length;
        if (batch.full()) {
            flush(begin);
            before_begin = 0;
        }
        begin = text.size();
        length = 0;
    };
    auto finish = [&] {
        if (held == open_run) {
            close_unit(true);
            before_length = 0;
            tied = false;
        } else {
            const bool kept = length > 0 && length >= options.min_length;
            if (kept) batch.add(begin, text.size() - begin);
            else text.shorten(begin);
            places.close(kept, held != 0);
            if (batch.full()) flush(text.size());
            begin = text.size();
            length = 0;
        }
        held = 0;
    };
    auto take = [&](char32_t code) {
        places.cover(length == 0);
        text.append(code);
        ++length;
    };
    auto release = [&] {
        if (held == open_run) finish();
        else take(std::exchange(held, 0));
    };
    auto take_in_run = [&](char32_t code, bool letter) {
        if (letter && !tied) {
            if (held == open_run) close_unit(false);
            else finish();
            held = open_run;
        }
        take(code);
        tied = !letter && unicode::ties_letters(code);
    };
    normalise(reader, options.letter_case, options.fold_accents, [&](char32_t code) {
        places.arrive(reader);
        const auto bits = static_cast<std::uint8_t>(unicode::class_bits(code) ^ classes.flip);
        const bool begins = (bits & classes.begin) != 0;
        const bool proceeds = length > 0 && held == 0 && (bits & classes.proceed) != 0;
        if (begins || proceeds) {
            if (held != 0) release();
            take(code);
        } else if ((bits & classes.paired) != 0) {
            take_in_run(code, true);
        } else if (held == open_run && (bits & unicode::mark) != 0) {
            take_in_run(code, false);
        } else if (compounds && length > 0 && held == 0 && is_inner_joiner(code)) {
            held = code;
            places.pause();
        } else if (length > 0) {
            finish();
        }
    });
    places.arrive_at_end(reader);
    finish();
    batch.flush(text.data());
}

}  // namespace postil::runs
