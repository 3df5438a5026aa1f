// postil._native: tokens, vocabularies and matrices of texts.
#pragma once

#include <algorithm>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "postil/counting/matrix.hpp"
#include "postil/counting/vocabulary.hpp"
#include "text_views.hpp"
#include "interruptible.hpp"

namespace postil::bind {

namespace nb = nanobind;
using namespace nb::literals;

// The type of the three arrays of a CSR matrix in the stub.
#define MATRIX_ARRAYS                          \
    "tuple[numpy.typing.NDArray[numpy.int64], " \
    "numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float32]]"

using InputCounts = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using InputIdf = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Checks a precondition of the core, which does not check its arguments.
inline void require(bool holds, const char* otherwise) {
    if (!holds) throw nb::value_error(otherwise);
}

inline void require_threads(std::size_t threads) {
    require(threads >= 1, "threads is at least 1");
}

inline void require_counted(const Batch& batch) {
    require(!batch.lanes.empty(),
            "the batch was added to a collector and is empty: count the texts again");
    require(!batch.in_sequence, "the batch holds words in sequence: call form_grams first");
}

inline nb::list to_list(const std::vector<std::string>& texts) {
    nb::list list;
    for (const auto& text : texts) list.append(to_str(text));
    return list;
}

inline nb::list tokenize_text(nb::handle text, const TokenizerOptions& options) {
    const auto view = view_of(text);
    std::vector<std::string> tokens;
    run_interruptible([&](Monitor&) { tokens = list_tokens(view, options); });
    return to_list(tokens);
}

using Spaces = std::vector<Space>;  // by term

inline Reading make_reading(std::size_t column, Space space, const TokenizerOptions& options,
                            std::optional<std::size_t> word_map,
                            std::pair<std::uint32_t, std::uint32_t> grams) {
    require(space <= max_space, "a space must be at most 255");
    require(1 <= grams.first && grams.first <= grams.second,
            "grams must be (shortest, longest) with 1 <= shortest <= longest");
    return {column, space, options, word_map.value_or(Reading::unmapped), grams.first, grams.second};
}

inline void require_readable(const HeldTexts& texts, const Readings& readings) {
    std::size_t columns = 0;
    for (const auto& reading : readings) columns = std::max(columns, reading.column + 1);
    require(texts.columns.size() == columns, "every column of texts needs a reading");
}

inline void require_maps(const Readings& readings, std::size_t maps) {
    for (const auto& reading : readings)
        require(reading.word_map == Reading::unmapped || reading.word_map < maps,
                "every reading that maps words needs a word map");
}

inline Batch count_documents(nb::sequence columns, const Readings& readings, bool tallies,
                             std::size_t threads) {
    require_threads(threads);
    // Waking a thread takes about as long as referencing this many texts: do both at once.
    constexpr std::size_t many_texts = 1000;
    if (threads > 1 && nb::len(columns) > 0 && nb::len(nb::object(columns[0])) >= many_texts)
        wake_helpers(threads - 1);
    HeldTexts texts(columns);
    require_readable(texts, readings);
    Batch batch;
    run_interruptible([&](Monitor& monitor) {
        batch = count_texts(texts.columns, readings, tallies, threads, monitor);
    });
    return batch;
}

inline std::vector<std::size_t> count_text_tokens(nb::sequence texts,
                                                  const TokenizerOptions& options,
                                                  std::size_t threads) {
    require_threads(threads);
    HeldTexts held(nb::make_tuple(texts));
    std::vector<std::size_t> counts;
    run_interruptible([&](Monitor& monitor) {
        counts = count_tokens(held.columns[0], options, threads, monitor);
    });
    return counts;
}

// Calls the word map, which takes a list of distinct words and returns a list of str (the new name)
// or None (drop the word).
inline WordNames names_by(const nb::callable& word_map, const std::vector<std::string>& words) {
    const nb::object mapped = word_map(to_list(words));
    WordNames names;
    require(nb::try_cast(mapped, names) && names.size() == words.size(),
            "a word map must give one name of valid text, or None, for every word");
    return names;
}

inline void rename_batch(Batch& batch, const std::vector<nb::callable>& word_maps,
                         std::size_t threads) {
    require_threads(threads);
    require_maps(batch.readings, word_maps.size());
    DistinctWords distinct;
    run_interruptible([&](Monitor&) { distinct = distinct_words(batch.lanes, batch.readings); });
    std::vector<WordNames> names;
    for (std::size_t map = 0; map < distinct.words.size(); ++map)
        names.push_back(names_by(word_maps[map], distinct.words[map]));
    run_interruptible([&](Monitor& monitor) {
        rename_words(batch, distinct, names, threads, monitor);
    });
}

struct PyWeighting {
    TermFrequency frequency;
    Norm norm;
    std::optional<InputIdf> idf;
    double unseen_idf;
    bool constant;

