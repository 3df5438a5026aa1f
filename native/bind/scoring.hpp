// postil._native.Scorer: raw texts to scores of categories.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "postil/scoring/scorer.hpp"
#include "text_views.hpp"
#include "vectors.hpp"
#include "interruptible.hpp"

namespace postil::bind {

template <class Value>
using Input = nb::ndarray<const Value, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A scorer with references to the Python objects that it reads.
class PyScorer {
public:
    PyScorer(nb::object terms, Readings readings, const PyWeighting& weighting,
             Input<std::int64_t> row_starts, Input<std::int32_t> categories, Input<float> weights,
             Input<double> intercepts, std::vector<nb::callable> word_maps,
             std::size_t most_known_words)
        : terms_(std::move(terms)),
          row_starts_(std::move(row_starts)),
          categories_(std::move(categories)),
          weights_(std::move(weights)),
          word_maps_(std::move(word_maps)),
          readings_(std::move(readings)),
          scorer_(
              settings(weighting, most_known_words),
              TermWeights(rows(), intercepts.size()),
              std::vector<double>(intercepts.data(), intercepts.data() + intercepts.size())) {}

    std::size_t known_words() { return scorer_.known_words(); }
    std::size_t dense_terms() const { return scorer_.dense_rows(); }

    Table<double> scores(nb::sequence columns, std::size_t threads) {
        require_threads(threads);
        const HeldTexts texts(columns);
        const auto width = scorer_.categories();
        Buffer<double> scores(texts.documents() * width);
        AllScores sink(scores.data(), width);
        score(texts, sink, threads);
        return std::move(scores).release(texts.documents(), width);
    }

    nb::tuple top(nb::sequence columns, std::size_t kept, std::size_t threads) {
        require_threads(threads);
        require((kept >= 1 || scorer_.categories() == 0) && kept <= scorer_.categories(),
                "kept must be at least 1 and at most the number of categories");
        const HeldTexts texts(columns);
        Buffer<std::int32_t> categories(texts.documents() * kept);
        Buffer<double> scores(texts.documents() * kept);
        TopScores sink({categories.data(), scores.data()}, kept, scorer_.categories(), threads);
        score(texts, sink, threads);
        return nb::make_tuple(std::move(categories).release(texts.documents(), kept),
                              std::move(scores).release(texts.documents(), kept));
    }

    nb::tuple above(nb::sequence columns, const Input<double>& thresholds, std::size_t threads) {
        require_threads(threads);
        require(thresholds.size() == scorer_.categories(),
                "there must be a threshold for each category");
        const HeldTexts texts(columns);
        ScoresAbove sink(thresholds.data(), scorer_.categories(), texts.documents(), threads);
        score(texts, sink, threads);
        Buffer<std::int64_t> row_starts(texts.documents() + 1);
        Buffer<std::int32_t> categories(sink.size());
        Buffer<double> scores(sink.size());
        sink.write({row_starts.data(), categories.data(), scores.data()});
        return nb::make_tuple(std::move(row_starts).release(), std::move(categories).release(),
                              std::move(scores).release());
    }

private:
    VectorSettings settings(const PyWeighting& weighting, std::size_t most_known_words) const {
        require_maps(readings_, word_maps_.size());
        VectorSettings settings{numbers(), readings_, weighting.weighting(), {}};
        if (weighting.idf)
            settings.idf.assign(weighting.idf->data(),
                                weighting.idf->data() + weighting.idf->size());
        settings.most_known_words = most_known_words;
        return settings;
    }

    TermNumbers numbers() const {
        const Vocabulary* vocabulary = nullptr;
        if (nb::try_cast(terms_, vocabulary) && vocabulary != nullptr)
            return TermNumbers(*vocabulary);
        std::uint32_t buckets = 0;
        require(nb::try_cast(terms_, buckets) && buckets >= 1,
                "terms must be a Vocabulary, or a number of hash buckets of at least 1");
        return TermNumbers(buckets);
    }

