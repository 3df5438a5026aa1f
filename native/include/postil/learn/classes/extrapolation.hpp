// Anderson extrapolation of a linear iteration (1965).
//
// Coordinate descent on a quadratic is a linear iteration once the set of non-zero weights is
// fixed. The affine combination of its last iterates whose differences cancel best is much closer
// to the limit than any of them.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace postil {

// Memory: 40 bytes for each number of an iterate. Cost: 30 operations for each, every fifth
// iterate.
class Extrapolation {
public:
    void clear() { held_ = 0; }

    void add(std::span<const double> iterate) {
        if (held_ == iterates_.size()) held_ = 0;
        iterates_[held_++].assign(iterate.begin(), iterate.end());
    }

    // Returns true if there are enough iterates; `point` is then the extrapolated limit, and the
    // iterates are cleared. Numbers that did not change stay exactly the same.
    bool find(std::vector<double>& point) {
        if (held_ < iterates_.size()) return false;
        held_ = 0;
        const auto mixture = solve();
        if (!std::isfinite(mixture[0])) return false;
        const auto& last = iterates_.back();
        point = last;
        for (std::size_t m = 0; m < differences; ++m)
            for (std::size_t at = 0; at < point.size(); ++at)
                point[at] += mixture[m] * (iterates_[m][at] - last[at]);
        return true;
    }

private:
    static constexpr std::size_t differences = 4;
    using Row = std::array<double, differences>;

    // Solves for c with Σ c = 1 that nearly minimises |Σ cₘ (xₘ₊₁ - xₘ)|: (G + ε) c ∝ 1, G the Gram
    // matrix of the differences.
    Row solve() const {
        std::array<Row, differences> products{};
        for (std::size_t at = 0; at < iterates_[0].size(); ++at) {
            Row change;
            for (std::size_t m = 0; m < differences; ++m)
                change[m] = iterates_[m + 1][at] - iterates_[m][at];
            for (std::size_t m = 0; m < differences; ++m)
                for (std::size_t k = 0; k <= m; ++k) products[m][k] += change[m] * change[k];
        }
        double trace = 0.0;
        for (std::size_t m = 0; m < differences; ++m) trace += products[m][m];
        for (std::size_t m = 0; m < differences; ++m) products[m][m] += 1e-16 * trace;
        auto mixture = by_cholesky(products);
        const auto sum = std::accumulate(mixture.begin(), mixture.end(), 0.0);
        for (auto& share : mixture) share /= sum;
        return mixture;
    }

    // Solves A c = 1 for the lower triangle of A.
    static Row by_cholesky(std::array<Row, differences>& a) {
        Row c;
        for (std::size_t m = 0; m < differences; ++m) {
            for (std::size_t k = 0; k <= m; ++k) {
                for (std::size_t j = 0; j < k; ++j) a[m][k] -= a[m][j] * a[k][j];
                a[m][k] = k == m ? std::sqrt(a[m][m]) : a[m][k] / a[k][k];
            }
            c[m] = 1.0;
            for (std::size_t j = 0; j < m; ++j) c[m] -= a[m][j] * c[j];
            c[m] /= a[m][m];
        }
        for (std::size_t m = differences; m-- > 0;) {
            for (std::size_t j = m + 1; j < differences; ++j) c[m] -= a[j][m] * c[j];
            c[m] /= a[m][m];
        }
        return c;
    }

    std::array<std::vector<double>, differences + 1> iterates_;
    std::size_t held_ = 0;
};

}  // namespace postil
