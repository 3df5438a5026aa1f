// Bounds of the slopes of the loss along all terms that avoid reading all columns.
//
//     gⱼ = Σᵢ hᵢ xᵢⱼ        hᵢ = cᵢ yᵢ f'(zᵢ) / n
//
// The slopes are known exactly for a reference h' near h. The error is bounded by the
// Cauchy-Schwarz inequality: |gⱼ - g'ⱼ| <= ‖h - h'‖ ‖xⱼ‖. The reference is updated in the documents
// where it differs most from h, at the cost of their terms; most documents of a rare category
// hardly ever change.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "postil/learn/sparse.hpp"
#include "postil/learn/sums.hpp"

namespace postil {

// Statistics shared by all categories: dᵢ, and for each term Σ dᵢ xᵢⱼ and ‖xⱼ‖.
struct ColumnFacts {
    std::span<const double> document_weights;
    std::vector<double> sums;
    std::vector<double> norms;

    ColumnFacts() = default;
    ColumnFacts(const SparseLines& columns, std::span<const double> weights)
        : document_weights(weights), sums(columns.count), norms(columns.count) {
        for (std::size_t term = 0; term < columns.count; ++term) {
            const auto column = columns[term];
            sums[term] = column.dot(weights.data());
            norms[term] = std::sqrt(column.squared_norm());
        }
    }
};

class SlopeBounds {
public:
    // Starts the reference at h'ᵢ = base dᵢ, for which the sums of the columns suffice.
    void begin(const ColumnFacts& facts, double base) {
        facts_ = &facts;
        reference_.assign(facts.document_weights.begin(), facts.document_weights.end());
        for (auto& slope : reference_) slope *= base;
        reference_slopes_.assign(facts.sums.begin(), facts.sums.end());
        for (auto& slope : reference_slopes_) slope *= base;
    }

    bool has_begun() const { return facts_ != nullptr; }

    // Updates the reference until ‖h - h'‖ is at most `goal`, and further, down to a tenth of it,
    // while only few documents need it.
    void update(const SparseLines& documents, std::span<const double> slopes, double goal) {
        scale_to(slopes);
        const auto limit = goal * goal;
        auto left = find_large(slopes, 0.01 * limit);
        const auto cut = cut_for(slopes, limit, left);
        for (const auto i : large_) {
            const auto change = slopes[i] - reference_[i];
            if (size_class(change) < cut) continue;
            documents[i].add_to(reference_slopes_.data(), change);
            reference_[i] = slopes[i];
        }
        // Allow for the rounding errors of the sums, far below any relevant goal.
        distance_ = std::sqrt(left) + 1e-14 * std::abs(goal);
    }

    double distance() const { return distance_; }
    double slope(std::size_t term) const { return reference_slopes_[term]; }
    double error(std::size_t term) const { return distance_ * facts_->norms[term]; }

private:
    // A change of the constant multiplies the slopes of most documents by about the same factor,
    // estimated by the median of a sample.
    void scale_to(std::span<const double> slopes) {
        factors_.clear();
        const auto pace = std::max<std::size_t>(1, slopes.size() / sample);
        for (std::size_t i = 0; i < slopes.size(); i += pace)
            if (reference_[i] != 0.0) factors_.push_back(slopes[i] / reference_[i]);
        if (factors_.empty()) return;
        const auto middle = factors_.begin() + static_cast<std::ptrdiff_t>(factors_.size() / 2);
        std::nth_element(factors_.begin(), middle, factors_.end());
        const auto factor = *middle;
        if (factor == 1.0 || !std::isfinite(factor)) return;
        for (auto& slope : reference_) slope *= factor;
        for (auto& slope : reference_slopes_) slope *= factor;
    }

    static constexpr std::size_t sample = 256;
    static constexpr std::size_t classes = 2048;
    static constexpr std::size_t block = 16;  // documents tested together

    // Returns the size class of a change, by powers of two: the bits of its exponent.
    static std::size_t size_class(double change) {
        return (std::bit_cast<std::uint64_t>(change) >> 52) & 0x7ff;
    }

    // Finds the few documents with large changes: the squares of all others would stay within
    // `limit` even if all documents had them. Returns the sum of squares of the others.
    double find_large(std::span<const double> slopes, double limit) {
        large_.clear();
        const auto near = std::sqrt(limit / static_cast<double>(slopes.size()));
        double left = 0.0;
        for (std::size_t first = 0; first < slopes.size(); first += block) {
            const auto last = std::min(first + block, slopes.size());
            const auto square = [&](std::size_t at) {
                const auto change = slopes[first + at] - reference_[first + at];
                return change * change;
            };
            const auto sum = summed(last - first, square);
            if (sum <= near * near) {
                left += sum;
                continue;
            }
            for (auto i = first; i < last; ++i) {
                const auto change = slopes[i] - reference_[i];
                if (std::abs(change) <= near) left += change * change;
                else large_.push_back(static_cast<std::uint32_t>(i));
            }
        }
        return left;
    }

    // Returns the least size class to update; adds the squares of all smaller changes to `left`.
    std::size_t cut_for(std::span<const double> slopes, double limit, double& left) {
        squares_.fill(0.0);
        counts_.fill(0);
        for (const auto i : large_) {
            const auto change = slopes[i] - reference_[i];
            squares_[size_class(change)] += change * change;
            ++counts_[size_class(change)];
        }
        std::size_t cut = 0, followed = large_.size();
        for (; cut < classes; ++cut) {
            const bool is_cheap = followed <= slopes.size() / 32 && left + squares_[cut] > 0.01 * limit;
            if (is_cheap || left + squares_[cut] > limit) break;
            left += squares_[cut];
            followed -= counts_[cut];
        }
        return cut;
    }

    const ColumnFacts* facts_ = nullptr;
    std::vector<double> reference_, reference_slopes_, factors_;
    std::array<double, classes> squares_{};
    std::array<std::size_t, classes> counts_{};
    std::vector<std::uint32_t> large_;
    double distance_ = 0.0;
};

}  // namespace postil
