// Converts the texts of one document to its vector.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "document_counts.hpp"
#include "lookups.hpp"
#include "postil/counting/counting.hpp"
#include "postil/counting/weighting.hpp"
#include "postil/counting/word_table.hpp"
#include "postil/system/threads.hpp"
#include "postil/tokenizer/texts.hpp"
#include "postil/tokenizer/tokenizer.hpp"

namespace postil {

// The vector of a document; the arrays may be longer than `length`.
struct DocumentVector {
    std::vector<std::int32_t> terms;
    std::vector<float> values;
    std::size_t length = 0;
};

struct alignas(128) Workbench {
    TokenizerScratch tokenizer;
    DocumentCounts counts;
    DocumentVector vector;
    std::vector<double> sums;      // by category
    WordTable unseen;              // words that are not terms, of this and earlier documents
    std::size_t longest_text = 0;  // in bytes: the buffers keep the room that it took
};

// Counts tokens. Keys are made a few at a time and their slots prefetched together, so that one
// wait for memory covers many.
template <class Lookup>
void count_tokens(Lookup& lookup, Space space, const Tokens& tokens, DocumentCounts& counts) {
    constexpr std::size_t few = 32;
    std::array<WordKey, few> keys;
    for (std::size_t from = 0; from < tokens.size(); from += few) {
        const auto taken = std::min(few, tokens.size() - from);
        counts.reserve(taken);
        for (std::size_t i = 0; i < taken; ++i) {
            std::construct_at(&keys[i], space, tokens[from + i]);
            lookup.prefetch(keys[i]);
        }
        for (std::size_t i = 0; i < taken; ++i) counts.add(lookup.number(keys[i]));
    }
}

template <class Lookup>
void count_text(const TextView& text, const Reading& reading, Lookup& lookup, Workbench& bench,
                Monitor& monitor) {
    tokenize(text, reading.options, bench.tokenizer, [&](const Tokens& tokens) {
        monitor.check();  // one document may be very long
        count_tokens(lookup, reading.space, tokens, bench.counts);
    });
}

// Weights a document. Numbers past the terms are words that only count towards the norm.
inline void weigh_document(const DocumentCounts& counts, const Weighting& weighting,
                           std::size_t terms, DocumentVector& vector) {
    if (vector.terms.size() < counts.size()) {
        vector.terms.resize(counts.size());
        vector.values.resize(counts.size());
    }
    vector.length = 0;
    double unseen = 0.0;
    for (std::size_t at = 0; at < counts.size(); ++at) {
        const auto [number, count] = counts[at];
        if (number < terms) {
            vector.terms[vector.length] = static_cast<std::int32_t>(number);
            vector.values[vector.length++] = static_cast<float>(count);
        } else if (number != dropped) {
            unseen += unseen_share(weighting, count);
        }
    }
    weigh_row(weighting, vector.terms.data(), vector.values.data(), vector.length, unseen);
}

}  // namespace postil
