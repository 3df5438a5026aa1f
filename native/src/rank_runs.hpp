// Sorted runs of terms, cut into pieces and merged: how workers rank terms side by side.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "postil/radix_sort.hpp"
#include "postil/vocabulary.hpp"

namespace postil {

// What a term is ranked by; the leading bytes decide nearly every tie without a look elsewhere.
struct RankKey {
    std::uint64_t leading;  // the first eight bytes, most significant first
    std::uint32_t documents;
    Provisional term;
};

using Run = std::vector<RankKey>;

// The order of terms.
class RankOrder {
public:
    explicit RankOrder(const TermTable& terms) : terms_(terms) {}

    bool operator()(const RankKey& a, const RankKey& b) const {
        return a.documents != b.documents ? a.documents > b.documents : bytes_before(a, b);
    }

    bool bytes_before(const RankKey& a, const RankKey& b) const {
        if (a.leading != b.leading) return a.leading < b.leading;
        const auto order = terms_.text(a.term).compare(terms_.text(b.term));
        return order != 0 ? order < 0 : terms_.space(a.term) < terms_.space(b.term);
    }

    // As std::sort by this order, in linear time but for ties.
    void sort(Run& keys) const {
        radix_sort(keys, [](const RankKey& key) { return key.leading; });
        radix_sort(keys, [](const RankKey& key) { return ~key.documents; });
        for (auto first = keys.begin(); first != keys.end();) {
            const auto last = std::find_if(first + 1, keys.end(), [&](const RankKey& key) {
                return key.documents != first->documents || key.leading != first->leading;
            });
            std::sort(first, last, *this);
            first = last;
        }
    }

private:
    const TermTable& terms_;
};

inline std::size_t total_size(const std::vector<Run>& runs) {
    std::size_t size = 0;
    for (const auto& run : runs) size += run.size();
    return size;
}

// Keeps so many terms: those that occur most, ties by their bytes.
template <class OccurrencesOf>
void keep_most_frequent(std::vector<Run>& runs, std::uint64_t most, const RankOrder& order,
                        OccurrencesOf&& occurrences_of) {
    if (total_size(runs) <= most) return;
    auto before = [&](const RankKey& a, const RankKey& b) {
        const auto in_a = occurrences_of(a.term), in_b = occurrences_of(b.term);
        return in_a != in_b ? in_a > in_b : order.bytes_before(a, b);
    };
    Run all;
    for (const auto& run : runs) all.insert(all.end(), run.begin(), run.end());
    const auto first_lost = all.begin() + static_cast<std::ptrdiff_t>(most);
    std::nth_element(all.begin(), first_lost, all.end(), before);
    for (auto& run : runs)
        std::erase_if(run, [&](const RankKey& key) { return !before(key, *first_lost); });
}

// Calls sink(key) for all keys of some sorted runs, in order. There are few runs.
template <class Sink>
void merge_runs(std::vector<std::span<const RankKey>> runs, const RankOrder& before, Sink&& sink) {
    std::erase_if(runs, [](const auto& run) { return run.empty(); });
    while (!runs.empty()) {
        auto least = runs.begin();
        for (auto run = least + 1; run != runs.end(); ++run)
            if (before(run->front(), least->front())) least = run;
        sink(least->front());
        *least = least->subspan(1);
        if (least->empty()) runs.erase(least);
    }
}

// Where each run is cut so that all keys of a piece come before those of the next.
inline std::vector<std::vector<std::size_t>> cut_runs(const std::vector<Run>& runs,
                                                      std::size_t pieces,
                                                      const RankOrder& before) {
    const auto& longest = *std::max_element(
        runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.size() < b.size(); });
    std::vector<std::vector<std::size_t>> cuts(pieces + 1, std::vector<std::size_t>(runs.size()));
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const auto& keys = runs[run];
        cuts[pieces][run] = keys.size();
        if (longest.empty()) continue;
        for (std::size_t piece = 1; piece < pieces; ++piece) {
            const auto& pivot = longest[longest.size() * piece / pieces];
            const auto cut = std::lower_bound(keys.begin(), keys.end(), pivot, before);
            cuts[piece][run] = static_cast<std::size_t>(cut - keys.begin());
        }
    }
    return cuts;
}

}  // namespace postil
