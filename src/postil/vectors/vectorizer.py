"""The road from texts to a weighted sparse matrix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from postil import _native
from postil.common.threads import thread_count
from postil.errors import InputError, UsageError
from postil.text.analyzer import Analyzer
from postil.vectors.counting import TermCounter
from postil.vectors.fields import Columns, Fields, Text
from postil.vectors.matrices import stack, to_csr
from postil.vectors.vocabulary import TermBounds, Vocabulary
from postil.vectors.weighting import Weighting

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


Texts = Sequence[Text] | Mapping[str, Sequence[Text]]


class TextChunk(NamedTuple):
    """Some documents of a stream, as columns of texts.

    ``learned`` says of each whether it is learned from; None means all are. Frequencies and the
    vocabulary come from those alone, so that a test set can pass in the same stream.
    """

    columns: Columns
    learned: Sequence[bool] | None = None


MOST_BUCKETS = 2**31 - 2
# Of a model: to score takes some 30 bytes for each, however few of them its file says anything of.
MOST_MODEL_BUCKETS = 2**24


class Vectorizer:
    """Turns texts into a CSR matrix of term weights, float32.

    ``buckets`` replaces the vocabulary by that many hash buckets: nothing is kept of the terms,
    and terms that fall into one bucket are counted as one. ``vocabulary`` fixes the terms.

    The matrix and the vocabulary are the same for any number of threads, any order of documents
    (rows aside) and any chunks. Cost: time linear in the texts; memory, besides the texts, is
    the matrix plus about 80 bytes for each distinct term.
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
            raise UsageError(f"buckets is between 1 and 2^31 - 2, not {buckets}")
        if buckets is not None and vocabulary is not None:
            raise UsageError("hash buckets take the place of a vocabulary: give one of the two")
        if buckets is not None and bounds not in (None, TermBounds()):
            raise UsageError("bounds choose terms of a vocabulary; hash buckets have none")
        self.analyzer = analyzer if isinstance(analyzer, Analyzer) else Analyzer(analyzer)
        self.fields = _agreed_fields(fields, vocabulary)
        self.weighting = weighting if weighting is not None else Weighting()
        self.bounds = bounds if bounds is not None else TermBounds()
        self.buckets = buckets
        self.threads = thread_count(threads)
        self.vocabulary = vocabulary
        self.fixed_vocabulary = vocabulary is not None
        self.idf: NDArray[np.float64] | None = None
        self.documents = 0
        self._counter = TermCounter(self.analyzer, self.fields, self.threads)
        self._native_weighting: _native.Weighting | None = None

    @property
    def terms(self) -> int:
        """The number of term columns."""
        if self.buckets is not None:
            return self.buckets
        return len(self._fitted_vocabulary())

    @property
    def columns(self) -> int:
        """The number of columns: the terms, and the constant if there is one."""
        return self.terms + self.weighting.constant

    def fit(self, texts: Texts) -> Vectorizer:
        """Learn the vocabulary and the idf of texts."""
        return self.fit_chunks([TextChunk(self.fields.columns(texts))])

    def fit_transform(self, texts: Texts) -> csr_matrix[Any]:
        """Learn from texts and return their matrix; each text is read once."""
        return self.fit_transform_chunks([TextChunk(self.fields.columns(texts))])

    def transform(self, texts: Texts) -> csr_matrix[Any]:
        """The matrix of texts under what was learned."""
        return self.transform_columns(self.fields.columns(texts))

    def fit_chunks(self, chunks: Iterable[TextChunk]) -> Vectorizer:
        """Learn from a stream of chunks; memory does not grow with their number."""
        if self.buckets is not None or self.fixed_vocabulary:
            documents = np.zeros(self.terms, dtype=np.uint64)
            total = 0
            for chunk in chunks:
                counts = self._counts(chunk.columns)
                if chunk.learned is not None:
                    counts = counts[np.asarray(_learned(chunk), dtype=bool)]
                documents += np.bincount(counts.indices, minlength=self.terms).astype(np.uint64)
                total += counts.shape[0]
            self._learn_idf(documents, total)
            return self
        collector = self._collect(chunks, keep_rows=False)
        self._rank(collector)
        return self

    def fit_transform_chunks(self, chunks: Iterable[TextChunk]) -> csr_matrix[Any]:
        """Learn from a stream of chunks and return their matrix.

        Beyond the matrix, memory does not grow with the number of chunks.
        """
        if self.buckets is not None or self.fixed_vocabulary:
            return self._fit_transform_fixed(chunks)
        collector = self._collect(chunks, keep_rows=True)
        ranking = self._rank(collector)
        return to_csr(
            collector.matrix(ranking, self._fitted_weighting(), self.threads), self.columns
        )

    def transform_columns(self, columns: Columns) -> csr_matrix[Any]:
        """The matrix of one chunk."""
        return self._matrix(columns, self._fitted_weighting(), self.columns)

    def knowing(
        self,
        documents: int,
        vocabulary: Vocabulary | None = None,
        idf: NDArray[np.float64] | None = None,
    ) -> Vectorizer:
        """The same way from texts to vectors after so many documents.

        With a ``vocabulary``, its terms and their ``idf`` take the place of those known here.
        """
        known: dict[str, Any] = {"documents": documents, "_native_weighting": True}
        if vocabulary is not None:
            known |= {"vocabulary": vocabulary, "idf": idf}
        made = Vectorizer.__new__(Vectorizer)
        made.__setstate__(self.__getstate__() | known)
        return made

    def _matrix(
        self, columns: Columns, weighting: _native.Weighting, width: int
    ) -> csr_matrix[Any]:
        batch = self._counter.count(columns)
        if self.buckets is not None:
            arrays = _native.hashed_matrix(self.buckets, batch, weighting, self.threads)
        else:
            arrays = self._fitted_vocabulary().native.matrix(batch, weighting, self.threads)
        return to_csr(arrays, width)

    def _counts(self, columns: Columns) -> csr_matrix[Any]:
        counts = Weighting("counts", "none", "none")
        return self._matrix(columns, counts.to_native(None, 0), self.terms)

    def _fit_transform_fixed(self, chunks: Iterable[TextChunk]) -> csr_matrix[Any]:
        if self.weighting.idf != "none" and iter(chunks) is chunks:
            raise UsageError(
                "with hash buckets or a given vocabulary an idf takes two passes over the texts: "
                "pass something that can be walked twice, not an iterator"
            )
        if self.weighting.idf != "none":
            self.fit_chunks(chunks)
        matrix = stack((self.transform_columns(chunk.columns) for chunk in chunks), self.columns)
        if self.weighting.idf == "none":
            self.documents = matrix.shape[0]
        return matrix

    def _collect(self, chunks: Iterable[TextChunk], *, keep_rows: bool) -> _native.TermCollector:
        collector = _native.TermCollector(keep_rows)
        for chunk in chunks:
            learned = _learned(chunk)
            # Tallies are of all documents: of some, the collector counts for itself.
            batch = self._counter.count(chunk.columns, tallies=not learned)
            collector.add(batch, self.threads, learned)
        return collector

    def _rank(self, collector: _native.TermCollector) -> _native.Ranking:
        if len(collector) == 0:
            raise InputError(
                f"no terms in {collector.documents} documents: they are empty, or the analyzer "
                f"'{self.analyzer.spec}' drops every word"
            )
        vocabulary, ranking = Vocabulary.collected(
            collector, self.bounds, self.fields, self.threads
        )
        if len(vocabulary) == 0:
            raise InputError(
                f"no terms left of {len(collector)}: lower min_df={self.bounds.min_df} or "
                f"min_occurrences={self.bounds.min_occurrences}, or raise "
                f"max_df={self.bounds.max_df}"
            )
        self.vocabulary = vocabulary
        self._learn_idf(vocabulary.documents, vocabulary.total)
        return ranking

    def _learn_idf(self, documents: NDArray[np.uint64], total: int) -> None:
        self.documents = total
        self.idf = self.weighting.idf_of(documents, total)
        self._native_weighting = self.weighting.to_native(self.idf, total)

    def _fitted_vocabulary(self) -> Vocabulary:
        if self.vocabulary is None:
            raise UsageError("the vectorizer has not seen any text yet: call fit first")
        return self.vocabulary

    def _fitted_weighting(self) -> _native.Weighting:
        if self._native_weighting is None:
            if self.weighting.idf != "none" or not (self.buckets or self.fixed_vocabulary):
                raise UsageError("the vectorizer has not seen any text yet: call fit first")
            self._learn_idf(np.zeros(self.terms, dtype=np.uint64), 0)
        assert self._native_weighting is not None
        return self._native_weighting

    def __getstate__(self) -> dict[str, object]:
        fitted = self._native_weighting is not None
        return self.__dict__ | {"_native_weighting": fitted, "_counter": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._counter = TermCounter(self.analyzer, self.fields, self.threads)
        fitted = state["_native_weighting"]
        self._native_weighting = (
            self.weighting.to_native(self.idf, self.documents) if fitted else None
        )


def _agreed_fields(fields: Fields | None, vocabulary: Vocabulary | None) -> Fields:
    """The fields of a given vocabulary are the vectorizer's, said or not."""
    if vocabulary is None:
        return fields if fields is not None else Fields()
    if fields is not None and fields != vocabulary.fields:
        raise UsageError(
            f"the given vocabulary has {vocabulary.fields}, the vectorizer {fields}: they must be "
            "the same"
        )
    return vocabulary.fields


def _learned(chunk: TextChunk) -> list[bool]:
    """Whether each document is learned from; empty if all are."""
    if chunk.learned is None:
        return []
    documents = len(chunk.columns[0])
    if len(chunk.learned) != documents:
        raise UsageError(
            f"learned says something of {len(chunk.learned)} documents, the chunk has {documents}"
        )
    return [bool(learned) for learned in chunk.learned]
