// postil._native: polychotomous logistic regression.
#pragma once

#include "learning.hpp"
#include "postil/learn/classes/polychotomous.hpp"

namespace postil::bind {

using ClassStrengths = nb::ndarray<const double, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

// The labels, weights and settings of all classes: keeps the arrays that it views alive.
struct PyClasses {
    Input<std::int32_t> labels;
    Input<double> weights;
    double documents;
    ClassStrengths strengths;
    std::optional<PyLists> terms;
    std::optional<PyTermPriors> term_priors;
    std::int32_t reference;
};

// Returns a view of the problem; `lists` stores the view of the classes' terms.
inline PolychotomousProblem problem_of(const PyDesign& design, const PyClasses& classes,
                                       std::optional<Lists>& lists) {
    PolychotomousProblem problem;
    problem.design = design.view();
    problem.labels = span_of(classes.labels);
    problem.weights = span_of(classes.weights);
    problem.documents = classes.documents;
    problem.strengths = {reinterpret_cast<const Strength*>(classes.strengths.data()),
                         classes.strengths.shape(0)};
    problem.reference = classes.reference;
    const auto count = static_cast<std::int32_t>(problem.classes());
    require(problem.labels.size() == problem.design.documents.count &&
                problem.weights.size() == problem.labels.size(),
            "labels and weights must have one entry for each document");
    require(count >= 2 && problem.reference >= no_reference && problem.reference < count,
            "there must be two classes or more, and the reference must be one of them");
    for (const auto label : problem.labels)
        require(label >= 0 && label < count, "labels must be class numbers");
    require(problem.documents > 0.0, "the weights of all documents must sum to more than 0");
    if (classes.terms) {
        lists = classes.terms->view();
        require(lists->starts.size() == problem.classes() + 1, "terms must have one list for each class");
        problem.terms = &*lists;
    }
    if (classes.term_priors) {
        problem.term_priors = classes.term_priors->view();
        require(problem.term_priors.own.starts.size() == problem.classes() + 1,
                "own must have one list of terms for each class");
        require(problem.term_priors.common.empty() ||
                    problem.term_priors.common.size() == problem.design.terms.count + 1,
                "common must have one row for each term and one for the constant");
    }
    return problem;
}

inline void bind_polychotomous_fit(nb::module_& module) {
    const auto moved = nb::rv_policy::move;
    auto fit = nb::class_<PolychotomousFit>(module, "PolychotomousFit",
                                            "Result of training all classes.");
    auto array = [&](const char* name, auto field, const char* doc) {
        fit.def(name, [field](const PolychotomousFit& self) { return to_array(self.*field); }, moved, doc);
    };
    array("starts", &PolychotomousFit::starts, "Return the start of each class in terms and weights.");
    array("terms", &PolychotomousFit::terms, "Return the terms of the non-zero weights.");
    array("weights", &PolychotomousFit::weights, "Return the non-zero weights, class by class.");
    array("intercepts", &PolychotomousFit::intercepts, "Return the intercepts by class.");
    fit.def_ro("objective", &PolychotomousFit::objective)
        .def_ro("certificate", &PolychotomousFit::certificate)
        .def_ro("kind", &PolychotomousFit::kind)
        .def_ro("stop", &PolychotomousFit::stop)
        .def_ro("iterations", &PolychotomousFit::iterations)
        .def_ro("seconds", &PolychotomousFit::seconds)
        .def_ro("smoothing", &PolychotomousFit::smoothing);
}

// Defines a module function that learns all classes by train(problem, options, threads, monitor).
template <class Options, class Train>
void bind_class_training(nb::module_& module, const char* name, Train train) {
    module.def(
        name,
        [train](const PyDesign& design, const PyClasses& classes, const Options& options,
                std::size_t threads, nb::object progress) {
            require_threads(threads);
            std::optional<Lists> lists;
            const auto problem = problem_of(design, classes, lists);
            PolychotomousFit fit;
            run_interruptible([&](Monitor& monitor) { fit = train(problem, options, threads, monitor); },
                        progress);
            return fit;
        },
        "design"_a, "classes"_a, "options"_a, "threads"_a, "progress"_a.none());
}

inline void bind_polychotomous(nb::module_& module) {
    nb::class_<PolychotomousOptions>(module, "PolychotomousOptions",
                                     "Proximal Newton steps for all classes.")
        .def(nb::init<>())
        .def_rw("intercept", &PolychotomousOptions::intercept)
        .def_rw("constant", &PolychotomousOptions::constant)
        .def_rw("steps", &PolychotomousOptions::steps)
        .def_rw("tolerance", &PolychotomousOptions::tolerance)
        .def_rw("passes", &PolychotomousOptions::passes)
        .def_rw("least_set", &PolychotomousOptions::least_set);
    nb::class_<PyClasses>(module, "Classes",
                          "Labels, weights, strengths and per-term priors of all classes.")
        .def(nb::init<Input<std::int32_t>, Input<double>, double, ClassStrengths,
                      std::optional<PyLists>, std::optional<PyTermPriors>, std::int32_t>(),
             "labels"_a, "weights"_a, "documents"_a, "strengths"_a, "terms"_a.none(),
             "term_priors"_a.none(), "reference"_a);
    bind_polychotomous_fit(module);
    bind_class_training<PolychotomousOptions>(module, "train_polychotomous", &train_polychotomous);
}

}  // namespace postil::bind
