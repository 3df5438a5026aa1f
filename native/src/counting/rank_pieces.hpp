// Cuts the terms to be ranked into pieces that workers sort in parallel.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "postil/counting/radix_sort.hpp"
#include "postil/counting/vocabulary.hpp"

namespace postil {

// The sort key of a term. The leading bytes decide nearly every tie without another memory access.
struct RankKey {
    std::uint64_t leading;  // the first eight bytes, most significant first
    std::uint32_t documents;
    Provisional term;
};

using Run = std::vector<RankKey>;

// The order of terms.
class RankOrder {
public:
    // For terms that occur in at most `most_documents` documents; terms in more are compared one by
    // one.
    RankOrder(const TermTable& terms, std::uint32_t most_documents)
        : terms_(terms),
          most_documents_(most_documents),
          document_bits_(std::max(1, static_cast<int>(std::bit_width(most_documents)))) {}

    bool operator()(const RankKey& a, const RankKey& b) const {
        return a.documents != b.documents ? a.documents > b.documents : bytes_before(a, b);
    }

    bool bytes_before(const RankKey& a, const RankKey& b) const {
        if (a.leading != b.leading) return a.leading < b.leading;
        const auto order = terms_.text(a.term).compare(terms_.text(b.term));
        return order != 0 ? order < 0 : terms_.space(a.term) < terms_.space(b.term);
    }

    // Returns a number that never falls from one term to the next: as much of the sort key as fits.
    std::uint64_t coarse(const RankKey& key) const {
        if (key.documents > most_documents_) return 0;
        return std::uint64_t{most_documents_ - key.documents} << (64 - document_bits_) |
               key.leading >> document_bits_;
    }

    // Equivalent to std::sort by this order. Sorts by the first digits in which terms differ, in
    // linear time, then compares the few terms that agree in them.
    void sort(Run& keys) const {
        constexpr unsigned digits = 3;
        const auto spare = std::max(0, differing_bits(keys) - static_cast<int>(digits * radix_digit_bits));
        auto digits_of = [&](const RankKey& key) { return coarse(key) >> spare; };
        radix_sort<digits>(keys, digits_of);
        for (auto first = keys.begin(); first != keys.end();) {
            const auto alike = digits_of(*first);
            auto last = first + 1;
            while (last != keys.end() && digits_of(*last) == alike) ++last;
            if (last - first > 1) std::sort(first, last, *this);
            first = last;
        }
    }

private:
    // Returns the number of bits from the highest to the lowest in which any two keys differ.
    int differing_bits(const Run& keys) const {
        std::uint64_t differing = 0;
        for (const auto& key : keys) differing |= coarse(key) ^ coarse(keys[0]);
        return static_cast<int>(std::bit_width(differing));
    }

    const TermTable& terms_;
    std::uint32_t most_documents_;
    int document_bits_;
};

inline std::size_t total_size(const std::vector<Run>& runs) {
    std::size_t size = 0;
    for (const auto& run : runs) size += run.size();
    return size;
}

// Keeps the `most` terms with the most occurrences; ties by their bytes.
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

// Splitters that cut the order of terms into pieces of about the same size, each sorted by itself.
class RankPieces {
public:
    // Chooses splitters from the coarse numbers of a sample of the terms, in any order.
    RankPieces(std::vector<std::uint64_t> sample, std::size_t pieces) {
        std::sort(sample.begin(), sample.end());
        for (std::size_t piece = 1; piece < pieces && !sample.empty(); ++piece)
            firsts_.push_back(sample[sample.size() * piece / pieces]);
    }

    std::size_t count() const { return firsts_.size() + 1; }

    std::size_t piece_of(std::uint64_t coarse) const {
        std::size_t piece = 0;  // by counting, which has no branch to mispredict: pieces are few
        for (const auto first : firsts_) piece += first <= coarse;
        return piece;
    }

private:
    std::vector<std::uint64_t> firsts_;  // of every piece but the first
};

}  // namespace postil
