"""The native calibration of a polychotomous model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postil.decide.evidence import Needs, TrainingSet
from postil.decide.inputs import Floats, checked_scores, checked_width


@dataclass(frozen=True, slots=True)
class Softmax:
    """``exp(scoreₖ) / Σ exp(score)``: a document has exactly one category, and they sum to 1.

    Unlike the other calibrations this one looks at all categories of a document together.
    """

    kind: ClassVar[str] = "softmax"
    help: ClassVar[str] = "exp(score) over their sum, native for polychotomous learning"
    needs: ClassVar[Needs] = Needs.NOTHING
    categories: int

    @classmethod
    def fit(cls, training: TrainingSet) -> Softmax:
        """Nothing is fitted."""
        return cls(training.categories)

    def probabilities(self, scores: ArrayLike) -> Floats:
        """Turn scores, documents × categories, into probabilities; linear in the scores."""
        values = checked_width(checked_scores(scores), self.categories, "the calibration")
        highest = values.max(axis=1, keepdims=True, initial=-np.inf)
        with np.errstate(over="ignore", under="ignore"):
            powers: Floats = np.exp(values - highest)
        powers /= powers.sum(axis=1, keepdims=True)
        return powers

    def log_probabilities(self, scores: ArrayLike) -> Floats:
        """Scores that may be compared between documents, which those of one document may be."""
        values = checked_width(checked_scores(scores), self.categories, "the calibration")
        return values - np.logaddexp.reduce(values, axis=1, keepdims=True)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """There is nothing to keep."""
        return {}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], categories: int) -> Softmax:  # noqa: ARG003
        """Restore from the number of categories alone."""
        return cls(categories)
