// The multi-class SVM as the limit of smooth problems: MMLR-CG, zhang-jin-yang-hauptmann-2003,
// section 4.
//
//     O_γ(w) = (1/n) Σ cᵢ Σ_{k ≠ y} g_γ(zᵢ,y - zᵢₖ - 1) + Σₖ λₖ ‖wₖ‖²
//
// exceeds O by at most (C - 1) ln2/γ. Steps and γ are scheduled as in smoothed_lanes.hpp, with one
// step for all classes. With aᵢₖ = -g_γ' in [0, 1], a lower bound of O is
//
//     D(a) = (2/n) Σ cᵢ Σ_{k ≠ y} aᵢₖ - Σₖ ‖vₖ‖²/4λₖ        vₖ = (1/n) Σ cᵢ xᵢ (yᵢₖ Σₗ aᵢₗ - (1 - yᵢₖ) aᵢₖ)
//
// Unpenalised intercepts require Σ cᵢ (yᵢₖ Σₗ aᵢₗ - (1 - yᵢₖ) aᵢₖ) = 0 for every class k: the duals
// between classes are flows, which are balanced (flow_balance.hpp). The best multiple of a is used,
// and the highest bound so far is kept.
//
// A step costs two passes over X × classes, a bound one more. Memory: 24 bytes for each document
// and class, 48 for each term and class; with unpenalised intercepts 16 for each pair of classes.
#pragma once

#include <algorithm>
#include <cmath>

#include "postil/learn/classes/class_model.hpp"
#include "postil/learn/classes/flow_balance.hpp"

namespace postil {

class MulticlassSvm {
public:
    MulticlassSvm(const PolychotomousProblem& problem, const MulticlassSvmOptions& options,
                  std::size_t workers, Monitor& monitor)
        : options_(options),
          model_(problem, options, workers, monitor),
          gradients_(model_, options_.conjugate),
          monitor_(monitor) {}

    PolychotomousFit solve() {
        PolychotomousFit fit;
        begin();
        bool is_done = false;
        while (!is_done) {
            monitor_.check();
            gradients_.step();
            ++fit.iterations;
            report_progress(fit.iterations);
            const bool is_last = fit.iterations == options_.conjugate.iterations;
            if (!is_last && fit.iterations % options_.smoothing.steps_per_gamma != 0) continue;
            is_done = check(fit) || is_last;
            if (is_done) break;
            auto& gamma = model_.loss().gamma;
            gamma = options_.smoothing.after(gamma);
            model_.update_slopes();
            gradients_.restart();
        }
        keep_weights(fit);
        return fit;
    }

private:
    void begin() {
        const std::vector<double> zero(model_.rows() * ClassModel::width);
        gradients_.scale();
        gradients_.activate(0);
        gradients_.start(zero);
    }

    // Counts progress in hundredths of the steps.
    void report_progress(std::uint32_t steps) {
        const auto now = std::uint64_t{100} * steps / options_.conjugate.iterations;
        for (; reported_ < now; ++reported_) monitor_.advance();
    }

    // Returns true if the tolerance is reached, or the objective is no longer finite.
    bool check(PolychotomousFit& fit) {
        fit.objective = model_.hinge_loss() + gradients_.penalty(0);
        fit.smoothing = model_.loss().excess() * model_.mass();
        raise_bound();
        const auto gap = std::max(0.0, fit.objective - bound_);
        fit.certificate = fit.objective > 0.0 ? gap / fit.objective : gap;
        if (!std::isfinite(fit.objective) || !std::isfinite(fit.certificate)) return true;
        const auto tolerance = options_.conjugate.tolerance;
        if (!(tolerance > 0.0 && fit.certificate <= tolerance)) return false;
        fit.stop = Stop::certified;
        return true;
    }

    void raise_bound() {
        if (model_.penalises_all()) return raise_bound_by([](std::size_t, std::size_t) { return 1.0; });
        FlowBalance balance(model_.flows(), model_.classes());
        if (balance.run())
            raise_bound_by([&](std::size_t own, std::size_t other) { return balance.share(own, other); });
    }

    template <class Share>
    void raise_bound_by(Share&& share) {
        gradient_.resize(gradients_.weights().size());
        const auto [sum, most] = model_.gradient_of_shares(share, gradient_);
        double square = 0.0;
        for (std::size_t row = 0; row < model_.rows(); ++row) {
            const double* held = model_.ridge(row);
            for (std::size_t lane = 0; lane < ClassModel::width; ++lane) {
                const auto pull = gradient_[row * ClassModel::width + lane];
                if (held[lane] > 0.0) square += pull * pull / (2.0 * held[lane]);
            }
        }
        const auto bound = best_multiple(2.0 * sum, square, most);
        if (bound > bound_) bound_ = bound;
    }

    void keep_weights(PolychotomousFit& fit) const {
        const auto& weights = gradients_.weights();
        const auto& products = model_.products();
        const auto terms = products.terms();
        fit.starts.push_back(0);
        for (std::size_t c = 0; c < model_.classes(); ++c) {
            for (std::size_t row = 0; row < terms.size(); ++row) {
                const auto weight = weights[products.weight_at(c, row)];
                if (weight == 0.0) continue;
                fit.terms.push_back(terms[row]);
                fit.weights.push_back(weight);
            }
            fit.starts.push_back(static_cast<std::int64_t>(fit.terms.size()));
            const auto of_constant = products.weight_at(c, terms.size());
            fit.intercepts.push_back(
                products.has_constant() ? weights[of_constant] * products.constant() : 0.0);
        }
    }

    MulticlassSvmOptions options_;
    ClassModel model_;
    ConjugateGradient<ClassModel> gradients_;
    Monitor& monitor_;
    std::vector<double> gradient_;
    double bound_ = 0.0;  // lower bound of the minimum
    std::uint64_t reported_ = 0;
};

}  // namespace postil
