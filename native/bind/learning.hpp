// postil._native: learning.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "arrays.hpp"
#include "postil/learn/losses/loss_table.hpp"
#include "postil/learn/training.hpp"
#include "vectors.hpp"
#include "interruptible.hpp"

namespace postil::bind {

template <class Value>
using Input = nb::ndarray<const Value, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using InputMatrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Value>
std::span<const Value> span_of(const Input<Value>& input) {
    return {input.data(), input.size()};
}

// The shared matrix: keeps the arrays that it views alive.
struct PyDesign {
    Input<std::int64_t> row_starts, column_starts;
    Input<std::int32_t> row_places, column_places;
    Input<float> row_values, column_values;

    PyDesign(Input<std::int64_t> rows, Input<std::int32_t> row_terms, Input<float> by_row,
             Input<std::int64_t> columns, Input<std::int32_t> column_documents,
             Input<float> by_column)
        : row_starts(rows),
          column_starts(columns),
          row_places(row_terms),
          column_places(column_documents),
          row_values(by_row),
          column_values(by_column) {
        require(rows.size() >= 1 && columns.size() >= 1,
                "row_starts and column_starts must not be empty");
        require(row_terms.size() == by_row.size() && column_documents.size() == by_column.size() &&
                    by_row.size() == by_column.size(),
                "the rows and the columns must have the same number of non-zeros");
    }

    Design view() const {
        return {{row_starts.data(), row_places.data(), row_values.data(), row_starts.size() - 1},
                {column_starts.data(), column_places.data(), column_values.data(),
                 column_starts.size() - 1}};
    }
};

struct PyLists {
    Input<std::int64_t> starts;
    Input<std::int32_t> places;

    Lists view() const { return {span_of(starts), span_of(places)}; }
};

// Rows of seven numbers, the members of TermPrior.
using TermPriorRows = nb::ndarray<const double, nb::shape<-1, 7>, nb::c_contig, nb::device::cpu>;
static_assert(sizeof(TermPrior) == 7 * sizeof(double));

inline std::span<const TermPrior> term_priors_of(const TermPriorRows& rows) {
    return {reinterpret_cast<const TermPrior*>(rows.data()), rows.shape(0)};
}

struct PyTermPriors {
    TermPriorRows common;
    PyLists own;
    TermPriorRows own_priors;

    TermPriors view() const {
        TermPriors term_priors{term_priors_of(common), own.view(), term_priors_of(own_priors)};
        require(term_priors.own_priors.size() == term_priors.own.places.size(),
                "own and own_priors must have the same length");
        return term_priors;
    }
};

// Pairs of numbers, points × 2 for each category.
using StrengthRows = nb::ndarray<const double, nb::shape<-1, -1, 2>, nb::c_contig, nb::device::cpu>;
static_assert(sizeof(Strength) == 2 * sizeof(double));

struct PyAssignment {
    PyLists members;
    Input<double> document_weights, member_weights, other_weights;
    StrengthRows strengths;
    std::optional<PyTermPriors> term_priors;
    std::vector<Input<double>> starts, initial_exponents;

