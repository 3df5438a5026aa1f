// Words as the TREC reader of the Lemur toolkit cut them in its early versions;
// genkin-lewis-madigan-2004 read Reuters-21578 and OHSUMED with it.
//
//   word         run of ASCII letters and digits; everything else parts words
//   it's         it: a word goes on over an apostrophe and letters, which are dropped
//   U.S.         US: two or more capitals, each with a dot, are one word
//   USAIR's      U: of two or more capitals with 's, what stands before the first S (a slip of that
//                program, which looked for the suffix from the front)
//   <IBM> </p>   nothing: markup, and so whatever stands in angle brackets, up to the next > or the
//                end of the text
//   &lt; &#60;   nothing: entities
//
// Linear in the text: what is looked ahead at is read once more at most.
#pragma once

#include <cstddef>
#include <vector>

#include "postil/tokenizer/options.hpp"
#include "postil/tokenizer/tokens.hpp"

namespace postil::trec {

inline bool is_capital(char32_t code) { return code - U'A' < 26; }
inline bool is_digit(char32_t code) { return code - U'0' < 10; }
inline bool is_letter(char32_t code) { return (code | 32) - U'a' < 26; }
inline bool is_letter_or_digit(char32_t code) { return is_letter(code) || is_digit(code); }

// Reads the next code point if there is one and it passes the test.
template <class Reader, class Test>
bool take_if(Reader& reader, Test&& test) {
    auto ahead = reader;
    if (ahead.done() || !test(ahead.next())) return false;
    reader = ahead;
    return true;
}

template <class Reader>
bool take(Reader& reader, char32_t wanted) {
    return take_if(reader, [&](char32_t code) { return code == wanted; });
}

template <class Reader, class Test>
std::size_t take_while(Reader& reader, Test&& test) {
    std::size_t taken = 0;
    while (take_if(reader, test)) ++taken;
    return taken;
}

// Behind a <.
template <class Reader>
void skip_markup(Reader& reader) {
    auto ahead = reader;
    if (take(ahead, U'!')) {
        if (!take_if(ahead, [](char32_t code) { return code != U'-'; })) return;
    } else {
        take(ahead, U'/');
        if (!take_if(ahead, is_letter)) return;
    }
    while (!ahead.done() && ahead.next() != U'>') {}
    reader = ahead;
}

// Behind a &.
template <class Reader>
void skip_entity(Reader& reader) {
    auto ahead = reader;
    const bool numbered = take(ahead, U'#');
    const auto length = numbered ? take_while(ahead, is_digit) : take_while(ahead, is_letter);
    if ((numbered || length > 0) && take(ahead, U';')) reader = ahead;
}

// Behind a word: its apostrophe and the letters after it. Says whether these are one small s.
template <class Reader>
bool skip_suffix(Reader& reader) {
    auto ahead = reader;
    if (!take(ahead, U'\'')) return false;
    const bool small_s = take(ahead, U's');
    const auto more = take_while(ahead, is_letter);
    if (small_s || more > 0) reader = ahead;
    return small_s && more == 0;
}

// The token at hand, at the end of the text that is written.
template <class Text, class Noted>
class Word {
public:
    Word(Text& text, bool lower, Noted& places)
        : text_(text), begin_(text.size()), lower_(lower), places_(places) {}

    std::size_t begin() const { return begin_; }
    std::size_t length() const { return text_.size() - begin_; }
    bool all_capitals() const { return capitals_ == length(); }

    // The code point that the reader stands behind.
    template <class Reader>
    void append(char32_t code, const Reader& reader) {
        places_.arrive(reader);
        places_.cover(length() == 0);
        capitals_ += is_capital(code);
        text_.append(lower_ && is_capital(code) ? code + 32 : code);
    }

    void cut_before_first_s() {
        for (auto at = begin_; at < text_.size(); ++at)
            if ((text_.data()[at] | 32) == 's') return text_.shorten(at);
    }

private:
    Text& text_;
    std::size_t begin_;
    bool lower_;
    Noted& places_;
    std::size_t capitals_ = 0;
};

// Behind a capital that is a word alone: the other capitals of an acronym. Says whether it is one.
template <class Reader, class Token>
bool take_acronym(Reader& reader, Token& word) {
    auto ahead = reader;
    if (!take(ahead, U'.')) return false;
    while (!ahead.done()) {
        const auto code = ahead.next();
        const auto letter = ahead;
        if (!is_capital(code) || !take(ahead, U'.')) break;
        word.append(code, letter);
        reader = ahead;
    }
    return word.length() > 1;
}

template <class Reader, class Token>
void take_word(char32_t first, Reader& reader, Token& word) {
    word.append(first, reader);
    while (true) {
        auto ahead = reader;
        if (ahead.done()) break;
        const auto code = ahead.next();
        if (!is_letter_or_digit(code)) break;
        reader = ahead;
        word.append(code, reader);
    }
    const bool capitals = word.all_capitals();
    if (capitals && word.length() == 1 && take_acronym(reader, word)) return;
    const bool name = capitals && word.length() > 1;
    if (skip_suffix(reader) && name) word.cut_before_first_s();
}

template <class Reader, class Text, class Sink, class Noted>
void tokenize(Reader reader, const TokenizerOptions& options, Text& text,
              std::vector<Stretch>& stretches, Sink&& sink, Noted& places) {
    const bool lower = options.letter_case != LetterCase::keep;
    text.shorten(0);
    TokenBatch batch(stretches, sink);
    while (!reader.done()) {
        const auto code = reader.next();
        if (code == U'<') skip_markup(reader);
        else if (code == U'&') skip_entity(reader);
        if (!is_letter_or_digit(code)) continue;
        Word word(text, lower, places);
        take_word(code, reader, word);
        const bool kept = word.length() > 0 && word.length() >= options.min_length;
        if (kept) batch.add(word.begin(), word.length());
        else text.shorten(word.begin());
        places.close(kept, false);
        if (batch.full()) {
            batch.flush(text.data());
            text.shorten(0);
        }
    }
    batch.flush(text.data());
}

}  // namespace postil::trec
