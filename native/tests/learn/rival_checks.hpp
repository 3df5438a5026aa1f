// Margins over competing categories and their slopes. Compares with separate sums for each category
// and with finite differences; checks that results are finite if scores are, and bit-equal for any
// number of threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../ledger.hpp"
#include "merit_reference.hpp"
#include "postil/learn/merit/rivals.hpp"
#include "sample_table.hpp"

namespace postil::tests {

template <class Value>
class RivalChecks {
public:
    RivalChecks(Ledger& ledger, Random& random)
        : ledger_(ledger), random_(random), table_(random), sizes_(table_.sizes(2)), kind_(table_.kind()),
          sharpness_(random.one_in(2) ? table_.positive(1.0) : table_.positive(6.0)),
          is_capped_(random.one_in(2)), absent_(random.one_in(3) ? random.below(100) : 0),
          scores_(table_.scores<Value>(sizes_.entries(), kind_)),
          by_margin_(table_.scores<Value>(sizes_.entries(), random.one_in(3) ? Scores::coarse : Scores::usual)) {}

    void run() {
        const auto margins = this->margins(1);
        const auto slopes = this->slopes(1);
        const auto checked = std::min<std::size_t>(sizes_.documents, 8);
        for (std::size_t row = 0; row < checked; ++row)
            check_row(margins, slopes, (sizes_.documents - 1 - row) * sizes_.problems);
        for (const auto value : margins) ledger_.check(std::isfinite(value), "margins are finite");
        for (const auto value : slopes) ledger_.check(std::isfinite(value), "slopes are finite");
        ledger_.check(same_bits(this->margins(3), margins), "three threads find the same margins");
        ledger_.check(same_bits(this->slopes(3), slopes), "three threads find the same slopes");
        check_in_place(margins);
        check_infinities(margins, slopes);
    }

private:
    using Values = std::vector<Value>;

    RivalTable rivals() const {
        return {sizes_.documents, sizes_.problems, sharpness_, is_capped_, absent_};
    }

    Values margins(std::size_t threads) const {
        Monitor monitor;
        Values found(sizes_.entries());
        margins_over_rivals(scores_.data(), rivals(), found.data(), threads, monitor);
        return found;
    }

    Values slopes(std::size_t threads) const {
        Monitor monitor;
        auto found = by_margin_;
        slopes_through_rivals(scores_.data(), rivals(), found.data(), threads, monitor);
        return found;
    }

    void check_row(const Values& margins, const Values& slopes, std::size_t start) {
        const RivalReference direct(scores_.data() + start, sizes_.problems, sharpness_, is_capped_,
                                    absent_);
        const auto* by_margin = by_margin_.data() + start;
        for (std::size_t k = 0; k < sizes_.problems; ++k) {
            const auto margin = direct.margin(k);
            ledger_.check(std::abs(margins[start + k] - margin) <= direct.margin_slack(k) + written<Value>(margin),
                          "a margin is a score less its bar");
            const auto slope = direct.slope(k, by_margin);
            ledger_.check(std::abs(slopes[start + k] - slope.value) <= slope.slack + written<Value>(slope.value),
                          "a slope sums those of all margins");
        }
        if (is_smooth()) check_steps(direct, by_margin, slopes, start);
    }

    // Finite differences need a function without kinks in the interval.
    bool is_smooth() const {
        return sizes_.problems <= 20 && kind_ != Scores::huge && kind_ != Scores::mixed && sharpness_ < 20.0 &&
               sharpness_ > 1e-3;
    }

    void check_steps(const RivalReference& direct, const Value* by_margin, const Values& slopes,
                     std::size_t start) {
        const auto k = random_.below(sizes_.problems);
        Long size = 0.0L;
        for (std::size_t j = 0; j < sizes_.problems; ++j) size += std::abs(by_margin[j]);
        const auto expected = direct.slope_by_steps(k, by_margin, 1e-5L);
        ledger_.check(std::abs(slopes[start + k] - expected) <= (1e-6L + written<Value>(1.0L)) * size + written<Value>(expected),
                      "a slope is what small steps find");
    }

    void check_in_place(const Values& margins) {
        Monitor monitor;
        auto found = scores_;
        margins_over_rivals(found.data(), rivals(), found.data(), 2, monitor);
        ledger_.check(same_bits(found, margins), "margins may be written over their scores");
    }

    // A non-finite score affects only its own document.
    void check_infinities(Values margins, Values slopes) {
        if (sizes_.documents == 0) return;
        using Limits = std::numeric_limits<Value>;
        const auto row = random_.below(sizes_.documents);
        const auto first = static_cast<std::ptrdiff_t>(row * sizes_.problems);
        const auto last = first + static_cast<std::ptrdiff_t>(sizes_.problems);
        const Value bad[] = {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()};
        if (random_.one_in(3)) std::fill(scores_.begin() + first, scores_.begin() + last, random_.pick(bad));
        else scores_[row * sizes_.problems + random_.below(sizes_.problems)] = random_.pick(bad);
        const auto other_margins = this->margins(1), other_slopes = this->slopes(1);
        std::copy(other_margins.begin() + first, other_margins.begin() + last, margins.begin() + first);
        std::copy(other_slopes.begin() + first, other_slopes.begin() + last, slopes.begin() + first);
        ledger_.check(same_bits(margins, other_margins) && same_bits(slopes, other_slopes),
                      "scores that are not finite affect no other document");
    }

    Ledger& ledger_;
    Random& random_;
    SampleTable table_;
    TableSizes sizes_;
    Scores kind_;
    double sharpness_;
    bool is_capped_;
    std::size_t absent_;
    std::vector<Value> scores_, by_margin_;
};

}  // namespace postil::tests
