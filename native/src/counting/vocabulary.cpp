#include "postil/counting/vocabulary.hpp"

#include <stdexcept>
#include <string>

namespace postil {

void Vocabulary::append(Space space, std::string_view padded_bytes) {
    const auto expected = terms_.size();
    if (terms_.intern(WordKey(space, padded_bytes)) != expected)
        throw std::invalid_argument("a term stands twice in the vocabulary: " +
                                    std::string(padded_bytes));
}

std::size_t Vocabulary::size() const { return terms_.size(); }

std::string_view Vocabulary::term(std::uint32_t rank) const { return terms_.text(rank); }

Space Vocabulary::space(std::uint32_t rank) const { return terms_.space(rank); }

std::vector<std::uint32_t> buckets_of(const TermTable& words, std::uint32_t buckets) {
    std::vector<std::uint32_t> numbers(words.number_end(), WordTable::absent);
    words.for_each(
        [&](std::uint32_t word) { numbers[word] = bucket_of(words.key(word), buckets); });
    return numbers;
}

std::vector<std::uint32_t> Vocabulary::look_up(const TermTable& words) const {
    std::vector<std::uint32_t> ranks(words.number_end(), WordTable::absent);
    words.for_each([&](std::uint32_t word) { ranks[word] = terms_.find(words.key(word)); });
    return ranks;
}

}  // namespace postil
