"""Scores documents that there are not, for explanations: with terms gone, or one more."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.model.category_scores import categories_of, rows_of_sums, vector_rows
from postil.model.model import Model

Floats = NDArray[np.float64]
Columns = NDArray[np.int64]

# Terms that are tried at a time as one more: bounds memory by so many × (rows + directions).
BLOCK = 1024


class Rescorer:
    """The score of one category for variants of a document, or its score over a rival's.

    It is a :class:`postil.explain.judging.Judge`. ``by_term`` are the model's weights as CSC, which
    many of these may share. Scoring many variants of a document is a product of matrices, variants
    × terms × (rows + directions).
    """

    def __init__(
        self, model: Model, by_term: sp.csc_matrix[Any], category: int, rival: int | None = None
    ) -> None:
        self._model = model
        self._weights = by_term
        self._category = category
        self._rival = rival

    def margins(self, values: Floats, columns: Columns) -> Floats:
        """The margins of documents × terms, whose columns these are: in float64."""
        known = columns >= 0
        wanted, kept = self._with_constant(columns[known]), values[:, known]
        kept = np.hstack([kept, np.ones((len(kept), len(wanted) - kept.shape[1]))])
        return self._of_sums(kept @ self._rows(wanted), self._points(kept, wanted))

    def margins_with(
        self, row: Floats, columns: Columns, more: Columns, sizes: Floats, scale: Floats
    ) -> Floats:
        """The margins of a row and one more term, of each of these sizes, times a scale."""
        known = columns >= 0
        wanted = columns[known]
        sums = row[known] @ self._rows(wanted)
        points = self._points(row[known][np.newaxis], wanted)
        constant = self._with_constant(np.empty(0, dtype=np.int64))
        constant_sums = self._rows(constant).sum(axis=0)
        constant_points = self._points(np.ones((1, len(constant))), constant)
        found = np.empty(len(more))
        for start in range(0, len(more), BLOCK):
            part = slice(start, start + BLOCK)
            by, size = scale[part, np.newaxis], sizes[part, np.newaxis]
            moved = None
            if points is not None and constant_points is not None:
                moved = by * (points + size * self._directions(more[part])) + constant_points
            found[part] = self._of_sums(
                by * (sums + size * self._rows(more[part])) + constant_sums, moved
            )
        return found

    def margin(self, values: Floats, columns: Columns) -> float:
        """The margin of one document, exactly as the model scores its vector."""
        known = columns >= 0
        wanted = self._with_constant(columns[known])
        entries = np.append(values[known], np.ones(len(wanted) - np.count_nonzero(known)))
        order = np.argsort(wanted)
        vector = sp.csr_matrix(
            (entries[order].astype(np.float32), wanted[order], [0, len(wanted)]),
            shape=(1, self._model.vectorizer.columns),
        )
        return float(self._chosen(vector_rows(self._model, vector))[0])

    def _of_sums(self, sums: Floats, points: Floats | None) -> Floats:
        factors = None
        if points is not None:
            assert self._model.projection is not None
            length = self._model.projection.length or 1.0  # a model's projection has one
            norms = np.sqrt(np.square(points).sum(axis=1))
            factors = np.divide(length, norms, out=np.zeros_like(norms), where=norms > 0)
        return self._chosen(rows_of_sums(self._model, sums, factors))

    def _chosen(self, rows: Floats) -> Floats:
        scores = categories_of(self._model, rows)
        own: Floats = scores[:, self._category]
        return own if self._rival is None else own - scores[:, self._rival]

    def _with_constant(self, columns: Columns) -> Columns:
        if not self._model.vectorizer.weighting.constant:
            return columns
        return np.append(columns, self._model.vectorizer.columns - 1)

    def _rows(self, columns: Columns) -> Floats:
        """The weights of some terms: terms × rows."""
        chosen: Any = self._weights[:, columns]
        weights: Floats = chosen.toarray().T.astype(np.float64)
        return weights

    def _directions(self, columns: Columns) -> Floats:
        assert self._model.projection is not None
        return self._model.projection.lsi.term_vectors[columns].astype(np.float64)

    def _points(self, values: Floats, columns: Columns) -> Floats | None:
        if self._model.projection is None:
            return None
        points: Floats = values @ self._directions(columns)
        return points
