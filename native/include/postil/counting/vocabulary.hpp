// The terms of a corpus: collected from batches, filtered, ranked, and looked up.
#pragma once

#include <cstdint>
#include <vector>

#include "postil/counting/counting.hpp"

namespace postil {

// The provisional number of a term while a vocabulary is collected.
using Provisional = std::uint32_t;

struct LaneShard;
class RankOrder;
class RankPieces;

struct TermBounds {
    std::uint64_t min_documents = 1;
    std::uint64_t max_documents = UINT64_MAX;
    std::uint64_t min_occurrences = 1;
    std::uint64_t max_terms = UINT64_MAX;  // the most frequent terms by occurrences are kept
};

// Terms ranked by falling document frequency; ties by bytes, then by space. The order depends only
// on the set of documents, not on their order, the batches or the threads.
class Vocabulary {
public:
    Vocabulary() = default;

    // Appends terms in rank order. Throws std::invalid_argument for a repeated term.
    void append(Space space, std::string_view padded_bytes);

    std::size_t size() const;
    std::string_view term(std::uint32_t rank) const;  // the bytes of the term
    Space space(std::uint32_t rank) const;
    const WordTable& terms() const { return terms_; }

    // Returns the rank of each word of a lane by number, WordTable::absent for words that are not
    // terms.
    std::vector<std::uint32_t> look_up(const TermTable& words) const;

private:
    WordTable terms_;
};

// Returns the hash bucket of a word, the alternative to a vocabulary.
inline std::uint32_t bucket_of(const WordKey& key, std::uint32_t buckets) {
    return static_cast<std::uint32_t>((key.hash >> 32) % buckets);
}

// Returns the bucket of each word of a lane, by number.
std::vector<std::uint32_t> buckets_of(const TermTable& words, std::uint32_t buckets);

// The provisional number of each word of a lane, by shard and number within the shard. One vector
// per shard, so that workers that fill them in parallel share no cache line.
using LaneTerms = std::vector<std::vector<Provisional>>;

// Collects terms and, optionally, the rows that contain them, batch by batch.
class TermCollector {
public:
    explicit TermCollector(bool keep_rows) : counts_(1), keep_rows_(keep_rows) {}

    // Adds a batch. `learned` says for each document whether its terms count towards frequencies
    // and totals; if empty, all do. Rows of all documents are kept, so that a test set can be read
    // in the same pass as the training set.
    void add(Batch&& batch, const std::vector<bool>& learned, std::size_t workers,
             Monitor& monitor);

    // Adds terms counted elsewhere, to merge partial vocabularies.
    void add_terms(const WordTable& terms, const std::vector<std::uint64_t>& documents,
                   const std::vector<std::uint64_t>& occurrences, std::uint64_t document_count);

    std::uint64_t documents() const { return documents_; }
    std::size_t size() const;
    std::size_t number_end() const;  // one past the largest provisional number

    struct Ranking {
        std::vector<Provisional> order;          // rank -> provisional number
        std::vector<std::uint64_t> documents;    // document frequency by rank
        std::vector<std::uint64_t> occurrences;  // by rank
        std::vector<std::uint32_t> rank_of;      // provisional number -> rank, or absent
    };

    Ranking rank(const TermBounds& bounds, std::size_t workers, Monitor& monitor) const;
    Vocabulary vocabulary(const Ranking& ranking) const;

    // Rows in document order, and the ranks of their words. The collector keeps none of them.
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

    // Calls sink(key) for every `every`-th term of a shard that passes the bounds.
    template <class Sink>
    void for_each_key(std::size_t shard, std::size_t stride, const TermBounds& bounds,
                      Sink&& sink) const;
    RankPieces choose_pieces(const RankOrder& order, const TermBounds& bounds,
                             std::size_t workers) const;

    void count(Provisional term, std::uint64_t documents, std::uint64_t occurrences);

    // Three ways to add words; each returns their numbers. take_over moves the table into a shard
    // that is still empty; the second is for words sharded like the terms; the third for any words.
    std::vector<Provisional> take_over(LaneShard&& from);
    std::vector<Provisional> merge_into_shard(const LaneShard& from);
    std::vector<Provisional> merge_anywhere(const LaneShard& from);

    TermTable terms_;
    // By shard, like the terms, so that workers can fill them in parallel.
    std::vector<std::vector<Counts>> counts_;
    std::vector<Chunk> rows_;
    // By lane of the rows. Rows keep the word numbers of their lane: they are renumbered once, when
    // the matrix is built.
    std::vector<LaneTerms> lanes_;
    std::uint64_t documents_ = 0;
    bool keep_rows_;
};

}  // namespace postil
