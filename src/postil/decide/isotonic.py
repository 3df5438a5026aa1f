"""Calibration by isotonic regression."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import isotonic_regression

from postil.common.types import Flags, Floats
from postil.decide.calibrators import stored
from postil.decide.evidence import Needs, TrainingSet
from postil.decide.inputs import checked_scores, checked_width, frozen
from postil.errors import InputError


@dataclass(frozen=True, slots=True, eq=False)
class Isotonic:
    """The rising function of the score that is nearest to membership in squares.

    Fitted to out-of-fold scores by pooling adjacent violators (Ayer et al. 1955; Zadrozny and
    Elkan 2002); documents of equal score are one point. Category c has the knots
    ``offsets[c]:offsets[c + 1]``; between two knots it is straight, beyond the last ones flat.
    A category without members has probability 0 everywhere, one without others 1. It bends to
    any shape, so it wants many members: with few, prefer Platt's sigmoid.
    """

    kind: ClassVar[str] = "isotonic"
    help: ClassVar[str] = "isotonic regression out of fold, for categories with many documents"
    needs: ClassVar[Needs] = Needs.OUT_OF_FOLD
    offsets: NDArray[np.int64]
    scores: Floats
    values: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "offsets", frozen(self.offsets, np.int64))
        object.__setattr__(self, "scores", frozen(self.scores, np.float64))
        object.__setattr__(self, "values", frozen(self.values, np.float64))
        if not _sound(self.offsets, self.scores, self.values):
            raise InputError(
                "isotonic calibration: each category needs knots of rising, finite scores with "
                "values from 0 to 1 that do not fall"
            )

    @classmethod
    def fit(cls, training: TrainingSet) -> Isotonic:
        """Fit each category for itself; O(n log n) for n documents."""
        knots = [
            _knots(training.scores[:, category], training.members(category), training.weights)
            for category in range(training.categories)
        ]
        offsets = np.cumsum([0, *(len(scores) for scores, _ in knots)])
        nothing = np.empty(0)
        return cls(
            offsets,
            np.concatenate([nothing, *(scores for scores, _ in knots)]),
            np.concatenate([nothing, *(values for _, values in knots)]),
        )

    @property
    def categories(self) -> int:
        """How many categories are calibrated."""
        return len(self.offsets) - 1

    def probabilities(self, scores: ArrayLike) -> Floats:
        """Turn scores, documents × categories, into probabilities.

        For each score the logarithm of the category's knots.
        """
        asked = checked_width(checked_scores(scores), self.categories, "the calibration")
        probabilities = np.empty(asked.shape)
        for category in range(self.categories):
            knots = slice(int(self.offsets[category]), int(self.offsets[category + 1]))
            probabilities[:, category] = _interpolated(
                asked[:, category], self.scores[knots], self.values[knots]
            )
        return probabilities

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything a model file must hold to restore it."""
        return {"offsets": self.offsets, "scores": self.scores, "values": self.values}

    def renewed(self, categories: int, shares: Mapping[int, float]) -> Isotonic:
        """For so many categories; those of ``shares`` are flat."""
        nothing = np.empty(0)
        scores, values = [nothing], [nothing]
        for category in range(categories):
            if category in shares:
                scores.append(np.zeros(1))
                values.append(np.full(1, min(max(shares[category], 0.0), 1.0)))
            else:
                knots = slice(int(self.offsets[category]), int(self.offsets[category + 1]))
                scores.append(self.scores[knots])
                values.append(self.values[knots])
        offsets = np.cumsum([len(knots) for knots in scores])
        return Isotonic(offsets, np.concatenate(scores), np.concatenate(values))

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], categories: int) -> Isotonic:
        """Restore what :meth:`to_arrays` gave."""
        scores = stored(arrays, "scores", np.float64)
        return cls(
            stored(arrays, "offsets", np.int64, categories + 1),
            scores,
            stored(arrays, "values", np.float64, len(scores)),
        )


def _knots(scores: Floats, inside: Flags, weights: Floats) -> tuple[Floats, Floats]:
    """Fit one category; of a flat stretch only the two ends are kept."""
    if len(scores) == 0:
        return np.zeros(1), np.zeros(1)
    levels, level = np.unique(scores, return_inverse=True)
    sizes = np.bincount(level, weights)
    shares = np.bincount(level, np.where(inside, weights, 0.0)) / sizes
    values = np.clip(isotonic_regression(shares, weights=sizes).x, 0.0, 1.0)
    bends = np.ones(len(values), dtype=np.bool_)
    bends[1:-1] = (values[1:-1] != values[:-2]) | (values[1:-1] != values[2:])
    return levels[bends], values[bends]


def _interpolated(asked: Floats, scores: Floats, values: Floats) -> Floats:
    """Draw straight lines between knots, never falling whatever is rounded."""
    if len(scores) == 1:
        return np.full(len(asked), values[0])
    inside = np.clip(asked, scores[0], scores[-1])
    left = np.clip(np.searchsorted(scores, inside, side="right") - 1, 0, len(scores) - 2)
    # Halved before subtracting, lest it overflow; halves of the smallest numbers may be equal.
    width = 0.5 * scores[left + 1] - 0.5 * scores[left]
    part = np.divide(
        0.5 * inside - 0.5 * scores[left], width, out=np.zeros(len(asked)), where=width > 0
    )
    rise = values[left + 1] - values[left]
    return np.minimum(values[left] + np.minimum(part, 1.0) * rise, values[left + 1])


def _sound(offsets: NDArray[np.int64], scores: Floats, values: Floats) -> bool:
    if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != len(scores):
        return False
    # Compared here too: offsets of a damaged file may be any numbers.
    if (offsets[1:] <= offsets[:-1]).any() or len(scores) != len(values):
        return False
    # The step from one category's last knot to the next one's first may go anywhere.
    within = np.ones(max(len(scores) - 1, 0), dtype=np.bool_)
    within[offsets[1:-1] - 1] = False
    # Compared, not subtracted: the difference of the largest numbers overflows.
    rising = (scores[1:] > scores[:-1]) & (values[1:] >= values[:-1])
    numbers = np.isfinite(scores) & (values >= 0) & (values <= 1)
    return bool(numbers.all() and rising[within].all())
