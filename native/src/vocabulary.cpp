#include "postil/vocabulary.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace postil {

namespace {

// How many documents of a lane hold each word, and how often it occurs in all, by number.
struct LaneCounts {
    std::vector<std::uint32_t> documents, occurrences;
};

std::vector<LaneCounts> count_lanes(const Batch& batch, const std::vector<bool>& learned,
                                    std::size_t workers, Monitor& monitor) {
    std::vector<LaneCounts> counts(batch.lanes.size());
    run_tasks(counts.size(), workers, monitor, [&](std::size_t lane, std::size_t) {
        auto& [documents, occurrences] = counts[lane];
        documents.resize(batch.lanes[lane].number_end());
        occurrences.resize(batch.lanes[lane].number_end());
        for (const auto& chunk : batch.chunks) {
            if (chunk.lane != lane) continue;
            std::size_t at = 0;
            for (std::size_t row = 0; row < chunk.documents; ++row) {
                const bool counts_here = learned.empty() || learned[chunk.first_document + row];
                if (!counts_here) at = chunk.row_ends[row];
                for (; at < chunk.row_ends[row]; ++at) {
                    ++documents[chunk.entries[at].term];
                    occurrences[chunk.entries[at].term] += chunk.entries[at].count;
                }
            }
        }
    });
    return counts;
}

// What a term is ranked by; the leading bytes decide nearly every tie without a look elsewhere.
struct RankKey {
    std::uint64_t documents;
    std::uint64_t leading;  // the first eight bytes, most significant first
    Provisional term;
};

// Sorts blocks on their own, then merges them pairwise: the same order as one sort.
template <class Key, class Less>
void parallel_sort(std::vector<Key>& keys, std::size_t workers, Monitor& monitor, Less less) {
    auto pieces = std::bit_floor(std::max<std::size_t>(1, std::min(workers, keys.size() / 4096)));
    auto cut = [&](std::size_t piece) { return keys.begin() + keys.size() * piece / pieces; };
    run_tasks(pieces, workers, monitor,
              [&](std::size_t i, std::size_t) { std::sort(cut(i), cut(i + 1), less); });
    for (std::size_t width = 1; width < pieces; width *= 2)
        run_tasks(pieces / (2 * width), workers, monitor, [&](std::size_t i, std::size_t) {
            const auto first = 2 * width * i;
            std::inplace_merge(cut(first), cut(first + width), cut(first + 2 * width), less);
        });
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

std::vector<std::uint32_t> buckets_of(const TermTable& words, std::uint32_t buckets) {
    std::vector<std::uint32_t> bucket_of(words.number_end());
    words.for_each([&](std::uint32_t word) {
        bucket_of[word] = static_cast<std::uint32_t>((words.key(word).hash >> 32) % buckets);
    });
    return bucket_of;
}

std::vector<std::uint32_t> Vocabulary::look_up(const TermTable& words) const {
    std::vector<std::uint32_t> ranks(words.number_end());
    words.for_each([&](std::uint32_t word) { ranks[word] = terms_.find(words.key(word)); });
    return ranks;
}

void TermCollector::merge_lane(const TermTable& lane, std::vector<Provisional>& term_of,
                               std::size_t workers, Monitor& monitor) {
    term_of.resize(lane.number_end());
    auto merge = [&](std::size_t source_shard, auto&& enter) {
        const auto& words = lane.shard(source_shard);
        for (std::uint32_t local = 0; local < words.size(); ++local)
            term_of[lane.number(source_shard, local)] = enter(words.key(local));
    };
    if (lane.shard_bits() == terms_.shard_bits()) {
        run_tasks(lane.shard_count(), workers, monitor, [&](std::size_t shard, std::size_t) {
            merge(shard, [&](const WordKey& key) {
                return terms_.number(shard, terms_.shard(shard).intern(key));
            });
        });
    } else {
        for (std::size_t shard = 0; shard < lane.shard_count(); ++shard)
            merge(shard, [&](const WordKey& key) { return terms_.intern(key); });
    }
    documents_of_.resize(terms_.number_end());
    occurrences_of_.resize(terms_.number_end());
}

void TermCollector::add(Batch&& batch, const std::vector<bool>& learned, std::size_t workers,
                        Monitor& monitor) {
    const auto counts = count_lanes(batch, learned, workers, monitor);
    const bool first = terms_.size() == 0;
    for (std::size_t lane = 0; lane < batch.lanes.size(); ++lane) {
        std::vector<Provisional> term_of;
        if (first && lane == 0) {
            terms_ = std::move(batch.lanes[0]);  // numbers stay what they are
            documents_of_.assign(counts[0].documents.begin(), counts[0].documents.end());
            occurrences_of_.assign(counts[0].occurrences.begin(), counts[0].occurrences.end());
        } else {
            merge_lane(batch.lanes[lane], term_of, workers, monitor);
            batch.lanes[lane].for_each([&](std::uint32_t word) {
                documents_of_[term_of[word]] += counts[lane].documents[word];
                occurrences_of_[term_of[word]] += counts[lane].occurrences[word];
            });
            batch.lanes[lane] = TermTable();
        }
        if (!keep_rows_) continue;
        run_tasks(batch.chunks.size(), workers, monitor, [&](std::size_t task, std::size_t) {
            auto& chunk = batch.chunks[task];
            if (chunk.lane != lane) return;
            if (!term_of.empty())
                for (auto& entry : chunk.entries) entry.term = term_of[entry.term];
        });
    }
    documents_ += learned.empty() ? batch.documents
                                  : static_cast<std::uint64_t>(
                                        std::count(learned.begin(), learned.end(), true));
    if (!keep_rows_) return;
    for (auto& chunk : batch.chunks) {
        chunk.lane = 0;
        rows_.push_back(std::move(chunk));
    }
}

void TermCollector::add_terms(const WordTable& terms, const std::vector<std::uint64_t>& documents,
                              const std::vector<std::uint64_t>& occurrences,
                              std::uint64_t document_count) {
    for (std::uint32_t term = 0; term < terms.size(); ++term) {
        const auto number = terms_.intern(terms.key(term));
        documents_of_.resize(terms_.number_end());
        occurrences_of_.resize(terms_.number_end());
        documents_of_[number] += documents[term];
        occurrences_of_[number] += occurrences[term];
    }
    documents_ += document_count;
}

TermCollector::Ranking TermCollector::rank(const TermBounds& bounds, std::size_t workers,
                                           Monitor& monitor) const {
    std::vector<RankKey> keys;
    keys.reserve(terms_.size());
    terms_.for_each([&](std::uint32_t term) {
        const auto documents = documents_of_[term];
        if (documents == 0) return;  // only documents that are not learned from hold it
        if (documents < bounds.min_documents || documents > bounds.max_documents) return;
        const auto text = terms_.text(term);
        keys.push_back({documents, __builtin_bswap64(leading_word(text.data(), text.size())), term});
    });
    auto bytes_before = [&](const RankKey& a, const RankKey& b) {
        if (a.leading != b.leading) return a.leading < b.leading;
        const auto order = terms_.text(a.term).compare(terms_.text(b.term));
        return order != 0 ? order < 0 : terms_.space(a.term) < terms_.space(b.term);
    };
    if (keys.size() > bounds.max_terms) {
        const auto last = keys.begin() + static_cast<std::ptrdiff_t>(bounds.max_terms);
        std::nth_element(keys.begin(), last, keys.end(), [&](const RankKey& a, const RankKey& b) {
            const auto in_a = occurrences_of_[a.term], in_b = occurrences_of_[b.term];
            return in_a != in_b ? in_a > in_b : bytes_before(a, b);
        });
        keys.erase(last, keys.end());
    }
    parallel_sort(keys, workers, monitor, [&](const RankKey& a, const RankKey& b) {
        return a.documents != b.documents ? a.documents > b.documents : bytes_before(a, b);
    });

    Ranking ranking;
    ranking.order.reserve(keys.size());
    ranking.documents.reserve(keys.size());
    ranking.occurrences.reserve(keys.size());
    ranking.rank_of.assign(terms_.number_end(), WordTable::absent);
    for (const auto& key : keys) {
        ranking.rank_of[key.term] = static_cast<std::uint32_t>(ranking.order.size());
        ranking.order.push_back(key.term);
        ranking.documents.push_back(key.documents);
        ranking.occurrences.push_back(occurrences_of_[key.term]);
    }
    return ranking;
}

Vocabulary TermCollector::vocabulary(const Ranking& ranking) const {
    Vocabulary vocabulary;
    for (const auto term : ranking.order) vocabulary.append(terms_.space(term), terms_.text(term));
    return vocabulary;
}

std::vector<Chunk> TermCollector::take_rows() { return std::exchange(rows_, {}); }

}  // namespace postil
