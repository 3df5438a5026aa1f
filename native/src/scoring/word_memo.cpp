#include "postil/scoring/word_memo.hpp"

#include <mutex>

namespace postil {

std::uint32_t WordMemo::number_named(Space space, std::string_view name) {
    const auto padded = std::string(name).append(string_padding, '\0');
    const WordKey key(space, std::string_view(padded).substr(0, name.size()));
    const auto number = numbers_.find(key);
    if (number != WordTable::absent || !number_unseen_) return number;
    return static_cast<std::uint32_t>(numbers_.size()) + unseen_.intern(key);
}

void WordMemo::learn(const std::vector<TermTable>& lanes, const DistinctWords& distinct,
                     const std::vector<WordNames>& names) {
    const std::unique_lock writing(lock);
    try {
        for (std::size_t lane = 0; lane < lanes.size(); ++lane)
            lanes[lane].for_each([&](std::uint32_t word) {
                if (words_.intern(lanes[lane].key(word)) < number_of_.size()) return;
                const auto space = lanes[lane].space(word);
                const auto map = distinct.map_of[space];
                if (map == Reading::unmapped) {
                    number_of_.push_back(number_named(space, lanes[lane].text(word)));
                    return;
                }
                const auto& name = names[map][distinct.index_of[lane][word]];
                number_of_.push_back(name && !name->empty() ? number_named(space, *name) : dropped);
            });
    } catch (...) {  // out of memory: remove the word, which has no number
        words_ = WordTable();
        number_of_.clear();
        throw;
    }
}

}  // namespace postil
