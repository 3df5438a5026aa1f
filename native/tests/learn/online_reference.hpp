// Online updates of one category by direct computation: all features of all documents, in long
// double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "postil/learn/priors/entropy_prior.hpp"

namespace postil::tests {

using Real = long double;

class OnlineReference {
public:
    struct Document {
        std::vector<Real> features;  // those the category may use, and the constant if there is one
        Real label = 0.0, weight = 0.0;
    };
    // Both weights of each feature, those of x and of -x. An additive weight has no partner.
    struct Weights {
        std::vector<Real> plus, minus;
        Real unit = 0.0;
    };
    struct Value {
        Real objective = 0.0, gap = 0.0;
        Real size = 0.0;  // the scale of their rounding errors
    };
    struct Passes {
        std::vector<Real> exponents;
        Real mistakes = 0.0;    // the share of the last pass
        bool is_close = false;  // a score was so near 0 that rounding may decide its sign
    };

    OnlineReference(std::vector<Document> documents, std::vector<Real> initial_exponents,
                    Real size, const EntropyPrior& prior)
        : documents_(std::move(documents)),
          initial_exponents_(std::move(initial_exponents)),
          size_(size),
          prior_(prior) {}

    std::size_t features() const { return initial_exponents_.size(); }
    bool is_additive() const { return prior_.kind == Entropy::none; }
    bool is_normalised() const { return prior_.kind == Entropy::normalised; }
    Real total() const {
        const auto weights = static_cast<Real>(prior_.positive ? features() : 2 * features());
        return prior_.total > 0.0 ? prior_.total : prior_.mu * weights;
    }

    // θ₀ + Σ aᵢ yᵢ xᵢ.
    std::vector<Real> exponents(const std::vector<Real>& duals) const {
        auto sums = initial_exponents_;
        for (std::size_t i = 0; i < documents_.size(); ++i)
            for (std::size_t j = 0; j < features(); ++j)
                sums[j] += duals[i] * documents_[i].label * documents_[i].features[j];
        return sums;
    }

    // The sums of absolute values of the exponents' parts: the scale of their rounding errors.
    std::vector<Real> lengths(const std::vector<Real>& duals) const {
        std::vector<Real> sums;
        for (std::size_t j = 0; j < features(); ++j) {
            sums.push_back(std::abs(initial_exponents_[j]));
            for (std::size_t i = 0; i < documents_.size(); ++i)
                sums.back() += std::abs(duals[i] * documents_[i].features[j]);
        }
        return sums;
    }
    Real longest(const std::vector<Real>& duals) const {
        Real most = 0.0;
        for (const auto length : lengths(duals)) most = std::max(most, length);
        return most;
    }

    Weights weights(const std::vector<Real>& exponents) const {
        if (is_additive()) return {exponents, std::vector<Real>(features()), 0.0};
        Weights found;
        Real sum = 0.0;
        for (const auto theta : exponents) {
            found.plus.push_back(std::exp(theta));
            found.minus.push_back(prior_.positive ? 0.0 : std::exp(-theta));
            sum += found.plus.back() + found.minus.back();
        }
        found.unit = !is_normalised() ? static_cast<Real>(prior_.mu) : sum > 0.0 ? total() / sum : 0.0;
        for (auto& weight : found.plus) weight *= found.unit;
        for (auto& weight : found.minus) weight *= found.unit;
        return found;
    }

    // The objective R(w) + C Σ cᵢ max(0, 1 - zᵢ) and its dual, divided by C n.
    Value value(const std::vector<Real>& duals, Real strength) const {
        const auto theta = exponents(duals), sizes = lengths(duals);
        const auto now = weights(theta), before = weights(initial_exponents_);
        Value found;
        const auto cost = relative_cost(now, before, found.size);
        auto dual = -conjugate(theta, now, found.size) + conjugate(initial_exponents_, before, found.size);
        Real losses = 0.0;
        for (std::size_t i = 0; i < documents_.size(); ++i) {
            const auto& document = documents_[i];
            const auto most = strength * document.weight;
            losses += most * std::max<Real>(0.0, 1.0 - document.label * score(document, now));
            dual += duals[i] * (1.0 + document.label * prior_.threshold);
            found.size += most * (1.0 + reach(document, now, sizes) + std::abs(prior_.threshold));
        }
        const auto scale = 1.0 / (strength * size_);
        found.objective = (losses + cost) * scale;
        found.gap = (losses + cost - dual) * scale;
        found.size *= scale;
        return found;
    }

