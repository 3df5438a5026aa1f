// Several categories side by side by conjugate gradients, for a smooth loss and a Gaussian prior.
//
//     minimise  (1/n) Σ cᵢ f(yᵢ (w·xᵢ + b)) + λ‖w‖²        for each lane
//
// With g the gradient, the duality gap at a = -f'(z) is ‖g‖²/4λ (optimality.hpp) and costs nothing.
// An unpenalised intercept needs balanced duals (dual_balance.hpp), whose gap costs a pass over X:
// it is computed once the gap without the intercept is small enough, and at the end. A finished
// lane rests until all are.
//
// A step costs two passes over X and a few evaluations along the line. Memory: 32 bytes for each
// document and lane, 48 for each term and lane.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "postil/learn/lanes/lane_solver.hpp"
#include "postil/learn/solvers/dual_balance.hpp"

namespace postil {

template <std::size_t Lanes, class Loss>
class SmoothLanes : public LaneSolver<Lanes, Loss> {
public:
    using LaneSolver<Lanes, Loss>::LaneSolver;
    using typename LaneSolver<Lanes, Loss>::Scalars;

    // Solves all lanes with the current strengths of the model; one fit for each.
    void solve(std::span<Fit* const> fits, Monitor& monitor) {
        this->begin();
        progress_ = {};
        for (std::size_t lane = 0; lane < this->lanes_; ++lane) check(*fits[lane], lane);
        while (this->gradients_.any_active()) {
            monitor.check();
            this->gradients_.step();
            for (std::size_t lane = 0; lane < this->lanes_; ++lane) {
                if (!this->gradients_.is_active(lane)) continue;
                ++fits[lane]->iterations;
                check(*fits[lane], lane);
                this->trace(*fits[lane], fits[lane]->objective);
            }
        }
    }

private:
    // The progress of a lane.
    struct Progress {
        double objective = std::numeric_limits<double>::infinity();
        double certificate = std::numeric_limits<double>::infinity();
        std::uint32_t stalled = 0;
    };

    void check(Fit& fit, std::size_t lane) {
        fit.kind = Certificate::duality_gap;
        fit.objective = this->model_.average(lane) + this->gradients_.penalty(lane);
        certify(fit, this->gradients_.gap(lane));
        const auto is_stuck = !makes_progress(fit, progress_[lane]);
        const auto is_last = is_stuck || fit.iterations >= this->options_.iterations ||
                             !std::isfinite(fit.objective) || !std::isfinite(fit.certificate);
        if (!is_last && !is_certified(fit)) return;
        if (!this->model_.penalises_all()) certify(fit, balanced_gap(lane));
        if (is_certified(fit)) fit.stop = Stop::certified;
        else if (is_stuck) fit.stop = Stop::precision;
        else if (!is_last) return;
        this->keep_weights(fit, lane);
        this->gradients_.deactivate(lane);
    }

    static void certify(Fit& fit, double gap) {
        fit.certificate = fit.objective > 0.0 ? gap / fit.objective : gap;
    }

    bool is_certified(const Fit& fit) const {
        return this->options_.tolerance > 0.0 && fit.certificate <= this->options_.tolerance;
    }

    static bool makes_progress(const Fit& fit, Progress& progress) {
        const bool is_better = fit.objective < progress.objective ||
                               fit.certificate < 0.9 * progress.certificate;
        progress.stalled = is_better ? 0 : progress.stalled + 1;
        progress.objective = std::min(progress.objective, fit.objective);
        progress.certificate = std::min(progress.certificate, fit.certificate);
        return progress.stalled < most_stalled;
    }

    // Returns the gap at balanced duals: the part of the penalised weights plus that of the
    // documents.
    double balanced_gap(std::size_t lane) {
        double members = 0.0, others = 0.0;
        this->model_.for_documents(lane, [&](double pull, double, double slope) {
            (std::signbit(pull) ? others : members) -= std::copysign(1.0, pull) * slope;
        });
        const auto shares = balanced_shares(members, others);
        Scalars of_members, of_others;
        of_members.fill(shares.members);
        of_others.fill(shares.others);
        balanced_.resize(this->gradients_.weights().size());
        this->model_.gradient(of_members, of_others, balanced_);
        double gap = 0.0;
        for (std::size_t row = 0; row < this->model_.rows(); ++row) {
            const auto held = this->model_.ridge(row)[lane];
            const auto at = row * Lanes + lane;
            const auto slope = balanced_[at] + held * this->gradients_.weights()[at];
            if (held > 0.0) gap += slope * slope / (2.0 * held);
        }
        const auto& loss = this->model_.loss();
        this->model_.for_documents(lane, [&](double pull, double score, double slope) {
            if (pull == 0.0) return;
            const auto label = std::copysign(1.0, pull), margin = label * score;
            const auto dual = -shares(label) * slope / pull;
            gap += std::abs(pull) * std::max(0.0, loss.value(margin) + loss.conjugate(dual) + dual * margin);
        });
        return gap;
    }

    static constexpr std::uint32_t most_stalled = 50;

    std::array<Progress, Lanes> progress_;
    std::vector<double> balanced_;  // gradient of the loss at balanced duals
};

}  // namespace postil
