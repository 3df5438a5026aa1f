// Positions of tokens in their source text, recorded while tokenizing.
//
// Positions count characters of the source. Normalisation turns one character into several code
// points, or drops an accent. A token covers all characters that produced its code points, and the
// dropped accents that follow them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "postil/tokenizer/tokens.hpp"

namespace postil {

// Characters [begin, end) of the source.
struct SourceSpan {
    std::size_t begin;
    std::size_t end;
};

// A reader that counts the code points it has returned.
template <class Reader>
struct CountingReader {
    Reader reader;
    std::size_t given = 0;

    bool done() const { return reader.done(); }
    char32_t next() {
        ++given;
        return reader.next();
    }
};

// Records nothing at no cost: used when no positions are needed.
struct NoPlaces {
    template <class Reader>
    static Reader reader_of(Reader reader) {
        return reader;
    }
    template <class Reader>
    static void arrive(const Reader&) {}
    template <class Reader>
    static void arrive_at_end(const Reader&) {}
    static void note(const Tokens&) {}

    static void cover(bool) {}
    static void pause() {}
    static void close(bool, bool) {}
    static void close_unit(bool, bool) {}

    static void begin_spaces() {}
    static void append_spaces() {}
    static void append() {}
    static void pad() {}
    static void end_codes() {}
    static void drop_codes(std::size_t) {}
    static void clear_codes() {}
    static void add_gram(std::size_t, std::size_t) {}
};

// Records the position of every token, in order.
class Places {
public:
    const std::vector<SourceSpan>& listed() const { return listed_; }

    template <class Reader>
    static CountingReader<Reader> reader_of(Reader reader) {
        return {reader};
    }

    // Records that the current code point comes from the character read last.
    template <class Reader>
    void arrive(const CountingReader<Reader>& reader) {
        here_ = reader.given - 1;
    }
    template <class Reader>
    void arrive_at_end(const CountingReader<Reader>& reader) {
        here_ = reader.given;
    }

    // Records tokens of a text that normalisation leaves unchanged character by character.
    void note(const Tokens& tokens) {
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            const auto [offset, length] = tokens.first[i];
            listed_.push_back({offset, offset + length});
        }
    }

    // For runs: `cover` adds this character to the current token, `first` starting a new one. A
    // joiner may turn out to be inside the token or not; the token ends before this character, or
    // before the joiner.
    void cover(bool first) {
        if (first) token_.begin = here_;
        token_.end = here_ + 1;
    }
    void pause() { pause_ = here_; }
    void close(bool kept, bool paused) {
        if (kept) listed_.push_back({token_.begin, std::max(token_.end, paused ? pause_ : here_)});
    }

    // For pairs: the unit that `cover` covered ends here. A kept token begins with it, or with the
    // unit before it.
    void close_unit(bool kept, bool paired) {
        const auto end = std::max(token_.end, here_);
        if (kept) listed_.push_back({paired ? before_ : token_.begin, end});
        before_ = token_.begin;
    }

    // For character n-grams: one position for each code point. Padding has no width.
    void begin_spaces() { spaces_ = here_; }
    void append_spaces() { append_at(spaces_); }
    void append() { append_at(here_); }
    void pad() {
        end_codes();
        const auto at = codes_.empty() ? here_ : codes_.back().end;
        codes_.push_back({at, at});
    }
    void end_codes() { reach(here_); }
    void drop_codes(std::size_t count) {
        codes_.erase(codes_.begin(), codes_.begin() + static_cast<std::ptrdiff_t>(count));
    }
    void clear_codes() { codes_.clear(); }
    void add_gram(std::size_t first, std::size_t size) {
        listed_.push_back({codes_[first].begin, codes_[first + size - 1].end});
    }

private:
    void append_at(std::size_t begin) {
        reach(begin);
        codes_.push_back({begin, begin + 1});
    }

    // Extends the last code point up to `end`; padding stays empty.
    void reach(std::size_t end) {
        if (codes_.empty() || codes_.back().begin == codes_.back().end) return;
        codes_.back().end = std::max(codes_.back().end, end);
    }

    std::vector<SourceSpan> listed_;
    std::vector<SourceSpan> codes_;
    SourceSpan token_{0, 0};
    std::size_t here_ = 0, pause_ = 0, before_ = 0, spaces_ = 0;
};

}  // namespace postil
