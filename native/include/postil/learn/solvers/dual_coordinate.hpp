// Dual coordinate descent: zhang-oles-2001, algorithm 5, for ridge and any loss with a conjugate.
//
//     minimise  (1/n) Σ cᵢ f(zᵢ) + λ‖w‖²        zᵢ = yᵢ w·xᵢ
//
// One document at a time. With a = -ζ and w = (1/2λn) Σ cᵢ aᵢ yᵢ xᵢ the dual objective is
//
//     D(a) = -(1/n) Σ cᵢ k(-aᵢ) - λ‖w‖²
//
// With q = cᵢ‖xᵢ‖²/(2λn) and z the margin of the document, the best aᵢ solves
// k'(-a) = z + q (a - aᵢ). The duality gap is (1/n) Σ cᵢ [f(zᵢ) + k(-aᵢ) + aᵢ zᵢ], accumulated
// during the pass. Documents whose dual variable stays at a bound are shrunk from the active set; a pass costs
// the non-zeros of the active documents.
//
// Returns the dual variables; the weights are in Products.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>

#include "postil/learn/problem.hpp"
#include "postil/learn/random.hpp"
#include "postil/system/threads.hpp"

namespace postil {

struct DualOptions {
    std::uint32_t passes = 1000;
    double tolerance = 1e-4;  // of the relative duality gap; 0: not checked
    std::uint64_t seed = 0;
    bool shuffle = true;  // else documents are visited in order
    bool shrink = true;   // leave documents at a bound out of passes
};

// Products holds the weights and documents: score(i) = w·xᵢ + b, add(i, factor) does w += factor
// xᵢ, squared_norm(i) = ‖xᵢ‖², and weights_squared() = ‖w‖².
template <class Loss, class Products>
class DualCoordinateDescent {
public:
    DualCoordinateDescent(const BinaryProblem& problem, Loss loss, Products& products,
                          const DualOptions& options)
        : problem_(problem), loss_(loss), products_(products), options_(options) {}

    // `start` holds a by document; empty means zero.
    Fit solve(std::span<const double> start, Monitor& monitor) {
        begin(start);
        Random random(options_.seed);
        Fit fit;
        for (fit.iterations = 0; fit.iterations < options_.passes;) {
            monitor.check();
            if (options_.shuffle) random.shuffle(std::span(active_));
            const auto summary = pass();
            ++fit.iterations;
            const bool seems_converged =
                options_.tolerance > 0.0 && summary.gap <= options_.tolerance * summary.objective;
            if (active_.size() < all_.size()) {
                if (seems_converged || fit.iterations % unshrink_interval == 0) unshrink();
                continue;
            }
            if (seems_converged && certify(fit) <= options_.tolerance) {
                fit.stop = Stop::certified;
                break;
            }
        }
        if (fit.stop != Stop::certified) certify(fit);
        fit.duals = std::move(duals_);
        return fit;
    }

private:
    // In passes: wrongly shrunk documents are found even if the tolerance is never reached.
    static constexpr std::uint32_t unshrink_interval = 32;
    static constexpr double unknown = -1.0;

    struct PassSummary {
        double gap, objective;
    };

    void begin(std::span<const double> start) {
        duals_.assign(problem_.size(), 0.0);
        norms_.assign(problem_.size(), unknown);
        for (std::size_t i = 0; i < problem_.size(); ++i) {
            if (problem_.weights[i] == 0.0) continue;
            all_.push_back(static_cast<std::uint32_t>(i));
            if (start.empty() || start[i] == 0.0) continue;
            set(i, start[i]);
            active_.push_back(all_.back());
        }
        // Documents that had no share in the start are likely to have none at the end, either.
        if (active_.empty() || !options_.shrink) active_ = all_;
    }

    // Computed on the first visit, when the document has just been read.
    double norm(std::size_t i) {
        if (norms_[i] == unknown) norms_[i] = scale(i) * products_.squared_norm(i);
        return norms_[i];
    }

    double scale(std::size_t i) const {
        return problem_.weights[i] / (2.0 * problem_.strength.squared * problem_.documents);
    }

