#include <limits>
#include <stdexcept>

#include "rank_runs.hpp"

namespace postil {

void TermCollector::add_keys(Run& keys, std::size_t shard,
                             const TermBounds& bounds) const {
    const auto& words = terms_.shard(shard);
    keys.reserve(keys.size() + words.size());
    for (std::uint32_t local = 0; local < words.size(); ++local) {
        const auto& [documents, occurrences] = counts_[shard][local];
        // None at all: only documents that are not learned from hold the term.
        if (documents == 0 || documents < bounds.min_documents ||
            documents > bounds.max_documents || occurrences < bounds.min_occurrences)
            continue;
        keys.push_back({__builtin_bswap64(words.key(local).first),
                        static_cast<std::uint32_t>(documents), terms_.number(shard, local)});
    }
}

TermCollector::Ranking TermCollector::rank(const TermBounds& bounds, std::size_t workers,
                                           Monitor& monitor) const {
    if (documents_ > std::numeric_limits<std::uint32_t>::max())
        throw std::length_error("terms are ranked by at most 2^32 - 1 documents");
    const RankOrder order(terms_);
    // A run is of several shards: sorting costs the same, and there are fewer to merge.
    std::vector<Run> runs(std::min(workers, terms_.shard_count()));
    run_tasks(runs.size(), workers, monitor, [&](std::size_t run, std::size_t) {
        for (auto shard = run; shard < terms_.shard_count(); shard += runs.size())
            add_keys(runs[run], shard, bounds);
        order.sort(runs[run]);
    });
    keep_most_frequent(runs, bounds.max_terms, order,
                       [&](Provisional term) { return occurrences_of(term); });

    const auto size = total_size(runs);
    Ranking ranking;
    ranking.order.resize(size);
    ranking.documents.resize(size);
    ranking.occurrences.resize(size);
    ranking.rank_of.assign(terms_.number_end(), WordTable::absent);
    const auto pieces = terms_.shard_count();
    const auto cuts = cut_runs(runs, pieces, order);
    run_tasks(pieces, workers, monitor, [&](std::size_t piece, std::size_t) {
        std::vector<std::span<const RankKey>> parts;
        std::size_t rank = 0;
        for (std::size_t run = 0; run < runs.size(); ++run) {
            const auto first = cuts[piece][run], last = cuts[piece + 1][run];
            parts.emplace_back(runs[run].data() + first, last - first);
            rank += first;
        }
        merge_runs(std::move(parts), order, [&](const RankKey& key) {
            ranking.order[rank] = key.term;
            ranking.documents[rank] = key.documents;
            ranking.occurrences[rank] = occurrences_of(key.term);
            ranking.rank_of[key.term] = static_cast<std::uint32_t>(rank++);
        });
    });
    return ranking;
}

}  // namespace postil
