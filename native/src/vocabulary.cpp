#include "postil/vocabulary.hpp"

#include <algorithm>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "interning.hpp"

namespace postil {

namespace {

// By lane, of learned documents alone; `learned` is empty where all are.
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

// By number of the lane's words; says in `fate` if one has none.
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

void Vocabulary::append(Space space, std::string_view padded_bytes) {
    const auto expected = terms_.size();
    if (terms_.intern(WordKey(space, padded_bytes)) != expected)
        throw std::invalid_argument("a term stands twice in the vocabulary: " +
                                    std::string(padded_bytes));
}

std::size_t Vocabulary::size() const { return terms_.size(); }

std::string_view Vocabulary::term(std::uint32_t rank) const { return terms_.text(rank); }

Space Vocabulary::space(std::uint32_t rank) const { return terms_.space(rank); }

std::size_t TermCollector::size() const { return terms_.size(); }

std::size_t TermCollector::number_end() const { return terms_.number_end(); }

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

void TermCollector::count(Provisional term, std::uint64_t documents, std::uint64_t occurrences) {
    const auto shard = terms_.shard_of(term);
    auto& counts = counts_[shard];
    const auto local = terms_.local_of(term);
    if (local >= counts.size()) counts.resize(terms_.shard(shard).size());
    counts[local].documents += documents;
    counts[local].occurrences += occurrences;
}

void TermCollector::add(Batch&& batch, const std::vector<bool>& learned, std::size_t workers,
                        Monitor& monitor) {
    const auto tallies = batch.tallies && learned.empty()
                             ? std::move(*batch.tallies)
                             : tally_lanes(batch, learned, workers, monitor);
    if (terms_.size() == 0) {
        terms_ = TermTable(batch.lanes[0].shard_bits());
        counts_.assign(terms_.shard_count(), {});
    }
    std::vector<LaneTerms> term_of(batch.lanes.size(), LaneTerms(batch.lanes[0].shard_count()));

    auto enter = [&](std::size_t lane, std::size_t shard, std::uint32_t local, Provisional term) {
        const auto& counted = tallies[lane][batch.lanes[lane].number(shard, local)];
        count(term, counted.documents, counted.occurrences);
        term_of[lane][shard][local] = term;
    };
    auto merge_shard = [&](std::size_t lane, std::size_t shard) {
        auto& words = batch.lanes[lane].shard(shard);
        term_of[lane][shard].resize(words.size());
        intern_many(
            terms_, words.size(),
            [&](WordKey* key, std::size_t local) {
                ::new (key) WordKey(words.key(static_cast<std::uint32_t>(local)));
            },
            [&](std::size_t first, std::span<const Provisional> terms) {
                for (std::size_t i = 0; i < terms.size(); ++i)
                    enter(lane, shard, static_cast<std::uint32_t>(first + i), terms[i]);
            });
        words = WordTable();  // at once, for memory is at its highest here
    };
    // An empty shard takes a lane's table as it is: nothing needs to be entered anew.
    auto take_shard = [&](std::size_t shard) {
        auto& words = batch.lanes[0].shard(shard);
        const auto size = static_cast<std::uint32_t>(words.size());
        terms_.shard(shard) = std::exchange(words, WordTable());
        std::vector<Provisional> terms(size);
        std::vector<Counts> counts(size);
        for (std::uint32_t local = 0; local < size; ++local) {
            const auto& counted = tallies[0][terms[local] = terms_.number(shard, local)];
            counts[local] = {counted.documents, counted.occurrences};
        }
        term_of[0][shard] = std::move(terms);
        counts_[shard] = std::move(counts);
    };
    // Where lanes are cut as the terms are, a word's shard is its term's: no two tasks meet.
    const bool alike = batch.lanes[0].shard_bits() == terms_.shard_bits();
    run_tasks(batch.lanes[0].shard_count(), alike ? workers : 1, monitor,
              [&](std::size_t shard, std::size_t) {
                  const bool takes = alike && terms_.shard(shard).size() == 0;
                  if (takes) take_shard(shard);
                  for (std::size_t lane = takes ? 1 : 0; lane < batch.lanes.size(); ++lane)
                      merge_shard(lane, shard);
              });
    documents_ += learned.empty() ? batch.documents
                                  : static_cast<std::uint64_t>(
                                        std::count(learned.begin(), learned.end(), true));
    batch.lanes.clear();
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

TermCollector::Rows TermCollector::take_rows(const Ranking& ranking) {
    Rows rows{std::exchange(rows_, {}), {}, Fate::kept};
    for (auto& lane : lanes_) {
        rows.final_terms.push_back(ranks_of(lane, ranking, rows.fate));
        lane = {};  // at once, for there may be many
    }
    lanes_.clear();
    return rows;
}

}  // namespace postil
