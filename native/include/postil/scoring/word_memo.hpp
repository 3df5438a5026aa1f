// What became of the words of texts, so that a word map is asked for each of them only once.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "postil/counting/counting.hpp"
#include "postil/scoring/term_numbers.hpp"

namespace postil {

using WordNames = std::vector<std::optional<std::string>>;

// Names words anew, one name for each; no value drops the word.
using WordMap = std::function<WordNames(const std::vector<std::string>&)>;

// Surface words and the numbers they are counted under. It only ever grows: whoever wants it
// smaller begins a new one. Memory is about 85 bytes and the text for each word.
//
// Readers hold `lock` shared while they look words up; `learn` takes it alone.
class WordMemo {
public:
    static constexpr std::uint32_t dropped = WordTable::absent;
    static constexpr std::uint32_t unknown = dropped - 1;

    // Where `number_unseen`, names that are no terms have numbers past those of the terms; else
    // they are dropped.
    WordMemo(const TermNumbers& numbers, bool number_unseen)
        : numbers_(numbers), number_unseen_(number_unseen) {}

    std::size_t size() const {
        const std::shared_lock reading(lock);
        return words_.size();
    }

    void prefetch(const WordKey& key) const { words_.prefetch(key); }

    // Its number, `dropped` or `unknown`.
    std::uint32_t find(const WordKey& key) const {
        const auto id = words_.find(key);
        return id == WordTable::absent ? unknown : number_of_[id];
    }

    // Takes in words of lanes, named as `distinct` lists them. Words known already stay.
    void learn(const std::vector<TermTable>& lanes, const DistinctWords& distinct,
               const WordNames& names);

    mutable std::shared_mutex lock;

private:
    std::uint32_t number_named(Space space, const std::string& name);

    TermNumbers numbers_;
    bool number_unseen_;
    WordTable words_;
    std::vector<std::uint32_t> number_of_;  // by word
    WordTable unseen_;                      // names that are no terms
};

}  // namespace postil
