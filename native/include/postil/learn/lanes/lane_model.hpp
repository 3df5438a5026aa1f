// The documents of several categories with the same terms, side by side: a Model for conjugate
// gradients.
//
// Each category is a lane. Its scores and weights are interleaved with those of the other lanes, so
// that one pass over X serves all (lanes.hpp). The numbers of a lane do not depend on the other
// lanes, nor on whether a pass goes by rows (all terms) or by columns (some terms): each sum has
// the same parts in the same order.
//
// A pass costs the non-zeros of the terms × lanes, evaluating a point on a line costs documents ×
// lanes. Memory: 32 bytes for each document and lane.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "postil/learn/lanes/lanes.hpp"
#include "postil/learn/losses/loss_kernels.hpp"
#include "postil/learn/problem.hpp"

namespace postil {

template <std::size_t Lanes, class Loss>
class LaneModel {
public:
    static constexpr std::size_t groups = Lanes, width = Lanes;
    using Scalars = std::array<double, Lanes>;

    // `shared` is common to all lanes; labels, weights and strengths are set per lane.
    LaneModel(const BinaryProblem& shared, Loss loss)
        : design_(shared.design),
          terms_(shared.terms),
          is_all_(terms_.size() == design_.terms.count),
          intercept_(shared.intercept),
          constant_(shared.constant),
          loss_(loss),
          pulls_(documents() * Lanes),
          scores_(documents() * Lanes),
          steps_(documents() * Lanes),
          slopes_(documents() * Lanes) {}

    void set_labels(std::size_t lane, const BinaryProblem& problem) {
        masses_[lane] = 0.0;
        for (std::size_t i = 0; i < documents(); ++i) {
            const auto share = problem.weights[i] / problem.documents;
            pulls_[i * Lanes + lane] = problem.labels[i] * share;
            masses_[lane] += share;
        }
    }
    void set_strength(std::size_t lane, double squared) {
        ridge_[lane] = 2.0 * squared;
        constant_ridge_[lane] = intercept_ == Intercept::free ? 0.0 : 2.0 * squared;
    }

    std::size_t documents() const { return design_.documents.count; }
    bool has_constant() const { return intercept_ != Intercept::none; }
    std::size_t rows() const { return terms_.size() + has_constant(); }
    const double* ridge(std::size_t row) const {
        return row < terms_.size() ? ridge_.data() : constant_ridge_.data();
    }
    bool penalises_all() const { return intercept_ != Intercept::free; }
    double constant() const { return constant_; }
    Loss& loss() { return loss_; }
    double average(std::size_t lane) const { return averages_[lane]; }
    // Σ c/n: 1 without class weights.
    double mass(std::size_t lane) const { return masses_[lane]; }

    // Computes 1/M, where M is the curvature of the prior plus that of the loss at margins between
    // -1 and 1.
    void scales(std::vector<double>& out) const {
        const auto typical = 0.5 * (loss_.slope(1.0) - loss_.slope(-1.0));
        for (std::size_t row = 0; row < rows(); ++row) {
            Scalars sums{};
            const auto add = [&](std::size_t i, double x) {
                for (std::size_t lane = 0; lane < Lanes; ++lane)
                    sums[lane] += x * x * std::abs(pulls_[i * Lanes + lane]);
            };
            for_each(row, add);
            for (std::size_t lane = 0; lane < Lanes; ++lane) {
                const auto steepness = ridge(row)[lane] + typical * sums[lane];
                out[row * Lanes + lane] = steepness > 0.0 ? 1.0 / steepness : 1.0;
            }
        }
    }

    void evaluate(const std::vector<double>& weights) {
        products(weights, scores_);
        update_slopes();
    }

    // Recomputes the slopes at the same scores after the loss has changed.
    void update_slopes() { move({}); }

    void gradient(std::vector<double>& out) const { gradient(slopes_, out); }

    // The gradient from slopes scaled by factors for members and for other documents.
    void gradient(const Scalars& of_members, const Scalars& of_others, std::vector<double>& out) {
        for (std::size_t at = 0; at < slopes_.size(); ++at) {
            const auto lane = at % Lanes;
            steps_[at] = slopes_[at] * (std::signbit(pulls_[at]) ? of_others : of_members)[lane];
        }
        gradient(steps_, out);
    }

    void set_direction(const std::vector<double>& direction) { products(direction, steps_); }

    // Returns the largest change of a score of the lane by a step of 1.
    double longest_step(std::size_t lane) const {
        double longest = 0.0;
        for (std::size_t at = lane; at < steps_.size(); at += Lanes)
            longest = std::max(longest, std::abs(steps_[at]));
        return longest;
    }

