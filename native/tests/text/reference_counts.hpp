// Counting, ranking and weighting by direct computation with maps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "postil/counting/weighting.hpp"
#include "sample_corpus.hpp"

namespace postil::tests {

using Term = std::pair<std::string, Space>;  // pairs sort by bytes, then by space
using Row = std::map<Term, std::uint64_t>;

inline std::vector<std::string> words_of(const ExactText& text, const Reading& reading) {
    std::vector<std::string> words;
    const bool renames = reading.word_map != Reading::unmapped;
    tokens_of(text.view(), reading.options).for_each([&](std::string_view word) {
        const auto name = renames ? name_of(reading.word_map, word) : std::string(word);
        if (name && !name->empty()) words.push_back(*name);
    });
    return words;
}

inline void count_grams(const std::vector<std::string>& words, const Reading& reading, Row& row) {
    for (std::size_t size = reading.shortest_gram; size <= reading.longest_gram; ++size)
        for (std::size_t at = 0; at + size <= words.size(); ++at) {
            auto gram = words[at];
            for (auto next = at + 1; next < at + size; ++next) gram += " " + words[next];
            ++row[{gram, reading.space}];
        }
}

inline std::vector<Row> reference_rows(const SampleCorpus& corpus, const Plan& plan) {
    std::vector<Row> rows(corpus.documents());
    for (const auto& reading : plan.readings)
        for (std::size_t document = 0; document < rows.size(); ++document)
            count_grams(words_of(corpus.texts[reading.column][document], reading), reading,
                        rows[document]);
    return rows;
}

struct RankedTerm {
    Term term;
    std::uint64_t documents = 0, occurrences = 0;

    bool operator==(const RankedTerm&) const = default;
};

inline std::vector<RankedTerm> reference_ranking(const std::vector<Row>& rows,
                                                 const std::vector<bool>& learned,
                                                 const TermBounds& bounds) {
    std::map<Term, RankedTerm> counted;
    for (std::size_t document = 0; document < rows.size(); ++document) {
        if (!learned[document]) continue;
        for (const auto& [term, count] : rows[document]) {
            auto& ranked = counted[term];
            ranked.term = term;
            ++ranked.documents;
            ranked.occurrences += count;
        }
    }
    std::vector<RankedTerm> ranking;
    for (const auto& [term, ranked] : counted)
        if (ranked.documents >= bounds.min_documents && ranked.documents <= bounds.max_documents)
            ranking.push_back(ranked);
    // Stable sorts: where counts are equal, terms stay in the map's order.
    std::ranges::stable_sort(ranking, std::greater{}, &RankedTerm::occurrences);
    if (ranking.size() > bounds.max_terms) ranking.resize(bounds.max_terms);
    std::ranges::sort(ranking, std::less{}, &RankedTerm::term);
    std::ranges::stable_sort(ranking, std::greater{}, &RankedTerm::documents);
    return ranking;
}

struct Csr {
    std::vector<std::int64_t> row_starts;
    std::vector<std::int32_t> terms;
    std::vector<float> values;

    bool operator==(const Csr&) const = default;
};

// The weighted matrix in float64; `unseen_idf` weighs terms that are not in the ranking.
inline std::vector<std::map<std::int32_t, double>> reference_matrix(
    const std::vector<Row>& rows, const std::vector<RankedTerm>& ranking,
    const Weighting& weighting) {
    std::map<Term, std::int32_t> column_of;
    for (const auto& ranked : ranking)
        column_of.emplace(ranked.term, static_cast<std::int32_t>(column_of.size()));
    std::vector<std::map<std::int32_t, double>> matrix;
    for (const auto& row : rows) {
        auto& weights = matrix.emplace_back();
        double shares = 0.0;
        for (const auto& [term, count] : row) {
            const auto known = column_of.find(term);
            const bool seen = known != column_of.end();
            auto weight = term_frequency(weighting.frequency, static_cast<double>(count));
            if (!seen) weight *= weighting.unseen_idf;
            else if (weighting.idf != nullptr) weight *= weighting.idf[known->second];
            shares += norm_share(weighting.norm, weight);
            if (seen) weights[known->second] = weight;
        }
        const auto scale = norm_scale(weighting.norm, shares);
        for (auto& [column, weight] : weights) weight *= scale;
    }
    return matrix;
}

}  // namespace postil::tests
