// postil._native: the multi-class SVM.
#pragma once

#include "polychotomous.hpp"
#include "postil/learn/classes/multiclass_svm.hpp"

namespace postil::bind {

inline void bind_multiclass_svm(nb::module_& module) {
    nb::class_<MulticlassSvmOptions>(module, "MulticlassSvmOptions",
                                     "Conjugate gradients on smoothed multi-class SVMs.")
        .def(nb::init<>())
        .def_rw("intercept", &MulticlassSvmOptions::intercept)
        .def_rw("constant", &MulticlassSvmOptions::constant)
        .def_rw("conjugate", &MulticlassSvmOptions::conjugate)
        .def_rw("smoothing", &MulticlassSvmOptions::smoothing);
    bind_class_training<MulticlassSvmOptions>(
        module, "train_multiclass_svm",
        [](const PolychotomousProblem& problem, const MulticlassSvmOptions& options, std::size_t threads,
           Monitor& monitor) {
            require(problem.term_priors.empty() && problem.reference == no_reference,
                    "a multi-class SVM takes no per-term priors and no reference class");
            return train_multiclass_svm(problem, options, threads, monitor);
        });
}

}  // namespace postil::bind