    Assignment view() const {
        Assignment assignment{members.view(), span_of(document_weights), span_of(member_weights),
                              span_of(other_weights)};
        const auto categories = assignment.categories();
        assignment.points = strengths.shape(1);
        assignment.strengths = {reinterpret_cast<const Strength*>(strengths.data()),
                                strengths.shape(0) * strengths.shape(1)};
        require(member_weights.size() == categories && other_weights.size() == categories &&
                    strengths.shape(0) == categories && assignment.points > 0,
                "every category needs two class weights and a strength");
        if (term_priors) {
            assignment.term_priors = term_priors->view();
            require(assignment.term_priors.own.starts.size() == categories + 1,
                    "own must have one list of terms for each category");
        }
        require(starts.empty() || starts.size() == categories,
                "starts must be empty or have one entry for each category");
        for (const auto& start : starts) assignment.starts.push_back(span_of(start));
        require(initial_exponents.empty() || initial_exponents.size() == categories,
                "initial_exponents must be empty or have one entry for each category");
        for (const auto& each : initial_exponents) assignment.initial_exponents.push_back(span_of(each));
        return assignment;
    }
};

// The fits of all categories, each field as one array.
struct Fits {
    std::vector<Fit> fits;
};

inline void bind_conjugate_gradient_options(nb::module_& module) {
    nb::enum_<CgDirection>(module, "CgDirection")
        .value("hestenes_stiefel", CgDirection::hestenes_stiefel)
        .value("polak_ribiere", CgDirection::polak_ribiere)
        .value("fletcher_reeves", CgDirection::fletcher_reeves);
    nb::class_<CgOptions>(module, "CgOptions", "Nonlinear conjugate gradients.")
        .def(nb::init<>())
        .def_rw("iterations", &CgOptions::iterations)
        .def_rw("tolerance", &CgOptions::tolerance)
        .def_rw("direction", &CgOptions::direction)
        .def_rw("restart", &CgOptions::restart)
        .def_rw("powell", &CgOptions::powell)
        .def_rw("slope_share", &CgOptions::slope_share)
        .def_rw("is_scaled", &CgOptions::is_scaled)
        .def_rw("trace", &CgOptions::trace);
    nb::class_<SmoothingOptions>(module, "SmoothingOptions", "Schedule of the smoothing of the hinge.")
        .def(nb::init<>())
        .def_rw("first_gamma", &SmoothingOptions::first_gamma)
        .def_rw("gamma_step", &SmoothingOptions::gamma_step)
        .def_rw("gamma_growth", &SmoothingOptions::gamma_growth)
        .def_rw("steps_per_gamma", &SmoothingOptions::steps_per_gamma);
}

inline void bind_names(nb::module_& module) {
    nb::enum_<LossName>(module, "LossName")
        .value("squared", LossName::squared)
        .value("modified_squared", LossName::modified_squared)
        .value("hinge", LossName::hinge)
        .value("logistic", LossName::logistic)
        .value("probit", LossName::probit)
        .value("perceptron", LossName::perceptron)
        .value("smoothed_hinge", LossName::smoothed_hinge);
    nb::enum_<SolverName>(module, "SolverName")
        .value("primal_coordinate", SolverName::primal_coordinate)
        .value("dual_coordinate", SolverName::dual_coordinate)
        .value("smo", SolverName::smo)
        .value("newton_coordinate", SolverName::newton_coordinate)
        .value("em", SolverName::em)
        .value("mistake_driven", SolverName::mistake_driven)
        .value("dual_gradient", SolverName::dual_gradient)
        .value("conjugate_gradient", SolverName::conjugate_gradient)
        .value("smoothed_conjugate_gradient", SolverName::smoothed_conjugate_gradient);
}

inline void bind_coordinate_options(nb::module_& module) {
    nb::enum_<Intercept>(module, "Intercept")
        .value("none", Intercept::none)
        .value("penalised", Intercept::penalised)
        .value("free", Intercept::free);
    nb::enum_<TrustRegion>(module, "TrustRegion")
        .value("doubled", TrustRegion::doubled)
        .value("halved", TrustRegion::halved);
    nb::enum_<Movement>(module, "Movement")
        .value("sweep", Movement::sweep)
        .value("steps", Movement::steps);
    nb::class_<PrimalOptions>(module, "PrimalOptions", "Primal coordinate descent.")
        .def(nb::init<>())
        .def_rw("sweeps", &PrimalOptions::sweeps)
        .def_rw("tolerance", &PrimalOptions::tolerance)
        .def_rw("movement", &PrimalOptions::movement)
        .def_rw("movement_of", &PrimalOptions::movement_of)
        .def_rw("trust_region", &PrimalOptions::trust_region)
        .def_rw("initial_reach", &PrimalOptions::initial_reach)
        .def_rw("reach_slack", &PrimalOptions::reach_slack)
        .def_rw("least_reach", &PrimalOptions::least_reach)
        .def_rw("seed", &PrimalOptions::seed)
        .def_rw("shuffle", &PrimalOptions::shuffle)
        .def_rw("constant_visits", &PrimalOptions::constant_visits)
        .def_rw("truncation", &PrimalOptions::truncation)
        .def_rw("continuation", &PrimalOptions::continuation);
    nb::class_<DualOptions>(module, "DualOptions", "Dual coordinate descent.")
        .def(nb::init<>())
        .def_rw("passes", &DualOptions::passes)
        .def_rw("tolerance", &DualOptions::tolerance)
        .def_rw("seed", &DualOptions::seed)
        .def_rw("shuffle", &DualOptions::shuffle)
        .def_rw("shrink", &DualOptions::shrink);
    nb::class_<SmoOptions>(module, "SmoOptions", "Sequential minimal optimisation.")
        .def(nb::init<>())
        .def_rw("steps", &SmoOptions::steps)
        .def_rw("tolerance", &SmoOptions::tolerance)
        .def_rw("cache_bytes", &SmoOptions::cache_bytes)
        .def_rw("shrink", &SmoOptions::shrink);
    nb::class_<NewtonOptions>(module, "NewtonOptions", "Proximal Newton steps over a working set.")
        .def(nb::init<>())
        .def_rw("steps", &NewtonOptions::steps)
        .def_rw("tolerance", &NewtonOptions::tolerance)
        .def_rw("passes", &NewtonOptions::passes)
        .def_rw("least_set", &NewtonOptions::least_set);
}

inline void bind_em_and_online_options(nb::module_& module) {
    nb::class_<EmOptions>(module, "EmOptions", "Expectation maximisation.")
        .def(nb::init<>())
        .def_rw("iterations", &EmOptions::iterations)
        .def_rw("tolerance", &EmOptions::tolerance)
        .def_rw("least_weight", &EmOptions::least_weight)
        .def_rw("start_variance", &EmOptions::start_variance)
        .def_rw("passes", &EmOptions::passes);
    nb::class_<OnlineOptions>(module, "OnlineOptions", "Updates document by document.")
        .def(nb::init<>())
        .def_rw("passes", &OnlineOptions::passes)
        .def_rw("tolerance", &OnlineOptions::tolerance)
        .def_rw("rate", &OnlineOptions::rate)
        .def_rw("shuffle", &OnlineOptions::shuffle)
        .def_rw("seed", &OnlineOptions::seed);
    nb::enum_<Entropy>(module, "Entropy")
        .value("none", Entropy::none)
        .value("unnormalised", Entropy::unnormalised)
        .value("normalised", Entropy::normalised);
    nb::class_<EntropyPrior>(module, "EntropyPrior", "Entropy prior of Winnow weights.")
        .def(nb::init<>())
        .def_rw("kind", &EntropyPrior::kind)
        .def_rw("mu", &EntropyPrior::mu)
        .def_rw("positive", &EntropyPrior::positive)
        .def_rw("threshold", &EntropyPrior::threshold)
        .def_rw("total", &EntropyPrior::total)
        .def("value", &EntropyPrior::value, "weight"_a)
        .def("slope", &EntropyPrior::slope, "weight"_a)
        .def("weight", &EntropyPrior::weight, "exponent"_a)
        .def("conjugate", &EntropyPrior::conjugate, "exponent"_a);
}

inline void bind_learn_options(nb::module_& module) {
    bind_names(module);
    bind_conjugate_gradient_options(module);
    bind_coordinate_options(module);
    bind_em_and_online_options(module);
    nb::class_<LearnOptions>(module, "LearnOptions", "Loss, solver, intercept and their options.")
        .def(nb::init<>())
        .def_rw("loss", &LearnOptions::loss)
        .def_rw("solver", &LearnOptions::solver)
        .def_rw("intercept", &LearnOptions::intercept)
        .def_rw("constant", &LearnOptions::constant)
        .def_rw("rate", &LearnOptions::rate)
        .def_rw("printed_bound", &LearnOptions::printed_bound)
        .def_rw("keep_duals", &LearnOptions::keep_duals)
        .def_rw("primal", &LearnOptions::primal)
        .def_rw("dual", &LearnOptions::dual)
        .def_rw("smo", &LearnOptions::smo)
        .def_rw("newton", &LearnOptions::newton)
        .def_rw("em", &LearnOptions::em)
        .def_rw("online", &LearnOptions::online)
        .def_rw("entropy", &LearnOptions::entropy)
        .def_rw("gamma", &LearnOptions::gamma)
        .def_rw("conjugate", &LearnOptions::conjugate)
        .def_rw("smoothing", &LearnOptions::smoothing);
}

inline void bind_fits(nb::module_& module) {
    nb::enum_<Stop>(module, "Stop")
        .value("certified", Stop::certified)
        .value("movement", Stop::movement)
        .value("iterations", Stop::iterations)
        .value("precision", Stop::precision);
    nb::enum_<Certificate>(module, "Certificate")
        .value("duality_gap", Certificate::duality_gap)
        .value("kkt_residual", Certificate::kkt_residual)
        .value("mistakes", Certificate::mistakes);
    const auto moved = nb::rv_policy::move;
    auto fits = nb::class_<Fits>(module, "Fits",
                                 "Results of training, one for each category and strength.");
    fits.def("__len__", [](const Fits& self) { return self.fits.size(); });
    auto array = [&](const char* name, auto field, const char* doc) {
        fits.def(
            name, [field](const Fits& self, std::size_t at) { return to_array(self.fits.at(at).*field); },
            "category"_a, moved, doc);
    };
    array("weights", &Fit::weights, "Return the non-zero weights.");
    array("places", &Fit::places, "Return the position of each weight in the category's terms.");
    array("duals", &Fit::duals, "Return the dual variables by document; empty if the solver has none.");
    array("exponents", &Fit::exponents,
          "Return θ by position, the constant last; empty if the solver has none.");
    array("factors", &Fit::factors, "Return the factor of each document in the weights, if known.");
    array("gap_duals", &Fit::gap_duals,
          "Return the dual variables of the gap if the weights do not determine them.");
    array("trace_seconds", &Fit::trace_seconds,
          "Return the seconds after each step, if a trace was requested.");
    array("trace_objectives", &Fit::trace_objectives,
          "Return the objective after each step, if a trace was requested.");
    auto value = [&](const char* name, auto field) {
        fits.def(name, [field](const Fits& self, std::size_t at) { return self.fits.at(at).*field; },
                 "category"_a);
    };
    value("intercept", &Fit::intercept);
    value("unit", &Fit::unit);
    value("objective", &Fit::objective);
    value("certificate", &Fit::certificate);
    value("kind", &Fit::kind);
    value("stop", &Fit::stop);
    value("iterations", &Fit::iterations);
    value("seconds", &Fit::seconds);
    value("smoothing", &Fit::smoothing);
}

// Evaluates a loss at each margin, for tests of its formulas.
inline nb::tuple loss_at(const LearnOptions& options, const Input<double>& margins) {
    const auto table = tabulate(options, span_of(margins));
    return nb::make_tuple(to_array(table.values), to_array(table.slopes), to_array(table.curvatures));
}

inline void bind_training(nb::module_& module) {
    nb::class_<PyDesign>(module, "Design", "Matrix of documents and terms, by rows and by columns.")
        .def(nb::init<Input<std::int64_t>, Input<std::int32_t>, Input<float>, Input<std::int64_t>,
                      Input<std::int32_t>, Input<float>>(),
             "row_starts"_a, "row_terms"_a, "row_values"_a, "column_starts"_a,
             "column_documents"_a, "column_values"_a);
    nb::class_<PyLists>(module, "Lists", "Lists of positions of different lengths, concatenated.")
        .def(nb::init<Input<std::int64_t>, Input<std::int32_t>>(), "starts"_a, "places"_a);
    nb::class_<PyTermPriors>(module, "TermPriors",
                             "Per-term priors: common to all categories, and per category.")
        .def(nb::init<TermPriorRows, PyLists, TermPriorRows>(), "common"_a, "own"_a, "own_priors"_a);
    nb::class_<PyAssignment>(module, "Assignment", "Categories, their members, weights and strengths.")
        .def(nb::init<PyLists, Input<double>, Input<double>, Input<double>, StrengthRows,
                      std::optional<PyTermPriors>, std::vector<Input<double>>, std::vector<Input<double>>>(),
             "members"_a, "document_weights"_a, "member_weights"_a, "other_weights"_a,
             "strengths"_a, "term_priors"_a.none(), "starts"_a, "initial_exponents"_a = nb::list());
    module.def(
        "train",
        [](const PyDesign& design, const std::optional<PyLists>& terms,
           const PyAssignment& assignment, const LearnOptions& options, std::size_t threads,
           nb::object progress) {
            require_threads(threads);
            const auto view = assignment.view();
            require(view.document_weights.size() == design.view().documents.count,
                    "document_weights must have one entry for each document");
            require(view.term_priors.common.empty() ||
                        view.term_priors.common.size() == design.view().terms.count + 1,
                    "common must have one row for each term and one for the constant");
            std::optional<Lists> lists;
            if (terms) lists = terms->view();
            require(!lists || lists->starts.size() == view.members.starts.size(),
                    "terms must have one list for each category");
            Fits fits;
            run_interruptible(
                [&](Monitor& monitor) {
                    fits.fits = train(design.view(), lists ? &*lists : nullptr, view, options,
                                      threads, monitor);
                },
                progress);
            return fits;
        },
        "design"_a, "terms"_a.none(), "assignment"_a, "options"_a, "threads"_a, "progress"_a.none());
    module.def(
        "train_by_kernel",
        [](InputMatrix gram, const PyAssignment& assignment, const LearnOptions& options,
           std::size_t threads, nb::object progress) {
            require_threads(threads);
            const auto view = assignment.view();
            require(gram.shape(0) == gram.shape(1) &&
                        view.document_weights.size() == gram.shape(0),
                    "gram must be square, with one row for each document weight");
            Fits fits;
            run_interruptible(
                [&](Monitor& monitor) {
                    fits.fits = train_by_kernel(gram.data(), gram.shape(0), view, options, threads,
                                                monitor);
                },
                progress);
            return fits;
        },
        "gram"_a, "assignment"_a, "options"_a, "threads"_a, "progress"_a.none());
}

inline void bind_losses(nb::module_& module) {
    module.def("loss_at", &loss_at, "options"_a, "margins"_a,
               nb::sig("def loss_at(options: LearnOptions, margins: numpy.typing.NDArray[numpy.float64])"
                       " -> tuple[numpy.typing.NDArray[numpy.float64], "
                       "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]"),
               "Return value, slope and curvature of the loss at each margin.");
    module.def("loss_bound", &loss_bound, "options"_a, "margin"_a, "distance"_a,
               "Return an upper bound of the curvature within a distance of a margin.");
    module.def("loss_conjugate", &loss_conjugate, "options"_a, "dual"_a,
               "Return k(-a) for a dual variable a.");
    module.def("loss_dual_step", &loss_dual_step, "options"_a, "dual"_a, "margin"_a, "steepness"_a,
               "Return the dual variable a for which k'(-a) = margin + steepness (a - dual).");
}

inline void bind_learning(nb::module_& module) {
    bind_learn_options(module);
    bind_losses(module);
    bind_fits(module);
    bind_training(module);
}

}  // namespace postil::bind
