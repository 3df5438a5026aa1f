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

// The open run of a script without spaces; its current unit is the current token of the cutter.
struct OpenRun {
    std::uint8_t open = 0;          // TokenClasses::paired if a run is open
    bool tied = false;              // the last mark ties the next letter
    std::size_t before_begin = 0;   // of the unit before the current one, in bytes
    std::size_t before_length = 0;  // of it, in code points; 0 if the current unit is the first
};

template <class Reader, class Text, class Sink, class Noted>
void tokenize(Reader reader, const TokenizerOptions& options, Text& text,
              std::vector<Stretch>& stretches, Sink&& sink, Noted& places) {
    const auto classes = classes_of(options.kind);
    const bool compounds = options.kind == TokenKind::compounds;
    text.shorten(0);
    TokenBatch batch(stretches, sink);
    std::size_t begin = 0;   // of the current token, in bytes
    std::size_t length = 0;  // of the current token, in code points
    char32_t joiner = 0;     // seen after a word; joins it to a word that follows immediately
    OpenRun run;

    // Sends the batch on. The text from `from` stays, and its first byte becomes byte 0.
    auto flush = [&](std::size_t from) {
        batch.flush(text.data());
        text.drop_front(from);
    };
    // Ends a unit: it gives a token with the unit before it, or alone if no other is in the run.
    auto close_unit = [&](bool last) {
        const bool paired = run.before_length > 0;
        const auto from = paired ? run.before_begin : begin;
        const bool kept = (paired || last) && run.before_length + length >= options.min_length;
        if (kept) batch.add(from, text.size() - from);
        places.close_unit(kept, paired);
        run.before_begin = begin;
        run.before_length = length;
        if (batch.full()) {
            flush(begin);
            run.before_begin = 0;
        }
        begin = text.size();
        length = 0;
    };
    auto finish = [&] {
        if (run.open != 0) {
            close_unit(true);
            run = {};
            return;
        }
        const bool kept = length > 0 && length >= options.min_length;
        if (kept) batch.add(begin, text.size() - begin);
        else text.shorten(begin);
        places.close(kept, joiner != 0);
        if (batch.full()) flush(text.size());
        begin = text.size();
        length = 0;
        joiner = 0;
    };
    auto take = [&](char32_t code) {
        text.append(code);
        ++length;
    };
    // Takes a character of a run; any other one ends the run and gives false.
    auto take_paired = [&](char32_t code, std::uint8_t bits) {
        const bool mark = (bits & unicode::mark) != 0, has_bit = (bits & classes.paired) != 0;
        if (has_bit && !mark && !run.tied) {
            if (run.open != 0) close_unit(false);
            else finish();
            run.open = classes.paired;
        } else if (run.open == 0 || !(mark || has_bit)) {
            if (run.open != 0) finish();
            return false;
        }
        places.cover(length == 0);
        take(code);
        run.tied = mark && has_bit;
        return true;
    };
    normalise(reader, options.letter_case, options.fold_accents, [&](char32_t code) {
        places.arrive(reader);
        const auto bits = static_cast<std::uint8_t>(unicode::class_bits(code) ^ classes.flip);
        if (((bits | run.open) & classes.paired) != 0 && take_paired(code, bits)) return;
        const bool begins = (bits & classes.begin) != 0;
        const bool proceeds = length > 0 && joiner == 0 && (bits & classes.proceed) != 0;
        if (begins || proceeds) {
            places.cover(length == 0);
            if (joiner != 0) take(std::exchange(joiner, 0));
            take(code);
        } else if (compounds && length > 0 && joiner == 0 && is_inner_joiner(code)) {
            joiner = code;
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
