#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "rank_pieces.hpp"

namespace postil {

namespace {

// Returns enough pieces to keep workers busy and to sort a piece within the cache; but few, because
// every term is compared with every splitter.
std::size_t pieces_for(std::size_t terms, std::size_t workers) {
    constexpr std::size_t worthwhile = std::size_t{1} << 10, in_cache = std::size_t{1} << 14, few = 16;
    const auto busy = workers > 1 ? std::min(2 * workers, terms / worthwhile + 1) : 1;
    return std::max(busy, std::min(terms / in_cache + 1, few));
}

}  // namespace

template <class Sink>
void TermCollector::for_each_key(std::size_t shard, std::size_t stride, const TermBounds& bounds,
                                 Sink&& sink) const {
    const auto& words = terms_.shard(shard);
    // Words without counts remain from an addition that ran out of memory.
    const auto counted = std::min(words.size(), counts_[shard].size());
    for (std::size_t local = 0; local < counted; local += stride) {
        const auto& [documents, occurrences] = counts_[shard][local];
        // No documents at all: the term occurs only in documents that are not learned from.
        if (documents == 0 || documents < bounds.min_documents ||
            documents > bounds.max_documents || occurrences < bounds.min_occurrences)
            continue;
        const auto word = static_cast<std::uint32_t>(local);
        sink(RankKey{__builtin_bswap64(words.key(word).first),
                     static_cast<std::uint32_t>(documents), terms_.number(shard, word)});
    }
}

RankPieces TermCollector::choose_pieces(const RankOrder& order, const TermBounds& bounds,
                                        std::size_t workers) const {
    constexpr std::size_t looked_at = 64;  // samples per piece
    const auto pieces = pieces_for(terms_.size(), workers);
    const auto stride = std::max<std::size_t>(1, terms_.size() / (pieces * looked_at));
    std::vector<std::uint64_t> sample;
    for (std::size_t shard = 0; pieces > 1 && shard < terms_.shard_count(); ++shard)
        for_each_key(shard, stride, bounds,
                     [&](const RankKey& key) { sample.push_back(order.coarse(key)); });
    return RankPieces(std::move(sample), pieces);
}

TermCollector::Ranking TermCollector::rank(const TermBounds& bounds, std::size_t workers,
                                           Monitor& monitor) const {
    if (documents_ > std::numeric_limits<std::uint32_t>::max())
        throw std::length_error("terms are ranked by at most 2^32 - 1 documents");
    const RankOrder order(terms_, static_cast<std::uint32_t>(documents_));
    const auto shards = terms_.shard_count();
    const auto pieces = choose_pieces(order, bounds, workers);

    // By shard and piece.
    std::vector<Run> runs(shards * pieces.count());
    run_tasks(shards, workers, monitor, [&](std::size_t shard, std::size_t) {
        std::vector<Run> by_piece(pieces.count());
        for (auto& run : by_piece) run.reserve(terms_.shard(shard).size() / pieces.count() * 5 / 4);
        for_each_key(shard, 1, bounds, [&](const RankKey& key) {
            by_piece[pieces.piece_of(order.coarse(key))].push_back(key);
        });
        std::move(by_piece.begin(), by_piece.end(), runs.begin() + shard * pieces.count());
    });
    keep_most_frequent(runs, bounds.max_terms, order,
                       [&](Provisional term) { return occurrences_of(term); });

    const auto size = total_size(runs);
    Ranking ranking;
    ranking.order.resize(size);
    ranking.documents.resize(size);
    ranking.occurrences.resize(size);
    ranking.rank_of.assign(terms_.number_end(), WordTable::absent);
    std::vector<std::size_t> first_rank(pieces.count() + 1);
    for (std::size_t run = 0; run < runs.size(); ++run)
        first_rank[run % pieces.count() + 1] += runs[run].size();
    std::partial_sum(first_rank.begin(), first_rank.end(), first_rank.begin());
    run_tasks(pieces.count(), workers, monitor, [&](std::size_t piece, std::size_t) {
        Run keys;
        for (auto run = piece; run < runs.size(); run += pieces.count())
            keys.insert(keys.end(), runs[run].begin(), runs[run].end());
        order.sort(keys);
        auto rank = first_rank[piece];
        for (const auto& key : keys) {
            ranking.order[rank] = key.term;
            ranking.documents[rank] = key.documents;
            ranking.occurrences[rank] = occurrences_of(key.term);
            ranking.rank_of[key.term] = static_cast<std::uint32_t>(rank++);
        }
    });
    return ranking;
}

}  // namespace postil