    Weighting weighting() const {
        return {frequency, norm, idf ? idf->data() : nullptr, unseen_idf};
    }
};

inline nb::tuple build_matrix(std::vector<Chunk> chunks, FinalTerms final_terms, Fate fate,
                              std::size_t columns, const PyWeighting& weights,
                              std::size_t threads) {
    require_threads(threads);
    require(!weights.idf || weights.idf->size() == columns, "there must be one idf for each term");
    const auto weighting = weights.weighting();
    const auto constant_column = static_cast<std::int32_t>(columns);

    std::optional<MatrixBuilder> builder;
    std::optional<Buffer<std::int64_t>> row_starts;
    std::optional<Buffer<std::int32_t>> terms;
    std::optional<Buffer<float>> values;
    run_interruptible([&](Monitor& monitor) {
        builder.emplace(std::move(chunks), std::move(final_terms), fate, columns, threads,
                        monitor);
        const auto size = builder->entries() + (weights.constant ? builder->documents() : 0);
        row_starts.emplace(builder->documents() + 1);
        terms.emplace(size);
        values.emplace(size);
        builder->write({row_starts->data(), terms->data(), values->data()}, weighting,
                       weights.constant ? &constant_column : nullptr, threads, monitor);
    });
    return nb::make_tuple(std::move(*row_starts).release(), std::move(*terms).release(),
                          std::move(*values).release());
}

inline nb::tuple matrix_of_vocabulary(const Vocabulary& vocabulary, Batch& batch,
                                      const PyWeighting& weights, std::size_t threads) {
    require_counted(batch);
    FinalTerms final_terms;
    for (const auto& lane : batch.lanes) final_terms.push_back(vocabulary.look_up(lane));
    return build_matrix(std::move(batch.chunks), std::move(final_terms), Fate::dropped,
                        vocabulary.size(), weights, threads);
}

inline nb::tuple matrix_of_buckets(std::uint32_t buckets, Batch& batch, const PyWeighting& weights,
                                   std::size_t threads) {
    require_counted(batch);
    require(buckets >= 1, "buckets must be at least 1");
    FinalTerms final_terms;
    for (const auto& lane : batch.lanes) final_terms.push_back(buckets_of(lane, buckets));
    return build_matrix(std::move(batch.chunks), std::move(final_terms), Fate::joined, buckets,
                        weights, threads);
}

inline nb::tuple matrix_of_collected(TermCollector& collector,
                                     const TermCollector::Ranking& ranking,
                                     const PyWeighting& weights, std::size_t threads) {
    require(ranking.rank_of.size() == collector.number_end(),
            "the ranking belongs to another collector, or the collector has grown since");
    require_threads(threads);
    TermCollector::Rows rows;
    run_interruptible([&](Monitor& monitor) { rows = collector.take_rows(ranking, threads, monitor); });
    return build_matrix(std::move(rows.chunks), std::move(rows.final_terms), rows.fate,
                        ranking.order.size(), weights, threads);
}

inline Vocabulary make_vocabulary(const Spaces& spaces, nb::sequence terms) {
    Vocabulary vocabulary;
    std::string padded;
    std::size_t at = 0;
    for (nb::handle term : terms) {
        std::string_view text;
        require(nb::try_cast(term, text), "a term must be a str of valid text");
        require(at < spaces.size(), "every term needs a space");
        padded.assign(text).append(string_padding, '\0');
        vocabulary.append(spaces[at++], std::string_view(padded).substr(0, text.size()));
    }
    return vocabulary;
}

inline std::vector<std::uint64_t> to_vector(const InputCounts& counts) {
    return {counts.data(), counts.data() + counts.size()};
}

inline void bind_tokenizer(nb::module_& module) {
    nb::enum_<TokenKind>(module, "TokenKind")
        .value("words", TokenKind::words)
        .value("whole_runs", TokenKind::whole_runs)
        .value("python_words", TokenKind::python_words)
        .value("letters", TokenKind::letters)
        .value("compounds", TokenKind::compounds)
        .value("whitespace", TokenKind::whitespace)
        .value("trec", TokenKind::trec)
        .value("chars", TokenKind::chars)
        .value("chars_in_words", TokenKind::chars_in_words);
    nb::enum_<LetterCase>(module, "LetterCase")
        .value("keep", LetterCase::keep)
        .value("lower", LetterCase::lower)
        .value("casefold", LetterCase::casefold);
    nb::class_<TokenizerOptions>(module, "TokenizerOptions",
                                 "Normalisation of characters, and rules where tokens begin and end.")
        .def(
            "__init__",
            [](TokenizerOptions* self, TokenKind kind, LetterCase letter_case, bool fold_accents,
               std::uint32_t min_length, std::uint32_t gram_min, std::uint32_t gram_max) {
                new (self) TokenizerOptions{kind,       letter_case, fold_accents,
                                            min_length, gram_min,    gram_max};
            },
            nb::kw_only(), "kind"_a, "letter_case"_a, "fold_accents"_a = false, "min_length"_a = 1,
            "gram_min"_a = 1, "gram_max"_a = 1);
    module.def("tokenize", &tokenize_text, "text"_a, "options"_a,
               nb::sig("def tokenize(text: str | bytes, options: TokenizerOptions) -> list[str]"),
               "Return the surface tokens of one text, in order.");
    module.def("count_tokens", &count_text_tokens, "texts"_a, "options"_a, "threads"_a,
               nb::sig("def count_tokens(texts: collections.abc.Sequence[str | bytes], options: TokenizerOptions,"
                       " threads: int) -> list[int]"),
               "Return the number of surface tokens of each text.");
}

inline void bind_weighting(nb::module_& module) {
    nb::enum_<TermFrequency>(module, "TermFrequency")
        .value("binary", TermFrequency::binary)
        .value("counts", TermFrequency::counts)
        .value("log", TermFrequency::log);
    nb::enum_<Norm>(module, "Norm")
        .value("none", Norm::none)
        .value("l1", Norm::l1)
        .value("l2", Norm::l2);
    nb::class_<PyWeighting>(module, "Weighting", "Conversion of counts to weights.")
        .def(
            "__init__",
            [](PyWeighting* self, TermFrequency frequency, Norm norm, std::optional<InputIdf> idf,
               double unseen_idf, bool constant) {
                new (self) PyWeighting{frequency, norm, std::move(idf), unseen_idf, constant};
            },
            nb::kw_only(), "frequency"_a, "norm"_a, "idf"_a = nb::none(), "unseen_idf"_a = 0.0,
            "constant"_a = false);
}

inline void bind_batch(nb::module_& module) {
    nb::class_<Reading>(module, "Reading",
                        "A column of texts, the space of its terms, and how they are made: the "
                        "number of a word map, and the sizes of word n-grams.")
        .def(
            "__init__",
            [](Reading* self, std::size_t column, Space space, const TokenizerOptions& options,
               std::optional<std::size_t> word_map,
               std::pair<std::uint32_t, std::uint32_t> grams) {
                new (self) Reading(make_reading(column, space, options, word_map, grams));
            },
            nb::kw_only(), "column"_a, "space"_a, "options"_a, "word_map"_a = nb::none(),
            "grams"_a = std::pair<std::uint32_t, std::uint32_t>(1, 1));
    nb::class_<Batch>(module, "Batch", "Counted terms of several documents.")
        .def_prop_ro("documents", [](const Batch& self) { return self.documents; })
        .def("rename_words", &rename_batch, "word_maps"_a, "threads"_a,
             nb::sig("def rename_words(self, word_maps: collections.abc.Sequence[collections.abc.Callable[[list[str]], "
                     "list[str | None]]], threads: int) -> None"),
             "Rename or drop every distinct word of the readings that have a word map.")
        .def(
            "form_grams",
            [](Batch& self, std::size_t threads) {
                require_threads(threads);
                require(self.in_sequence,
                        "the batch has no words in sequence: no reading has word n-grams");
                run_interruptible([&](Monitor& monitor) { form_grams(self, threads, monitor); });
            },
            "threads"_a, "Convert sequences of words to n-gram counts.");
    module.def("count_texts", &count_documents, "columns"_a, "readings"_a, "tallies"_a, "threads"_a,
               nb::sig("def count_texts(columns: collections.abc.Sequence[collections.abc.Sequence[str | bytes]], "
                       "readings: collections.abc.Sequence[Reading], tallies: bool, threads: int) -> Batch"),
               "Count the tokens of documents given as columns of texts, one for each field.\n\n"
               "tallies counts words for a TermCollector.");
}

// Returns a view of the counts by rank; the array keeps the ranking alive.
inline Array<std::uint64_t> counts_of(nb::handle ranking,
                                      std::vector<std::uint64_t> TermCollector::Ranking::* counts) {
    auto& found = nb::cast<TermCollector::Ranking&>(ranking).*counts;
    return Array<std::uint64_t>(found.data(), {found.size()}, ranking);
}

inline void bind_collector(nb::module_& module) {
    using Ranking = TermCollector::Ranking;
    nb::class_<Ranking>(module, "Ranking", "Terms within the bounds, in final order.")
        .def("__len__", [](const Ranking& self) { return self.order.size(); })
        .def_prop_ro("documents", [](nb::handle self) { return counts_of(self, &Ranking::documents); })
        .def_prop_ro("occurrences",
                     [](nb::handle self) { return counts_of(self, &Ranking::occurrences); });

    nb::class_<TermCollector>(module, "TermCollector", "Collector of terms and rows, batch by batch.")
        .def(nb::init<bool>(), "keep_rows"_a)
        .def_prop_ro("documents", &TermCollector::documents)
        .def("__len__", &TermCollector::size)
        .def(
            "add",
            [](TermCollector& self, Batch& batch, std::size_t threads,
               const std::vector<bool>& learned) {
                require_threads(threads);
                require_counted(batch);
                require(learned.empty() || learned.size() == batch.documents,
                        "learned must be empty or have one entry for each document");
                run_interruptible([&](Monitor& monitor) {
                    self.add(std::move(batch), learned, threads, monitor);
                });
            },
            "batch"_a, "threads"_a, "learned"_a = nb::make_tuple(),
            nb::sig("def add(self, batch: Batch, threads: int, "
                    "learned: collections.abc.Sequence[bool] = ()) -> None"),
            "Add a batch, which is empty afterwards; only learned documents are counted.")
        .def(
            "add_terms",
            [](TermCollector& self, const Vocabulary& terms, const InputCounts& documents,
               const InputCounts& occurrences, std::uint64_t document_count) {
                require(documents.size() == terms.size() && occurrences.size() == terms.size(),
                        "documents and occurrences must have one entry for each term");
                self.add_terms(terms.terms(), to_vector(documents), to_vector(occurrences),
                               document_count);
            },
            "terms"_a, "documents"_a, "occurrences"_a, "document_count"_a,
            "Add a vocabulary counted elsewhere.")
        .def(
            "rank",
            [](const TermCollector& self, std::uint64_t min_documents, std::uint64_t max_documents,
               std::uint64_t min_occurrences, std::uint64_t max_terms, std::size_t threads) {
                require_threads(threads);
                Ranking ranking;
                run_interruptible([&](Monitor& monitor) {
                    ranking = self.rank({min_documents, max_documents, min_occurrences, max_terms}, threads,
                                        monitor);
                });
                return ranking;
            },
            "min_documents"_a, "max_documents"_a, "min_occurrences"_a, "max_terms"_a, "threads"_a,
            "Filter the terms and return them in their final order.")
        .def("vocabulary", &TermCollector::vocabulary, "ranking"_a)
        .def("matrix", &matrix_of_collected, "ranking"_a, "weighting"_a, "threads"_a,
             nb::sig("def matrix(self, ranking: Ranking, weighting: Weighting, threads: int) -> "
                     MATRIX_ARRAYS),
             "Return the rows as CSR arrays (row starts, terms, values); the collector keeps none.");
}

inline void bind_vocabulary(nb::module_& module) {
    nb::class_<Vocabulary>(module, "Vocabulary", "Terms in rank order with a hash table.")
        .def("__init__",
             [](Vocabulary* self, const Spaces& spaces, nb::sequence terms) {
                 new (self) Vocabulary(make_vocabulary(spaces, terms));
             },
             "spaces"_a, "terms"_a,
             nb::sig("def __init__(self, spaces: collections.abc.Sequence[int], terms: collections.abc.Sequence[str]) -> None"))
        .def("__len__", &Vocabulary::size)
        .def("terms",
             [](const Vocabulary& self) {
                 nb::list names;
                 for (std::uint32_t rank = 0; rank < self.size(); ++rank)
                     names.append(to_str(self.term(rank)));
                 return names;
             },
             nb::sig("def terms(self) -> list[str]"), "Return the terms, without their spaces.")
        .def("spaces",
             [](const Vocabulary& self) {
                 std::vector<std::uint32_t> spaces;
                 for (std::uint32_t term = 0; term < self.size(); ++term)
                     spaces.push_back(self.space(term));
                 return to_array(std::move(spaces));
             })
        .def("matrix", &matrix_of_vocabulary, "batch"_a, "weighting"_a, "threads"_a,
             nb::sig("def matrix(self, batch: Batch, weighting: Weighting, threads: int) -> "
                     MATRIX_ARRAYS),
             "Return the batch as CSR arrays (row starts, terms, values); it is empty afterwards.");
    module.def("hashed_matrix", &matrix_of_buckets, "buckets"_a, "batch"_a, "weighting"_a,
               "threads"_a,
               nb::sig("def hashed_matrix(buckets: int, batch: Batch, weighting: Weighting, "
                       "threads: int) -> " MATRIX_ARRAYS),
               "Return the batch as CSR arrays with hash buckets for terms; it is empty afterwards.");
}

inline void bind_vectors(nb::module_& module) {
    bind_tokenizer(module);
    bind_weighting(module);
    bind_batch(module);
    bind_vocabulary(module);
    bind_collector(module);
}

}  // namespace postil::bind
