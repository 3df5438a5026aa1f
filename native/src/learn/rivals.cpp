#include "postil/rivals.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "row_blocks.hpp"

namespace postil {

namespace {

// exp(η(s - highest)) of one document, and their sums with and without the best category.
class Powers {
public:
    explicit Powers(const RivalTable& table) : table_(table), powers_(table.categories) {}

    template <class Value>
    void see(const Value* scores) {
        const auto count = table_.categories;
        best_ = static_cast<std::size_t>(std::max_element(scores, scores + count) - scores);
        highest_ = static_cast<double>(scores[best_]);
        next_ = -INFINITY;
        for (std::size_t k = 0; k < count; ++k)
            if (k != best_) next_ = std::max(next_, static_cast<double>(scores[k]));
        sum_ = 0.0;
        others_ = 0.0;
        for (std::size_t k = 0; k < count; ++k) {
            powers_[k] = std::exp(table_.sharpness * (static_cast<double>(scores[k]) - highest_));
            sum_ += powers_[k];
            if (k != best_) others_ += over_next(scores[k]);
        }
    }

    // The bar of a category: what its score must be above.
    double bar(std::size_t category) const {
        const auto rivals = std::log(static_cast<double>(table_.categories - 1));
        return category == best_
                   ? next_ + (std::log(others_) - rivals) / table_.sharpness
                   : highest_ + (std::log(without(category)) - rivals) / table_.sharpness;
    }

    // The sum without a category that is not the best: the best's 1 stays in it.
    double without(std::size_t category) const { return std::max(sum_ - powers_[category], 1.0); }

    // exp(η(s - next)), for a category that is not the best.
    template <class Value>
    double over_next(Value score) const {
        return std::exp(table_.sharpness * (static_cast<double>(score) - next_));
    }

    std::size_t best() const { return best_; }
    double power(std::size_t category) const { return powers_[category]; }
    double others() const { return others_; }

private:
    RivalTable table_;
    std::vector<double> powers_;
    std::size_t best_ = 0;
    double highest_ = 0.0, next_ = 0.0, sum_ = 0.0, others_ = 0.0;
};

template <class Value>
void margins_of_row(const Value* scores, std::size_t categories, Powers& powers, Value* margins) {
    powers.see(scores);
    for (std::size_t k = 0; k < categories; ++k)
        margins[k] = static_cast<Value>(static_cast<double>(scores[k]) - powers.bar(k));
}

// ∂/∂s_k = g_k - Σ_{j≠k} g_j share_jk, where share_jk = exp(η s_k) / Σ_{i≠j} exp(η s_i).
template <class Value>
void slopes_of_row(const Value* scores, std::size_t categories, Powers& powers, Value* slopes) {
    powers.see(scores);
    const auto best = powers.best();
    const double of_best = slopes[best];
    double rate = 0.0;  // Σ g_j / Σ_{i≠j} over all j but the best
    for (std::size_t j = 0; j < categories; ++j)
        if (j != best) rate += static_cast<double>(slopes[j]) / powers.without(j);
    for (std::size_t k = 0; k < categories; ++k) {
        if (k == best) {
            slopes[k] = static_cast<Value>(of_best - rate);
            continue;
        }
        const double own = slopes[k];
        const double from_others = powers.power(k) * (rate - own / powers.without(k));
        const double from_best = of_best * powers.over_next(scores[k]) / powers.others();
        slopes[k] = static_cast<Value>(own - from_others - from_best);
    }
}

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
        margins_of_row(scores + start, table.categories, powers, margins + start);
    });
}

template <class Value>
void slopes_through_rivals(const Value* scores, const RivalTable& table, Value* slopes,
                           std::size_t threads, Monitor& monitor) {
    run_rows(table, threads, monitor, [&](std::size_t start, Powers& powers) {
        slopes_of_row(scores + start, table.categories, powers, slopes + start);
    });
}

template void margins_over_rivals(const float*, const RivalTable&, float*, std::size_t, Monitor&);
template void margins_over_rivals(const double*, const RivalTable&, double*, std::size_t, Monitor&);
template void slopes_through_rivals(const float*, const RivalTable&, float*, std::size_t, Monitor&);
template void slopes_through_rivals(const double*, const RivalTable&, double*, std::size_t, Monitor&);

}  // namespace postil
