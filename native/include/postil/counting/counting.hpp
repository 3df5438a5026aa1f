// Texts to rows of counted terms.
//
// Documents are cut into chunks; each worker has a lane with a word table of its own, so that
// nothing is locked while counting. A batch then passes through stages, each lane by itself:
//
//     count_texts      tokens of every document, as counts or (for n-grams) in sequence
//     rename_words     every distinct word becomes another, or is dropped (stop lists, stems)
//     form_grams       sequences of words become counts of word n-grams
//
// Time is linear in the texts; memory is 4 bytes for each distinct term of each document, plus
// the distinct words once for each lane.
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

// How many documents hold a word, and how often it occurs in all.
struct WordCounts {
    std::uint32_t documents = 0, occurrences = 0;
};

using Tally = std::vector<WordCounts>;  // by number

// The final number of each word by lane and number: WordTable::absent drops it.
using FinalTerms = std::vector<std::vector<std::uint32_t>>;

// What may become of words on their way to terms.
enum class Fate : std::uint8_t {
    joined,   // several become one term, as in hash buckets
    dropped,  // each is a term of its own, or none
    kept,     // each is a term of its own
};

inline constexpr std::uint32_t field_end = WordTable::absent;

// What is wanted of words.
struct Wanted {
    bool in_sequence = false;  // their order, for n-grams to be formed of
    bool tallies = false;      // their counts in the batch, for a collector of terms
};

struct Batch {
    std::vector<TermTable> lanes;
    std::vector<Chunk> chunks;
    std::size_t documents = 0;
    bool in_sequence = false;
    // By lane and number, where they are wanted. Counted chunk by chunk, while a chunk is in the cache.
    std::optional<std::vector<Tally>> tallies;
};

// Which space each column's words belong to: all 0 where fields are joined.
using Spaces = std::vector<Space>;

// With several lanes the tables come in shards, ready to be merged side by side.
Batch count_texts(const Columns& columns, const Spaces& spaces, const TokenizerOptions& options,
                  Wanted wanted, std::size_t workers, Monitor& monitor);

// The tokens of one text, in order.
std::vector<std::string> list_tokens(const TextView& text, const TokenizerOptions& options);

// The number of tokens of each text.
std::vector<std::size_t> count_tokens(const std::vector<TextView>& texts,
                                      const TokenizerOptions& options, std::size_t workers,
                                      Monitor& monitor);

// The distinct words of all lanes and spaces, each once, in an order of no meaning.
struct DistinctWords {
    std::vector<std::string> words;
    std::vector<std::vector<std::uint32_t>> index_of;  // [lane][word number] -> place in `words`
};

DistinctWords distinct_words(const std::vector<TermTable>& lanes);

// names[i] replaces words[i]; no value drops it.
void rename_words(Batch& batch, const DistinctWords& distinct,
                  const std::vector<std::optional<std::string>>& names, std::size_t workers,
                  Monitor& monitor);

// Word n-grams of every size from shortest to longest, joined by a space, within a field.
void form_grams(Batch& batch, std::uint32_t shortest, std::uint32_t longest, std::size_t workers,
                Monitor& monitor);

}  // namespace postil