    void along(const Scalars& t, Scalars& slopes, Scalars& curvatures) const {
        slopes.fill(0.0);
        curvatures.fill(0.0);
        double margins[chunk * Lanes], slope[chunk * Lanes], curvature[chunk * Lanes];
        for (std::size_t first = 0; first < scores_.size(); first += chunk * Lanes) {
            const auto size = std::min(chunk * Lanes, scores_.size() - first);
            const auto* __restrict pulls = pulls_.data() + first;
            const auto* __restrict scores = scores_.data() + first;
            const auto* __restrict steps = steps_.data() + first;
            for (std::size_t at = 0; at < size; at += Lanes)
                for (std::size_t lane = 0; lane < Lanes; ++lane)
                    margins[at + lane] = std::copysign(1.0, pulls[at + lane]) *
                                         (scores[at + lane] + t[lane] * steps[at + lane]);
            slopes_at(loss_, size, margins, slope, curvature);
            for (std::size_t at = 0; at < size; at += Lanes)
                for (std::size_t lane = 0; lane < Lanes; ++lane) {
                    const auto step = steps[at + lane], pull = pulls[at + lane] * step;
                    slopes[lane] += pull * slope[at + lane];
                    curvatures[lane] += std::abs(pull * step) * curvature[at + lane];
                }
        }
    }

    void take(const Scalars& t) { move(t); }

    // Calls visit(pull, score, slope) for every document: pull is y c/n, and slope that of the
    // average loss.
    template <class Visit>
    void for_documents(std::size_t lane, Visit&& visit) const {
        for (std::size_t at = lane; at < scores_.size(); at += Lanes)
            visit(pulls_[at], scores_[at], slopes_[at]);
    }

private:
    static constexpr std::size_t chunk = 64;  // documents: keeps intermediate values in the cache

    template <class Visit>
    void for_each(std::size_t row, Visit&& visit) const {
        if (row == terms_.size()) {
            for (std::size_t i = 0; i < documents(); ++i) visit(i, constant_);
            return;
        }
        const auto column = design_.terms[static_cast<std::size_t>(terms_[row])];
        for (std::size_t k = 0; k < column.size; ++k)
            visit(static_cast<std::size_t>(column.places[k]), static_cast<double>(column.values[k]));
    }

    void move(const Scalars& t) {
        averages_.fill(0.0);
        double margins[chunk * Lanes], value[chunk * Lanes], slope[chunk * Lanes];
        for (std::size_t first = 0; first < scores_.size(); first += chunk * Lanes) {
            const auto size = std::min(chunk * Lanes, scores_.size() - first);
            const auto* __restrict pulls = pulls_.data() + first;
            const auto* __restrict steps = steps_.data() + first;
            auto* __restrict scores = scores_.data() + first;
            auto* __restrict slopes = slopes_.data() + first;
            for (std::size_t at = 0; at < size; at += Lanes)
                for (std::size_t lane = 0; lane < Lanes; ++lane) {
                    scores[at + lane] += t[lane] * steps[at + lane];
                    margins[at + lane] = std::copysign(1.0, pulls[at + lane]) * scores[at + lane];
                }
            values_at(loss_, size, margins, value, slope);
            for (std::size_t at = 0; at < size; at += Lanes)
                for (std::size_t lane = 0; lane < Lanes; ++lane) {
                    averages_[lane] += std::abs(pulls[at + lane]) * value[at + lane];
                    slopes[at + lane] = pulls[at + lane] * slope[at + lane];
                }
        }
    }

    // X·weights, the constant last.
    void products(const std::vector<double>& weights, std::vector<double>& out) const {
        std::fill(out.begin(), out.end(), 0.0);
        if (is_all_)
            for (std::size_t i = 0; i < documents(); ++i)
                add_products<Lanes>(design_.documents[i], weights.data(), out.data() + i * Lanes);
        else
            for (std::size_t row = 0; row < terms_.size(); ++row)
                add_multiples<Lanes>(design_.terms[static_cast<std::size_t>(terms_[row])],
                                     weights.data() + row * Lanes, out.data());
        if (!has_constant()) return;
        const double* of_constant = weights.data() + terms_.size() * Lanes;
        for (std::size_t i = 0; i < documents(); ++i)
            for (std::size_t lane = 0; lane < Lanes; ++lane)
                out[i * Lanes + lane] += constant_ * of_constant[lane];
    }

    // Xᵀ·slopes, the constant last.
    void gradient(const std::vector<double>& slopes, std::vector<double>& out) const {
        std::fill(out.begin(), out.end(), 0.0);
        for (std::size_t row = 0; row < terms_.size(); ++row)
            add_products<Lanes>(design_.terms[static_cast<std::size_t>(terms_[row])], slopes.data(),
                                out.data() + row * Lanes);
        if (!has_constant()) return;
        double* of_constant = out.data() + terms_.size() * Lanes;
        for (std::size_t i = 0; i < documents(); ++i)
            for (std::size_t lane = 0; lane < Lanes; ++lane)
                of_constant[lane] += slopes[i * Lanes + lane];
        for (std::size_t lane = 0; lane < Lanes; ++lane) of_constant[lane] *= constant_;
    }

    Design design_;
    std::span<const std::int32_t> terms_;
    bool is_all_;
    Intercept intercept_;
    double constant_;
    Loss loss_;
    Scalars ridge_{}, constant_ridge_{}, masses_{}, averages_{};
    std::vector<double> pulls_;  // y c/n
    std::vector<double> scores_, steps_, slopes_;
};

}  // namespace postil
