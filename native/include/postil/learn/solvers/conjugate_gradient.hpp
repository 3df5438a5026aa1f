// Nonlinear conjugate gradients: directions, restarts, and a line search without passes over X.
//
//     minimise  F(w) = loss(Xw) + Σ bⱼ wⱼ²
//     p ← -s + β p,   w ← w + t p      s = M⁻¹g, g the gradient, M a diagonal
//
// with y the change of g in the last step,
//
//     Hestenes-Stiefel  β = s·y / p·y      Polak-Ribière+  β = max(0, s·y / s'·g')
//     Fletcher-Reeves   β = s·g / s'·g'    (' denotes the previous step)
//
// (Nocedal and Wright 1999; zhang-jin-yang-hauptmann-2003 uses the first, with M = 1). The step
// length t makes the slope along p nearly 0. Because X(w + tp) = Xw + tXp, and both are kept,
// evaluating a point on the line costs the documents but no pass over X: a step takes two passes,
// one for Xp and one for the gradient.
//
// β is 0, so that p is steepest descent, at the start, after `restart` steps, if p is not a descent
// direction, and by Powell's criterion: if successive gradients are far from orthogonal, |s·g'| >=
// powell s·g.
//
// A Model holds the documents. Its vectors have rows of `width` numbers. There are `groups`
// independent problems: one for each column, or a single one over all columns. Memory: 40 bytes for
// each entry.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "postil/learn/solvers/slope_search.hpp"

namespace postil {

enum class CgDirection : std::uint8_t { hestenes_stiefel, polak_ribiere, fletcher_reeves };

struct CgOptions {
    std::uint32_t iterations = 1000;
    double tolerance = 1e-3;  // of the certificate; 0: not checked
    CgDirection direction = CgDirection::hestenes_stiefel;
    std::uint32_t restart = 0;  // restart after this many steps; 0: never
    double powell = 0.0;        // threshold of Powell's criterion; 0: not used
    double slope_share = 0.1;   // the line search ends at this share of the initial slope
    bool is_scaled = true;      // M approximates the curvature along each weight; else 1
    bool trace = false;         // record the objective of every step
};

// A Model has `groups` and `width`, as above; rows(); ridge(row), the 2b of a row's columns;
// scales(M), which fills M; and
//     evaluate(weights): computes the scores Xw and the slopes of the loss there
//     gradient(out): the gradient of the loss from the slopes; 0 for fixed weights
//     set_direction(p): computes Xp
//     longest_step(group): max |Xp|
//     along(t, slopes, curvatures): first and second derivative of the loss along p at t
//     take(t): moves the scores by t Xp and computes the slopes there
template <class Model>
class ConjugateGradient {
public:
    static constexpr std::size_t groups = Model::groups, width = Model::width;
    using Scalars = std::array<double, groups>;

    ConjugateGradient(Model& model, const CgOptions& options)
        : model_(model),
          options_(options),
          weights_(model.rows() * width),
          direction_(weights_.size()),
          gradient_(weights_.size()),
          next_(weights_.size()),
          scales_(weights_.size(), 1.0) {}

    // Computes M. Call it before the first start() and after the strengths have changed.
    void scale() {
        if (options_.is_scaled) model_.scales(scales_);
    }

    void start(std::span<const double> weights) {
        std::copy(weights.begin(), weights.end(), weights_.begin());
        model_.evaluate(weights_);
        restart();
    }

    // Restarts from the current weights after the loss or the strengths, and so the slopes, have
    // changed.
    void restart() {
        update_gradient();
        steps_ = 0;
        first_slopes_.fill(0.0);
    }

    void activate(std::size_t group) { is_active_[group] = true; }
    // Freezes the weights of a group.
    void deactivate(std::size_t group) { is_active_[group] = false; }
    bool is_active(std::size_t group) const { return is_active_[group]; }
    bool any_active() const { return std::ranges::find(is_active_, true) != is_active_.end(); }

    void step() {
        update_direction();
        model_.set_direction(direction_);
        search();
        for (std::size_t first = 0; first < weights_.size(); first += groups)
            for (std::size_t group = 0; group < groups; ++group)
                weights_[first + group] += steps_taken_[group] * direction_[first + group];
        model_.take(steps_taken_);
        update_gradient();
        if (++steps_ == options_.restart) steps_ = 0;
        if (++steps_since_evaluation_ == most_steps_since_evaluation) {
            // Remove the accumulated rounding errors of the scores.
            steps_since_evaluation_ = 0;
            model_.evaluate(weights_);
        }
    }

    const std::vector<double>& weights() const { return weights_; }
    const std::vector<double>& gradient() const { return gradient_; }
    // Σ b w² of a group, and Σ g²/4b.
    double penalty(std::size_t group) const { return sums_.penalty[group]; }
    double gap(std::size_t group) const { return sums_.gap[group]; }

private:
    struct Sums {
        Scalars penalty{}, gap{};
        Scalars s_g{};  // s·g
        Scalars s_y{};  // s·y
        Scalars p_y{};  // p·y
    };

