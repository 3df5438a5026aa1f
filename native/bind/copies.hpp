// postil._native: copies and near copies among texts.
#pragma once

#include <nanobind/nanobind.h>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "postil/copies/copy_finder.hpp"
#include "text_views.hpp"
#include "vectors.hpp"

namespace postil::bind {

namespace nb = nanobind;
using namespace nb::literals;

inline void bind_copies(nb::module_& module) {
    nb::class_<CopyFinder>(module, "CopyFinder",
                           "Texts that are equal, and texts that share most of their shingles.")
        .def(
            "__init__",
            [](CopyFinder* self, const TokenizerOptions& options, std::size_t shingle_words) {
                require(shingle_words >= 1, "a shingle has at least 1 word");
                new (self) CopyFinder(options, shingle_words);
            },
            "options"_a, "shingle_words"_a)
        .def("__len__", &CopyFinder::size)
        .def(
            "add",
            [](CopyFinder& self, nb::sequence texts, std::size_t threads) {
                require_threads(threads);
                HeldTexts held(nb::make_tuple(texts));
                require(self.size() + held.documents() < UINT32_MAX, "texts are at most 2^32 - 2");
                run_interruptible([&](Monitor& monitor) {
                    self.add(held.columns[0], threads, monitor);
                });
            },
            "texts"_a, "threads"_a,
            nb::sig("def add(self, texts: collections.abc.Sequence[str | bytes], threads: int) -> "
                    "None"),
            "Add texts after those that were added before.")
        .def(
            "words", [](const CopyFinder& self) { return to_array(self.words()); },
            "Return the number of words of each text.")
        .def(
            "equal",
            [](const CopyFinder& self) {
                std::vector<std::uint32_t> first;
                run_interruptible([&](Monitor&) { first = self.equal(); });
                return to_array(std::move(first));
            },
            "Return the first text equal to each, but for case and white space.")
        .def(
            "groups",
            [](const CopyFinder& self, double similar, std::size_t threads, nb::object progress) {
                require_threads(threads);
                std::vector<std::uint32_t> first;
                run_interruptible(
                    [&](Monitor& monitor) { first = self.groups(similar, threads, monitor); },
                    progress);
                return to_array(std::move(first));
            },
            "similar"_a, "threads"_a, "progress"_a = nb::none(),
            "Return the first text of the group of near copies of each.\n\n"
            "progress is called with the number of finished bands.")
        .def(
            "similarity",
            [](const CopyFinder& self, std::size_t first, std::size_t second) {
                require(first < self.size() && second < self.size(), "there is no such text");
                return self.similarity(first, second);
            },
            "first"_a, "second"_a, "Return the Jaccard similarity of the shingles of two texts.")
        .def_prop_ro_static("BANDS", [](nb::handle) { return CopyFinder::bands; });
}

}  // namespace postil::bind
