// Several support vector machines side by side, each the limit of smooth problems: MLR-CG,
// zhang-jin-yang-hauptmann-2003, algorithm 1.
//
//     O_γ(w) = (1/n) Σ cᵢ g_γ(zᵢ) + λ‖w‖²       g_γ the smoothed hinge
//
// O_γ exceeds the objective O of the SVM by at most ln2/γ (proposition 1). Starting at γ = 1, a few
// steps of conjugate gradients are taken with each γ; then γ grows, and the directions restart from
// the same weights.
//
// The certificate is a duality gap of the SVM itself, at aᵢ = -g_γ'(zᵢ), which is in [0, 1]:
//
//     D(a) = (1/n) Σ cᵢ aᵢ - ‖v‖²/4λ       v = (1/n) Σ cᵢ aᵢ yᵢ xᵢ
//
// It costs a pass over X. An unpenalised intercept requires Σ cᵢ aᵢ yᵢ = 0: the a of the class with
// the larger sum are scaled down. The best multiple of a is used, and the highest bound so far is
// kept.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "postil/learn/lanes/lane_solver.hpp"
#include "postil/learn/losses/smoothed_hinge_loss.hpp"
#include "postil/learn/solvers/dual_balance.hpp"
#include "postil/learn/solvers/smoothing.hpp"

namespace postil {

template <std::size_t Lanes>
class SmoothedLanes : public LaneSolver<Lanes, SmoothedHingeLoss> {
public:
    using Base = LaneSolver<Lanes, SmoothedHingeLoss>;
    using typename Base::Scalars;

    SmoothedLanes(const BinaryProblem& shared, const CgOptions& options,
                  const SmoothingOptions& smoothing, std::size_t lanes)
        : Base(shared, SmoothedHingeLoss{smoothing.first_gamma}, options, lanes), smoothing_(smoothing) {}

    // Solves all lanes with the current strengths of the model; one fit for each.
    void solve(std::span<Fit* const> fits, Monitor& monitor) {
        this->model_.loss().gamma = smoothing_.first_gamma;
        this->model_.update_slopes();
        this->begin();
        bounds_.fill(0.0);
        std::uint32_t steps = 0;
        while (this->gradients_.any_active()) {
            monitor.check();
            this->gradients_.step();
            ++steps;
            count_steps(fits);
            const bool is_last = steps == this->options_.iterations;
            if (!is_last && steps % smoothing_.steps_per_gamma != 0) continue;
            check(fits, is_last);
            if (!this->gradients_.any_active()) break;
            auto& gamma = this->model_.loss().gamma;
            gamma = smoothing_.after(gamma);
            restart();
        }
    }

private:
    // Recomputes slopes with the current γ and restarts from steepest descent.
    void restart() {
        this->model_.update_slopes();
        this->gradients_.restart();
    }

    void count_steps(std::span<Fit* const> fits) {
        for (std::size_t lane = 0; lane < this->lanes_; ++lane)
            if (this->gradients_.is_active(lane)) ++fits[lane]->iterations;
        if (!this->options_.trace) return;
        const auto losses = hinge_losses();
        for (std::size_t lane = 0; lane < this->lanes_; ++lane)
            if (this->gradients_.is_active(lane))
                this->trace(*fits[lane], losses[lane] + this->gradients_.penalty(lane));
    }

    void check(std::span<Fit* const> fits, bool is_last) {
        const auto losses = hinge_losses();
        raise_bounds();
        for (std::size_t lane = 0; lane < this->lanes_; ++lane) {
            if (!this->gradients_.is_active(lane)) continue;
            auto& fit = *fits[lane];
            fit.objective = losses[lane] + this->gradients_.penalty(lane);
            const auto gap = std::max(0.0, fit.objective - bounds_[lane]);
            fit.kind = Certificate::duality_gap;
            fit.certificate = fit.objective > 0.0 ? gap / fit.objective : gap;
            fit.smoothing = this->model_.loss().excess() * this->model_.mass(lane);
            const auto tolerance = this->options_.tolerance;
            const bool is_certified = tolerance > 0.0 && fit.certificate <= tolerance;
            if (is_certified) fit.stop = Stop::certified;
            if (!is_certified && !is_last && std::isfinite(fit.certificate)) continue;
            this->keep_weights(fit, lane);
            this->gradients_.deactivate(lane);
        }
    }

    Scalars hinge_losses() const {
        Scalars sums{};
        for (std::size_t lane = 0; lane < Lanes; ++lane)
            this->model_.for_documents(lane, [&](double pull, double score, double) {
                sums[lane] += std::abs(pull) * std::max(0.0, 1.0 - std::copysign(1.0, pull) * score);
            });
        return sums;
    }

    // Raises the lower bounds to the dual objective at a = -g_γ', balanced if the intercept is
    // unpenalised.
    void raise_bounds() {
        Scalars of_members, of_others, sums{}, largest{};
        for (std::size_t lane = 0; lane < Lanes; ++lane) {
            double members = 0.0, others = 0.0, most_members = 0.0, most_others = 0.0;
            this->model_.for_documents(lane, [&](double pull, double, double slope) {
                const auto mass = std::abs(slope), dual = pull == 0.0 ? 0.0 : mass / std::abs(pull);
                const bool is_member = !std::signbit(pull);
                (is_member ? members : others) += mass;
                auto& most = is_member ? most_members : most_others;
                most = std::max(most, dual);
            });
            const auto shares =
                this->model_.penalises_all() ? DualShares{} : balanced_shares(members, others);
            of_members[lane] = shares.members;
            of_others[lane] = shares.others;
            sums[lane] = shares.members * members + shares.others * others;
            largest[lane] = std::max(shares.members * most_members, shares.others * most_others);
        }
        const auto squares = squared_gradients(of_members, of_others);
        for (std::size_t lane = 0; lane < this->lanes_; ++lane)
            bounds_[lane] =
                std::max(bounds_[lane], best_multiple(sums[lane], squares[lane], largest[lane]));
    }

    // Returns ‖v‖²/4λ without an unpenalised constant. It is not computed from the gradient, in
    // which small duals would be lost beside the part of the weights.
    Scalars squared_gradients(const Scalars& of_members, const Scalars& of_others) {
        Scalars squares{};
        gradient_.resize(this->gradients_.weights().size());
        this->model_.gradient(of_members, of_others, gradient_);
        for (std::size_t row = 0; row < this->model_.rows(); ++row) {
            const double* held = this->model_.ridge(row);
            for (std::size_t lane = 0; lane < Lanes; ++lane) {
                const auto pull = gradient_[row * Lanes + lane];
                if (held[lane] > 0.0) squares[lane] += pull * pull / (2.0 * held[lane]);
            }
        }
        return squares;
    }

    SmoothingOptions smoothing_;
    Scalars bounds_{};  // highest lower bound of the minimum so far
    std::vector<double> gradient_;
};

}  // namespace postil
