#include "postil/learn/merit/rivals.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "../wide.hpp"
#include "postil/learn/losses/elementary.hpp"
#include "row_blocks.hpp"

namespace postil {

namespace {

// Sums and maxima are kept in lanes, so that they are vectorized.
constexpr std::size_t lanes = 8;

POSTIL_WIDE double highest_of(const double* values, std::size_t count) {
    double found[lanes];
    std::fill(found, found + lanes, -INFINITY);
    std::size_t k = 0;
    for (; k + lanes <= count; k += lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane)
            found[lane] = values[k + lane] > found[lane] ? values[k + lane] : found[lane];
    for (; k < count; ++k) found[0] = std::max(found[0], values[k]);
    return *std::max_element(found, found + lanes);
}

POSTIL_WIDE double sum_of(const double* values, std::size_t count) {
    double sums[lanes] = {};
    std::size_t k = 0;
    for (; k + lanes <= count; k += lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += values[k + lane];
    for (; k < count; ++k) sums[0] += values[k];
    double total = 0.0;
    for (const auto sum : sums) total += sum;
    return total;
}

// Computes exp(η(s - base)), where no score exceeds the base.
POSTIL_WIDE void raise(const double* __restrict scores, std::size_t count, double sharpness, double base,
                       double* __restrict powers) {
    for (std::size_t k = 0; k < count; ++k) powers[k] = exp_below(sharpness * (scores[k] - base));
}

// Computes highest + (common + ln(1 - power share)) / η. A power is at most half of the sum, which
// includes that of the best.
POSTIL_WIDE void raise_bars(const double* __restrict powers, std::size_t count, double highest,
                            double common, double share, double width, double* __restrict bars) {
    for (std::size_t k = 0; k < count; ++k)
        bars[k] = highest + (common + log1p_share(-powers[k] * share)) * width;
}

// Computes bar ← -ln(1 + exp(-η bar)) / η: negative, and unchanged far below 0.
POSTIL_WIDE void cap_bars(double* __restrict bars, std::size_t count, double sharpness, double width) {
    for (std::size_t k = 0; k < count; ++k) {
        const double z = sharpness * bars[k];
        const double small = exp_below(z < 0.0 ? z : -z);
        bars[k] = (z < 0.0 ? bars[k] : 0.0) - log1p_share(small) * width;
    }
}

// Computes factor = 1 / (1 + exp(η bar)): the derivative of a capped bar.
POSTIL_WIDE void find_factors(const double* __restrict bars, std::size_t count, double sharpness,
                              double* __restrict factors) {
    for (std::size_t k = 0; k < count; ++k) {
        const double z = sharpness * bars[k];
        const double small = exp_below(z < 0.0 ? z : -z);
        factors[k] = (z < 0.0 ? 1.0 : small) / (1.0 + small);
    }
}

// Computes g / (sum - power): the 1 of the best stays in the sum.
POSTIL_WIDE void share_out(const double* __restrict slopes, const double* __restrict powers,
                           std::size_t count, double sum, double* __restrict shares) {
    for (std::size_t k = 0; k < count; ++k) shares[k] = slopes[k] / std::max(sum - powers[k], 1.0);
}

POSTIL_WIDE void take_shares(double* __restrict slopes, const double* __restrict powers,
                             const double* __restrict shares, const double* __restrict over_next,
                             std::size_t count, double rate, double of_best) {
    for (std::size_t k = 0; k < count; ++k)
        slopes[k] -= powers[k] * (rate - shares[k]) + of_best * over_next[k];
}

// One document: exp(η s) relative to the best category, and relative to the second best without the
// best.
class Powers {
public:
    explicit Powers(const RivalTable& table)
        : table_(table), scores_(table.categories), powers_(table.categories),
          over_next_(table.categories), slopes_(table.categories), shares_(table.categories),
          bars_(table.categories), factors_(table.categories, 1.0) {}

    template <class Value>
    void margins(const Value* scores, Value* margins) {
        see(scores);
        find_bars();
        if (table_.is_capped) cap_bars(bars_.data(), count(), table_.sharpness, 1.0 / table_.sharpness);
        for (std::size_t k = 0; k < count(); ++k)
            margins[k] = static_cast<Value>(static_cast<double>(scores[k]) - bars_[k]);
    }

    // ∂/∂s_k = g_k - Σ_{j≠k} g_j factor_j share_jk, where share_jk = exp(η s_k) / Σ_{i≠j} exp(η
    // s_i).
    template <class Value>
    void slopes(const Value* scores, Value* slopes) {
        see(scores);
        if (table_.is_capped) {
            find_bars();
            find_factors(bars_.data(), count(), table_.sharpness, factors_.data());
        }
        for (std::size_t k = 0; k < count(); ++k) slopes_[k] = static_cast<double>(slopes[k]) * factors_[k];
        const double of_best = slopes_[best_];
        slopes_[best_] = 0.0;  // distributed among the others by separate powers
        share_out(slopes_.data(), powers_.data(), count(), sum_, shares_.data());
        const double rate = sum_of(shares_.data(), count());
        take_shares(slopes_.data(), powers_.data(), shares_.data(), over_next_.data(), count(), rate,
                    of_best / others_);
        slopes_[best_] += of_best;
        for (std::size_t k = 0; k < count(); ++k)
            slopes[k] = static_cast<Value>(slopes_[k] + static_cast<double>(slopes[k]) * (1.0 - factors_[k]));
    }

private:
    std::size_t count() const { return table_.categories; }

    template <class Value>
    void see(const Value* scores) {
        std::copy(scores, scores + count(), scores_.begin());
        highest_ = highest_of(scores_.data(), count());
        raise(scores_.data(), count(), table_.sharpness, highest_, powers_.data());
        sum_ = sum_of(powers_.data(), count());
        const auto found = std::find(scores_.begin(), scores_.end(), highest_);
        best_ = found == scores_.end() ? 0 : static_cast<std::size_t>(found - scores_.begin());
        scores_[best_] = -INFINITY;
        next_ = highest_of(scores_.data(), count());
        raise(scores_.data(), count(), table_.sharpness, next_, over_next_.data());
        over_next_[best_] = 0.0;
        others_ = sum_of(over_next_.data(), count());
    }

    void find_bars() {
        const double width = 1.0 / table_.sharpness;
        const auto rivals = static_cast<double>(count() - 1 + table_.absent);
        raise_bars(powers_.data(), count(), highest_, std::log(sum_ / rivals), 1.0 / sum_, width,
                   bars_.data());
        bars_[best_] = next_ + std::log(others_ / rivals) * width;
    }

    RivalTable table_;
    std::vector<double> scores_, powers_, over_next_, slopes_, shares_, bars_, factors_;
    std::size_t best_ = 0;
    double highest_ = 0.0, next_ = 0.0, sum_ = 0.0, others_ = 0.0;
};

template <class Work>
void run_rows(const RivalTable& table, std::size_t threads, Monitor& monitor, Work&& work) {
    run_row_blocks(table.documents, threads, monitor, [&](std::size_t first, std::size_t last) {
        Powers powers(table);
        for (auto row = first; row < last; ++row) work(row * table.categories, powers);
    });
}

}  // namespace

template <class Value>
void margins_over_rivals(const Value* scores, const RivalTable& table, Value* margins,
                         std::size_t threads, Monitor& monitor) {
    run_rows(table, threads, monitor, [&](std::size_t start, Powers& powers) {
        powers.margins(scores + start, margins + start);
    });
}

template <class Value>
void slopes_through_rivals(const Value* scores, const RivalTable& table, Value* slopes,
                           std::size_t threads, Monitor& monitor) {
    run_rows(table, threads, monitor, [&](std::size_t start, Powers& powers) {
        powers.slopes(scores + start, slopes + start);
    });
}

template void margins_over_rivals(const float*, const RivalTable&, float*, std::size_t, Monitor&);
template void margins_over_rivals(const double*, const RivalTable&, double*, std::size_t, Monitor&);
template void slopes_through_rivals(const float*, const RivalTable&, float*, std::size_t, Monitor&);
template void slopes_through_rivals(const double*, const RivalTable&, double*, std::size_t, Monitor&);

}  // namespace postil
