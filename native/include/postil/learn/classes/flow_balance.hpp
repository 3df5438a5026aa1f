// Balances flows between classes, so that the outflow of each class equals its inflow.
//
// Scaling flow[y][k] by d[y]/d[k] balances any flows in which every class with an outflow also has
// an inflow, by Osborne's method: for one class after the other, d is set to make its two sums
// equal. A class with only outflow or only inflow cannot be part of a circulation; its flows become
// 0.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace postil {

class FlowBalance {
public:
    // `flows` are classes × classes, with a zero diagonal.
    FlowBalance(std::vector<double> flows, std::size_t classes)
        : flows_(std::move(flows)), factors_(classes, 1.0), is_removed_(classes, 0) {}

    // Returns true if the flows balance up to rounding. Costs classes² for each round.
    bool run() {
        for (int round = 0; round < most_rounds; ++round) {
            double worst = 0.0;
            for (std::size_t k = 0; k < classes(); ++k) worst = std::max(worst, balance_class(k));
            if (worst <= enough) return true;
        }
        return false;
    }

    // Returns the factor of a flow.
    double share(std::size_t from, std::size_t to) const {
        return is_removed_[from] || is_removed_[to] ? 0.0 : factors_[from] / factors_[to];
    }

private:
    std::size_t classes() const { return factors_.size(); }

    // Balances one class; returns the relative difference of its sums before.
    double balance_class(std::size_t k) {
        if (is_removed_[k]) return 0.0;
        double given = 0.0, taken = 0.0;
        for (std::size_t other = 0; other < classes(); ++other) {
            given += flows_[k * classes() + other];
            taken += flows_[other * classes() + k];
        }
        if (given == 0.0 && taken == 0.0) return 0.0;
        const bool is_one_way = !(given > 0.0 && taken > 0.0);
        const auto factor = is_one_way ? 0.0 : std::sqrt(taken / given);
        for (std::size_t other = 0; other < classes(); ++other) {
            flows_[k * classes() + other] *= factor;
            auto& back = flows_[other * classes() + k];
            back = is_one_way ? 0.0 : back / factor;
        }
        if (is_one_way) {
            is_removed_[k] = 1;
            return 1.0;
        }
        factors_[k] *= factor;
        return std::abs(taken - given) / (taken + given);
    }

    static constexpr int most_rounds = 500;
    static constexpr double enough = 1e-13;

    std::vector<double> flows_, factors_;
    std::vector<unsigned char> is_removed_;
};

}  // namespace postil
