"""Scores of a linear model: of raw texts in one native call, and of vectors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postil import _native
from postil.common.threads import thread_count
from postil.common.types import Floats
from postil.errors import InputError, UsageError
from postil.learn.combining import combined_in_blocks
from postil.model.model import Model
from postil.model.weights import Weights, canonical_weights, finite_vector
from postil.vectors.counting import CachingWordMap, counting_of
from postil.vectors.fields import Columns
from postil.vectors.matrices import index_type
from postil.vectors.vectorizer import NOT_FITTED, Texts, Vectorizer

if TYPE_CHECKING:
    import scipy.sparse as sp


class TextScorer:
    """The scores of a linear model, straight from texts: x(text) · W + b.

    The scores are those of ``vectorizer.transform(texts) @ weights + intercepts`` in float64, with
    W in float32, but no matrix is made: the words of one document are looked up, counted, weighted
    and summed in a reused buffer. Scores do not depend on the number of threads; several threads
    may use one scorer.

    Cost: time linear in the texts and in the weights of their terms, plus the categories for each
    document. Memory: the weights once more where a term has them for a quarter of the categories
    or more, 20 bytes for each term, and a row of scores for each thread. Word steps (stop lists,
    stems) run once for each word and are cached. Word n-grams are counted as the vectorizer counts
    them, and take about as long.

    Parameters
    ----------
    vectorizer
        The fitted vectorizer.
    weights
        W transposed, a scipy sparse matrix of categories × columns of the vectorizer; or the
        :class:`Weights` of a model.
    intercepts
        b, one number for each category.
    threads
        The number of threads; by default the vectorizer's.
    most_known_words
        The number of words whose word steps are cached, about 85 bytes each.
    """

    def __init__(
        self,
        vectorizer: Vectorizer,
        weights: Any,  # noqa: ANN401 - a scipy sparse matrix or Weights
        intercepts: ArrayLike,
        *,
        threads: int | None = None,
        most_known_words: int = 1_000_000,
    ) -> None:
        if vectorizer.learns_idf and vectorizer.idf is None:
            raise UsageError(NOT_FITTED)
        self.vectorizer = vectorizer
        given = weights if isinstance(weights, Weights) else canonical_weights(weights)
        if given.shape[1] != vectorizer.columns:
            raise UsageError(
                f"weights must have a column for each of the vectorizer's {vectorizer.columns} "
                f"columns, got {given.shape[1]}"
            )
        self._weights = given.with_term_rows()
        self.intercepts = finite_vector("intercepts", intercepts, given.shape[0])
        self.threads = vectorizer.threads if threads is None else thread_count(threads)
        self.most_known_words = most_known_words
        self._native = self._make_native()

    @property
    def categories(self) -> int:
        """The number of categories."""
        return len(self.intercepts)

    def scores(self, texts: Texts) -> Floats:
        """Return the score of every text for every category: documents × categories."""
        return self.score_columns(self.vectorizer.fields.columns(texts))

    def score_columns(self, columns: Columns) -> Floats:
        """Return the scores of texts in columns, one for each field."""
        return self._native.scores(columns, self.threads)

    def top(self, texts: Texts, k: int) -> tuple[NDArray[np.int32], Floats]:
        """Return the ``k`` best categories of every text, best first, and their scores.

        Of equals the lower category comes first; with fewer than ``k`` categories, all are
        returned. Memory: documents × ``k``.
        """
        if k < 1:
            raise UsageError(f"k must be a number of categories of at least 1, got {k}")
        columns = self.vectorizer.fields.columns(texts)
        return self._native.top(columns, min(k, self.categories), self.threads)

    def above(self, texts: Texts, thresholds: ArrayLike) -> sp.csr_matrix[Any]:
        """Return the scores that reach their category's threshold: documents × categories, sparse.

        ``thresholds`` is one number for each category, or one for all; no score reaches infinity.
        A score of zero that reaches its threshold is stored like any other. Memory: 28 bytes for
        each score and 32 for each document.
        """
        import scipy.sparse as sp

        limits = np.asarray(thresholds, dtype=np.float64)
        limits = np.full(self.categories, limits) if limits.ndim == 0 else limits
        if limits.shape != (self.categories,):
            raise UsageError(
                f"thresholds must be one number for each of {self.categories} categories, got the "
                f"shape {limits.shape}"
            )
        if np.isnan(limits).any():
            raise InputError("thresholds must be numbers, infinity included; some are not a number")
        columns = self.vectorizer.fields.columns(texts)
        starts, categories, scores = self._native.above(columns, limits, self.threads)
        index = index_type(len(scores))
        return sp.csr_matrix(
            (scores, categories.astype(index, copy=False), starts.astype(index, copy=False)),
            shape=(len(starts) - 1, self.categories),
        )

    def _make_native(self) -> _native.Scorer:
        vectorizer, terms = self.vectorizer, self.vectorizer.terms
        readings, word_maps, forms_grams = counting_of(vectorizer.analyzer, vectorizer.fields)
        if forms_grams:
            # The native scorer caches single words; n-grams ask for the words of every call.
            word_maps = [CachingWordMap(word_map) for word_map in word_maps]
        weights = self._weights
        stored = int(weights.starts[terms])
        # The constant column adds its weights, which follow those of the terms, to every score.
        constant = np.zeros(self.categories)
        np.add.at(constant, weights.indices[stored:], weights.data[stored:])
        return _native.Scorer(
            terms=terms if vectorizer.vocabulary is None else vectorizer.vocabulary.native,
            readings=readings,
            weighting=vectorizer.weighting.to_native(vectorizer.idf, vectorizer.documents),
            row_starts=weights.starts[: terms + 1].astype(np.int64, copy=False),
            categories=weights.indices[:stored].astype(np.int32, copy=False),
            weights=weights.data[:stored],
            intercepts=self.intercepts + constant,
            word_maps=word_maps,
            most_known_words=self.most_known_words,
        )

    def __reduce__(self) -> tuple[object, ...]:
        make = partial(TextScorer, threads=self.threads, most_known_words=self.most_known_words)
        return make, (self.vectorizer, self._weights, self.intercepts)


def rows_of_sums(model: Model, sums: Floats, factors: Floats | None) -> Floats:
    """Return the score of each row of weights, ``factor(x) (w·x) + b``; no factors means 1."""
    if factors is None:
        return sums + model.intercepts
    return sums * factors[:, np.newaxis] + model.intercepts


def factors_of(model: Model, vectors: sp.csr_matrix[Any]) -> Floats | None:
    """Return the factor of each document; None if the model has no projection."""
    return None if model.projection is None else model.projection.factors(vectors)


def vector_rows(model: Model, vectors: sp.csr_matrix[Any]) -> Floats:
    """Return the scores of vectors, documents × rows; linear in the weights they meet."""
    weights = model.weights.T.astype(np.float64)
    sums: Floats = (vectors.astype(np.float64) @ weights).toarray()
    return rows_of_sums(model, sums, factors_of(model, vectors))


def scores_of(model: Model, documents: int, rows_of: Callable[[slice], Floats]) -> Floats:
    """Return documents × categories, from a function that makes the rows of some documents."""
    if model.combination is None:
        return rows_of(slice(0, documents))
    return combined_in_blocks(model.combination, documents, rows_of)


def categories_of(model: Model, rows: Floats) -> Floats:
    """Return documents × categories, from documents × rows."""
    return rows if model.combination is None else model.combination.combined(rows)
