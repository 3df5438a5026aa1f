// Sequential minimal optimisation: the support vector machine with an explicit threshold
// (zhang-oles-2001, equations 7 and 8; Platt 1999), with working sets chosen by second order
// information (Fan, Chen and Lin 2005) and shrinking.
//
//     minimise  ½ Σᵢⱼ αᵢ αⱼ yᵢ yⱼ K(i,j) - Σ αᵢ    subject to  0 <= αᵢ <= Cᵢ,  Σ αᵢ yᵢ = 0
//
// with Cᵢ = cᵢ/(2λn). A step costs two rows of the kernel and O(active documents). Returns the
// factors αᵢ yᵢ of the documents and the threshold.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "postil/learn/problem.hpp"
#include "postil/learn/solvers/kernel_rows.hpp"
#include "postil/system/threads.hpp"

namespace postil {

struct SmoOptions {
    std::uint64_t steps = 10'000'000;
    double tolerance = 1e-4;                           // of the relative duality gap
    std::size_t cache_bytes = std::size_t{100} << 20;  // of kernel rows
    bool shrink = true;
};

template <class Kernel>
class SequentialMinimalOptimisation {
public:
    SequentialMinimalOptimisation(const BinaryProblem& problem, const Kernel& kernel,
                                  const SmoOptions& options)
        : problem_(problem), kernel_(kernel), options_(options), rows_(kernel, options.cache_bytes) {}

    Fit solve(Monitor& monitor) {
        begin();
        Fit fit;
        double violation = 1e-1;
        std::uint64_t until_shrink = shrink_interval();
        for (std::uint64_t step = 0; step < options_.steps; ++step) {
            if (step % 64 == 0) monitor.check();
            if (options_.shrink && --until_shrink == 0) {
                shrink();
                until_shrink = shrink_interval();
            }
            const auto pair = choose();
            if (pair.violation > violation) {
                improve(pair.first, pair.second);
                ++fit.iterations;
                continue;
            }
            if (!are_slopes_exact_) {
                unshrink();
                continue;
            }
            if (options_.tolerance > 0.0 && certify(fit) <= options_.tolerance) {
                fit.stop = Stop::certified;
                break;
            }
            if (violation < least_violation()) {
                fit.stop = Stop::precision;
                break;
            }
            violation /= 10.0;
        }
        unshrink();
        certify(fit);
        fit.factors = factors();
        return fit;
    }

private:
    struct Pair {
        std::uint32_t first = 0, second = 0;
        double violation = 0.0;
    };

    double label(std::size_t i) const { return problem_.labels[i]; }
    bool may_rise(std::size_t i) const { return label(i) > 0.0f ? alpha_[i] < bound_[i] : alpha_[i] > 0.0; }
    bool may_fall(std::size_t i) const { return label(i) > 0.0f ? alpha_[i] > 0.0 : alpha_[i] < bound_[i]; }
    double pull(std::size_t i) const { return -label(i) * slope_[i]; }
    std::uint64_t shrink_interval() const { return std::min<std::uint64_t>(problem_.size(), 1000) + 1; }

    void begin() {
        alpha_.assign(problem_.size(), 0.0);
        slope_.assign(problem_.size(), -1.0);
        bound_.resize(problem_.size());
        for (std::size_t i = 0; i < problem_.size(); ++i) {
            bound_[i] = problem_.weights[i] / (2.0 * problem_.strength.squared * problem_.documents);
            if (bound_[i] > 0.0) all_.push_back(static_cast<std::uint32_t>(i));
        }
        active_ = all_;
    }

    // Chooses the document with the largest violation upwards, and the one whose joint step
    // decreases the objective most.
    Pair choose() {
        Pair pair;
        double highest = -std::numeric_limits<double>::infinity(), lowest = -highest;
        for (const auto i : active_)
            if (may_rise(i) && pull(i) > highest) {
                highest = pull(i);
                pair.first = i;
            }
        if (highest == -std::numeric_limits<double>::infinity()) return pair;
        const auto row = rows_.row(pair.first);
        double best = 0.0;
        for (const auto j : active_) {
            if (!may_fall(j)) continue;
            lowest = std::min(lowest, pull(j));
            const auto gap = highest - pull(j);
            if (gap <= 0.0) continue;
            const auto curvature = curvature_of(pair.first, j, row[j]);
            if (gap * gap / curvature > best) {
                best = gap * gap / curvature;
                pair.second = j;
            }
        }
        pair.violation = best > 0.0 ? highest - lowest : 0.0;
        return pair;
    }

