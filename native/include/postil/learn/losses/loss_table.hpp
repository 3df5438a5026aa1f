// The formulas of the losses, exposed for tests.
#pragma once

#include <span>
#include <vector>

#include "postil/learn/training.hpp"

namespace postil {

struct LossTable {
    std::vector<double> values, slopes, curvatures;  // no curvatures if the loss has none
};

LossTable tabulate(const LearnOptions& options, std::span<const double> margins);

// Returns the curvature bound; infinite for a loss without curvature.
double loss_bound(const LearnOptions& options, double margin, double distance);

double loss_conjugate(const LearnOptions& options, double dual);
double loss_dual_step(const LearnOptions& options, double dual, double margin, double steepness);

}  // namespace postil
