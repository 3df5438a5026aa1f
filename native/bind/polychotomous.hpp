// postil._native: polychotomous logistic regression.
#pragma once

#include "learning.hpp"
#include "postil/learn/classes/polychotomous.hpp"

namespace postil::bind {

using ClassStrengths = nb::ndarray<const double, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

// What is learned about, and from what: keeps the arrays that it looks at.
struct PyClasses {
    Input<std::int32_t> labels;
    Input<double> weights;
    double documents;
    ClassStrengths strengths;
    std::optional<PyLists> terms;
    std::optional<PyBeliefs> beliefs;
    std::int32_t reference;
};

// `lists` has room for a view of the classes' terms.
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
            "every document needs a class and a weight");
    require(count >= 2 && problem.reference >= no_reference && problem.reference < count,
            "there are two classes or more, and the reference is one of them");
    for (const auto label : problem.labels)
        require(label >= 0 && label < count, "every document needs a class that there is");
    require(problem.documents > 0.0, "some document has to count");
    if (classes.terms) {
        lists = classes.terms->view();
        require(lists->starts.size() == problem.classes() + 1, "every class needs a list of terms");
        problem.terms = &*lists;
    }
    if (classes.beliefs) {
        problem.beliefs = classes.beliefs->view();
        require(problem.beliefs.own.starts.size() == problem.classes() + 1,
                "every class needs its own beliefs, or none");
        require(problem.beliefs.common.empty() ||
                    problem.beliefs.common.size() == problem.design.terms.count + 1,
                "every term needs a belief, and the constant");
    }
    return problem;
}

inline void bind_polychotomous_fit(nb::module_& module) {
    const auto moved = nb::rv_policy::move;
    auto fit = nb::class_<PolychotomousFit>(module, "PolychotomousFit", "What became of all classes.");
    auto array = [&](const char* name, auto field, const char* doc) {
        fit.def(name, [field](const PolychotomousFit& self) { return to_array(self.*field); }, moved, doc);
    };
    array("starts", &PolychotomousFit::starts, "Where the weights of each class begin.");
    array("terms", &PolychotomousFit::terms, "Of the weights that are not 0.");
    array("weights", &PolychotomousFit::weights, "Those that are not 0, class by class.");
    array("intercepts", &PolychotomousFit::intercepts, "By class.");
    fit.def_ro("objective", &PolychotomousFit::objective)
        .def_ro("certificate", &PolychotomousFit::certificate)
        .def_ro("kind", &PolychotomousFit::kind)
        .def_ro("stop", &PolychotomousFit::stop)
        .def_ro("iterations", &PolychotomousFit::iterations)
        .def_ro("seconds", &PolychotomousFit::seconds)
        .def_ro("smoothing", &PolychotomousFit::smoothing);
}

// The module's function of one way to learn all classes: train(problem, options, threads, monitor).
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
            run_watched([&](Monitor& monitor) { fit = train(problem, options, threads, monitor); },
                        progress);
            return fit;
        },
        "design"_a, "classes"_a, "options"_a, "threads"_a, "progress"_a.none());
}

inline void bind_polychotomous(nb::module_& module) {
    nb::class_<PolychotomousOptions>(module, "PolychotomousOptions", "Newton steps for all classes.")
        .def(nb::init<>())
        .def_rw("intercept", &PolychotomousOptions::intercept)
        .def_rw("constant", &PolychotomousOptions::constant)
        .def_rw("steps", &PolychotomousOptions::steps)
        .def_rw("tolerance", &PolychotomousOptions::tolerance)
        .def_rw("passes", &PolychotomousOptions::passes)
        .def_rw("least_set", &PolychotomousOptions::least_set);
    nb::class_<PyClasses>(module, "Classes", "The class of each document, and what is thought of them.")
        .def(nb::init<Input<std::int32_t>, Input<double>, double, ClassStrengths,
                      std::optional<PyLists>, std::optional<PyBeliefs>, std::int32_t>(),
             "labels"_a, "weights"_a, "documents"_a, "strengths"_a, "terms"_a.none(),
             "beliefs"_a.none(), "reference"_a);
    bind_polychotomous_fit(module);
    bind_class_training<PolychotomousOptions>(module, "train_polychotomous", &train_polychotomous);
}

}  // namespace postil::bind
