"""Scores of a linear model: of raw texts in one native call, and of vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postil import _native
from postil.common.threads import thread_count
from postil.common.types import Floats
from postil.errors import InputError, UsageError
from postil.model.model import Model
from postil.model.weights import Weights
from postil.text.words import WordStep
from postil.vectors.fields import Columns
from postil.vectors.matrices import Csr, check_indices, index_type
from postil.vectors.vectorizer import NOT_FITTED, CachingWordMap, Texts, Vectorizer

if TYPE_CHECKING:
    import scipy.sparse as sp

Categories = NDArray[np.int32]


class TextScorer:
    """The scores of a linear model, straight from texts: x(text) · W + b.

    The scores are those of ``vectorizer.transform(texts) @ weights + intercepts`` in float64, with
    W in float32, but no vector is made: words are looked up, counted, weighted and summed as they
    are read. Scores do not depend on the number of threads; several threads may use one scorer.

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
        W, a scipy sparse matrix of columns of the vectorizer × categories; or the
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
        weights: Csr | Weights,
        intercepts: ArrayLike,
        *,
        threads: int | None = None,
        most_known_words: int = 1_000_000,
    ) -> None:
        if vectorizer.weighting.idf != "none" and vectorizer.idf is None:
            raise UsageError(NOT_FITTED)
        self.vectorizer = vectorizer
        self._weights = (
            weights.with_term_rows()
            if isinstance(weights, Weights)
            else _checked_weights(weights, vectorizer.columns)
        )
        self.intercepts = _checked_vector("intercepts", intercepts, self._weights.shape[0])
        if not np.isfinite(self.intercepts).all():
            raise InputError("intercepts must be finite; some are not a number or infinite")
        self.threads = vectorizer.threads if threads is None else thread_count(threads)
        self.most_known_words = most_known_words
        self._native = self._make_native()

    @property
    def categories(self) -> int:
        """The number of categories."""
        return len(self.intercepts)

    @property
    def weights(self) -> Csr:
        """The weights as a scipy matrix, columns of the vectorizer × categories."""
        transposed: Any = self._weights.matrix.T
        weights: Csr = transposed
        return weights

    def scores(self, texts: Texts) -> Floats:
        """Return the score of every text for every category: documents × categories."""
        return self.score_columns(self.vectorizer.fields.columns(texts))

    def score_columns(self, columns: Columns) -> Floats:
        """Return the scores of texts in columns, one for each field."""
        return self._native.scores(columns, self.threads)

    def top(self, texts: Texts, k: int) -> tuple[Categories, Floats]:
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

        given = np.asarray(thresholds, dtype=np.float64)
        limits = np.full(self.categories, given) if given.ndim == 0 else given
        limits = _checked_vector("thresholds", limits, self.categories)
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
        options = vectorizer.analyzer.native_options()
        grams = (1, 1) if options.makes_char_grams else (options.gram_min, options.gram_max)
        weights = self._weights
        stored = int(weights.starts[terms])
        # The constant column adds its weights, which follow those of the terms, to every score.
        constant = np.zeros(self.categories)
        np.add.at(constant, weights.indices[stored:], weights.data[stored:])
        return _native.Scorer(
            terms=terms if vectorizer.vocabulary is None else vectorizer.vocabulary.native,
            options=options.to_native(),
            spaces=vectorizer.fields.spaces,
            weighting=vectorizer.weighting.to_native(vectorizer.idf, vectorizer.documents),
            row_starts=weights.starts[: terms + 1].astype(np.int64, copy=False),
            categories=weights.indices[:stored].astype(np.int32, copy=False),
            weights=weights.data[:stored],
            intercepts=self.intercepts + constant,
            word_map=_word_map(vectorizer, grams),
            grams=grams,
            most_known_words=self.most_known_words,
        )

    def __reduce__(self) -> tuple[object, ...]:
        state = (self.vectorizer, self._weights, self.intercepts)
        return _restore, (state, {"threads": self.threads, "most": self.most_known_words})


def _restore(state: tuple[Vectorizer, Weights, Floats], settings: dict[str, int]) -> TextScorer:
    return TextScorer(*state, threads=settings["threads"], most_known_words=settings["most"])


def _word_map(vectorizer: Vectorizer, grams: tuple[int, int]) -> WordStep | None:
    word_map = vectorizer.analyzer.word_map
    # The native scorer caches single words; n-grams ask for the words of every call.
    return word_map if word_map is None or grams == (1, 1) else CachingWordMap(word_map)


def _checked_weights(weights: Csr, columns: int) -> Weights:
    """Return W as rows of terms in float32; without a copy where it is that already."""
    import scipy.sparse as sp

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
    with np.errstate(over="ignore"):  # infinite weights are refused below
        matrix = weights.tocsr().astype(np.float32, copy=False)
    if not np.isfinite(matrix.data).all():
        raise InputError("weights must be finite as float32; some are not a number or infinite")
    shape = (matrix.shape[1], matrix.shape[0])
    return Weights(matrix.data, matrix.indices, matrix.indptr, shape, by_term=True)


def _checked_vector(name: str, values: ArrayLike, categories: int) -> Floats:
    vector = np.ascontiguousarray(values, dtype=np.float64)
    if vector.shape != (categories,):
        raise UsageError(
            f"{name} must be one number for each of the {categories} categories, got an array of "
            f"shape {vector.shape}"
        )
    return vector


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


def categories_of(model: Model, rows: Floats) -> Floats:
    """Return documents × categories, from documents × rows."""
    return rows if model.combination is None else model.combination.combined(rows)
