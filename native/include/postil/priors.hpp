// Priors (penalties): functions of one weight, added to the average loss.
//
// A struct for each, with what solvers ask of it:
//
//     value(w)                   what a weight costs
//     slope(w)                   its derivative
//     step(slope, curvature, w)  the change of w that minimises slope·d + curvature·d²/2 + value(w+d)
#pragma once

namespace postil {

// λ w²: ridge. The prior density is proportional to exp(-λ n w²).
struct GaussianPrior {
    double lambda = 0.0;

    double value(double weight) const { return lambda * weight * weight; }
    double slope(double weight) const { return 2.0 * lambda * weight; }
    double step(double loss_slope, double loss_curvature, double weight) const {
        const auto curvature = loss_curvature + 2.0 * lambda;
        return curvature > 0.0 ? -(loss_slope + slope(weight)) / curvature : 0.0;
    }
};

}  // namespace postil
