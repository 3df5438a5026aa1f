// Dual variables that a free intercept admits.
//
// The intercept has no prior, so its conjugate is finite only at zero and the dual objective needs
// Σ cᵢ aᵢ yᵢ = 0. Scaling down the duals of the class with the larger sum makes any duals feasible; at
// the optimum both sums are equal and the scaling changes nothing. So a free intercept has a duality
// gap as well, which no column's scale can hide from.
#pragma once

#include <algorithm>

namespace postil {

// The share of the duals that is kept, by class.
struct DualShares {
    double members = 1.0;
    double others = 1.0;

    double operator()(double label) const { return label > 0.0 ? members : others; }
    bool are_whole() const { return members == 1.0 && others == 1.0; }
};

// `members` and `others` are Σ cᵢ aᵢ over the documents of the category and over the others.
inline DualShares balanced_shares(double members, double others) {
    if (members == others) return {};
    const auto least = std::min(members, others);
    if (!(least > 0.0)) return {0.0, 0.0};  // no scaling up: the duals of zero are always feasible
    return {least / members, least / others};
}

}  // namespace postil
