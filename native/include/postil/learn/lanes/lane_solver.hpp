// Conjugate gradients for several categories side by side: the base of their solvers.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "postil/learn/lanes/lane_model.hpp"
#include "postil/learn/solvers/conjugate_gradient.hpp"
#include "postil/system/threads.hpp"

namespace postil {

template <std::size_t Lanes, class Loss>
class LaneSolver {
public:
    using Model = LaneModel<Lanes, Loss>;
    using Scalars = typename Model::Scalars;

    // Only the first `lanes` lanes are used.
    LaneSolver(const BinaryProblem& shared, Loss loss, const CgOptions& options, std::size_t lanes)
        : model_(shared, loss),
          options_(options),
          lanes_(lanes),
          gradients_(model_, options_),
          start_(model_.rows() * Lanes) {}

    Model& model() { return model_; }

    // Sets the initial weights of a lane by position in the terms, the constant last; empty means
    // zero.
    void set_start(std::size_t lane, std::span<const double> start) {
        for (std::size_t row = 0; row < std::min(start.size(), model_.rows()); ++row)
            start_[row * Lanes + lane] = start[row];
    }

protected:
    // Starts with the current strengths, warm-started from the last solution if there is one.
    void begin() {
        gradients_.scale();
        if (!std::exchange(has_begun_, true)) gradients_.start(start_);
        else gradients_.restart();
        for (std::size_t lane = 0; lane < lanes_; ++lane) gradients_.activate(lane);
        begun_ = std::chrono::steady_clock::now();
    }

    void keep_weights(Fit& fit, std::size_t lane) const {
        const auto& weights = gradients_.weights();
        const auto terms = model_.rows() - model_.has_constant();
        fit.weights.resize(terms);
        for (std::size_t row = 0; row < terms; ++row) fit.weights[row] = weights[row * Lanes + lane];
        fit.intercept =
            model_.has_constant() ? weights[terms * Lanes + lane] * model_.constant() : 0.0;
    }

    void trace(Fit& fit, double objective) const {
        if (!options_.trace) return;
        fit.trace_objectives.push_back(objective);
        fit.trace_seconds.push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count());
    }

    Model model_;
    CgOptions options_;
    std::size_t lanes_;
    ConjugateGradient<Model> gradients_;

private:
    std::vector<double> start_;
    bool has_begun_ = false;
    std::chrono::steady_clock::time_point begun_;
};

}  // namespace postil
