// The multi-class support vector machine of Weston and Watkins: one problem for all classes.
//
//     minimise  O(w) = (1/n) Σ cᵢ Σ_{k ≠ y(i)} max(0, 2 - (zᵢ,y(i) - zᵢₖ)) + Σₖ λₖ ‖wₖ‖²    zᵢₖ = wₖ·xᵢ + bₖ
//
// Every document has exactly one class y(i) (zhang-jin-yang-hauptmann-2003, section 4).
#pragma once

#include "postil/learn/classes/polychotomous.hpp"
#include "postil/learn/solvers/conjugate_gradient.hpp"
#include "postil/learn/solvers/smoothing.hpp"

namespace postil {

struct MulticlassSvmOptions {
    Intercept intercept = Intercept::free;
    double constant = 1.0;  // value of the constant feature
    CgOptions conjugate;
    SmoothingOptions smoothing;
};

// Trains a multi-class SVM. Takes no per-term priors and no reference class; strengths are squared
// ones. The objective is O, and the certificate a duality gap of O. Counts progress in hundredths
// of the steps. Results do not depend on the number of workers.
PolychotomousFit train_multiclass_svm(const PolychotomousProblem& problem,
                                      const MulticlassSvmOptions& options, std::size_t workers,
                                      Monitor& monitor);

}  // namespace postil
