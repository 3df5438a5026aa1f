// Words as split by the TREC reader in early versions of the Lemur toolkit, which
// genkin-lewis-madigan-2004 used for Reuters-21578 and OHSUMED.
//
//     word         a run of ASCII letters and digits; every other character separates words
//     it's         it: an apostrophe and the letters after it are dropped
//     U.S.         US: two or more capitals, each followed by a dot, form one word
//     USAIR's      U: two or more capitals with 's keep what precedes the first S (a bug of that
//                  program, which searched for the suffix from the front)
//     <IBM> </p>   nothing: markup, that is anything in angle brackets, up to the next > or the
//                  end of the text
//     &lt; &#60;   nothing: entities
//
// Time is linear in the text: characters read by looking ahead are read at most once more.
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

// Reads the next code point if it exists and passes the test.
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

// Skips markup after a <.
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

// Skips an entity after a &.
template <class Reader>
void skip_entity(Reader& reader) {
    auto ahead = reader;
    const bool numbered = take(ahead, U'#');
    const auto length = numbered ? take_while(ahead, is_digit) : take_while(ahead, is_letter);
    if ((numbered || length > 0) && take(ahead, U';')) reader = ahead;
}

// Skips the apostrophe after a word and the letters that follow. Returns true if these are a single
// small s.
template <class Reader>
bool skip_suffix(Reader& reader) {
    auto ahead = reader;
    if (!take(ahead, U'\'')) return false;
    const bool small_s = take(ahead, U's');
    const auto more = take_while(ahead, is_letter);
    if (small_s || more > 0) reader = ahead;
    return small_s && more == 0;
}

// The current token, at the end of the text written so far.
template <class Text, class Noted>
class Word {
public:
    Word(Text& text, bool lower, Noted& places)
        : text_(text), begin_(text.size()), lower_(lower), places_(places) {}

    std::size_t begin() const { return begin_; }
    std::size_t length() const { return text_.size() - begin_; }
    bool all_capitals() const { return capitals_ == length(); }

    // Appends the code point that the reader has just read.
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

// Reads the remaining capitals of an acronym after a capital that is a word by itself. Returns true
// if it is an acronym.
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
