// Documents made of fuzzed bytes, and random settings for their processing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../random.hpp"
#include "encodings.hpp"
#include "postil/counting/counting.hpp"
#include "postil/counting/vocabulary.hpp"
#include "tokenizer_checks.hpp"

namespace postil::tests {

struct SampleCorpus {
    std::vector<std::vector<ExactText>> texts;  // [field][document]

    std::size_t documents() const { return texts[0].size(); }

    Columns views(std::size_t first, std::size_t last) const {
        Columns columns;
        for (const auto& field : texts) {
            auto& views = columns.emplace_back();
            for (auto at = first; at < last; ++at) views.push_back(field[at].view());
        }
        return columns;
    }
};

// The text itself, or its characters in one of the encodings that can hold them.
inline ExactText in_some_encoding(const std::string& bytes, Random& random) {
    if (random.one_in(2)) return {bytes, Encoding::utf8};
    const auto characters = decode_utf8(bytes).codes;
    return encode(characters, random.pick(encodings_of(characters)));
}

inline std::string part_of(const std::string& bytes, Random& random) {
    const auto first = random.below(bytes.size() + 1);
    return bytes.substr(first, random.below(bytes.size() - first + 1));
}

inline SampleCorpus small_corpus(const std::string& bytes, Random& random) {
    SampleCorpus corpus;
    const auto documents = random.between(1, 12);
    for (auto fields = random.between(1, 3); fields > 0; --fields) {
        auto& field = corpus.texts.emplace_back();
        while (field.size() < documents)
            field.push_back(in_some_encoding(part_of(bytes, random), random));
    }
    return corpus;
}

// Returns one of many words, spelled in letters only.
inline std::string numbered_word(std::size_t number) {
    std::string word = " w";
    for (; number > 0; number /= 26) word.push_back(static_cast<char>('a' + number % 26));
    return word;
}

// Enough text for several chunks, and enough distinct words for a sort in pieces.
inline SampleCorpus large_corpus(const std::string& bytes, Random& random) {
    SampleCorpus corpus;
    auto& field = corpus.texts.emplace_back();
    for (std::size_t size = 0; size < 900'000;) {
        auto text = part_of(bytes, random);
        for (auto words = random.below(400); words > 0; --words)
            text += numbered_word(random.below(20'000));
        size += text.size();
        field.push_back(in_some_encoding(text, random));
    }
    return corpus;
}

// The new name of a word; an empty optional or name drops it.
inline std::optional<std::string> name_of(std::string_view word) {
    unsigned sum = 0;
    for (const auto byte : word) sum = sum * 31 + static_cast<unsigned char>(byte);
    switch (sum % 7) {
        case 0: return std::nullopt;
        case 1: return "";
        case 2: return "stem" + std::to_string(word.size() % 5);
        case 3: return std::string(word).append("-much-longer-than-before");
        default: return std::string(word);
    }
}

struct Plan {
    TokenizerOptions options;
    Spaces spaces;
    bool rename = false;
    bool in_sequence = false;
    std::uint32_t shortest = 1, longest = 1;  // word n-grams, only in sequence
    TermBounds bounds;
    std::vector<bool> learned;  // by document: whether its terms count
};

inline Plan random_plan(const SampleCorpus& corpus, Random& random, bool large) {
    Plan plan;
    plan.options = random_options(random);
    if (large && makes_char_grams(plan.options.kind)) plan.options.kind = TokenKind::words;
    const bool apart = random.one_in(2);
    for (std::size_t field = 0; field < corpus.texts.size(); ++field)
        plan.spaces.push_back(apart ? static_cast<Space>(field) : 0);
    plan.rename = random.one_in(2);
    plan.in_sequence = random.one_in(2);
    if (plan.in_sequence) {
        plan.shortest = static_cast<std::uint32_t>(random.between(1, 2));
        plan.longest = plan.shortest + static_cast<std::uint32_t>(random.below(large ? 2 : 3));
    }
    if (random.one_in(large ? 4 : 2)) plan.bounds.min_documents = random.between(0, 3);
    if (random.one_in(3)) plan.bounds.max_documents = random.between(1, corpus.documents());
    if (random.one_in(2)) plan.bounds.max_terms = random.between(1, large ? 12'000 : 30);
    const bool learn_all = random.one_in(2);
    for (std::size_t document = 0; document < corpus.documents(); ++document)
        plan.learned.push_back(learn_all || !random.one_in(4));
    return plan;
}

}  // namespace postil::tests