    double curvature_of(std::size_t i, std::size_t j, double product) const {
        return std::max(kernel_.diagonal(i) + kernel_.diagonal(j) - 2.0 * product, 1e-12);
    }

    void improve(std::size_t i, std::size_t j) {
        const auto row_i = rows_.row(i);
        const auto row_j = rows_.row(j);
        // y·α of one document rises by as much as that of the other falls.
        auto change = (pull(i) - pull(j)) / curvature_of(i, j, row_i[j]);
        change = std::min({change, room_up(i), room_down(j)});
        move(i, change);
        move(j, -change);
        are_slopes_exact_ = false;
        for (const auto k : active_) slope_[k] += label(k) * change * (row_i[k] - row_j[k]);
    }

    double room_up(std::size_t i) const { return label(i) > 0.0f ? bound_[i] - alpha_[i] : alpha_[i]; }
    double room_down(std::size_t i) const { return label(i) > 0.0f ? alpha_[i] : bound_[i] - alpha_[i]; }
    void move(std::size_t i, double change) {
        alpha_[i] = std::clamp(alpha_[i] + label(i) * change, 0.0, bound_[i]);
    }

    void shrink() {
        double highest = -std::numeric_limits<double>::infinity(), lowest = -highest;
        for (const auto i : active_) {
            if (may_rise(i)) highest = std::max(highest, pull(i));
            if (may_fall(i)) lowest = std::min(lowest, pull(i));
        }
        std::erase_if(active_, [&](std::uint32_t i) {
            if (may_rise(i) && may_fall(i)) return false;
            return may_rise(i) ? pull(i) < lowest : pull(i) > highest;
        });
    }

    std::vector<double> factors() const {
        std::vector<double> factors(problem_.size());
        for (std::size_t i = 0; i < factors.size(); ++i) factors[i] = alpha_[i] * label(i);
        return factors;
    }

    // Unshrinks: makes all documents active again and recomputes their slopes, because kernel rows
    // are rounded.
    void unshrink() {
        std::vector<double> sums(problem_.size());
        kernel_.combine(factors(), sums);
        for (std::size_t i = 0; i < sums.size(); ++i) slope_[i] = label(i) * sums[i] - 1.0;
        active_ = all_;
        are_slopes_exact_ = true;
    }

    // Returns the limit of double precision: slopes are sums of multipliers times products.
    double least_violation() const {
        double total = 0.0, longest = 0.0;
        for (const auto i : all_) {
            total += alpha_[i];
            longest = std::max(longest, kernel_.diagonal(i));
        }
        return std::max(1e-13, 1e-15 * total * longest);
    }

    // Returns the average threshold of the free documents, or the middle of the feasible interval.
    double threshold() const {
        double sum = 0.0, low = -std::numeric_limits<double>::infinity(), high = -low;
        std::size_t free = 0;
        for (const auto i : all_) {
            if (may_rise(i) && may_fall(i)) {
                sum += pull(i);
                ++free;
            }
            if (may_rise(i)) low = std::max(low, pull(i));
            if (may_fall(i)) high = std::min(high, pull(i));
        }
        if (free > 0) return sum / static_cast<double>(free);
        if (std::isinf(low) || std::isinf(high)) return std::isinf(low) ? high : low;
        return 0.5 * (low + high);
    }

    double certify(Fit& fit) const {
        fit.intercept = threshold();
        double squares = 0.0, losses = 0.0, total = 0.0;
        for (const auto i : all_) {
            const auto margin = slope_[i] + 1.0;  // yᵢ w·xᵢ
            squares += alpha_[i] * margin;
            total += alpha_[i];
            losses += bound_[i] * std::max(0.0, 1.0 - margin - label(i) * fit.intercept);
        }
        const auto primal = 0.5 * squares + losses, dual = total - 0.5 * squares;
        fit.objective = 2.0 * problem_.strength.squared * primal;
        fit.kind = Certificate::duality_gap;
        fit.certificate = primal > 0.0 ? std::max(0.0, primal - dual) / primal : 0.0;
        return fit.certificate;
    }

    const BinaryProblem& problem_;
    const Kernel& kernel_;
    const SmoOptions& options_;
    KernelCache<Kernel> rows_;
    std::vector<double> alpha_, slope_, bound_;
    std::vector<std::uint32_t> all_, active_;
    bool are_slopes_exact_ = false;  // the slopes of all documents are exact
};

}  // namespace postil
