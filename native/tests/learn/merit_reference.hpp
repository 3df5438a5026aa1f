// Formulas of gao-wu-lee-chua-2003 in long double, and bounds of the rounding errors of results.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

namespace postil::tests {

using Long = long double;

inline constexpr Long epsilon = std::numeric_limits<double>::epsilon();

// The rounding error of storing a result; denormal numbers are lost entirely.
template <class Value>
Long written(Long value) {
    return std::numeric_limits<Value>::epsilon() * std::abs(value) +
           10.0L * std::numeric_limits<Value>::min();
}

// Compares bits, not values: NaN equals NaN, and -0 differs from 0.
template <class Value>
bool same_bits(const std::vector<Value>& one, const std::vector<Value>& other) {
    return one.size() == other.size() &&
           (one.empty() || std::memcmp(one.data(), other.data(), one.size() * sizeof(Value)) == 0);
}

// 1 - l, where l is the loss of equation 4.7 with d = -f.
struct Acceptance {
    Acceptance(Long score, Long steepness, Long offset) : z(steepness * (score - offset)) {
        value = 1.0L / (1.0L + std::exp(-z));
    }

    // Rounding z changes the value by its slope.
    Long slack() const { return value * epsilon * (16.0L + 4.0L * std::min(std::abs(z), 1000.0L)); }

    Long z, value;
};

// Margins of one document and their slopes, with a separate sum for each category.
class RivalReference {
public:
    static constexpr Long least_power = 1e-307L;  // over exp(-708)

    template <class Value>
    RivalReference(const Value* scores, std::size_t categories, double sharpness, bool is_capped,
                   std::size_t absent)
        : scores_(scores, scores + categories), sharpness_(sharpness), is_capped_(is_capped), absent_(absent) {
        for (std::size_t j = 0; j < categories; ++j) add_sum(j);
    }

    Long margin(std::size_t j) const { return scores_[j] - bar(j); }

    Long bar(std::size_t j) const {
        const auto found = open_bar(j);
        if (!is_capped_) return found;
        const auto z = sharpness_ * found;
        return (z < 0.0L ? found : 0.0L) - std::log1p(std::exp(-std::abs(z))) / sharpness_;
    }

    Long open_bar(std::size_t j) const { return bases_[j] + std::log(sums_[j] / rivals()) / sharpness_; }

    Long margin_slack(std::size_t j) const {
        const auto count = static_cast<Long>(scores_.size());
        return epsilon * (8.0L * (std::abs(scores_[j]) + std::abs(bases_[j]) + std::abs(open_bar(j))) +
                          (count + 20.0L) * (std::log(count) + 2.0L) / sharpness_);
    }

    struct Slope {
        Long value, slack;
    };

    // Σ_j g_j ∂m_j/∂s_k. Rounding an exponent changes a power relative to itself; no power is below
    // the least.
    template <class Value>
    Slope slope(std::size_t k, const Value* by_margin) const {
        const auto usual = static_cast<Long>(scores_.size()) + 50.0L;
        Long sum = by_margin[k], slack = epsilon * std::abs(sum) * usual;
        for (std::size_t j = 0; j < scores_.size(); ++j) {
            if (j == k) continue;
            const auto part = by_margin[j] * share(j, k);
            const auto bend = is_capped_ ? std::abs(sharpness_ * open_bar(j)) + std::abs(sharpness_ * bases_[j]) : 0.0L;
            const auto exponent = std::min(std::abs(sharpness_ * (scores_[k] - bases_[j])) + bend, 1000.0L);
            sum -= part;
            slack += epsilon * std::abs(part) * (usual + 4.0L * exponent) + least_power * std::abs(by_margin[j]);
        }
        return {sum, slack};
    }

    // (Σ_j g_j m_j at s_k + step, less that at s_k - step) / (2 step).
    template <class Value>
    Long slope_by_steps(std::size_t k, const Value* by_margin, Long step) const {
        return (moved(k, by_margin, step) - moved(k, by_margin, -step)) / (2.0L * step);
    }

private:
    Long rivals() const { return static_cast<Long>(scores_.size() - 1 + absent_); }

    // ∂bar_j/∂s_k.
    Long share(std::size_t j, std::size_t k) const {
        const auto open = std::exp(sharpness_ * (scores_[k] - bases_[j])) / sums_[j];
        return is_capped_ ? open / (1.0L + std::exp(sharpness_ * open_bar(j))) : open;
    }

    template <class Value>
    Long moved(std::size_t k, const Value* by_margin, Long step) const {
        auto scores = scores_;
        scores[k] += step;
        const RivalReference there(scores.data(), scores.size(), static_cast<double>(sharpness_), is_capped_,
                                   absent_);
        Long sum = 0.0L;
        for (std::size_t j = 0; j < scores.size(); ++j) sum += by_margin[j] * there.margin(j);
        return sum;
    }

    void add_sum(std::size_t j) {
        Long base = -std::numeric_limits<Long>::infinity(), sum = 0.0L;
        for (std::size_t i = 0; i < scores_.size(); ++i)
            if (i != j) base = std::max(base, scores_[i]);
        for (std::size_t i = 0; i < scores_.size(); ++i)
            if (i != j) sum += std::exp(sharpness_ * (scores_[i] - base));
        bases_.push_back(base);
        sums_.push_back(sum);
    }

    std::vector<Long> scores_;
    Long sharpness_;
    bool is_capped_;
    std::size_t absent_;
    std::vector<Long> bases_, sums_;
};

}  // namespace postil::tests
