// Scores of raw texts equal the reference matrix times the weights for any number of workers, any
// numbering of words, and whether words are in the memo or not.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../ledger.hpp"
#include "postil/scoring/scorer.hpp"
#include "reference_counts.hpp"
#include "sample_corpus.hpp"

namespace postil::tests {

class ScoringChecks {
public:
    ScoringChecks(Ledger& ledger, Random& random) : ledger_(ledger), random_(random) {}

    void run(const std::string& bytes, bool large) {
        corpus_ = large ? large_corpus(bytes, random_) : small_corpus(bytes, random_);
        plan_ = random_plan(corpus_, random_, large);
        try {
            check_all();
        } catch (const Failure& failure) {
            throw Failure(std::string(failure.what()) + " (" + describe(plan_) +
                          std::to_string(corpus_.documents()) + " documents, " +
                          std::to_string(categories_) + " categories)");
        }
    }

private:
    void check_all() {
        rows_ = reference_rows(corpus_, plan_);
        if (random_.one_in(3)) number_by_buckets();
        else number_by_vocabulary();
        choose_weighting();
        choose_weights();
        check_scores();
        check_unknown_words();
    }

    void number_by_vocabulary() {
        ranking_ = reference_ranking(rows_, plan_.learned, plan_.bounds);
        vocabulary_ = Vocabulary();
        for (const auto& [term, documents, occurrences] : ranking_) {
            const auto padded = term.first + std::string(string_padding, '\0');
            vocabulary_.append(term.second, std::string_view(padded).substr(0, term.first.size()));
        }
        buckets_ = 0;
    }

    // A bucket is a term of the reference, named by its number.
    void number_by_buckets() {
        buckets_ = static_cast<std::uint32_t>(random_.between(1, 300));
        ranking_.clear();
        for (std::uint32_t bucket = 0; bucket < buckets_; ++bucket)
            ranking_.push_back({{std::to_string(bucket), 0}, random_.below(20), 0});
        for (auto& row : rows_) {
            Row in_buckets;
            for (const auto& [term, count] : row) {
                const auto padded = term.first + std::string(string_padding, '\0');
                const WordKey key(term.second,
                                  std::string_view(padded).substr(0, term.first.size()));
                in_buckets[{std::to_string(bucket_of(key, buckets_)), 0}] += count;
            }
            row = std::move(in_buckets);
        }
    }

    void choose_weighting() {
        idf_.clear();
        if (random_.one_in(2))
            for (const auto& ranked : ranking_)
                idf_.push_back(1.0 + 3.0 / (1.0 + static_cast<double>(ranked.documents)));
        weighting_.frequency = static_cast<TermFrequency>(random_.below(3));
        weighting_.norm = static_cast<Norm>(random_.below(3));
        weighting_.idf = idf_.empty() ? nullptr : idf_.data();
        weighting_.unseen_idf = random_.one_in(2) ? 0.7 : 0.0;
    }

    // Terms with all weights, with some, with few and with none.
    void choose_weights() {
        categories_ = random_.one_in(10) ? 0 : random_.between(1, 40);
        row_starts_ = {0};
        weight_categories_.clear();
        weights_.clear();
        for (std::size_t term = 0; term < ranking_.size(); ++term) {
            const auto sparsity = random_.pick(std::vector<std::size_t>{1, 2, 5, 30, 1000});
            for (std::size_t category = 0; category < categories_; ++category) {
                if (!random_.one_in(sparsity)) continue;
                weight_categories_.push_back(static_cast<std::int32_t>(category));
                weights_.push_back(static_cast<float>(random_number()));
            }
            row_starts_.push_back(static_cast<std::int64_t>(weights_.size()));
        }
        intercepts_.clear();
        while (intercepts_.size() < categories_) intercepts_.push_back(random_number());
    }

    double random_number() { return static_cast<double>(random_.below(2001)) / 500.0 - 2.0; }

    Scorer scorer(std::size_t most_known_words = 1'000'000) {
        VectorSettings settings{
            buckets_ > 0 ? TermNumbers(buckets_) : TermNumbers(vocabulary_),
            plan_.readings, weighting_, idf_};
        settings.most_known_words = most_known_words;
        const WeightRows rows{row_starts_.data(), weight_categories_.data(), weights_.data(),
                              ranking_.size(), weights_.size()};
        return Scorer(std::move(settings), TermWeights(rows, categories_), intercepts_);
    }

    std::vector<double> scores(Scorer& scorer, std::size_t workers, const WordMap& word_map) {
        std::vector<double> all(corpus_.documents() * categories_);
        AllScores sink(all.data(), categories_);
        Monitor monitor;
        scorer.score(corpus_.views(0, corpus_.documents()), sink, workers, monitor, word_map);
        return all;
    }

    void check_scores() {
        auto scorer = this->scorer();
        const auto once = scores(scorer, 1, names_of);
        check_against_reference(once);
        ledger_.check(scores(scorer, 3, names_of) == once, "three workers score as one does");
        check_top(scorer, once);
        check_above(scorer, once);
        if (random_.one_in(10)) check_interruption(scorer);
    }

