// Converts texts to a matrix in every way: workers, batches, merges, look-ups and buckets must
// agree bit for bit, and with the reference.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "../ledger.hpp"
#include "postil/counting/matrix.hpp"
#include "postil/counting/vocabulary.hpp"
#include "reference_counts.hpp"
#include "sample_corpus.hpp"

namespace postil::tests {

class CountingChecks {
public:
    CountingChecks(Ledger& ledger, Random& random) : ledger_(ledger), random_(random) {}

    void run(const std::string& bytes, bool large) {
        corpus_ = large ? large_corpus(bytes, random_) : small_corpus(bytes, random_);
        plan_ = random_plan(corpus_, random_, large);
        try {
            check_all();
        } catch (const Failure& failure) {
            throw Failure(std::string(failure.what()) + " (" + describe(plan_) +
                          std::to_string(corpus_.documents()) + " documents)");
        }
    }

private:
    struct Outcome {
        std::vector<RankedTerm> ranking;
        Csr matrix;

        bool operator==(const Outcome&) const = default;
    };

    void check_all() {
        rows_ = reference_rows(corpus_, plan_);
        ranking_ = reference_ranking(rows_, plan_.learned, plan_.bounds);
        choose_weighting();
        const auto outcome = collect({0, corpus_.documents()}, 1);
        ledger_.check(outcome.ranking == ranking_, "terms are ranked as the reference ranks them");
        check_matrix(outcome.matrix);

        const auto middle = random_.below(corpus_.documents() + 1);
        const std::vector<std::size_t> cuts = {0, middle, corpus_.documents()};
        ledger_.check(collect({0, corpus_.documents()}, 3) == outcome,
                      "three workers give what one gives");
        ledger_.check(collect(cuts, random_.between(1, 3)) == outcome,
                      "two batches give what one gives");
        for (const std::size_t workers : {1, 3})
            ledger_.check(looked_up(workers) == outcome.matrix,
                          "looking terms up gives the matrix they were collected with");
        check_merge(cuts);
        check_buckets();
        check_token_sums();
        if (random_.one_in(10)) check_interruption();
    }

    void choose_weighting() {
        idf_.clear();
        for (const auto& ranked : ranking_)
            idf_.push_back(std::log((static_cast<double>(rows_.size()) + 1.0) /
                                    (static_cast<double>(ranked.documents) + 1.0)));
        weighting_.frequency = static_cast<TermFrequency>(random_.below(3));
        weighting_.norm = static_cast<Norm>(random_.below(3));
        weighting_.idf = random_.one_in(2) ? idf_.data() : nullptr;
        weighting_.unseen_idf = random_.one_in(2) ? 0.7 : 0.0;
        has_constant_ = random_.one_in(3);
    }

    Batch count(std::size_t first, std::size_t last, std::size_t workers) {
        Monitor monitor;
        auto batch = count_texts(corpus_.views(first, last), plan_.readings, random_.one_in(2),
                                 workers, monitor);
        if (plan_.renames) {
            const auto distinct = distinct_words(batch.lanes, plan_.readings);
            std::vector<WordNames> names;
            for (std::size_t map = 0; map < distinct.words.size(); ++map)
                names.push_back(names_of(map, distinct.words[map]));
            rename_words(batch, distinct, names, workers, monitor);
        }
        if (plan_.forms_grams) form_grams(batch, workers, monitor);
        return batch;
    }

    Csr build(std::vector<Chunk> chunks, const FinalTerms& final_terms, Fate fate,
              std::size_t terms, const Weighting& weighting, bool constant, std::size_t workers) {
        Monitor monitor;
        MatrixBuilder builder(std::move(chunks), final_terms, fate, terms, workers, monitor);
        const auto entries = builder.entries() + (constant ? builder.documents() : 0);
        Csr matrix{std::vector<std::int64_t>(builder.documents() + 1),
                   std::vector<std::int32_t>(entries), std::vector<float>(entries)};
        const auto column = static_cast<std::int32_t>(terms);
        builder.write({matrix.row_starts.data(), matrix.terms.data(), matrix.values.data()},
                      weighting, constant ? &column : nullptr, workers, monitor);
        return matrix;
    }

