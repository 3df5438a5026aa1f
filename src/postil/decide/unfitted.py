"""Calibrations that the learner's own loss gives: nothing is fitted, and nothing kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from numpy.typing import ArrayLike, NDArray

from postil.decide.evidence import Needs, TrainingSet
from postil.decide.inputs import Floats, checked_scores, checked_width


@dataclass(frozen=True, slots=True)
class Unfitted:
    """A function of the scores that no document changes; ``link`` says which."""

    kind: ClassVar[str]
    help: ClassVar[str]
    needs: ClassVar[Needs] = Needs.NOTHING
    categories: int

    def link(self, scores: Floats) -> Floats:
        """Probabilities of checked scores, documents × categories."""
        raise NotImplementedError

    @classmethod
    def fit(cls, training: TrainingSet) -> Self:
        """Nothing is fitted."""
        return cls(training.categories)

    def probabilities(self, scores: ArrayLike) -> Floats:
        """Turn scores, documents × categories, into probabilities; linear in the scores."""
        return self.link(self.checked(scores))

    def checked(self, scores: ArrayLike) -> Floats:
        """Scores of as many categories as there are."""
        return checked_width(checked_scores(scores), self.categories, "the calibration")

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """There is nothing to keep."""
        return {}

    def renewed(self, categories: int, shares: Mapping[int, float]) -> Self:  # noqa: ARG002
        """For so many categories: any score has its probability."""
        return type(self)(categories)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], categories: int) -> Self:  # noqa: ARG003
        """Restore from the number of categories alone."""
        return cls(categories)
