"""Apply a model to texts or vectors: scores, decisions, probabilities."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from postil.common.types import Flags, Floats
from postil.decide.calibration import (
    moderated_scores,
    needs_variances,
    probabilities_of,
    rankings_of,
)
from postil.decide.scores import top_columns
from postil.model.model import Model
from postil.model.numbered import NumberedDocuments, check_takes_texts, columns_of
from postil.model.scoring import TextScorer, factors_of, rows_of_sums, scores_of, vector_rows
from postil.model.weights import score_variances
from postil.vectors.fields import Columns

if TYPE_CHECKING:
    import scipy.sparse as sp


class Decider:
    """Turns the scores of a model into decisions and probabilities.

    Parameters
    ----------
    model : Model
        The model.

    Attributes
    ----------
    allowed : array or None
        True for each category that may be given or suggested; None if all may.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.allowed: Flags | None = None

    def restrict(self, columns: Collection[int] | None) -> None:
        """Let only these categories be given or suggested; None stands for all."""
        self.allowed = None
        if columns is not None:
            self.allowed = np.zeros(len(self.model.names), np.bool_)
            self.allowed[list(columns)] = True

    def given(self, scores: Floats) -> list[list[int]]:
        """Return the columns of the categories given to each text, best first."""
        accepted = self.model.decision.accept(scores, self.allowed)
        calibration = self.model.calibration
        order = scores
        if calibration is not None and not needs_variances(calibration):
            # The scores of two categories do not compare; their probabilities do.
            several = np.flatnonzero(np.count_nonzero(accepted, axis=1) > 1)
            if len(several):
                order = scores.copy()
                order[several] = calibration.probabilities(scores[several])
        return [_best_first(row, given) for row, given in zip(order, accepted, strict=True)]

    def names(self, scores: Floats) -> list[tuple[str, ...]]:
        """Return the names of the categories given to each text, best first."""
        return [tuple(self.model.names[c] for c in row) for row in self.given(scores)]

    def suggested(self, values: Floats, most: int) -> NDArray[np.intp]:
        """Return the columns of the best categories of each text, best first.

        Parameters
        ----------
        values : array
            Documents × categories: probabilities, or scores if there are none.
        most : int
            The number of categories for each text.
        """
        if self.allowed is None:
            return top_columns(values, most)
        allowed = np.flatnonzero(self.allowed)
        return np.asarray(allowed[top_columns(values[:, allowed], most)])

    def rankings(self, scores: Floats) -> Floats:
        """Return values that rank documents within a category."""
        return rankings_of(self.model.calibration, scores)

    def probabilities(self, scores: Floats, variances: Floats | None = None) -> Floats | None:
        """Return probabilities of membership; None if the model is not calibrated.

        Parameters
        ----------
        scores : array
            Documents × categories.
        variances : array, optional
            The variances of the scores, from the predictor's ``variances``.
        """
        calibration = self.model.calibration
        if calibration is None:
            return None
        if needs_variances(calibration):
            scores = moderated_scores(scores, variances)
        return probabilities_of(calibration, self.model.decision, scores)


class VectorPredictor(Decider):
    """A model of numbered features that scores vectors."""

    def vectors(self, documents: NumberedDocuments) -> sp.csr_matrix[Any]:
        """Return the vectors of documents in the columns of the model."""
        return columns_of(self.model, documents)

    def scores(self, vectors: sp.csr_matrix[Any]) -> Floats:
        """Return scores, documents × categories; cost: the weights of the documents' terms."""
        return scores_of(self.model, vectors.shape[0], lambda part: self.rows(vectors[part]))

    def rows(self, vectors: sp.csr_matrix[Any]) -> Floats:
        """Return the scores of the rows of weights, before they are combined."""
        return vector_rows(self.model, vectors)

    def variances(self, vectors: sp.csr_matrix[Any]) -> Floats | None:
        """Return the variances of the scores; None if probabilities do not need them."""
        if not needs_variances(self.model.calibration):
            return None
        return score_variances(self.model, vectors)


class Predictor(Decider):
    """A model that scores texts in the native core.

    Building one costs a pass over the weights; memory is that of :class:`TextScorer`. A model with
    a projection turns texts into vectors as well, for their factors.
    """

    def __init__(self, model: Model, threads: int | None = None) -> None:
        check_takes_texts(model)
        super().__init__(model)
        # A projection scales the sum of the terms, and the intercepts come after that.
        early = model.intercepts if model.projection is None else np.zeros(model.rows)
        self.scorer = TextScorer(model.vectorizer, model.plain_weights, early, threads=threads)
        self._empty = self.scores([[""]] * len(model.vectorizer.fields.spaces))[0]

    def scores(self, columns: Columns) -> Floats:
        """Return scores, texts × categories; the higher, the more likely."""
        return scores_of(
            self.model,
            len(columns[0]),
            lambda part: self.rows([texts[part] for texts in columns]),
        )

    def rows(self, columns: Columns) -> Floats:
        """Return the scores of the rows of weights, before they are combined."""
        sums = self.scorer.score_columns(columns)
        if self.model.projection is None:
            return sums
        vectors = self.model.vectorizer.transform_columns(columns)
        return rows_of_sums(self.model, sums, factors_of(self.model, vectors))

    def variances(self, columns: Columns) -> Floats | None:
        """Return the variances of the scores; None if probabilities do not need them.

        They need the vectors of the texts: cost is about that of scoring once more, or higher if
        many categories have many weights.
        """
        if not needs_variances(self.model.calibration):
            return None
        return score_variances(self.model, self.model.vectorizer.transform_columns(columns))

    def unknown(self, columns: Columns, scores: Floats) -> NDArray[np.bool_]:
        """Return True for each text that holds no term of the model.

        Their scores are those of an empty text. The terms of texts with such scores are counted,
        because a term may have no weight.
        """
        alike: NDArray[np.bool_] = (scores == self._empty).all(axis=1)
        rows: list[int] = np.flatnonzero(alike).tolist()
        if rows:
            vectorizer = self.model.vectorizer
            vectors = vectorizer.transform_columns(
                [[texts[row] for row in rows] for texts in columns]
            )
            alike[rows] = np.diff(vectors[:, : vectorizer.terms].indptr) == 0
        return alike


def _best_first(scores: Sequence[float], given: NDArray[np.bool_]) -> list[int]:
    return sorted(np.flatnonzero(given).tolist(), key=lambda c: (-scores[c], c))
