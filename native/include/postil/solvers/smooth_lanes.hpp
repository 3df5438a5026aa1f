// Categories side by side by conjugate gradients, for a smooth loss and a Gaussian prior.
//
//     minimise  (1/n) Σ cᵢ f(yᵢ (w·xᵢ + b)) + λ‖w‖²        each lane
//
// With g the gradient, the duality gap at a = -f'(z) is ‖g‖²/4λ (optimality.hpp): it costs nothing.
// Where the intercept is free, max |g| over that of zero weights is the certificate. A lane that is
// done rests until all are.
//
// A step costs two passes over X and some looks along the line. Memory: 32 bytes for each document and
// lane, 48 for each term and lane.
#pragma once

#include <algorithm>
#include <array>

#include "postil/solvers/lane_solver.hpp"

namespace postil {

template <std::size_t Lanes, class Loss>
class SmoothLanes : public LaneSolver<Lanes, Loss> {
public:
    using LaneSolver<Lanes, Loss>::LaneSolver;

    // One fit for each lane, with the strengths that the model has now.
    void solve(std::span<Fit* const> fits, Monitor& monitor) {
        this->begin();
        ways_ = {};
        for (std::size_t lane = 0; lane < this->lanes_; ++lane) look(*fits[lane], lane);
        while (this->gradients_.any_active()) {
            monitor.check();
            this->gradients_.step();
            for (std::size_t lane = 0; lane < this->lanes_; ++lane) {
                if (!this->gradients_.is_active(lane)) continue;
                ++fits[lane]->iterations;
                look(*fits[lane], lane);
                this->trace(*fits[lane], fits[lane]->objective);
            }
        }
    }

private:
    // How a lane has fared.
    struct Way {
        double objective = std::numeric_limits<double>::infinity();
        double certificate = std::numeric_limits<double>::infinity();
        std::uint32_t in_vain = 0;
    };

    void look(Fit& fit, std::size_t lane) {
        certify(fit, lane);
        if (!is_done(fit, lane)) return;
        this->keep_weights(fit, lane);
        this->gradients_.leave(lane);
    }

    void certify(Fit& fit, std::size_t lane) const {
        fit.objective = this->model_.average(lane) + this->gradients_.penalty(lane);
        if (this->model_.holds_all()) {
            fit.kind = Certificate::duality_gap;
            const auto gap = this->gradients_.gap(lane);
            fit.certificate = fit.objective > 0.0 ? gap / fit.objective : gap;
            return;
        }
        fit.kind = Certificate::kkt_residual;
        const auto unit = this->unit(lane), largest = this->gradients_.largest(lane);
        fit.certificate = unit > 0.0 ? largest / unit : 0.0;
    }

    bool is_done(Fit& fit, std::size_t lane) {
        const auto& options = this->options_;
        if (options.tolerance > 0.0 && fit.certificate <= options.tolerance) {
            fit.stop = Stop::certified;
            return true;
        }
        if (!std::isfinite(fit.objective) || !std::isfinite(fit.certificate)) return true;
        if (fit.iterations >= options.iterations) return true;
        auto& way = ways_[lane];
        const bool is_better = fit.objective < way.objective || fit.certificate < 0.9 * way.certificate;
        way.in_vain = is_better ? 0 : way.in_vain + 1;
        way.objective = std::min(way.objective, fit.objective);
        way.certificate = std::min(way.certificate, fit.certificate);
        if (way.in_vain < most_in_vain) return false;
        fit.stop = Stop::precision;
        return true;
    }

    static constexpr std::uint32_t most_in_vain = 50;

    std::array<Way, Lanes> ways_;
};

}  // namespace postil
