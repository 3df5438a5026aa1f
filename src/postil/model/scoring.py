"""Raw texts to scores, in one native call."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from postil import _native
from postil.common.threads import thread_count
from postil.common.types import Floats
from postil.errors import InputError, UsageError
from postil.model.model import Model
from postil.text.words import WordStep
from postil.vectors.fields import Columns
from postil.vectors.matrices import check_indices, index_type
from postil.vectors.vectorizer import CachingWordMap, Texts, Vectorizer

Csr: TypeAlias = "sp.csr_matrix[Any] | sp.csr_array[Any, tuple[int, int]]"
Categories = NDArray[np.int32]


class TextScorer:
    """The scores of a linear model, straight from texts: x(text) · W + b.

    ``weights`` holds W, columns of the vectorizer × categories, and ``intercepts`` holds b. The
    scores are those of ``vectorizer.transform(texts) @ weights + intercepts`` in float64, with
    W in float32, but no vector is ever written down: words are looked up, counted, weighed and
    added up as they are read. They do not depend on the number of threads, which is the
    vectorizer's unless another is given; several threads may use one scorer.

    Cost: time linear in the texts and in the weights of their terms, plus the categories for each
    document. Memory: the weights once more where a term has them for a quarter of the categories
    or more, 20 bytes for each term, and a row of scores for each thread. Word steps (stop lists,
    stems) run once for each word met: what became of ``most_known_words`` is remembered, about 85
    bytes each, and beyond that forgotten. Word n-grams are counted as the vectorizer counts them,
    and take about as long as there.
    """

    def __init__(
        self,
        vectorizer: Vectorizer,
        weights: Csr,
        intercepts: ArrayLike,
        *,
        threads: int | None = None,
        most_known_words: int = 1_000_000,
    ) -> None:
        _check_fitted(vectorizer)
        self.vectorizer = vectorizer
        self.weights = _checked_weights(weights, vectorizer.columns)
        self.intercepts = _checked_intercepts(intercepts, self.weights.shape[1])
        self.threads = vectorizer.threads if threads is None else thread_count(threads)
        self.most_known_words = most_known_words
        self._native = self._make_native()

    @property
    def categories(self) -> int:
        """The number of categories."""
        return len(self.intercepts)

    def scores(self, texts: Texts) -> Floats:
        """The score of every text for every category: documents × categories."""
        return self.score_columns(self.vectorizer.fields.columns(texts))

    def score_columns(self, columns: Columns) -> Floats:
        """The same for texts in columns, one for each field."""
        return self._native.scores(columns, self.threads)

    def top(self, texts: Texts, k: int) -> tuple[Categories, Floats]:
        """The ``k`` best categories of every text, best first, and their scores.

        Of equals the lower category comes first. Where there are fewer than ``k`` categories, all
        are given. Memory: documents × ``k``.
        """
        if k < 1:
            raise UsageError(f"k is the number of categories to give, at least 1, not {k}")
        columns = self.vectorizer.fields.columns(texts)
        return self._native.top(columns, min(k, self.categories), self.threads)

    def above(self, texts: Texts, thresholds: ArrayLike) -> sp.csr_matrix[Any]:
        """The scores that reach their category's threshold: documents × categories, sparse.

        ``thresholds`` is one number for each category, or one for all; infinity stands for never.
        A score of zero that reaches its threshold is stored like any other. Memory: 28 bytes for
        each score given and 32 for each document.
        """
        limits = _checked_thresholds(thresholds, self.categories)
        columns = self.vectorizer.fields.columns(texts)
        starts, categories, scores = self._native.above(columns, limits, self.threads)
        index = index_type(len(scores))
        return sp.csr_matrix(
            (scores, categories.astype(index, copy=False), starts.astype(index, copy=False)),
            shape=(len(starts) - 1, self.categories),
        )

    def _make_native(self) -> _native.Scorer:
        vectorizer, terms = self.vectorizer, self.vectorizer.terms
        options = vectorizer.analyzer.native_options()
        grams = (1, 1) if options.makes_char_grams else (options.gram_min, options.gram_max)
        stored = int(self.weights.indptr[terms])
        return _native.Scorer(
            terms=terms if vectorizer.vocabulary is None else vectorizer.vocabulary.native,
            options=options.to_native(),
            spaces=vectorizer.fields.spaces,
            weighting=vectorizer.weighting.to_native(vectorizer.idf, vectorizer.documents),
            row_starts=self.weights.indptr[: terms + 1].astype(np.int64, copy=False),
            categories=self.weights.indices[:stored].astype(np.int32, copy=False),
            weights=self.weights.data[:stored],
            intercepts=self.intercepts + self._constant_weights(stored),
            word_map=_word_map(vectorizer, grams),
            grams=grams,
            most_known_words=self.most_known_words,
        )

    def _constant_weights(self, stored: int) -> Floats:
        """What the constant column adds to every score: the weights that follow the terms'."""
        sums = np.zeros(self.categories)
        np.add.at(sums, self.weights.indices[stored:], self.weights.data[stored:])
        return sums

    def __reduce__(self) -> tuple[object, ...]:
        state = (self.vectorizer, self.weights, self.intercepts)
        return _restore, (state, {"threads": self.threads, "most": self.most_known_words})


