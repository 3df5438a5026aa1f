// Feasible dual variables for an unpenalised intercept.
//
// The conjugate of an unpenalised intercept is finite only at zero, so the dual constraint is Σ cᵢ
// aᵢ yᵢ = 0. Scaling down the duals of the class with the larger sum makes any duals feasible. At
// the optimum both sums are equal and the scaling changes nothing, so an unpenalised intercept has
// a duality gap as well, independent of the scale of the columns.
#pragma once

#include <algorithm>

namespace postil {

// The factors of the duals, by class.
struct DualShares {
    double members = 1.0;
    double others = 1.0;

    double operator()(double label) const { return label > 0.0 ? members : others; }
    bool are_whole() const { return members == 1.0 && others == 1.0; }
};

// Returns the factors that balance the duals. `members` and `others` are Σ cᵢ aᵢ over the documents
// of the category and over the others.
inline DualShares balanced_shares(double members, double others) {
    if (members == others) return {};
    const auto least = std::min(members, others);
    if (!(least > 0.0)) return {0.0, 0.0};  // never scale up: zero duals are always feasible
    return {least / members, least / others};
}

}  // namespace postil
