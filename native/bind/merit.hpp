// postil._native: smooth counts, margins over competing categories, and matrix products, for
// training that maximises a figure of merit.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <tuple>

#include "learning.hpp"
#include "postil/learn/merit/rivals.hpp"
#include "postil/learn/merit/soft_counts.hpp"
#include "postil/learn/merit/table_products.hpp"

namespace postil::bind {

template <class Value>
using InputTable = nb::ndarray<const Value, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class Value>
using WrittenTable = nb::ndarray<Value, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Left, class Right>
void require_same_shape(const Left& left, const Right& right) {
    require(left.shape(0) == right.shape(0) && left.shape(1) == right.shape(1),
            "tables of the same documents and problems must have the same shape");
}

inline Cases cases_of(const InputTable<std::int8_t>& cases, const Input<double>& weights) {
    require(weights.size() == cases.shape(0), "weights must have one entry for every document");
    return {cases.data(), span_of(weights), cases.shape(1)};
}

template <class Value>
RivalTable rivals_of(const InputTable<Value>& scores, double sharpness, bool is_capped,
                     std::size_t absent) {
    require(scores.shape(1) >= 2, "scores must have two categories or more");
    require(std::isfinite(sharpness) && sharpness > 0.0, "sharpness is above 0 and finite");
    return {scores.shape(0), scores.shape(1), sharpness, is_capped, absent};
}

template <class Value>
void bind_soft_counts(nb::module_& module) {
    module.def(
        "accept",
        [](const InputTable<Value>& scores, const InputTable<std::int8_t>& cases,
           const Input<double>& weights, const Input<double>& steepness, const Input<double>& offsets,
           WrittenTable<Value> acceptances, std::size_t threads) {
            require_threads(threads);
            require_same_shape(scores, cases);
            require_same_shape(scores, acceptances);
            const auto problems = scores.shape(1);
            require(steepness.size() == problems && offsets.size() == problems,
                    "steepness and offsets must have one entry for every problem");
            SoftCounts counts(problems);
            run_interruptible([&](Monitor& monitor) {
                counts = accept(scores.data(), cases_of(cases, weights),
                                {span_of(steepness), span_of(offsets)}, acceptances.data(), threads,
                                monitor);
            });
            return std::make_tuple(to_array(std::move(counts.true_positives)),
                                   to_array(std::move(counts.false_positives)),
                                   to_array(std::move(counts.sure_true_positives)),
                                   to_array(std::move(counts.sure_false_positives)));
        },
        nb::arg("scores").noconvert(), nb::arg("cases"), nb::arg("weights"), nb::arg("steepness"),
        nb::arg("offsets"), nb::arg("acceptances").noconvert(), nb::arg("threads"),
        "Write soft acceptances; return smooth TP and FP of each problem, and those of score > 0.");
    module.def(
        "slopes_of",
        [](WrittenTable<Value> acceptances, const InputTable<std::int8_t>& cases,
           const Input<double>& weights, const Input<double>& steepness,
           const Input<double>& by_member, const Input<double>& by_other, std::size_t threads) {
            require_threads(threads);
            require_same_shape(acceptances, cases);
            const auto problems = acceptances.shape(1);
            require(steepness.size() == problems && by_member.size() == problems &&
                        by_other.size() == problems,
                    "steepness, by_member and by_other must have one entry for every problem");
            std::vector<double> sums;
            run_interruptible([&](Monitor& monitor) {
                sums = slopes_of(acceptances.data(), cases_of(cases, weights), span_of(steepness),
                                 span_of(by_member), span_of(by_other), threads, monitor);
            });
            return to_array(std::move(sums));
        },
        nb::arg("acceptances").noconvert(), nb::arg("cases"), nb::arg("weights"), nb::arg("steepness"),
        nb::arg("by_member"), nb::arg("by_other"), nb::arg("threads"),
        "Convert acceptances to slopes of the merit, in place; return their sum by problem.");
}

template <class Value>
void bind_rivals(nb::module_& module) {
    module.def(
        "margins_over_rivals",
        [](const InputTable<Value>& scores, double sharpness, WrittenTable<Value> margins,
           std::size_t threads, bool is_capped, std::size_t absent) {
            require_threads(threads);
            require_same_shape(scores, margins);
            const auto table = rivals_of(scores, sharpness, is_capped, absent);
            run_interruptible([&](Monitor& monitor) {
                margins_over_rivals(scores.data(), table, margins.data(), threads, monitor);
            });
        },
        nb::arg("scores").noconvert(), nb::arg("sharpness"), nb::arg("margins").noconvert(),
        nb::arg("threads"), nb::arg("is_capped") = false, nb::arg("absent") = 0,
        "Write the margin of each score over those of competing categories.");
    module.def(
        "slopes_through_rivals",
        [](const InputTable<Value>& scores, double sharpness, WrittenTable<Value> slopes,
           std::size_t threads, bool is_capped, std::size_t absent) {
            require_threads(threads);
            require_same_shape(scores, slopes);
            const auto table = rivals_of(scores, sharpness, is_capped, absent);
            run_interruptible([&](Monitor& monitor) {
                slopes_through_rivals(scores.data(), table, slopes.data(), threads, monitor);
            });
        },
        nb::arg("scores").noconvert(), nb::arg("sharpness"), nb::arg("slopes").noconvert(),
        nb::arg("threads"), nb::arg("is_capped") = false, nb::arg("absent") = 0,
        "Convert slopes by the margins to slopes by the scores, in place.");
}

template <class Value>
void bind_table_products(nb::module_& module) {
    const auto bind_products = [&](const char* name, const char* doc, bool by_document) {
        module.def(
            name,
            [by_document](const PyDesign& design, const InputTable<Value>& table, std::size_t threads) {
                require_threads(threads);
                const auto view = design.view();
                const auto& lines = by_document ? view.documents : view.terms;
                const auto places = by_document ? view.terms.count : view.documents.count;
                require(table.shape(0) == places, "table must have one row for each term or document");
                const auto problems = table.shape(1);
                Buffer<Value> products(lines.count * problems);
                run_interruptible([&](Monitor& monitor) {
                    table_products(lines, table.data(), problems, products.data(), threads, monitor);
                });
                return std::move(products).release(lines.count, problems);
            },
            nb::arg("design"), nb::arg("table").noconvert(), nb::arg("threads"), doc);
    };
    bind_products("document_products", "Return (documents × terms) times (terms × problems).", true);
    bind_products("term_products", "Return (terms × documents) times (documents × problems).", false);
}

template <class Value>
void bind_merit_of(nb::module_& module) {
    bind_soft_counts<Value>(module);
    bind_rivals<Value>(module);
    bind_table_products<Value>(module);
}

inline void bind_merit(nb::module_& module) {
    bind_merit_of<float>(module);
    bind_merit_of<double>(module);
}

}  // namespace postil::bind