def _restore(state: tuple[Vectorizer, Csr, Floats], settings: dict[str, int]) -> TextScorer:
    return TextScorer(*state, threads=settings["threads"], most_known_words=settings["most"])


def _word_map(vectorizer: Vectorizer, grams: tuple[int, int]) -> WordStep | None:
    word_map = vectorizer.analyzer.word_map
    # Single words are remembered natively; n-grams ask for those of every call.
    return word_map if word_map is None or grams == (1, 1) else CachingWordMap(word_map)


def _check_fitted(vectorizer: Vectorizer) -> None:
    if vectorizer.weighting.idf != "none" and vectorizer.idf is None:
        raise UsageError("the vectorizer has not seen any text yet: call fit first")


def _checked_weights(weights: Csr, columns: int) -> Csr:
    """Take W as CSR of float32; without a copy where it is that already."""
    if not sp.issparse(weights):
        raise UsageError(
            f"weights must be a scipy sparse matrix (terms × categories), got "
            f"{type(weights).__name__}: wrap it in scipy.sparse.csr_matrix"
        )
    if weights.shape[0] != columns:
        raise UsageError(
            f"weights must have a row for each of the vectorizer's {columns} columns, got "
            f"{weights.shape[0]} rows"
        )
    check_indices(weights, "weights")
    with np.errstate(over="ignore"):  # said in our own words below
        matrix = weights.tocsr().astype(np.float32, copy=False)
    if not np.isfinite(matrix.data).all():
        raise InputError("weights must be finite as float32; some are not a number or infinite")
    return matrix


def _checked_vector(name: str, values: ArrayLike, categories: int) -> Floats:
    vector = np.ascontiguousarray(values, dtype=np.float64)
    if vector.shape != (categories,):
        raise UsageError(
            f"{name} must be one number for each of the {categories} categories, got an array of "
            f"shape {vector.shape}"
        )
    return vector


def _checked_intercepts(intercepts: ArrayLike, categories: int) -> Floats:
    vector = _checked_vector("intercepts", intercepts, categories)
    if not np.isfinite(vector).all():
        raise InputError("intercepts must be finite; some are not a number or infinite")
    return vector


def _checked_thresholds(thresholds: ArrayLike, categories: int) -> Floats:
    given = np.asarray(thresholds, dtype=np.float64)
    vector = _checked_vector(
        "thresholds", np.full(categories, given) if given.ndim == 0 else given, categories
    )
    if np.isnan(vector).any():
        raise InputError("thresholds must be numbers, infinity included; some are not a number")
    return vector


def rows_of_sums(model: Model, sums: Floats, factors: Floats | None) -> Floats:
    """The score of each row of weights: ``factor(x) (w·x) + b``; factors where there are any."""
    if factors is None:
        return sums + model.intercepts
    return sums * factors[:, np.newaxis] + model.intercepts


def factors_of(model: Model, vectors: sp.csr_matrix[Any]) -> Floats | None:
    """The factor of each document; None where the model has no projection."""
    return None if model.projection is None else model.projection.factors(vectors)


def vector_rows(model: Model, vectors: sp.csr_matrix[Any]) -> Floats:
    """The scores of rows for vectors: documents × rows; linear in the weights they meet."""
    weights = model.weights.T.astype(np.float64)
    sums: Floats = (vectors.astype(np.float64) @ weights).toarray()
    return rows_of_sums(model, sums, factors_of(model, vectors))


def categories_of(model: Model, rows: Floats) -> Floats:
    """Documents × categories, of documents × rows."""
    return rows if model.combination is None else model.combination.combined(rows)
