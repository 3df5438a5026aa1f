"""What a model says of texts: scores, decisions, probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from postil.common.types import Floats
from postil.decide.calibration import Softmax, moderated_scores, needs_variances
from postil.decide.decision import State
from postil.model.model import Model
from postil.model.numbered import NumberedDocuments, check_takes_texts, columns_of
from postil.model.scoring import TextScorer, categories_of, factors_of, rows_of_sums, vector_rows
from postil.model.weights import score_variances
from postil.vectors.fields import Columns

if TYPE_CHECKING:
    import scipy.sparse as sp


class Decider:
    """What a model makes of scores."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def given(self, scores: Floats) -> list[list[int]]:
        """The columns of the categories given to each text, best first."""
        accepted = self.model.decision.accept(scores)
        return [_best_first(row, given) for row, given in zip(scores, accepted, strict=True)]

    def names(self, scores: Floats) -> list[tuple[str, ...]]:
        """The categories given to each text, best first."""
        return [tuple(self.model.names[c] for c in row) for row in self.given(scores)]

    def rankings(self, scores: Floats) -> Floats:
        """What ranks documents within a category: scores, or what they say beside the others.

        A polychotomous score means nothing but beside those of the same document; its
        probability may be compared between documents.
        """
        calibration = self.model.calibration
        if not isinstance(calibration, Softmax):
            return scores
        return calibration.log_probabilities(scores)

    def probabilities(self, scores: Floats, variances: Floats | None = None) -> Floats | None:
        """Probabilities of membership, if the model is calibrated.

        ``variances`` are what the predictor's own ``variances`` says of the same documents.
        A category that every training document has, or none, is decided the same way whatever
        the score: it has probability 1, or 0. A calibration would give it a number between, the
        prior's guess from how many documents there were, that contradicts the decision.
        """
        calibration = self.model.calibration
        if calibration is None:
            return None
        if needs_variances(calibration):
            scores = moderated_scores(scores, variances)
        probabilities = calibration.probabilities(scores)
        for state, certain in _CERTAIN.items():
            probabilities[:, self.model.decision.states == state] = certain
        return probabilities


class VectorPredictor(Decider):
    """A model of numbered features, ready to score vectors."""

    def vectors(self, documents: NumberedDocuments) -> sp.csr_matrix[Any]:
        """The documents in the columns of the model."""
        return columns_of(self.model, documents)

    def scores(self, vectors: sp.csr_matrix[Any]) -> Floats:
        """Documents × categories, the higher the likelier; linear in the weights they meet."""
        return categories_of(self.model, self.rows(vectors))

    def rows(self, vectors: sp.csr_matrix[Any]) -> Floats:
        """The scores of rows of weights: those of categories, before they are combined."""
        return vector_rows(self.model, vectors)

    def variances(self, vectors: sp.csr_matrix[Any]) -> Floats | None:
        """How uncertain each score is, where probabilities depend on it."""
        if not needs_variances(self.model.calibration):
            return None
        return score_variances(self.model, vectors)


class Predictor(Decider):
    """A model made ready to score texts: its weights by term, its words in the native core.

    Making one costs a pass over the weights; memory is that of :class:`TextScorer`. Where the
    model has a projection, texts are made vectors as well, for their factors.
    """

    def __init__(self, model: Model, threads: int | None = None) -> None:
        check_takes_texts(model)
        super().__init__(model)
        # A factor is of what the terms add up to: there the intercepts come after it.
        early = model.intercepts if model.projection is None else np.zeros(model.rows)
        self.scorer = TextScorer(model.vectorizer, model.plain_weights, early, threads=threads)
        self._empty = self.scores([[""]] * len(model.vectorizer.fields.spaces))[0]

    def scores(self, columns: Columns) -> Floats:
        """Texts × categories, the higher the likelier."""
        return categories_of(self.model, self.rows(columns))

    def rows(self, columns: Columns) -> Floats:
        """The scores of rows of weights: those of categories, before they are combined."""
        sums = self.scorer.score_columns(columns)
        if self.model.projection is None:
            return sums
        vectors = self.model.vectorizer.transform_columns(columns)
        return rows_of_sums(self.model, sums, factors_of(self.model, vectors))

    def variances(self, columns: Columns) -> Floats | None:
        """How uncertain each score is, where probabilities depend on it.

        Squares of a text's values are no part of scoring it: the vectors are written down here,
        which takes about as long again, and more where many categories have many weights.
        """
        if not needs_variances(self.model.calibration):
            return None
        return score_variances(self.model, self.model.vectorizer.transform_columns(columns))

    def unknown(self, columns: Columns, scores: Floats) -> NDArray[np.bool_]:
        """Which texts hold no term of the model: whatever they are given, it is not for a word.

        Their scores are those of an empty text. Of the texts with such scores the terms are
        counted, since a term may have no weight; there are few of them, as a rule.
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


_CERTAIN = {State.ALL_MEMBERS: 1.0, State.NO_MEMBERS: 0.0}


def _best_first(scores: Sequence[float], given: NDArray[np.bool_]) -> list[int]:
    return sorted(np.flatnonzero(given).tolist(), key=lambda c: (-scores[c], c))