    // Computes the gradient and its products with the previous one.
    void update_gradient() {
        model_.gradient(next_);
        previous_s_g_ = sums_.s_g;
        sums_ = {};
        for (std::size_t row = 0; row < model_.rows(); ++row) {
            const double* held = model_.ridge(row);
            const auto first = row * width;
            for (std::size_t column = 0; column < width; ++column) {
                const auto e = first + column, group = column % groups;
                const auto weight = weights_[e], hold = held[column];
                const auto now = next_[e] + hold * weight;
                const auto change = now - gradient_[e], scaled = now * scales_[e];
                sums_.penalty[group] += 0.5 * hold * weight * weight;
                sums_.gap[group] += hold > 0.0 ? now * now / (2.0 * hold) : 0.0;
                sums_.s_g[group] += scaled * now;
                sums_.s_y[group] += scaled * change;
                sums_.p_y[group] += direction_[e] * change;
                gradient_[e] = now;
            }
        }
    }

    double beta(std::size_t group) const {
        if (steps_ == 0 || !is_active_[group]) return 0.0;
        const auto s_g = sums_.s_g[group], s_y = sums_.s_y[group];
        if (options_.powell > 0.0 && std::abs(s_g - s_y) >= options_.powell * s_g) return 0.0;
        const auto share = [&] {
            switch (options_.direction) {
                case CgDirection::polak_ribiere: return std::max(0.0, s_y / previous_s_g_[group]);
                case CgDirection::fletcher_reeves: return s_g / previous_s_g_[group];
                default: return s_y / sums_.p_y[group];
            }
        }();
        return std::isfinite(share) ? share : 0.0;
    }

    // Computes the next direction, and the derivatives of the penalty along it.
    void update_direction() {
        Scalars share{}, descent{};
        for (std::size_t group = 0; group < groups; ++group) share[group] = beta(group);
        for (std::size_t first = 0; first < weights_.size(); first += groups)
            for (std::size_t group = 0; group < groups; ++group) {
                const auto e = first + group;
                direction_[e] = share[group] * direction_[e] - scales_[e] * gradient_[e];
                descent[group] += gradient_[e] * direction_[e];
            }
        for (std::size_t group = 0; group < groups; ++group)
            if (!is_active_[group] || !(descent[group] < 0.0)) use_steepest_descent(group);
        penalty_slope_.fill(0.0);
        penalty_curvature_.fill(0.0);
        for (std::size_t row = 0; row < model_.rows(); ++row) {
            const double* held = model_.ridge(row);
            for (std::size_t column = 0; column < width; ++column) {
                const auto e = row * width + column, group = column % groups;
                const auto pull = held[column] * direction_[e];
                penalty_slope_[group] += pull * weights_[e];
                penalty_curvature_[group] += pull * direction_[e];
            }
        }
    }

    // Steepest descent; zero for inactive groups.
    void use_steepest_descent(std::size_t group) {
        for (std::size_t e = group; e < weights_.size(); e += groups)
            direction_[e] = is_active_[group] ? -scales_[e] * gradient_[e] : 0.0;
    }

    void search() {
        std::array<SlopeSearch, groups> searches;
        Scalars slopes, curvatures;
        steps_taken_.fill(0.0);
        evaluate_along(slopes, curvatures);
        for (std::size_t group = 0; group < groups; ++group) {
            if (!is_active_[group]) continue;
            // Limit the first trial step by the decrease that the last step predicted, times a
            // factor. The very first step is limited by how far it moves a score: where the loss is
            // almost linear, a Newton step could go anywhere.
            const auto promise = first_slopes_[group];
            const auto most = promise < 0.0 ? longest * promise / slopes[group]
                                            : furthest / model_.longest_step(group);
            searches[group].begin(slopes[group], curvatures[group], options_.slope_share, most);
            first_slopes_[group] = slopes[group];
            steps_taken_[group] = searches[group].at();
        }
        const auto is_done = [](const SlopeSearch& search) { return search.done(); };
        while (!std::ranges::all_of(searches, is_done)) {
            evaluate_along(slopes, curvatures);
            for (std::size_t group = 0; group < groups; ++group) {
                if (searches[group].done()) continue;
                searches[group].update(slopes[group], curvatures[group]);
                steps_taken_[group] = searches[group].at();
            }
        }
        for (std::size_t group = 0; group < groups; ++group) first_slopes_[group] *= steps_taken_[group];
    }

    void evaluate_along(Scalars& slopes, Scalars& curvatures) {
        model_.along(steps_taken_, slopes, curvatures);
        for (std::size_t group = 0; group < groups; ++group) {
            slopes[group] += penalty_slope_[group] + steps_taken_[group] * penalty_curvature_[group];
            curvatures[group] += penalty_curvature_[group];
        }
    }

    static constexpr double longest = 10.0, furthest = 1000.0;
    static constexpr std::uint32_t most_steps_since_evaluation = 500;

    Model& model_;
    const CgOptions& options_;
    std::vector<double> weights_, direction_, gradient_, next_, scales_;
    std::array<bool, groups> is_active_{};
    Sums sums_;
    Scalars previous_s_g_{};  // s'·g'
    Scalars penalty_slope_{}, penalty_curvature_{};
    Scalars steps_taken_{};
    Scalars first_slopes_{};  // slope at the start of the last line times the step length
    std::uint32_t steps_ = 0, steps_since_evaluation_ = 0;
};

}  // namespace postil
