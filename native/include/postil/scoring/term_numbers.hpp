// Maps a word to the number of a term: its rank in a vocabulary, or its hash bucket.
#pragma once

#include <cstdint>
#include <vector>

#include "postil/counting/matrix.hpp"
#include "postil/counting/vocabulary.hpp"

namespace postil {

class TermNumbers {
public:
    // The vocabulary must outlive this object.
    explicit TermNumbers(const Vocabulary& vocabulary)
        : vocabulary_(&vocabulary), size_(vocabulary.size()) {}
    explicit TermNumbers(std::uint32_t buckets) : size_(buckets) {}

    std::size_t size() const { return size_; }
    const Vocabulary* vocabulary() const { return vocabulary_; }  // null with buckets
    Fate fate() const { return vocabulary_ != nullptr ? Fate::dropped : Fate::joined; }

    void prefetch(const WordKey& key) const {
        if (vocabulary_ != nullptr) vocabulary_->terms().prefetch(key);
    }

    // Returns the number of the term, WordTable::absent if the word is not a term.
    std::uint32_t find(const WordKey& key) const {
        return vocabulary_ != nullptr ? vocabulary_->terms().find(key)
                                      : bucket_of(key, static_cast<std::uint32_t>(size_));
    }

    // Returns the number of each word of a lane, by its number in the lane.
    std::vector<std::uint32_t> look_up(const TermTable& words) const {
        return vocabulary_ != nullptr ? vocabulary_->look_up(words)
                                      : buckets_of(words, static_cast<std::uint32_t>(size_));
    }

private:
    const Vocabulary* vocabulary_ = nullptr;
    std::size_t size_;
};

}  // namespace postil
