"""The native calibration of a model fitted with the probit loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from postil.decide.evidence import Needs, TrainingSet
from postil.decide.inputs import Floats, checked_scores, checked_width


@dataclass(frozen=True, slots=True)
class Probit:
    """``Φ(score)``, the normal distribution function: what a probit model means by its score."""

    kind: ClassVar[str] = "probit"
    help: ClassVar[str] = "Φ(score), native for probit loss"
    needs: ClassVar[Needs] = Needs.NOTHING
    categories: int

    @classmethod
    def fit(cls, training: TrainingSet) -> Probit:
        """Nothing is fitted."""
        return cls(training.categories)

    def probabilities(self, scores: ArrayLike) -> Floats:
        """Turn scores, documents × categories, into probabilities; linear in the scores."""
        values = checked_width(checked_scores(scores), self.categories, "the calibration")
        probabilities: Floats = ndtr(values)
        return probabilities

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """There is nothing to keep."""
        return {}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], categories: int) -> Probit:  # noqa: ARG003
        """Restore from the number of categories alone."""
        return cls(categories)
