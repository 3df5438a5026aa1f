// A memo of mapped words, so that a word map is called only once for each word.
#pragma once

#include <cstdint>
#include <functional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "postil/counting/counting.hpp"
#include "postil/scoring/term_numbers.hpp"

namespace postil {

// Maps words to new names, one for each, by the word map of a number.
using WordMap = std::function<WordNames(std::size_t, const std::vector<std::string>&)>;

// Surface words and the numbers under which they are counted. It only grows; to limit it, start a
// new one. Memory is about 85 bytes plus the text for each word.
//
// Readers hold `lock` shared while they look words up; `learn` takes it exclusively.
class WordMemo {
public:
    static constexpr std::uint32_t dropped = WordTable::absent;
    static constexpr std::uint32_t unknown = dropped - 1;

    // If `number_unseen`, names that are not terms get numbers past those of the terms; else they
    // are dropped.
    WordMemo(const TermNumbers& numbers, bool number_unseen)
        : numbers_(numbers), number_unseen_(number_unseen) {}

    std::size_t size() const {
        const std::shared_lock reading(lock);
        return words_.size();
    }

    void prefetch(const WordKey& key) const { words_.prefetch(key); }

    // Returns the number of a word, `dropped` or `unknown`.
    std::uint32_t find(const WordKey& key) const {
        const auto id = words_.find(key);
        return id == WordTable::absent ? unknown : number_of_[id];
    }

    // Adds the words of lanes with the names of `distinct`. Known words keep their numbers.
    void learn(const std::vector<TermTable>& lanes, const DistinctWords& distinct,
               const std::vector<WordNames>& names);

    const TermNumbers& numbers() const { return numbers_; }
    bool number_unseen() const { return number_unseen_; }

    mutable std::shared_mutex lock;

private:
    std::uint32_t number_named(Space space, std::string_view name);

    TermNumbers numbers_;
    bool number_unseen_;
    WordTable words_;
    std::vector<std::uint32_t> number_of_;  // by word
    WordTable unseen_;                      // names that are not terms
};

}  // namespace postil