    WeightRows rows() const {
        require(row_starts_.size() >= 1 && categories_.size() == weights_.size(),
                "every weight needs a category, and every term a row start");
        return {row_starts_.data(), categories_.data(), weights_.data(), row_starts_.size() - 1,
                weights_.size()};
    }

    void score(const HeldTexts& texts, ScoreSink& sink, std::size_t threads) {
        require_readable(texts, readings_);
        const WordMap word_map = [this](std::size_t map, const std::vector<std::string>& words) {
            const nb::gil_scoped_acquire locked;
            return names_by(word_maps_[map], words);
        };
        run_interruptible([&](Monitor& monitor) {
            scorer_.score(texts.columns, sink, threads, monitor, word_map);
        });
    }

    nb::object terms_;  // holds the vocabulary
    Input<std::int64_t> row_starts_;
    Input<std::int32_t> categories_;
    Input<float> weights_;
    std::vector<nb::callable> word_maps_;
    Readings readings_;
    Scorer scorer_;
};

#define TEXT_COLUMNS "columns: collections.abc.Sequence[collections.abc.Sequence[str | bytes]]"
#define INT32_ARRAY "numpy.typing.NDArray[numpy.int32]"
#define FLOAT64_ARRAY "numpy.typing.NDArray[numpy.float64]"

inline void bind_scoring(nb::module_& module) {
    nb::class_<PyScorer>(module, "Scorer",
                         "Scorer of raw texts: sums the weights of their terms for each category."
                         "\n\nWeights are terms by categories, compressed by term, and read in place: "
                         "they must not change. A word map is called once for each word.")
        .def(nb::init<nb::object, Readings, const PyWeighting&, Input<std::int64_t>,
                      Input<std::int32_t>, Input<float>, Input<double>, std::vector<nb::callable>,
                      std::size_t>(),
             nb::kw_only(), "terms"_a, "readings"_a, "weighting"_a, "row_starts"_a, "categories"_a,
             "weights"_a, "intercepts"_a, "word_maps"_a = nb::make_tuple(),
             "most_known_words"_a = 1'000'000,
             nb::sig("def __init__(self, *, terms: Vocabulary | int, "
                     "readings: collections.abc.Sequence[Reading], weighting: Weighting, "
                     "row_starts: numpy.typing.NDArray[numpy.int64], categories: " INT32_ARRAY ", "
                     "weights: numpy.typing.NDArray[numpy.float32], intercepts: " FLOAT64_ARRAY ", "
                     "word_maps: collections.abc.Sequence[collections.abc.Callable[[list[str]], "
                     "list[str | None]]] = (), most_known_words: int = 1000000) -> None"))
        .def_prop_ro("known_words", &PyScorer::known_words)
        .def_prop_ro("dense_terms", &PyScorer::dense_terms)
        .def("scores", &PyScorer::scores, "columns"_a, "threads"_a,
             nb::sig("def scores(self, " TEXT_COLUMNS ", threads: int) -> " FLOAT64_ARRAY),
             "Return the score of every document for every category.")
        .def("top", &PyScorer::top, "columns"_a, "kept"_a, "threads"_a,
             nb::sig("def top(self, " TEXT_COLUMNS ", kept: int, threads: int) -> "
                     "tuple[" INT32_ARRAY ", " FLOAT64_ARRAY "]"),
             "Return the best categories of every document, best first, and their scores.")
        .def("above", &PyScorer::above, "columns"_a, "thresholds"_a, "threads"_a,
             nb::sig("def above(self, " TEXT_COLUMNS ", thresholds: " FLOAT64_ARRAY ", "
                     "threads: int) -> tuple[numpy.typing.NDArray[numpy.int64], " INT32_ARRAY
                     ", " FLOAT64_ARRAY "]"),
             "Return the scores that reach their category's threshold, as CSR arrays (row starts, "
             "categories, scores).");
}

}  // namespace postil::bind
