// The weights of Perceptron and SVM: w = θ (online.hpp).
#pragma once

#include <vector>

#include "postil/learn/lanes/lane_terms.hpp"
#include "postil/learn/lanes/lanes.hpp"
#include "postil/learn/priors/entropy_prior.hpp"
#include "postil/system/cache_lines.hpp"

namespace postil {

template <std::size_t Lanes>
class AdditiveState {
public:
    AdditiveState(const UsableTerms<Lanes>& usable, const EntropyPrior&)
        : usable_(usable), weights_((usable.terms() + 1) * Lanes) {}

    void score(const Visited& document, LaneValues<Lanes>& scores) const {
        const auto* last = weights_.data() + usable_.terms() * Lanes;
        for (std::size_t lane = 0; lane < Lanes; ++lane) scores[lane] = document.constant * last[lane];
        add_products<Lanes>(document.row, weights_.data(), scores.data());
    }

    void update(const Visited& document, const LaneValues<Lanes>& by) {
        if (usable_.all()) add_multiples<Lanes>(document.row, by.data(), weights_.data());
        else
            for (std::size_t k = 0; k < document.row.size; ++k) {
                const auto term = static_cast<std::size_t>(document.row.places[k]);
                const auto* mask = usable_.at(term);
                const double x = document.row.values[k];
                for (std::size_t lane = 0; lane < Lanes; ++lane)
                    weights_[term * Lanes + lane] += x * by[lane] * mask[lane];
            }
        auto* last = weights_.data() + usable_.terms() * Lanes;
        for (std::size_t lane = 0; lane < Lanes; ++lane) last[lane] += document.constant * by[lane];
    }

    // Computes ‖x‖², the derivative of a score with respect to the dual variable of its document,
    // and the largest reliable step.
    void steepness(const Visited& document, LaneValues<Lanes>& out, double& reach) const {
        out.fill(document.constant * document.constant);
        for (std::size_t k = 0; k < document.row.size; ++k) {
            const double square = static_cast<double>(document.row.values[k]) * document.row.values[k];
            for (std::size_t lane = 0; lane < Lanes; ++lane)
                out[lane] += usable_.all() ? square
                                           : square * usable_.at(static_cast<std::size_t>(
                                                          document.row.places[k]))[lane];
        }
        reach = no_limit;
    }

    // Sets the weights from exponents by term and lane.
    void set_exponents(const std::vector<double>& exponents) {
        weights_.assign(exponents.begin(), exponents.end());
    }

    double weight(std::size_t term, std::size_t lane) const { return weights_[term * Lanes + lane]; }
    double unit(std::size_t) const { return 0.0; }
    static constexpr double threshold() { return 0.0; }

    // ½‖θ‖²: the conjugate of the prior ½‖w‖².
    double conjugate(std::size_t lane) const {
        double sum = 0.0;
        for (std::size_t at = lane; at < weights_.size(); at += Lanes) sum += weights_[at] * weights_[at];
        return 0.5 * sum;
    }

private:
    static constexpr double no_limit = 1e300;
    const UsableTerms<Lanes>& usable_;
    CacheLines<double> weights_;
};

}  // namespace postil
