// Four ways from a word to the number under which it is counted. `dropped` is an ordinary number
// here: counting it and omitting it at the end is cheaper than testing every word.
#pragma once

#include "postil/counting/vocabulary.hpp"
#include "postil/scoring/word_memo.hpp"

namespace postil {

inline constexpr std::uint32_t dropped = WordMemo::dropped;

// Words that are not terms are dropped, or numbered past the terms if they matter.
struct VocabularyLookup {
    const WordTable& terms;
    WordTable* unseen;

    void prefetch(const WordKey& key) const { terms.prefetch(key); }
    std::uint32_t number(const WordKey& key) {
        const auto rank = terms.find(key);
        if (rank != WordTable::absent || unseen == nullptr) return rank;
        return static_cast<std::uint32_t>(terms.size()) + unseen->intern(key);
    }
};

struct BucketLookup {
    std::uint32_t buckets;

    void prefetch(const WordKey&) const {}
    std::uint32_t number(const WordKey& key) { return bucket_of(key, buckets); }
};

// Records words that are not in the memo: their document waits until they are mapped.
struct MemoLookup {
    const WordMemo& memo;
    TermTable& unknown;
    bool complete = true;

    void prefetch(const WordKey& key) const { memo.prefetch(key); }
    std::uint32_t number(const WordKey& key) {
        const auto number = memo.find(key);
        if (number != WordMemo::unknown) return number;
        unknown.intern(key);
        complete = false;
        return dropped;
    }
};

// Looks up words that no map renames. Only those that are not terms, if they matter, have numbers
// of the memo, which must not be those of other words of the document.
struct UnmappedLookup {
    MemoLookup& memo;

    void prefetch(const WordKey& key) const { memo.memo.numbers().prefetch(key); }
    std::uint32_t number(const WordKey& key) {
        const auto number = memo.memo.numbers().find(key);
        if (number != WordTable::absent || !memo.memo.number_unseen()) return number;
        return memo.number(key);
    }
};

}  // namespace postil
