// From a word to the number it is counted under: three ways. `dropped` is a number like any other
// here: counting it and leaving it out at the end is cheaper than to ask of every word.
#pragma once

#include "postil/counting/vocabulary.hpp"
#include "postil/scoring/word_memo.hpp"

namespace postil {

inline constexpr std::uint32_t dropped = WordMemo::dropped;

// Words that are no terms are dropped, or numbered past the terms where they matter.
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

// Unknown words are noted: their document has to wait until they are known.
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

}  // namespace postil
