// The formulas of the losses, one by one, for whoever checks them.
#pragma once

#include <span>
#include <vector>

#include "postil/learn/training.hpp"

namespace postil {

struct LossTable {
    std::vector<double> values, slopes, curvatures;  // a loss without curvature has none
};

LossTable tabulate(const LearnOptions& options, std::span<const double> margins);

// Of a loss without curvature it is infinite.
double loss_bound(const LearnOptions& options, double margin, double distance);

double loss_conjugate(const LearnOptions& options, double dual);
double loss_dual_step(const LearnOptions& options, double dual, double margin, double steepness);

}  // namespace postil
