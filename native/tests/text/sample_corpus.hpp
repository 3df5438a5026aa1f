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

// The new name of a word under one of the word maps; an empty optional or name drops it.
inline std::optional<std::string> name_of(std::size_t map, std::string_view word) {
    auto sum = static_cast<unsigned>(map);
    for (const auto byte : word) sum = sum * 31 + static_cast<unsigned char>(byte);
    switch (sum % 7) {
        case 0: return std::nullopt;
        case 1: return "";
        case 2: return "stem" + std::to_string(word.size() % 5);
        case 3: return std::string(word).append("-much-longer-than-before");
        default: return std::string(word);
    }
}

inline WordNames names_of(std::size_t map, const std::vector<std::string>& words) {
    WordNames names;
    for (const auto& word : words) names.push_back(name_of(map, word));
    return names;
}

struct Plan {
    Readings readings;
    bool renames = false;
    bool forms_grams = false;
    TermBounds bounds;
    std::vector<bool> learned;  // by document: whether its terms count
};

inline Plan random_plan(const SampleCorpus& corpus, Random& random, bool large) {
    Plan plan;
    const bool apart = random.one_in(2);
    const auto fields = corpus.texts.size();
    std::size_t maps = 0;
    for (auto parts = large || random.one_in(2) ? 1 : random.between(2, 3); parts > 0; --parts) {
        const auto first_space = plan.readings.empty() ? 0 : plan.readings.back().space + 1;
        Reading reading;
        reading.options = random_options(random);
        if (large && makes_char_grams(reading.options.kind)) reading.options.kind = TokenKind::words;
        if (random.one_in(2)) reading.word_map = maps++;
        if (random.one_in(2)) {
            reading.shortest_gram = static_cast<std::uint32_t>(random.between(1, 2));
            reading.longest_gram =
                reading.shortest_gram + static_cast<std::uint32_t>(random.below(large ? 2 : 3));
        }
        for (reading.column = 0; reading.column < fields; ++reading.column) {
            reading.space = static_cast<Space>(first_space + (apart ? reading.column : 0));
            plan.readings.push_back(reading);
        }
    }
    plan.renames = any_maps_words(plan.readings);
    plan.forms_grams = any_forms_grams(plan.readings);
    if (random.one_in(large ? 4 : 2)) plan.bounds.min_documents = random.between(0, 3);
    if (random.one_in(3)) plan.bounds.max_documents = random.between(1, corpus.documents());
    if (random.one_in(2)) plan.bounds.max_terms = random.between(1, large ? 12'000 : 30);
    const bool learn_all = random.one_in(2);
    for (std::size_t document = 0; document < corpus.documents(); ++document)
        plan.learned.push_back(learn_all || !random.one_in(4));
    return plan;
}

inline std::string describe(const Plan& plan) {
    std::string described;
    for (const auto& reading : plan.readings) described += describe(reading.options) + "; ";
    return described;
}

}  // namespace postil::tests
