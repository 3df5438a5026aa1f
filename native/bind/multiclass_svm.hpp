// postil._native: the multi-class SVM.
#pragma once

#include "polychotomous.hpp"
#include "postil/multiclass_svm.hpp"

namespace postil::bind {

inline void bind_multiclass_svm(nb::module_& module) {
    nb::class_<MulticlassSvmOptions>(module, "MulticlassSvmOptions", "From smooth problems to the SVM.")
        .def(nb::init<>())
        .def_rw("intercept", &MulticlassSvmOptions::intercept)
        .def_rw("constant", &MulticlassSvmOptions::constant)
        .def_rw("conjugate", &MulticlassSvmOptions::conjugate)
        .def_rw("smoothing", &MulticlassSvmOptions::smoothing);
    module.def(
        "train_multiclass_svm",
        [](const PyDesign& design, const PyClasses& classes, const MulticlassSvmOptions& options,
           std::size_t threads, nb::object progress) {
            require_threads(threads);
            std::optional<Lists> lists;
            const auto problem = problem_of(design, classes, lists);
            require(problem.beliefs.empty() && problem.reference == no_reference,
                    "a multi-class SVM takes no beliefs and no reference");
            PolychotomousFit fit;
            run_watched(
                [&](Monitor& monitor) { fit = train_multiclass_svm(problem, options, threads, monitor); },
                progress);
            return fit;
        },
        "design"_a, "classes"_a, "options"_a, "threads"_a, "progress"_a.none());
}

}  // namespace postil::bind
