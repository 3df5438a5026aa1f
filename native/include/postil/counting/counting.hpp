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

// How a column of texts becomes terms. A union of analyzers reads a column several times, each time
// into another space.
struct Reading {
    static constexpr std::size_t unmapped = SIZE_MAX;

    std::size_t column = 0;
    Space space = 0;  // of its terms: 0 throughout if fields are joined
    TokenizerOptions options;
    std::size_t word_map = unmapped;  // the number of the map that renames its words
    std::uint32_t shortest_gram = 1;  // in words
    std::uint32_t longest_gram = 1;

    bool forms_grams() const { return longest_gram > 1; }
};

// Readings with equal spaces have equal word maps.
using Readings = std::vector<Reading>;

bool any_forms_grams(const Readings& readings);
bool any_maps_words(const Readings& readings);

// Consecutive documents: their counted terms, and the words of their n-grams in order.
struct Chunk {
    std::size_t first_document = 0;
    std::size_t documents = 0;
    std::size_t lane = 0;
    Occurrences entries;
    std::vector<std::uint32_t> row_ends;  // into entries, one for each document
    // Word numbers, document by document, of the readings that form n-grams; `field_end` closes each.
    std::vector<std::uint32_t> sequence;
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

struct Batch {
    std::vector<TermTable> lanes;
    std::vector<Chunk> chunks;
    std::size_t documents = 0;
    Readings readings;
    bool in_sequence = false;  // until n-grams are formed
    // By lane and number, if requested. Updated per chunk, while the chunk is in the cache.
    std::optional<std::vector<Tally>> tallies;
};

// Counts the tokens of documents, with tallies if a TermCollector wants them. With several lanes
// the tables are sharded, so that they can be merged in parallel.
Batch count_texts(const Columns& columns, const Readings& readings, bool tallies,
                  std::size_t workers, Monitor& monitor);

// Returns the tokens of one text, in order.
std::vector<std::string> list_tokens(const TextView& text, const TokenizerOptions& options);

// Returns the number of tokens of each text.
std::vector<std::size_t> count_tokens(const std::vector<TextView>& texts,
                                      const TokenizerOptions& options, std::size_t workers,
                                      Monitor& monitor);

using WordNames = std::vector<std::optional<std::string>>;  // an empty name drops the word

// The distinct words of all lanes that a word map renames, each once for its map, in unspecified
// order.
struct DistinctWords {
    std::vector<std::vector<std::string>> words;       // by map
    std::vector<std::size_t> map_of;                   // by space; Reading::unmapped for none
    std::vector<std::vector<std::uint32_t>> index_of;  // [lane][word number] -> place in its `words`
};

DistinctWords distinct_words(const std::vector<TermTable>& lanes, const Readings& readings);

// Replaces words[map][i] by names[map][i].
void rename_words(Batch& batch, const DistinctWords& distinct,
                  const std::vector<WordNames>& names, std::size_t workers, Monitor& monitor);

// Forms word n-grams of every size from shortest to longest within a field, joined by a space, of
// the readings that form them.
void form_grams(Batch& batch, std::size_t workers, Monitor& monitor);

}  // namespace postil
