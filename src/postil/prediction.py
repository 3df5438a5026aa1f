"""What a model says of texts: scores, decisions, probabilities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.decide.states import State
from postil.model.model import Model
from postil.model.scoring import TextScorer
from postil.vectors.fields import Columns

Floats = NDArray[np.float64]


class Predictor:
    """A model made ready to score texts: its weights by term, its words in the native core.

    Making one costs a pass over the weights; memory is that of :class:`TextScorer`.
    """

    def __init__(self, model: Model, threads: int | None = None) -> None:
        self.model = model
        by_term = sp.csr_matrix(model.weights.T)
        self.scorer = TextScorer(model.vectorizer, by_term, model.intercepts, threads=threads)
        self._empty = self.scores([[""]] * len(model.vectorizer.fields.spaces))[0]

    def scores(self, columns: Columns) -> Floats:
        """Texts × categories, the higher the likelier."""
        return self.scorer.score_columns(columns)

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

    def given(self, scores: Floats) -> list[list[int]]:
        """The columns of the categories given to each text, best first."""
        accepted = self.model.decision.accept(scores)
        return [_best_first(row, given) for row, given in zip(scores, accepted, strict=True)]

    def names(self, scores: Floats) -> list[tuple[str, ...]]:
        """The categories given to each text, best first."""
        return [tuple(self.model.names[c] for c in row) for row in self.given(scores)]

    def probabilities(self, scores: Floats) -> Floats | None:
        """Probabilities of membership, if the model is calibrated.

        A category that every training document has, or none, is decided the same way whatever
        the score: it has probability 1, or 0. A calibration would give it a number between, the
        prior's guess from how many documents there were, that contradicts the decision.
        """
        calibration = self.model.calibration
        if calibration is None:
            return None
        probabilities = calibration.probabilities(scores)
        for state, certain in _CERTAIN.items():
            probabilities[:, self.model.decision.states == state] = certain
        return probabilities


_CERTAIN = {State.ALL_MEMBERS: 1.0, State.NO_MEMBERS: 0.0}


def _best_first(scores: Sequence[float], given: NDArray[np.bool_]) -> list[int]:
    return sorted(np.flatnonzero(given).tolist(), key=lambda c: (-scores[c], c))
