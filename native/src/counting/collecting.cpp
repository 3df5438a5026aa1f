#include <algorithm>
#include <atomic>
#include <iterator>
#include <new>
#include <span>
#include <utility>

#include "interning.hpp"
#include "postil/counting/vocabulary.hpp"

namespace postil {

// The words of one shard of a lane, with their tallies.
struct LaneShard {
    WordTable words;
    const Tally& tally;  // of the whole lane
    const TermTable& lane;
    std::size_t shard;

    const WordCounts& counted(std::size_t local) const {
        return tally[lane.number(shard, static_cast<std::uint32_t>(local))];
    }
};

namespace {

// Adds the words to a table and calls sink(local, id) for each.
template <class Table, class Sink>
void enter(const LaneShard& from, Table& table, Sink&& sink) {
    intern_many(
        table, from.words.size(),
        [&](WordKey* key, std::size_t local) {
            ::new (key) WordKey(from.words.key(static_cast<std::uint32_t>(local)));
        },
        [&](std::size_t first, std::span<const std::uint32_t> ids) {
            for (std::size_t i = 0; i < ids.size(); ++i) sink(first + i, ids[i]);
        });
}

// Returns the tally of each lane over the learned documents; `learned` is empty if all are.
std::vector<Tally> tally_lanes(const Batch& batch, const std::vector<bool>& learned,
                               std::size_t workers, Monitor& monitor) {
    std::vector<Tally> tallies(batch.lanes.size());
    run_tasks(tallies.size(), workers, monitor, [&](std::size_t lane, std::size_t) {
        auto& of_word = tallies[lane];
        of_word.resize(batch.lanes[lane].number_end());
        for (const auto& chunk : batch.chunks) {
            if (chunk.lane != lane) continue;
            monitor.check();
            std::size_t at = 0;
            for (std::size_t row = 0; row < chunk.documents; ++row) {
                const bool counts_here = learned.empty() || learned[chunk.first_document + row];
                if (!counts_here) at = chunk.row_ends[row];
                for (; at < chunk.row_ends[row]; ++at) {
                    const auto [word, count] = chunk.entries[at];
                    ++of_word[word].documents;
                    of_word[word].occurrences += count;
                }
            }
        }
    });
    return tallies;
}

// Returns the rank of each word of a lane; sets `fate` to dropped if one has none.
std::vector<std::uint32_t> ranks_of(const LaneTerms& lane, const TermCollector::Ranking& ranking,
                                    Fate& fate) {
    std::size_t longest = 0;
    for (const auto& shard : lane) longest = std::max(longest, shard.size());
    std::vector<std::uint32_t> ranks(longest * lane.size(), WordTable::absent);
    for (std::size_t shard = 0; shard < lane.size(); ++shard)
        for (std::size_t local = 0; local < lane[shard].size(); ++local) {
            const auto rank = ranking.rank_of[lane[shard][local]];
            if (rank == WordTable::absent) fate = Fate::dropped;
            ranks[local * lane.size() + shard] = rank;
        }
    return ranks;
}

}  // namespace

std::size_t TermCollector::size() const { return terms_.size(); }

std::size_t TermCollector::number_end() const { return terms_.number_end(); }

void TermCollector::count(Provisional term, std::uint64_t documents, std::uint64_t occurrences) {
    const auto shard = terms_.shard_of(term);
    auto& counts = counts_[shard];
    const auto local = terms_.local_of(term);
    if (local >= counts.size()) counts.resize(terms_.shard(shard).size());
    counts[local].add(documents, occurrences);
}

std::vector<Provisional> TermCollector::take_over(LaneShard&& from) {
    const auto shard = from.shard;
    std::vector<Provisional> terms(from.words.size());
    std::vector<Counts> counts(from.words.size());
    for (std::size_t local = 0; local < terms.size(); ++local) {
        const auto& counted = from.counted(local);
        terms[local] = terms_.number(shard, static_cast<std::uint32_t>(local));
        counts[local] = {counted.documents, counted.occurrences};
    }
    terms_.shard(shard) = std::move(from.words);
    counts_[shard] = std::move(counts);
    return terms;
}

std::vector<Provisional> TermCollector::merge_into_shard(const LaneShard& from) {
    std::vector<Provisional> terms(from.words.size());
    auto& words = terms_.shard(from.shard);
    auto& counts = counts_[from.shard];
    counts.resize(words.size() + from.words.size());  // room in case all words are new
    enter(from, words, [&](std::size_t local, std::uint32_t id) {
        const auto& counted = from.counted(local);
        counts[id].add(counted.documents, counted.occurrences);
        terms[local] = terms_.number(from.shard, id);
    });
    counts.resize(words.size());
    return terms;
}

std::vector<Provisional> TermCollector::merge_anywhere(const LaneShard& from) {
    std::vector<Provisional> terms(from.words.size());
    enter(from, terms_, [&](std::size_t local, Provisional term) {
        const auto& counted = from.counted(local);
        count(term, counted.documents, counted.occurrences);
        terms[local] = term;
    });
    return terms;
}

void TermCollector::add(Batch&& given, const std::vector<bool>& learned, std::size_t workers,
                        Monitor& monitor) {
    auto batch = std::move(given);  // moved out first, so that `given` is empty even if this throws
    const auto tallies = batch.tallies && learned.empty()
                             ? std::move(*batch.tallies)
                             : tally_lanes(batch, learned, workers, monitor);
    if (terms_.size() == 0) {
        terms_ = TermTable(batch.lanes[0].shard_bits());
        counts_.assign(terms_.shard_count(), {});
    }
    const auto shards = batch.lanes[0].shard_count();
    std::vector<LaneTerms> term_of(batch.lanes.size(), LaneTerms(shards));
    // If lanes are sharded like the terms, the shard of a word is the shard of its term: no two
    // tasks touch the same one.
    const bool alike = shards == terms_.shard_count();
    run_tasks(shards, alike ? workers : 1, monitor, [&](std::size_t shard, std::size_t) {
        for (std::size_t number = 0; number < batch.lanes.size(); ++number) {
            auto& lane = batch.lanes[number];
            // Free the words immediately: memory use peaks here.
            LaneShard from{std::exchange(lane.shard(shard), {}), tallies[number], lane, shard};
            auto& terms = term_of[number][shard];
            if (!alike) terms = merge_anywhere(from);
            else if (terms_.shard(shard).size() == 0) terms = take_over(std::move(from));
            else terms = merge_into_shard(from);
        }
    });
    documents_ += learned.empty() ? batch.documents
                                  : static_cast<std::uint64_t>(
                                        std::count(learned.begin(), learned.end(), true));
    if (!keep_rows_) return;
    for (auto& chunk : batch.chunks) chunk.lane += lanes_.size();
    std::move(batch.chunks.begin(), batch.chunks.end(), std::back_inserter(rows_));
    std::move(term_of.begin(), term_of.end(), std::back_inserter(lanes_));
}

void TermCollector::add_terms(const WordTable& terms, const std::vector<std::uint64_t>& documents,
                              const std::vector<std::uint64_t>& occurrences,
                              std::uint64_t document_count) {
    for (std::uint32_t term = 0; term < terms.size(); ++term)
        count(terms_.intern(terms.key(term)), documents[term], occurrences[term]);
    documents_ += document_count;
}

Vocabulary TermCollector::vocabulary(const Ranking& ranking) const {
    Vocabulary vocabulary;
    for (const auto term : ranking.order) vocabulary.append(terms_.space(term), terms_.text(term));
    return vocabulary;
}

TermCollector::Rows TermCollector::take_rows(const Ranking& ranking, std::size_t workers,
                                             Monitor& monitor) {
    Rows rows;
    rows.chunks = std::exchange(rows_, {});
    auto lanes = std::exchange(lanes_, {});
    rows.final_terms.resize(lanes.size());
    std::atomic<bool> dropped{false};
    run_tasks(lanes.size(), workers, monitor, [&](std::size_t number, std::size_t) {
        const auto lane = std::move(lanes[number]);  // freed immediately: there may be many
        auto fate = Fate::kept;
        rows.final_terms[number] = ranks_of(lane, ranking, fate);
        if (fate == Fate::dropped) dropped = true;
    });
    rows.fate = dropped ? Fate::dropped : Fate::kept;
    return rows;
}

}  // namespace postil