    void check_against_reference(const std::vector<double>& all) {
        const auto expected = reference_matrix(rows_, ranking_, weighting_);
        for (std::size_t document = 0; document < rows_.size(); ++document) {
            auto sums = intercepts_;
            std::vector<double> sizes(categories_, 1.0);
            for (const auto& [term, value] : expected[document])
                for (auto at = row_starts_[term]; at < row_starts_[term + 1]; ++at) {
                    const auto category = weight_categories_[at];
                    sums[category] += value * static_cast<double>(weights_[at]);
                    sizes[category] += std::abs(value * static_cast<double>(weights_[at]));
                }
            for (std::size_t category = 0; category < categories_; ++category)
                ledger_.check(std::abs(all[document * categories_ + category] - sums[category]) <=
                                  1e-6 * sizes[category],
                              "a score is the sum of weights");
        }
    }

    void check_top(Scorer& scorer, const std::vector<double>& all) {
        if (categories_ == 0) return;
        const auto kept = random_.between(1, categories_);
        std::vector<std::int32_t> best(corpus_.documents() * kept);
        std::vector<double> best_scores(best.size());
        TopScores sink({best.data(), best_scores.data()}, kept, categories_, 3);
        Monitor monitor;
        scorer.score(corpus_.views(0, corpus_.documents()), sink, 3, monitor, names_of);
        for (std::size_t document = 0; document < corpus_.documents(); ++document) {
            const auto* const own = all.data() + document * categories_;
            std::vector<std::int32_t> order(categories_);
            for (std::size_t i = 0; i < categories_; ++i) order[i] = static_cast<std::int32_t>(i);
            std::stable_sort(order.begin(), order.end(),
                             [&](std::int32_t a, std::int32_t b) { return own[a] > own[b]; });
            for (std::size_t i = 0; i < kept; ++i)
                ledger_.check(best[document * kept + i] == order[i] &&
                                  best_scores[document * kept + i] == own[order[i]],
                              "the best categories come first");
        }
    }

    void check_above(Scorer& scorer, const std::vector<double>& all) {
        std::vector<double> thresholds;
        while (thresholds.size() < categories_) thresholds.push_back(random_number());
        ScoresAbove sink(thresholds.data(), categories_, corpus_.documents(), 3);
        Monitor monitor;
        scorer.score(corpus_.views(0, corpus_.documents()), sink, 3, monitor, names_of);
        std::vector<std::int64_t> row_starts(corpus_.documents() + 1);
        std::vector<std::int32_t> found(sink.size());
        std::vector<double> found_scores(sink.size());
        sink.write({row_starts.data(), found.data(), found_scores.data()});
        std::size_t at = 0;
        for (std::size_t document = 0; document < corpus_.documents(); ++document) {
            ledger_.check(static_cast<std::size_t>(row_starts[document]) == at,
                          "a row begins where the last one ended");
            for (std::size_t category = 0; category < categories_; ++category) {
                const auto score = all[document * categories_ + category];
                if (score < thresholds[category]) continue;
                ledger_.check(at < found.size() &&
                                  found[at] == static_cast<std::int32_t>(category) &&
                                  found_scores[at] == score,
                              "a score that reaches its threshold is given");
                ++at;
            }
        }
        ledger_.check(at == found.size(), "no other score is given");
    }

    // The word map is called once for each word; beyond the limit of the memo, words are forgotten
    // and mapped again.
    void check_unknown_words() {
        auto scorer = this->scorer();
        std::size_t mapped = 0;
        const WordMap counting = [&](std::size_t map, const std::vector<std::string>& words) {
            mapped += words.size();
            return names_of(map, words);
        };
        const auto once = scores(scorer, random_.between(1, 3), counting);
        const auto first_mapped = mapped;
        ledger_.check(plan_.renames || mapped == 0, "without mapped words the word map is not called");
        ledger_.check(scores(scorer, random_.between(1, 3), counting) == once,
                      "known words give the same scores");
        if (!plan_.forms_grams)
            ledger_.check(mapped == first_mapped, "a known word is not mapped again");
        auto forgetful = this->scorer(0);
        for (int time = 0; time < 2; ++time)
            ledger_.check(scores(forgetful, 2, counting) == once,
                          "forgotten words give the same scores");
    }

    void check_interruption(Scorer& scorer) {
        for (const std::size_t workers : {1, 3}) {
            std::vector<double> all(corpus_.documents() * categories_);
            AllScores sink(all.data(), categories_);
            Monitor monitor;
            monitor.stop();
            bool stopped = false;
            try {
                scorer.score(corpus_.views(0, corpus_.documents()), sink, workers, monitor,
                             names_of);
            } catch (const Interrupted&) {
                stopped = true;
            }
            ledger_.check(stopped, "a monitor stops the scoring");
        }
    }

    Ledger& ledger_;
    Random& random_;
    SampleCorpus corpus_;
    Plan plan_;
    std::vector<Row> rows_;
    std::vector<RankedTerm> ranking_;
    Vocabulary vocabulary_;
    std::uint32_t buckets_ = 0;  // 0: by vocabulary
    std::vector<double> idf_;
    Weighting weighting_;
    std::size_t categories_ = 0;
    std::vector<std::int64_t> row_starts_;
    std::vector<std::int32_t> weight_categories_;
    std::vector<float> weights_;
    std::vector<double> intercepts_;
};

}  // namespace postil::tests
