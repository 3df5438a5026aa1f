"""The native calibration of a model fitted with logistic loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from postil.decide.evidence import Needs, TrainingSet
from postil.decide.inputs import Floats, checked_scores, checked_width


@dataclass(frozen=True, slots=True)
class Logistic:
    """``1 / (1 + exp(-score))``: the score of a logistic model is the logarithm of the odds."""

    kind: ClassVar[str] = "logistic"
    help: ClassVar[str] = "1/(1+exp(-score)), native for logistic loss"
    needs: ClassVar[Needs] = Needs.NOTHING
    categories: int

    @classmethod
    def fit(cls, training: TrainingSet) -> Logistic:
        """Nothing is fitted."""
        return cls(training.categories)

    def probabilities(self, scores: ArrayLike) -> Floats:
        """Turn scores, documents × categories, into probabilities; linear in the scores."""
        values = checked_width(checked_scores(scores), self.categories, "the calibration")
        probabilities: Floats = expit(values)
        return probabilities

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """There is nothing to keep."""
        return {}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], categories: int) -> Logistic:  # noqa: ARG003
        """Restore from the number of categories alone."""
        return cls(categories)
