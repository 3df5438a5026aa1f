// The active set: coordinates whose optimality condition may be violated, and the slopes of the
// loss along them.
//
// A weight at the mode of its prior stays there as long as the slope along it is provably less than
// the slope of the prior. Bounds of the slopes (slope_bounds.hpp) prove this for most terms without
// reading their columns.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "postil/learn/problem.hpp"
#include "postil/learn/solvers/slope_bounds.hpp"
#include "postil/learn/sums.hpp"

namespace postil {

class ActiveCoordinates {
public:
    struct Active {
        std::uint32_t place;
        double slope;
    };

    // `has_kinks` is false if no prior has an absolute value, so that every coordinate is active.
    ActiveCoordinates(const BinaryProblem& problem, const ColumnFacts& facts, bool has_kinks)
        : problem_(problem), facts_(facts), has_kinks_(has_kinks) {}

    // Announces that the slopes have changed since the last find.
    void invalidate() { is_stale_ = true; }

    // Finds the active coordinates. `slopes` are those of the loss by document, or close to them.
    // Costs one number for each term, the rows of documents whose slope has changed much, and the
    // columns of active terms.
    void find(std::span<const double> slopes, std::span<const double> weights) {
        found_.clear();
        const bool has_kinks = has_kinks_ &&
                               (problem_.strength.absolute > 0.0 || !problem_.term_priors.empty());
        if (has_kinks) update_bounds(slopes);
        for (std::size_t first = 0; first < weights.size(); first += block) {
            const auto last = std::min(first + block, weights.size());
            if (has_kinks && all_inactive(weights, first, last)) continue;
            for (auto place = first; place < last; ++place)
                if (!has_kinks || !is_inactive(weights[place], place))
                    found_.push_back({static_cast<std::uint32_t>(place), slope(slopes, place)});
        }
    }

    auto begin() const { return found_.begin(); }
    auto end() const { return found_.end(); }

private:
    void update_bounds(std::span<const double> slopes) {
        if (!bounds_.has_begun()) bounds_.begin(facts_, slope_of_others(slopes));
        const auto goal = 0.3 * problem_.strength.absolute;
        if (std::exchange(is_stale_, false) || bounds_.distance() > goal)
            bounds_.update(problem_.design.documents, slopes, goal);
    }

    // Returns the slope of documents outside the category per unit of sample weight.
    double slope_of_others(std::span<const double> slopes) const {
        for (std::size_t i = 0; i < problem_.size(); ++i)
            if (problem_.labels[i] < 0.0f && problem_.weights[i] > 0.0)
                return slopes[i] / facts_.document_weights[i];
        return 0.0;
    }

    // Returns true if all terms of a block are inactive, as nearly all are: one test for them all,
    // without branches.
    bool all_inactive(std::span<const double> weights, std::size_t first, std::size_t last) const {
        if (!problem_.term_priors.empty() || last > problem_.terms.size()) return false;
        const auto* terms = problem_.terms.data();
        // Rising numbers without gaps are consecutive.
        const bool is_run = terms[last - 1] - terms[first] == static_cast<std::int32_t>(last - 1 - first);
        const auto begin = static_cast<std::size_t>(terms[first]);
        const auto term = [&](std::size_t place) { return static_cast<std::size_t>(terms[place]); };
        return is_run ? all_inactive(weights, first, last,
                                     [&](std::size_t place) { return begin + place - first; })
                      : all_inactive(weights, first, last, term);
    }

    template <class Term>
    bool all_inactive(std::span<const double> weights, std::size_t first, std::size_t last,
                      Term&& term) const {
        std::int64_t any_active = 0;
        for (auto place = first; place < last; ++place) {
            const auto most = std::abs(bounds_.slope(term(place))) + bounds_.error(term(place));
            any_active |= (most > problem_.strength.absolute) | (weights[place] != 0.0);
        }
        return any_active == 0;
    }

    bool is_inactive(double weight, std::size_t place) const {
        if (place == problem_.terms.size()) return false;
        const auto term = static_cast<std::size_t>(problem_.terms[place]);
        const auto slope = bounds_.slope(term), error = bounds_.error(term);
        if (problem_.term_priors.empty())
            return weight == 0.0 && std::abs(slope) + error <= problem_.strength.absolute;
        const auto prior = problem_.prior(place);
        if (prior.absolute == 0.0 || weight != prior.mode()) return false;
        return prior.violation(slope - error, weight) == 0.0 && prior.violation(slope + error, weight) == 0.0;
    }

    double slope(std::span<const double> slopes, std::size_t place) const {
        if (place == problem_.terms.size()) return problem_.constant * summed(slopes);
        return problem_.design.terms[static_cast<std::size_t>(problem_.terms[place])].dot(slopes.data());
    }

    static constexpr std::size_t block = 32;  // terms tested together

    const BinaryProblem& problem_;
    const ColumnFacts& facts_;
    bool has_kinks_;
    SlopeBounds bounds_;
    bool is_stale_ = true;  // the bounds belong to other slopes
    std::vector<Active> found_;
};

}  // namespace postil
