// Smooth counts and their slopes: agree with the formulas, infinite scores are sure decisions, and
// results are bit-equal for any number of threads.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "../ledger.hpp"
#include "merit_reference.hpp"
#include "postil/learn/merit/soft_counts.hpp"
#include "sample_table.hpp"

namespace postil::tests {

template <class Value>
class SoftCountChecks {
public:
    SoftCountChecks(Ledger& ledger, Random& random)
        : ledger_(ledger), random_(random), table_(random), sizes_(table_.sizes(0)),
          scores_(table_.scores<Value>(sizes_.entries(), table_.kind())),
          cases_(table_.cases(sizes_.entries())) {
        weights_ = table_.draw(sizes_.documents, [&] { return table_.weight(); });
        steepness_ = of_problems([&] { return table_.positive(6.0); });
        offsets_ = of_problems([&] { return random_.one_in(3) ? 0.0 : table_.share(); });
        by_member_ = of_problems([&] { return table_.weight(); });
        by_other_ = of_problems([&] { return -table_.weight(); });
    }

    void run() {
        const auto [counts, acceptances] = accepted(1);
        for (std::size_t p = 0; p < sizes_.problems; ++p) check_counts(counts, acceptances, p);
        const auto [sums, slopes] = turned(acceptances, 1);
        for (std::size_t p = 0; p < sizes_.problems; ++p) check_slopes(acceptances, sums, slopes, p);
        check_threads(counts, acceptances, sums, slopes);
        check_infinities(acceptances);
    }

private:
    using Values = std::vector<Value>;

    template <class Draw>
    std::vector<double> of_problems(Draw&& one) {
        return table_.draw(sizes_.problems, one);
    }

    Cases cases() const { return {cases_.data(), weights_, sizes_.problems}; }

    std::pair<SoftCounts, Values> accepted(std::size_t threads) const {
        Monitor monitor;
        Values acceptances(sizes_.entries(), Value{7});
        auto counts = accept(scores_.data(), cases(), {steepness_, offsets_}, acceptances.data(), threads, monitor);
        return {std::move(counts), std::move(acceptances)};
    }

    std::pair<std::vector<double>, Values> turned(Values values, std::size_t threads) const {
        Monitor monitor;
        auto sums = slopes_of(values.data(), cases(), steepness_, by_member_, by_other_, threads, monitor);
        return {std::move(sums), std::move(values)};
    }

    void near(Long found, Long expected, Long slack, const char* rule) {
        ledger_.check(std::abs(found - expected) <= slack, rule);
    }

    void check_counts(const SoftCounts& counts, const Values& acceptances, std::size_t p) {
        Long members = 0.0L, others = 0.0L, slack = 1e-300L, sure_members = 0.0L, sure_others = 0.0L;
        for (std::size_t i = 0; i < sizes_.documents; ++i) {
            const auto at = i * sizes_.problems + p;
            const Acceptance direct(scores_[at], steepness_[p], offsets_[p]);
            const auto part = cases_[at] == 0 ? 0.0L : direct.value;
            near(acceptances[at], part, direct.slack() + written<Value>(part),
                 "a document is accepted as equation 4.7 says");
            const Long weight = weights_[i];
            (cases_[at] > 0 ? members : others) += weight * part;
            if (cases_[at] != 0 && scores_[at] > 0) (cases_[at] > 0 ? sure_members : sure_others) += weight;
            slack += weight * direct.slack();
        }
        const auto rounding = epsilon * static_cast<Long>(sizes_.documents + 8);
        near(counts.true_positives[p], members, slack + rounding * members, "TP sums members");
        near(counts.false_positives[p], others, slack + rounding * others, "FP sums others");
        near(counts.sure_true_positives[p], sure_members, rounding * sure_members, "sure TP sums members");
        near(counts.sure_false_positives[p], sure_others, rounding * sure_others, "sure FP sums others");
    }

    void check_slopes(const Values& acceptances, const std::vector<double>& sums, const Values& slopes,
                      std::size_t p) {
        Long sum = 0.0L, size = 1e-300L;
        for (std::size_t i = 0; i < sizes_.documents; ++i) {
            const auto at = i * sizes_.problems + p;
            const Long accepted = acceptances[at], steepness = steepness_[p];
            const Long gain = weights_[i] * (cases_[at] > 0 ? Long{by_member_[p]} : Long{by_other_[p]});
            const auto slope = steepness * accepted * (1.0L - accepted) * gain;
            near(slopes[at], slope, 8.0L * epsilon * std::abs(slope) + written<Value>(slope),
                 "a slope is α a (1 - a) times its gain");
            const Acceptance direct(scores_[at], steepness_[p], offsets_[p]);
            const auto of_score = cases_[at] == 0 ? 0.0L : steepness * gain * direct.value * (1.0L - direct.value);
            // The acceptance was rounded in between.
            near(slopes[at], of_score,
                 steepness * std::abs(gain) * (direct.slack() + 2.0L * written<Value>(direct.value)) +
                     written<Value>(of_score),
                 "a slope is that of the acceptance in the score");
            sum += slope;
            size += std::abs(slope);
        }
        near(sums[p], sum, epsilon * static_cast<Long>(sizes_.documents + 16) * size, "slopes are summed");
    }

    void check_threads(const SoftCounts& counts, const Values& acceptances, const std::vector<double>& sums,
                       const Values& slopes) {
        const auto [again, same] = accepted(3);
        ledger_.check(same_bits(same, acceptances) && same_bits(again.true_positives, counts.true_positives) &&
                          same_bits(again.false_positives, counts.false_positives) &&
                          same_bits(again.sure_true_positives, counts.sure_true_positives) &&
                          same_bits(again.sure_false_positives, counts.sure_false_positives),
                      "three threads accept as one does");
        const auto [sums_again, slopes_again] = turned(acceptances, 3);
        ledger_.check(same_bits(sums_again, sums) && same_bits(slopes_again, slopes),
                      "three threads find the same slopes");
    }

    // An infinite score is a sure decision and affects no other document.
    void check_infinities(const Values& acceptances) {
        if (scores_.empty()) return;
        const auto at = random_.below(scores_.size());
        const bool up = random_.one_in(2);
        scores_[at] = (up ? 1 : -1) * std::numeric_limits<Value>::infinity();
        auto [counts, found] = accepted(1);
        for (std::size_t p = 0; p < sizes_.problems; ++p)
            ledger_.check(std::isfinite(counts.true_positives[p]) && std::isfinite(counts.false_positives[p]),
                          "an infinite score leaves counts finite");
        ledger_.check(cases_[at] == 0 ? found[at] == 0 : up ? found[at] == 1 : found[at] <= Value(1e-300),
                      "an infinite score is sure");
        found[at] = acceptances[at];
        ledger_.check(same_bits(found, acceptances), "an infinite score affects no other score");
    }

    Ledger& ledger_;
    Random& random_;
    SampleTable table_;
    TableSizes sizes_;
    std::vector<Value> scores_;
    std::vector<std::int8_t> cases_;
    std::vector<double> weights_, steepness_, offsets_, by_member_, by_other_;
};

}  // namespace postil::tests
