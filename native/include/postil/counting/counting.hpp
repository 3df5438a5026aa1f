// Counts the terms of texts.
//
// Documents are cut into chunks. Each worker has a lane with a word table of its own, so that
// counting takes no locks. A batch then passes through stages, each lane by itself:
//
//     count_texts      tokens of every document, as counts or (for n-grams) in sequence
//     rename_words     every distinct word is renamed or dropped (stop lists, stemming)
//     form_grams       sequences of words become counts of word n-grams
//
// Time is linear in the texts. Memory is 4 bytes for each distinct term of each document, plus the
// distinct words once per lane.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "postil/counting/occurrences.hpp"
#include "postil/counting/term_table.hpp"
#include "postil/system/threads.hpp"
#include "postil/tokenizer/options.hpp"
#include "postil/tokenizer/texts.hpp"

namespace postil {

// Consecutive documents: their counted terms, or their words in order.
struct Chunk {
    std::size_t first_document = 0;
    std::size_t documents = 0;
    std::size_t lane = 0;
    Occurrences entries;
    std::vector<std::uint32_t> row_ends;       // into entries, one for each document
    std::vector<std::uint32_t> sequence;       // word numbers; `field_end` closes each field
    std::vector<std::uint64_t> sequence_ends;  // into sequence, one for each document
};

// The number of documents that contain a word, and its total number of occurrences.
struct WordCounts {
    std::uint32_t documents = 0, occurrences = 0;
};

using Tally = std::vector<WordCounts>;  // by number

// The final number of each word, by lane and number. WordTable::absent drops the word.
using FinalTerms = std::vector<std::vector<std::uint32_t>>;

// How words map to terms.
enum class Fate : std::uint8_t {
    joined,   // several words may become one term, as in hash buckets
    dropped,  // each word becomes a term of its own or is dropped
    kept,     // each word becomes a term of its own
};

inline constexpr std::uint32_t field_end = WordTable::absent;

// What count_texts keeps about words.
struct Wanted {
    bool in_sequence = false;  // their order, to form n-grams
    bool tallies = false;      // their counts in the batch, for a TermCollector
};

struct Batch {
    std::vector<TermTable> lanes;
    std::vector<Chunk> chunks;
    std::size_t documents = 0;
    bool in_sequence = false;
    // By lane and number, if requested. Updated per chunk, while the chunk is in the cache.
    std::optional<std::vector<Tally>> tallies;
};

// The space of each column's words: all 0 if fields are joined.
using Spaces = std::vector<Space>;

// Counts the tokens of documents. With several lanes the tables are sharded, so that they can be
// merged in parallel.
Batch count_texts(const Columns& columns, const Spaces& spaces, const TokenizerOptions& options,
                  Wanted wanted, std::size_t workers, Monitor& monitor);

// Returns the tokens of one text, in order.
std::vector<std::string> list_tokens(const TextView& text, const TokenizerOptions& options);

// Returns the number of tokens of each text.
std::vector<std::size_t> count_tokens(const std::vector<TextView>& texts,
                                      const TokenizerOptions& options, std::size_t workers,
                                      Monitor& monitor);

// The distinct words of all lanes and spaces, each once, in unspecified order.
struct DistinctWords {
    std::vector<std::string> words;
    std::vector<std::vector<std::uint32_t>> index_of;  // [lane][word number] -> place in `words`
};

DistinctWords distinct_words(const std::vector<TermTable>& lanes);

// Replaces words[i] by names[i]; an empty name drops the word.
void rename_words(Batch& batch, const DistinctWords& distinct,
                  const std::vector<std::optional<std::string>>& names, std::size_t workers,
                  Monitor& monitor);

// Forms word n-grams of every size from shortest to longest within a field, joined by a space.
void form_grams(Batch& batch, std::uint32_t shortest, std::uint32_t longest, std::size_t workers,
                Monitor& monitor);

}  // namespace postil