    Outcome collect(const std::vector<std::size_t>& cuts, std::size_t workers) {
        TermCollector collector(true);
        Monitor monitor;
        for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
            // Batches may come from other numbers of workers, and so in other shards.
            const auto others = random_.one_in(4) ? random_.between(1, 5) : workers;
            collector.add(count(cuts[i], cuts[i + 1], others), learned(cuts[i], cuts[i + 1]),
                          workers, monitor);
        }
        const auto ranking = collector.rank(plan_.bounds, workers, monitor);
        auto [chunks, final_terms, fate] = collector.take_rows(ranking, workers, monitor);
        return {terms_of(collector.vocabulary(ranking), ranking),
                build(std::move(chunks), final_terms, fate, ranking.order.size(),
                      weighting_, has_constant_, workers)};
    }

    // An empty list means all documents.
    std::vector<bool> learned(std::size_t first, std::size_t last) {
        if (learned_documents() == corpus_.documents() && random_.one_in(2)) return {};
        return {plan_.learned.begin() + static_cast<std::ptrdiff_t>(first),
                plan_.learned.begin() + static_cast<std::ptrdiff_t>(last)};
    }

    std::size_t learned_documents() const {
        return static_cast<std::size_t>(
            std::count(plan_.learned.begin(), plan_.learned.end(), true));
    }

    static std::vector<RankedTerm> terms_of(const Vocabulary& vocabulary,
                                            const TermCollector::Ranking& ranking) {
        std::vector<RankedTerm> terms;
        for (std::uint32_t term = 0; term < vocabulary.size(); ++term)
            terms.push_back({{std::string(vocabulary.terms().text(term)),
                              vocabulary.terms().space(term)},
                             ranking.documents[term],
                             ranking.occurrences[term]});
        return terms;
    }

    Csr looked_up(std::size_t workers) {
        Vocabulary vocabulary;
        for (const auto& [term, documents, occurrences] : ranking_) {
            const auto padded = term.first + std::string(string_padding, '\0');
            vocabulary.append(term.second, std::string_view(padded).substr(0, term.first.size()));
        }
        auto batch = count(0, corpus_.documents(), workers);
        FinalTerms final_terms;
        for (const auto& lane : batch.lanes) final_terms.push_back(vocabulary.look_up(lane));
        return build(std::move(batch.chunks), final_terms, Fate::dropped, vocabulary.size(),
                     weighting_, has_constant_, workers);
    }

    void check_matrix(const Csr& matrix) {
        const auto expected = reference_matrix(rows_, ranking_, weighting_);
        const auto constant = static_cast<std::int32_t>(ranking_.size());
        for (std::size_t row = 0; row < rows_.size(); ++row) {
            auto weights = expected[row];
            if (has_constant_) weights[constant] = 1.0;
            auto at = static_cast<std::size_t>(matrix.row_starts[row]);
            ledger_.check(static_cast<std::size_t>(matrix.row_starts[row + 1]) ==
                              at + weights.size(),
                          "a row holds each of its terms once");
            for (const auto& [term, weight] : weights) {
                ledger_.check(matrix.terms[at] == term, "a row is sorted by term");
                ledger_.check(std::abs(matrix.values[at] - weight) <= 1e-6 * std::abs(weight),
                              "a weight is that of the formula");
                ++at;
            }
        }
    }

