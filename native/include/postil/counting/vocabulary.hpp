// The terms of a corpus: gathered from batches, filtered and ranked, then looked up.
#pragma once

#include <cstdint>
#include <vector>

#include "postil/counting/counting.hpp"

namespace postil {

// A term's provisional number while a vocabulary is being gathered.
using Provisional = std::uint32_t;

struct LaneShard;
class RankOrder;
class RankPieces;

struct TermBounds {
    std::uint64_t min_documents = 1;
    std::uint64_t max_documents = UINT64_MAX;
    std::uint64_t min_occurrences = 1;
    std::uint64_t max_terms = UINT64_MAX;  // the most frequent by occurrences are kept
};

// Terms ranked by falling document frequency, ties by their bytes, then by space: an order that
// depends on the set of documents alone, not on their order, the batches or the threads.
class Vocabulary {
public:
    Vocabulary() = default;

    // The caller passes terms in rank order; a repeated term throws std::invalid_argument.
    void append(Space space, std::string_view padded_bytes);

    std::size_t size() const;
    std::string_view term(std::uint32_t rank) const;  // its bytes
    Space space(std::uint32_t rank) const;
    const WordTable& terms() const { return terms_; }

    // The rank of each word of a lane by number, WordTable::absent where it is no term.
    std::vector<std::uint32_t> look_up(const TermTable& words) const;

private:
    WordTable terms_;
};

// The hash bucket of a word: the other way to number terms.
inline std::uint32_t bucket_of(const WordKey& key, std::uint32_t buckets) {
    return static_cast<std::uint32_t>((key.hash >> 32) % buckets);
}

// The bucket of each word of a lane by number.
std::vector<std::uint32_t> buckets_of(const TermTable& words, std::uint32_t buckets);

// The provisional number of each word of a lane, by shard and number within it. Apart by shard, for
// workers that fill them side by side would else write to one cache line.
using LaneTerms = std::vector<std::vector<Provisional>>;

// Gathers terms and, if asked, the rows that hold them, batch by batch.
class TermCollector {
public:
    explicit TermCollector(bool keep_rows) : counts_(1), keep_rows_(keep_rows) {}

    // `learned` says of each document of the batch whether its terms count towards frequencies
    // and totals; without it all do. Rows are kept of all documents: those of a test set can so
    // be gathered in the same pass as the training set's.
    void add(Batch&& batch, const std::vector<bool>& learned, std::size_t workers,
             Monitor& monitor);

    // Adds terms counted elsewhere: the way partial vocabularies are merged.
    void add_terms(const WordTable& terms, const std::vector<std::uint64_t>& documents,
                   const std::vector<std::uint64_t>& occurrences, std::uint64_t document_count);

    std::uint64_t documents() const { return documents_; }
    std::size_t size() const;
    std::size_t number_end() const;  // one past the largest provisional number

    struct Ranking {
        std::vector<Provisional> order;             // rank -> provisional number
        std::vector<std::uint64_t> documents;       // document frequency by rank
        std::vector<std::uint64_t> occurrences;     // by rank
        std::vector<std::uint32_t> rank_of;         // provisional number -> rank, or absent
    };

    Ranking rank(const TermBounds& bounds, std::size_t workers, Monitor& monitor) const;
    Vocabulary vocabulary(const Ranking& ranking) const;

    // The rows in document order, and the rank of their words. Leaves none behind.
    struct Rows {
        std::vector<Chunk> chunks;
        FinalTerms final_terms;
        Fate fate = Fate::kept;
    };
    Rows take_rows(const Ranking& ranking, std::size_t workers, Monitor& monitor);

private:
    struct Counts {
        std::uint64_t documents = 0, occurrences = 0;

        void add(std::uint64_t more_documents, std::uint64_t more_occurrences) {
            documents += more_documents;
            occurrences += more_occurrences;
        }
    };

    std::uint64_t occurrences_of(Provisional term) const {
        return counts_[terms_.shard_of(term)][terms_.local_of(term)].occurrences;
    }

    // Calls sink(key) for the terms of a shard that pass the bounds, of which it looks at every so many.
    template <class Sink>
    void for_each_key(std::size_t shard, std::size_t stride, const TermBounds& bounds,
                      Sink&& sink) const;
    RankPieces choose_pieces(const RankOrder& order, const TermBounds& bounds,
                             std::size_t workers) const;

    void count(Provisional term, std::uint64_t documents, std::uint64_t occurrences);

    // Three ways to add words; each returns their numbers. The first for a shard that has none yet, which
    // takes their table as it is, the second where words and terms are cut into shards alike.
    std::vector<Provisional> take_over(LaneShard&& from);
    std::vector<Provisional> merge_into_shard(const LaneShard& from);
    std::vector<Provisional> merge_anywhere(const LaneShard& from);

    TermTable terms_;
    // By shard, like the terms, so that workers can fill them side by side.
    std::vector<std::vector<Counts>> counts_;
    std::vector<Chunk> rows_;
    // By lane of the rows. Rows keep the words they were counted in: renumbering them once, when
    // their matrix is built, is enough.
    std::vector<LaneTerms> lanes_;
    std::uint64_t documents_ = 0;
    bool keep_rows_;
};

}  // namespace postil