    // Mistake-driven passes in the order of the documents.
    Passes run_passes(std::size_t passes, Real rate) const {
        Passes run{initial_exponents_};
        auto lengths = initial_exponents_;
        for (auto& length : lengths) length = std::abs(length);
        for (std::size_t pass = 0; pass < passes; ++pass) {
            run.mistakes = 0.0;
            for (const auto& document : documents_) visit(document, rate, run, lengths);
            if (run.mistakes == 0.0) break;
        }
        run.mistakes /= size_;
        return run;
    }

private:
    Real score(const Document& document, const Weights& weights) const {
        Real sum = is_additive() ? 0.0 : -prior_.threshold;
        for (std::size_t j = 0; j < features(); ++j)
            sum += document.features[j] * (weights.plus[j] - weights.minus[j]);
        return sum;
    }
    // The scale of a score's rounding errors.
    Real reach(const Document& document, const Weights& weights, const std::vector<Real>& lengths) const {
        Real sum = 0.0;
        for (std::size_t j = 0; j < features(); ++j) {
            const auto both = weights.plus[j] + weights.minus[j];
            sum += std::abs(document.features[j]) * (is_additive() ? lengths[j] : both * (1.0 + lengths[j]));
        }
        return sum;
    }

    Real relative_cost(const Weights& now, const Weights& before, Real& size) const {
        Real sum = 0.0;
        auto pay = [&](Real weight, Real start) {
            const auto entropy = weight > 0.0 ? weight * std::log(weight / start) : 0.0;
            sum += entropy - weight + start;
            size += std::abs(entropy) + weight + start;
        };
        for (std::size_t j = 0; j < features(); ++j) {
            const auto away = now.plus[j] - before.plus[j];
            if (is_additive()) sum += away * away / 2.0;
            else pay(now.plus[j], before.plus[j]);
            if (!is_additive() && !prior_.positive) pay(now.minus[j], before.minus[j]);
        }
        if (is_additive()) size += sum;
        return sum;
    }

    // R*(θ), up to a constant.
    Real conjugate(const std::vector<Real>& exponents, const Weights& weights, Real& size) const {
        Real sum = 0.0;
        for (std::size_t j = 0; j < features(); ++j) {
            if (is_additive()) sum += exponents[j] * exponents[j] / 2.0;
            else if (!is_normalised()) sum += weights.plus[j] + weights.minus[j];
            else sum += std::exp(exponents[j]) + (prior_.positive ? 0.0 : std::exp(-exponents[j]));
        }
        if (is_normalised()) sum = features() > 0 ? total() * std::log(sum) : 0.0;
        size += std::abs(sum);
        return sum;
    }

    void visit(const Document& document, Real rate, Passes& run, std::vector<Real>& lengths) const {
        const auto now = weights(run.exponents);
        const auto found = score(document, now);
        bool is_known = true;  // all weights are 0 and exact
        for (std::size_t j = 0; j < features(); ++j)
            is_known = is_known && (document.features[j] == 0.0 || (lengths[j] == 0.0 && !prior_.positive));
        const auto size = reach(document, now, lengths) + std::abs(is_additive() ? 0.0 : prior_.threshold);
        if (document.weight > 0.0)
            run.is_close |= std::abs(found) <= 1e-7 * size && !(is_known && found == 0.0);
        if ((found >= 0.0) == (document.label > 0.0)) return;
        run.mistakes += document.weight;
        for (std::size_t j = 0; j < features(); ++j) {
            const auto step = rate * document.weight * document.label * document.features[j];
            run.exponents[j] += step;
            lengths[j] += std::abs(step);
        }
    }

    std::vector<Document> documents_;
    std::vector<Real> initial_exponents_;
    Real size_;  // n
    EntropyPrior prior_;
};

}  // namespace postil::tests
