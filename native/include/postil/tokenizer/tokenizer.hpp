// Splits text into tokens. tokenize(text, options, scratch, sink) calls sink(tokens) with a batch
// of UTF-8 tokens at a time, in order; with a Places it also records their positions. Time is
// linear in the text. Every input is valid.
#pragma once

#include <cstring>
#include <vector>

#include "postil/tokenizer/ascii.hpp"
#include "postil/tokenizer/decode.hpp"
#include "postil/tokenizer/hash.hpp"
#include "postil/tokenizer/normalise.hpp"
#include "postil/tokenizer/options.hpp"
#include "postil/tokenizer/places.hpp"
#include "postil/tokenizer/runs.hpp"
#include "postil/tokenizer/texts.hpp"
#include "postil/tokenizer/tokens.hpp"
#include "postil/tokenizer/trec.hpp"

namespace postil {

// A growing UTF-8 string, always padded.
class Utf8Buffer {
public:
    Utf8Buffer() : bytes_(64) {}

    const char* data() const { return bytes_.data(); }
    std::size_t size() const { return size_; }
    void shorten(std::size_t size) { size_ = size; }
    void drop_front(std::size_t count) {
        std::memmove(bytes_.data(), bytes_.data() + count, size_ - count);
        size_ -= count;
    }

    void append(char32_t code) {
        if (size_ + 4 + string_padding > bytes_.size()) bytes_.resize(bytes_.size() * 2);
        if (code < 0x80) {
            put(code);
        } else if (code < 0x800) {
            put(0xC0 | (code >> 6));
            put(0x80 | (code & 0x3F));
        } else if (code < 0x10000) {
            put(0xE0 | (code >> 12));
            put(0x80 | ((code >> 6) & 0x3F));
            put(0x80 | (code & 0x3F));
        } else {
            put(0xF0 | (code >> 18));
            put(0x80 | ((code >> 12) & 0x3F));
            put(0x80 | ((code >> 6) & 0x3F));
            put(0x80 | (code & 0x3F));
        }
    }

private:
    void put(char32_t byte) { bytes_[size_++] = static_cast<char>(byte); }

