"""Texts to a weighted sparse matrix: terms are counted by the native core, then weighted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from postil import _native
from postil.common.threads import thread_count
from postil.common.types import Floats
from postil.errors import InputError, UsageError
from postil.text.analyzer import Analyzer
from postil.vectors.counting import CachingWordMap, Counting, counting_of
from postil.vectors.fields import Columns, Fields, Text
from postil.vectors.matrices import stack, to_csr
from postil.vectors.vocabulary import Counts, TermBounds, Vocabulary
from postil.vectors.weighting import Weighting, part_scales

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


Texts = Sequence[Text] | Mapping[str, Sequence[Text]]

NOT_FITTED = "the vectorizer is not fitted: call fit first"


class TextChunk(NamedTuple):
    """Some documents of a stream, as columns of texts.

    ``learned`` marks the documents to learn from; None means all of them. Frequencies and the
    vocabulary come from those alone, so that a test set can pass in the same stream.
    """

    columns: Columns
    learned: Sequence[bool] | None = None


MOST_BUCKETS = 2**31 - 2
# The most buckets of a model: scoring takes about 30 bytes for each, even one without weights.
MOST_MODEL_BUCKETS = 2**24


def token_counter(spec: str, threads: int = 1) -> Callable[[list[str]], list[int]]:
    """Return a function that counts the tokens of texts, before the word steps of the spec."""
    options = Analyzer(spec).native_options().to_native()
    return lambda texts: _native.count_tokens(texts, options, threads)


class Vectorizer:
    """Turn texts into a CSR matrix of term weights, float32.

    The matrix and the vocabulary are the same for any number of threads, any order of documents
    (rows aside) and any chunks. Cost: time linear in the texts; memory, besides the texts, is
    the matrix plus about 80 bytes for each distinct term.

    Parameters
    ----------
    analyzer
        The analyzer of texts, or its spec.
    fields
        The fields that make up a document; by default one text.
    weighting
        Term frequency, idf and norm; by default scikit-learn's tf-idf.
    bounds
        The terms that the vocabulary keeps; by default all.
    buckets
        The number of hash buckets that take the place of the vocabulary: terms are not kept, and
        terms that share a bucket are counted as one.
    vocabulary
        The terms, where they are fixed beforehand.
    threads
        The number of threads; by default the cores of the machine.
    """

    def __init__(
        self,
        analyzer: Analyzer | str = "words lower",
        *,
        fields: Fields | None = None,
        weighting: Weighting | None = None,
        bounds: TermBounds | None = None,
        buckets: int | None = None,
        vocabulary: Vocabulary | None = None,
        threads: int | None = None,
    ) -> None:
        if buckets is not None and not 1 <= buckets <= MOST_BUCKETS:
            raise UsageError(f"buckets must be from 1 to 2^31 - 2, got {buckets}")
        if buckets is not None and vocabulary is not None:
            raise UsageError("buckets and vocabulary exclude each other: give one of the two")
        if buckets is not None and bounds not in (None, TermBounds()):
            raise UsageError(
                "bounds apply to the terms of a vocabulary, and hash buckets have none"
            )
        self.analyzer = analyzer if isinstance(analyzer, Analyzer) else Analyzer(analyzer)
        fields = fields or (Fields() if vocabulary is None else vocabulary.fields)
        self.fields = replace(fields, parts=self.analyzer.spec.part_names)
        if vocabulary is not None and self.fields != vocabulary.fields:
            raise UsageError(
                f"the vocabulary has {vocabulary.fields} and the vectorizer {fields}: give both "
                "the same fields"
            )
        self.weighting = weighting if weighting is not None else Weighting()
        if self.fields.parts and buckets is not None:
            raise UsageError(
                "a union of analyzers scales the terms of each part, and hash buckets do not know "
                "the part of a term: give a vocabulary, or an analyzer without '+'"
            )
        if self.fields.parts and self.weighting.idf == "glm2004":
            raise UsageError(
                "the idf glm2004 counts unseen terms in the norm, which a union of analyzers does "
                "not scale: choose another weighting, or an analyzer without '+'"
            )
        self.bounds = bounds if bounds is not None else TermBounds()
        self.buckets = buckets
        self.threads = thread_count(threads)
        self.vocabulary = vocabulary
        self.fixed_vocabulary = vocabulary is not None
        self.idf: NDArray[np.float64] | None = None
        self.documents = 0
        self._native_weighting: _native.Weighting | None = None

    @cached_property
    def _counting(self) -> Counting:
        counting = counting_of(self.analyzer, self.fields)
        return counting._replace(word_maps=[CachingWordMap(step) for step in counting.word_maps])

    def count(self, columns: Columns, *, tallies: bool = False) -> _native.Batch:
        """Count the terms of documents given as columns of texts, one for each field.

        With ``tallies``, words are summed as well, for a collector of terms. Cost: linear in the
        texts; word steps run once for each distinct word of a call.
        """
        readings, word_maps, forms_grams = self._counting
        batch = _native.count_texts(columns, readings, tallies, self.threads)
        if word_maps:
            batch.rename_words(word_maps, self.threads)
        if forms_grams:
            batch.form_grams(self.threads)
        return batch

    @property
    def learns_idf(self) -> bool:
        """True if terms have an idf, or the scale of a union's part in its place."""
        return self.weighting.idf != "none" or bool(self.fields.parts)

    def idf_of(self, vocabulary: Vocabulary | None, documents: Counts, total: int) -> Floats | None:
        """Return the idf of terms that ``documents`` of ``total`` hold, with the scale of a part.

        Only a union needs the vocabulary of the terms.
        """
        idf = self.weighting.idf_of(documents, total)
        if not self.fields.parts:
            return idf
        assert vocabulary is not None
        parts = vocabulary.native.spaces().astype(np.intp) // self.fields.part_spaces
        plain = np.ones(len(parts)) if idf is None else idf
        scales = part_scales(parts, 1 + len(self.fields.parts), documents, plain)
        scaled: Floats = plain * scales[parts]
        return scaled

    @property
    def terms(self) -> int:
        """The number of term columns."""
        if self.buckets is not None:
            return self.buckets
        return len(self._fitted_vocabulary())

    @property
    def columns(self) -> int:
        """The number of columns: the terms, and the constant if the weighting has one."""
        return self.terms + self.weighting.constant

    def fit(self, texts: Texts) -> Vectorizer:
        """Learn the vocabulary and the idf of texts."""
        return self.fit_chunks([TextChunk(self.fields.columns(texts))])

    def fit_transform(self, texts: Texts) -> csr_matrix[Any]:
        """Learn from texts and return their matrix; each text is read once."""
        return self.fit_transform_chunks([TextChunk(self.fields.columns(texts))])

    def transform(self, texts: Texts) -> csr_matrix[Any]:
        """Return the matrix of texts under the learned terms and idf."""
        return self.transform_columns(self.fields.columns(texts))

    def fit_chunks(self, chunks: Iterable[TextChunk]) -> Vectorizer:
        """Learn from a stream of chunks; memory does not grow with their number."""
        if self.buckets is not None or self.fixed_vocabulary:
            documents = np.zeros(self.terms, dtype=np.uint64)
            total = 0
            weighting = Weighting("counts", "none", "none").to_native(None, 0)
            for chunk in chunks:
                counts = self._matrix(chunk.columns, weighting, self.terms)
                if chunk.learned is not None:
                    counts = counts[np.asarray(_learned(chunk), dtype=bool)]
                documents += np.bincount(counts.indices, minlength=self.terms).astype(np.uint64)
                total += counts.shape[0]
            self._learn_idf(documents, total)
            return self
        self._rank(self._collect(chunks, keep_rows=False))
        return self

    def fit_transform_chunks(self, chunks: Iterable[TextChunk]) -> csr_matrix[Any]:
        """Learn from a stream of chunks and return their matrix.

        Beyond the matrix, memory does not grow with the number of chunks.
        """
        if self.buckets is not None or self.fixed_vocabulary:
            return self._fit_transform_fixed(chunks)
        collector = self._collect(chunks, keep_rows=True)
        ranking = self._rank(collector)
        arrays = collector.matrix(ranking, self._fitted_weighting(), self.threads)
        return to_csr(arrays, self.columns)

    def transform_columns(self, columns: Columns) -> csr_matrix[Any]:
        """Return the matrix of texts given as columns, one for each field."""
        return self._matrix(columns, self._fitted_weighting(), self.columns)

    def with_fit(self, documents: int, **learned: Any) -> Vectorizer:  # noqa: ANN401
        """Return a fitted copy of this vectorizer.

        Parameters
        ----------
        documents
            The number of documents it has learned from.
        learned
            Attributes that differ from this vectorizer's: ``vocabulary``, ``idf``,
            ``fixed_vocabulary``.
        """
        copy = Vectorizer.__new__(Vectorizer)
        fit = {"documents": documents, "_native_weighting": True} | learned
        copy.__setstate__(self.__getstate__() | fit)
        return copy

    def _matrix(
        self, columns: Columns, weighting: _native.Weighting, width: int
    ) -> csr_matrix[Any]:
        batch = self.count(columns)
        if self.buckets is not None:
            arrays = _native.hashed_matrix(self.buckets, batch, weighting, self.threads)
        else:
            arrays = self._fitted_vocabulary().native.matrix(batch, weighting, self.threads)
        return to_csr(arrays, width)

    def _fit_transform_fixed(self, chunks: Iterable[TextChunk]) -> csr_matrix[Any]:
        if self.learns_idf:
            if iter(chunks) is chunks:
                raise UsageError(
                    "with hash buckets or a given vocabulary, an idf takes two passes over the "
                    "texts: pass a list or another iterable that can be read twice, not an iterator"
                )
            self.fit_chunks(chunks)
        matrix = stack((self.transform_columns(chunk.columns) for chunk in chunks), self.columns)
        if not self.learns_idf:
            self.documents = matrix.shape[0]
        return matrix

    def _collect(self, chunks: Iterable[TextChunk], *, keep_rows: bool) -> _native.TermCollector:
        collector = _native.TermCollector(keep_rows)
        for chunk in chunks:
            learned = _learned(chunk)
            # Tallies count all documents; for some of them the collector counts for itself.
            batch = self.count(chunk.columns, tallies=not learned)
            collector.add(batch, self.threads, learned)
        return collector

    def _rank(self, collector: _native.TermCollector) -> _native.Ranking:
        if len(collector) == 0:
            raise InputError(
                f"no terms in {collector.documents} documents: they are empty, or the analyzer "
                f"'{self.analyzer.spec}' drops every word"
            )
        kept = (self.bounds, self.fields, self.threads)
        vocabulary, ranking = Vocabulary.collected(collector, *kept)
        if len(vocabulary) == 0:
            raise InputError(
                f"the bounds keep none of {len(collector)} terms: lower "
                f"min_df={self.bounds.min_df} or min_occurrences={self.bounds.min_occurrences}, "
                f"or raise max_df={self.bounds.max_df}"
            )
        self.vocabulary = vocabulary
        self._learn_idf(vocabulary.documents, vocabulary.total)
        return ranking

    def _learn_idf(self, documents: NDArray[np.uint64], total: int) -> None:
        self.documents = total
        self.idf = self.idf_of(self.vocabulary, documents, total)
        self._native_weighting = self.weighting.to_native(self.idf, total)

    def _fitted_vocabulary(self) -> Vocabulary:
        if self.vocabulary is None:
            raise UsageError(NOT_FITTED)
        return self.vocabulary

    def _fitted_weighting(self) -> _native.Weighting:
        if self._native_weighting is None:
            if self.learns_idf or not (self.buckets or self.fixed_vocabulary):
                raise UsageError(NOT_FITTED)
            self._learn_idf(np.zeros(self.terms, dtype=np.uint64), 0)
        assert self._native_weighting is not None
        return self._native_weighting

    def __getstate__(self) -> dict[str, object]:
        kept = {name: value for name, value in self.__dict__.items() if name != "_counting"}
        return kept | {"_native_weighting": self._native_weighting is not None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state | {"_native_weighting": None})
        if state["_native_weighting"]:
            self._native_weighting = self.weighting.to_native(self.idf, self.documents)


def _learned(chunk: TextChunk) -> list[bool]:
    """Return a flag for each document to learn from; none if all are."""
    if chunk.learned is None:
        return []
    documents = len(chunk.columns[0])
    if len(chunk.learned) != documents:
        raise UsageError(
            f"learned has {len(chunk.learned)} flags and the chunk {documents} documents: give one "
            "flag for each document"
        )
    return [bool(learned) for learned in chunk.learned]
