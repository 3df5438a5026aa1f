"""Calibration by a sigmoid (Platt 1999).

Fit one sigmoid: two numbers, by Newton's method (Lin, Lin and Weng 2007).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit

from postil.common.types import Flags, Floats
from postil.decide.calibrators import stored
from postil.decide.evidence import Needs, TrainingSet
from postil.decide.inputs import checked_scores, checked_width, frozen
from postil.errors import InputError

# The largest component of the gradient, of a loss averaged over the weights.
TOLERANCE = 1e-10
MOST_ITERATIONS = 100
SHORTEST_STEP = 1e-10
SUFFICIENT_DECREASE = 1e-4
# Keeps the curvature above 0 where every probability has come to its end.
RIDGE = 1e-12


def fitted_sigmoid(x: Floats, targets: Floats, weights: Floats) -> tuple[float, float]:
    """Find slope and intercept of the sigmoid that fits targets best.

    Minimises the cross entropy ``Σ wᵢ (ln(1 + exp(zᵢ)) - tᵢ zᵢ)`` of ``z = slope·x + intercept``,
    with weights that add up to 1. It is convex, and targets inside (0, 1) keep the minimum
    finite. The loss in this form does not cancel or overflow, each full step is shortened until
    it pays (backtracking), and x is centred by its curvature so that the two equations come
    apart. A few passes over the documents.
    """
    at = np.array([0.0, float(logit(weights @ targets))])
    loss = _loss(at, x, targets, weights)
    for _ in range(MOST_ITERATIONS):
        gradient, step = _gradient_and_step(at, x, targets, weights)
        if np.abs(gradient).max() <= TOLERANCE:
            break
        length = 1.0
        while length >= SHORTEST_STEP:
            tried = at + length * step
            tried_loss = _loss(tried, x, targets, weights)
            if tried_loss < loss + SUFFICIENT_DECREASE * length * float(gradient @ step):
                break
            length /= 2
        else:
            # As low as rounding lets it come.
            break
        at, loss = tried, tried_loss
    return float(at[0]), float(at[1])


def _loss(at: Floats, x: Floats, targets: Floats, weights: Floats) -> float:
    z = at[0] * x + at[1]
    return float(weights @ (np.logaddexp(0, z) - targets * z))


def _gradient_and_step(
    at: Floats, x: Floats, targets: Floats, weights: Floats
) -> tuple[Floats, Floats]:
    """Give the gradient and the full Newton step, both as (slope, intercept)."""
    p = expit(at[0] * x + at[1])
    residuals = weights * (p - targets)
    by_slope, by_intercept = residuals @ x, residuals.sum()
    curvatures = weights * p * (1 - p)
    total = curvatures.sum() + RIDGE
    centre = curvatures @ x / total
    spread = curvatures @ (x - centre) ** 2 + RIDGE
    slope_step = -(by_slope - centre * by_intercept) / spread
    intercept_step = -by_intercept / total - centre * slope_step
    return np.array([by_slope, by_intercept]), np.array([slope_step, intercept_step])


# A standardised score beyond this is as good as this, and 0 times it is still 0.
FARTHEST = 1e100
# Targets of an enormous weight round to 0 and 1, where a sigmoid would have to be infinite.
SURE = 1e-15


@dataclass(frozen=True, slots=True, eq=False)
class Platt:
    """``1 / (1 + exp(-(slope·x + intercept)))`` of ``x = (score - centre) / scale``.

    Fitted to out-of-fold scores by maximum likelihood, with the targets of Platt: members
    ``(N₊ + 1)/(N₊ + 2)`` and others ``1/(N₋ + 2)``, N being sums of weights, so that a category
    of few documents makes no claim to certainty. The slope is not below 0: where higher scores
    would mean lower probability, and where all scores are equal or all documents on one side,
    it is 0 and the probability the mean target.
    """

    kind: ClassVar[str] = "platt"
    help: ClassVar[str] = "a sigmoid fitted out of fold (Platt 1999; Lin, Lin and Weng 2007)"
    needs: ClassVar[Needs] = Needs.OUT_OF_FOLD
    centre: Floats
    scale: Floats
    slope: Floats
    intercept: Floats

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, frozen(getattr(self, field.name), np.float64))
        numbers = np.array([self.centre, self.scale, self.slope, self.intercept])
        if not np.isfinite(numbers).all() or (self.scale <= 0).any() or (self.slope < 0).any():
            raise InputError("a sigmoid has a scale above 0, a slope not below 0, all finite")

    @classmethod
    def fit(cls, training: TrainingSet) -> Platt:
        """Fit each category for itself: a few passes over its documents."""
        sigmoids = np.empty((training.categories, 4))
        for category in range(training.categories):
            sigmoids[category] = _sigmoid(
                training.scores[:, category], training.members(category), training.weights
            )
        return cls(*sigmoids.T)

    @property
    def categories(self) -> int:
        """How many categories are calibrated."""
        return len(self.slope)

    def probabilities(self, scores: ArrayLike) -> Floats:
        """Turn scores, documents × categories, into probabilities; linear in the scores."""
        values = checked_width(checked_scores(scores), self.categories, "the calibration")
        with np.errstate(over="ignore"):
            x = np.clip((values - self.centre) / self.scale, -FARTHEST, FARTHEST)
        probabilities: Floats = expit(self.slope * x + self.intercept)
        return probabilities

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything a model file must hold to restore it."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def renewed(self, categories: int, shares: Mapping[int, float]) -> Platt:
        """For so many categories; those of ``shares`` have a slope of 0."""
        sigmoids = np.tile((0.0, 1.0, 0.0, 0.0), (categories, 1))
        sigmoids[: self.categories] = np.stack(list(self.to_arrays().values()), axis=1)
        for category, share in shares.items():
            sigmoids[category] = 0.0, 1.0, 0.0, logit(min(max(share, SURE), 1 - SURE))
        return Platt(*sigmoids.T)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], categories: int) -> Platt:
        """Restore what :meth:`to_arrays` gave."""
        return cls(*(stored(arrays, field.name, np.float64, categories) for field in fields(cls)))


def _sigmoid(scores: Floats, inside: Flags, weights: Floats) -> tuple[float, float, float, float]:
    """Fit one category: centre, scale, slope, intercept."""
    total = float(weights.sum())
    members = float(weights[inside].sum())
    others = float(weights[~inside].sum())
    member, other = (members + 1) / (members + 2), 1 / (others + 2)
    targets = np.where(inside, min(member, 1 - SURE), max(other, SURE))
    if len(scores) == 0:
        return 0.0, 1.0, 0.0, 0.0
    shares = weights / total
    low, high = float(scores.min()), float(scores.max())
    centre, scale = 0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low
    constant = 0.0, 1.0, 0.0, float(logit(shares @ targets))
    if scale == 0 or members == 0 or others == 0:
        return constant
    slope, intercept = fitted_sigmoid((scores - centre) / scale, targets, shares)
    return (centre, scale, slope, intercept) if slope > 0 else constant