    std::vector<char> bytes_;
    std::size_t size_ = 0;
};

// Buffers that a tokenizer reuses from text to text.
struct TokenizerScratch {
    ascii::Scratch ascii;
    Utf8Buffer text;
    std::vector<std::size_t> starts;  // of the code points in `text`, for character n-grams
    std::vector<Stretch> stretches;
};

namespace char_grams {

// Emits all n-grams of one size that begin at the first `count` code points of the scratch.
template <class Sink, class Noted>
void emit(const TokenizerScratch& scratch, std::size_t size, std::size_t count,
          TokenBatch<Sink>& batch, Noted& places) {
    const auto& starts = scratch.starts;
    for (std::size_t at = 0; at < count && at + size < starts.size(); ++at) {
        batch.add(starts[at], starts[at + size] - starts[at]);
        places.add_gram(at, size);
        if (batch.full()) batch.flush(scratch.text.data());
    }
}

// Emits the n-grams that begin at the first `count` code points of a text. `starts` ends with the
// end of the text.
template <class Sink, class Noted>
void of_text(const TokenizerOptions& options, TokenizerScratch& scratch, std::size_t count,
             Sink&& sink, Noted& places) {
    TokenBatch batch(scratch.stretches, sink);
    for (std::size_t size = options.gram_min; size <= options.gram_max; ++size)
        emit(scratch, size, count, batch, places);
    batch.flush(scratch.text.data());
}

// Removes the first `count` code points.
inline void drop_first(TokenizerScratch& scratch, std::size_t count) {
    auto& starts = scratch.starts;
    const auto dropped = starts[count];
    scratch.text.drop_front(dropped);
    starts.erase(starts.begin(), starts.begin() + static_cast<std::ptrdiff_t>(count));
    for (auto& start : starts) start -= dropped;
}

// Emits a word shorter than n once, as a whole, and no larger sizes (as scikit-learn does).
template <class Sink, class Noted>
void of_word(const TokenizerOptions& options, TokenizerScratch& scratch, Sink&& sink,
             Noted& places) {
    const auto count = scratch.starts.size() - 1;
    TokenBatch batch(scratch.stretches, sink);
    for (std::size_t size = options.gram_min; size <= options.gram_max; ++size) {
        if (size >= count) {
            batch.add(0, scratch.text.size());
            places.add_gram(0, count);
            break;
        }
        emit(scratch, size, count, batch, places);
    }
    batch.flush(scratch.text.data());
}

}  // namespace char_grams

// Character n-grams of the text, in which each run of two or more white spaces becomes one space.
// The text is held one window at a time, so memory does not grow with it. Within a window all
// n-grams of one size come before those of the next.
template <class Reader, class Sink, class Noted>
void tokenize_text_grams(Reader reader, const TokenizerOptions& options,
                         TokenizerScratch& scratch, Sink&& sink, Noted& places) {
    auto& text = scratch.text;
    text.shorten(0);
    scratch.starts.clear();
    std::size_t spaces = 0;
    char32_t last_space = 0;
    constexpr std::size_t window = std::size_t{1} << 20;
    auto append = [&](char32_t code) {
        if (scratch.starts.size() == window) {
            const auto can_shrink = window - options.gram_max;
            scratch.starts.push_back(text.size());
            char_grams::of_text(options, scratch, can_shrink, sink, places);
            char_grams::drop_first(scratch, can_shrink);
            places.drop_codes(can_shrink);
            scratch.starts.pop_back();
        }
        scratch.starts.push_back(text.size());
        text.append(code);
    };
    auto flush_spaces = [&] {
        if (spaces > 0) {
            append(spaces == 1 ? last_space : U' ');
            places.append_spaces();
        }
        spaces = 0;
    };
    normalise(reader, options.letter_case, options.fold_accents, [&](char32_t code) {
        places.arrive(reader);
        if ((unicode::class_bits(code) & unicode::space) != 0) {
            if (spaces == 0) places.begin_spaces();
            ++spaces;
            last_space = code;
            return;
        }
        flush_spaces();
        append(code);
        places.append();
    });
    places.arrive_at_end(reader);
    flush_spaces();
    places.end_codes();
    scratch.starts.push_back(text.size());
    char_grams::of_text(options, scratch, scratch.starts.size(), sink, places);
}

// Character n-grams within words separated by white space, each word padded by a space at both
// ends.
template <class Reader, class Sink, class Noted>
void tokenize_word_grams(Reader reader, const TokenizerOptions& options,
                         TokenizerScratch& scratch, Sink&& sink, Noted& places) {
    auto& word = scratch.text;
    word.shorten(0);
    scratch.starts.clear();
    auto append = [&](char32_t code) {
        scratch.starts.push_back(word.size());
        word.append(code);
    };
    auto pad = [&] {
        append(U' ');
        places.pad();
    };
    auto finish = [&] {
        if (word.size() == 0) return;
        pad();
        scratch.starts.push_back(word.size());
        char_grams::of_word(options, scratch, sink, places);
        word.shorten(0);
        scratch.starts.clear();
        places.clear_codes();
    };
    normalise(reader, options.letter_case, options.fold_accents, [&](char32_t code) {
        places.arrive(reader);
        if ((unicode::class_bits(code) & unicode::space) != 0) return finish();
        if (word.size() == 0) pad();
        append(code);
        places.append();
    });
    places.arrive_at_end(reader);
    finish();
}

template <class Reader, class Sink, class Noted>
void tokenize_decoded(Reader reader, const TokenizerOptions& options, TokenizerScratch& scratch,
                      Sink&& sink, Noted& places) {
    const auto counted = places.reader_of(reader);
    if (options.kind == TokenKind::chars)
        tokenize_text_grams(counted, options, scratch, sink, places);
    else if (options.kind == TokenKind::chars_in_words)
        tokenize_word_grams(counted, options, scratch, sink, places);
    else if (options.kind == TokenKind::trec)
        trec::tokenize(counted, options, scratch.text, scratch.stretches, sink, places);
    else runs::tokenize(counted, options, scratch.text, scratch.stretches, sink, places);
}

inline bool is_ascii(const char* bytes, std::size_t length) {
    std::uint8_t seen = 0;
    for (std::size_t i = 0; i < length; ++i) seen |= static_cast<std::uint8_t>(bytes[i]);
    return seen < 128;
}

template <class Sink, class Noted>
void tokenize(const TextView& text, const TokenizerOptions& options, TokenizerScratch& scratch,
              Sink&& sink, Noted& places) {
    const auto* bytes = static_cast<const char*>(text.data);
    const bool byte_wide = text.encoding != Encoding::ucs2 && text.encoding != Encoding::ucs4;
    const bool plain = text.encoding == Encoding::ascii || (byte_wide && is_ascii(bytes, text.length));
    if (plain && cuts_runs(options.kind))
        return ascii::tokenize(bytes, text.length, options, scratch.ascii,
                               [&](const Tokens& tokens) {
                                   places.note(tokens);
                                   sink(tokens);
                               });

    auto units = [&]<class Unit>(const Unit* first) {
        tokenize_decoded(UnitReader<Unit>{first, first + text.length}, options, scratch, sink,
                         places);
    };
    switch (text.encoding) {
        case Encoding::utf8: {
            const auto* first = static_cast<const std::uint8_t*>(text.data);
            return tokenize_decoded(Utf8Reader{first, first + text.length}, options, scratch, sink,
                                    places);
        }
        case Encoding::ucs2: return units(static_cast<const std::uint16_t*>(text.data));
        case Encoding::ucs4: return units(static_cast<const std::uint32_t*>(text.data));
        default: return units(static_cast<const std::uint8_t*>(text.data));
    }
}

template <class Sink>
void tokenize(const TextView& text, const TokenizerOptions& options, TokenizerScratch& scratch,
              Sink&& sink) {
    NoPlaces places;
    tokenize(text, options, scratch, sink, places);
}

}  // namespace postil