    // Partial vocabularies merge into that of all documents.
    void check_merge(const std::vector<std::size_t>& cuts) {
        TermCollector merged(false);
        Monitor monitor;
        for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
            TermCollector part(false);
            part.add(count(cuts[i], cuts[i + 1], 1), learned(cuts[i], cuts[i + 1]), 1, monitor);
            const auto ranking = part.rank({}, 1, monitor);
            merged.add_terms(part.vocabulary(ranking).terms(), ranking.documents,
                             ranking.occurrences, part.documents());
        }
        const auto ranking = merged.rank(plan_.bounds, 3, monitor);
        ledger_.check(merged.documents() == learned_documents() &&
                          terms_of(merged.vocabulary(ranking), ranking) == ranking_,
                      "merged vocabularies are the vocabulary of all documents");
    }

    // Many terms in few columns: their counts are summed, and nothing is lost.
    void check_buckets() {
        const auto buckets = static_cast<std::uint32_t>(random_.between(1, 200));
        std::vector<std::map<std::int32_t, double>> expected;
        for (const auto& row : rows_) {
            auto& sums = expected.emplace_back();
            for (const auto& [term, count] : row)
                sums[bucket_of(term.second, term.first, buckets)] += static_cast<double>(count);
        }
        for (const std::size_t workers : {1, 3}) {
            auto batch = count(0, corpus_.documents(), workers);
            FinalTerms final_terms;
            for (const auto& lane : batch.lanes) {
                auto& column_of = final_terms.emplace_back(lane.number_end());
                lane.for_each([&](std::uint32_t word) {
                    column_of[word] = static_cast<std::uint32_t>(
                        bucket_of(lane.space(word), lane.text(word), buckets));
                });
            }
            const auto matrix =
                build(std::move(batch.chunks), final_terms, Fate::joined, buckets, {}, false,
                      workers);
            std::vector<std::map<std::int32_t, double>> sums(rows_.size());
            for (std::size_t row = 0; row < rows_.size(); ++row)
                for (auto at = matrix.row_starts[row]; at < matrix.row_starts[row + 1]; ++at)
                    sums[row][matrix.terms[static_cast<std::size_t>(at)]] +=
                        static_cast<double>(matrix.values[static_cast<std::size_t>(at)]);
            ledger_.check(sums == expected, "buckets add up the counts of their terms");
        }
    }

    static std::int32_t bucket_of(Space space, std::string_view text, std::uint32_t buckets) {
        const auto padded = std::string(text).append(string_padding, '\0');
        const WordKey key(space, std::string_view(padded).substr(0, text.size()));
        return static_cast<std::int32_t>((key.hash >> 32) % buckets);
    }

    // Every token is counted in exactly one row, once.
    void check_token_sums() {
        if (plan_.renames || plan_.forms_grams) return;
        std::uint64_t tokens = 0, counted = 0;
        const auto columns = corpus_.views(0, corpus_.documents());
        for (const auto& reading : plan_.readings) {
            Monitor monitor;
            for (const auto count : count_tokens(columns[reading.column], reading.options, 3, monitor))
                tokens += count;
        }
        const auto batch = count(0, corpus_.documents(), 3);
        for (const auto& chunk : batch.chunks)
            for (std::size_t at = 0; at < chunk.entries.size(); ++at)
                counted += chunk.entries[at].count;
        ledger_.check(tokens == counted, "counts add up to the number of tokens");
    }

    void check_interruption() {
        for (const std::size_t workers : {1, 3}) {
            Monitor monitor;
            monitor.stop();
            bool stopped = false;
            try {
                count_texts(corpus_.views(0, corpus_.documents()), plan_.readings,
                            random_.one_in(2), workers, monitor);
            } catch (const Interrupted&) {
                stopped = true;
            }
            ledger_.check(stopped, "a monitor stops the work");
        }
    }

    Ledger& ledger_;
    Random& random_;
    SampleCorpus corpus_;
    Plan plan_;
    std::vector<Row> rows_;
    std::vector<RankedTerm> ranking_;
    std::vector<double> idf_;
    Weighting weighting_;
    bool has_constant_ = false;
};

}  // namespace postil::tests