    void set(std::size_t i, double dual) {
        const auto change = dual - duals_[i];
        duals_[i] = dual;
        products_.add(i, problem_.labels[i] * scale(i) * change);
    }

    PassSummary pass() {
        double gap = 0.0, loss = 0.0, largest = 0.0;
        for (std::size_t at = 0; at < active_.size();) {
            const auto i = active_[at];
            const auto a = duals_[i];
            const auto z = problem_.labels[i] * products_.score(i);
            if (options_.shrink && loss_.can_shrink(a, z, slack_)) {
                active_[at] = active_.back();
                active_.pop_back();
                continue;
            }
            ++at;
            const auto value = problem_.weights[i] * loss_.value(z);
            loss += value;
            gap += value + problem_.weights[i] * (loss_.conjugate(a) + a * z);
            const auto next = loss_.dual_step(a, z, norm(i));
            if (next == a) continue;
            largest = std::max(largest, loss_.violation(a, z));
            set(i, next);
        }
        slack_ = largest > 0.0 ? largest : std::numeric_limits<double>::infinity();
        const auto objective = loss / problem_.documents + problem_.strength.squared * products_.weights_squared();
        return {gap / problem_.documents, objective};
    }

    // Makes all documents active again.
    void unshrink() {
        active_ = all_;
        slack_ = std::numeric_limits<double>::infinity();
    }

    double certify(Fit& fit) {
        double gap = 0.0, loss = 0.0;
        for (const auto i : all_) {
            const auto z = problem_.labels[i] * products_.score(i);
            const auto value = problem_.weights[i] * loss_.value(z);
            loss += value;
            gap += value + problem_.weights[i] * (loss_.conjugate(duals_[i]) + duals_[i] * z);
        }
        fit.objective = loss / problem_.documents + problem_.strength.squared * products_.weights_squared();
        gap = std::max(0.0, gap / problem_.documents);
        fit.kind = Certificate::duality_gap;
        fit.certificate = fit.objective > 0.0 ? gap / fit.objective : gap;
        return fit.certificate;
    }

    const BinaryProblem& problem_;
    Loss loss_;
    Products& products_;
    const DualOptions& options_;
    std::vector<double> duals_, norms_;
    std::vector<std::uint32_t> all_, active_;
    double slack_ = std::numeric_limits<double>::infinity();
};

// The documents as rows of the shared matrix, restricted to the terms of the category.
class LinearProducts {
public:
    explicit LinearProducts(const BinaryProblem& problem)
        : documents_(problem.design.documents),
          constant_(problem.intercept == Intercept::penalised ? problem.constant : 0.0),
          weights_(problem.design.terms.count),
          is_all_(problem.terms.size() == problem.design.terms.count) {
        if (is_all_) return;
        usable_.resize(weights_.size());
        for (const auto term : problem.terms) usable_[static_cast<std::size_t>(term)] = 1.0f;
    }

    double score(std::size_t i) const { return documents_[i].dot(weights_.data()) + intercept(); }

    void add(std::size_t i, double factor) {
        const auto row = documents_[i];
        if (is_all_) row.add_to(weights_.data(), factor);
        else
            for (std::size_t k = 0; k < row.size; ++k)
                weights_[row.places[k]] += factor * usable_[row.places[k]] * row.values[k];
        constant_weight_ += factor * constant_;
    }

    double squared_norm(std::size_t i) const {
        const auto row = documents_[i];
        auto sum = constant_ * constant_;
        for (std::size_t k = 0; k < row.size; ++k)
            if (is_all_ || usable_[row.places[k]] != 0.0f)
                sum += static_cast<double>(row.values[k]) * row.values[k];
        return sum;
    }

    double weights_squared() const {
        return std::inner_product(weights_.begin(), weights_.end(), weights_.begin(),
                                  constant_weight_ * constant_weight_);
    }

    double weight(std::size_t term) const { return weights_[term]; }
    double intercept() const { return constant_weight_ * constant_; }

private:
    SparseLines documents_;
    double constant_;
    std::vector<double> weights_;
    bool is_all_;
    std::vector<float> usable_;  // 1 for the category's terms
    double constant_weight_ = 0.0;
};

}  // namespace postil
