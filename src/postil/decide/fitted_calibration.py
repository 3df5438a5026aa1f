"""Calibrations that are fitted to out-of-fold scores: Platt's sigmoid and isotonic regression."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postil.common.types import Flags, Floats, Ints
from postil.decide.decision import stored_array
from postil.decide.scores import Needs, TrainingSet, checked_scores, frozen
from postil.errors import InputError

# The largest component of the gradient, of a loss averaged over the weights.
TOLERANCE = 1e-10
MOST_ITERATIONS = 100
SHORTEST_STEP = 1e-10
SUFFICIENT_DECREASE = 1e-4
# Keeps the curvature above 0 where every probability is 0 or 1.
RIDGE = 1e-12
# A standardised score beyond this is as good as this, and 0 times it is still 0.
FARTHEST = 1e100
# Targets of an enormous weight round to 0 and 1, where a sigmoid would have to be infinite.
SURE = 1e-15


@dataclass(frozen=True, slots=True, eq=False)
class FittedArrays:
    """Arrays that are fitted to the out-of-fold scores of each category by itself."""

    kind: ClassVar[str]
    help: ClassVar[str]
    needs: ClassVar[Needs] = Needs.OUT_OF_FOLD

    def __post_init__(self) -> None:
        for field in fields(self):
            values = getattr(self, field.name)
            dtype = np.int64 if field.type == "Ints" else np.float64
            object.__setattr__(self, field.name, frozen(values, dtype))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that a model file holds."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, slots=True, eq=False)
class Platt(FittedArrays):
    """``1 / (1 + exp(-(slope·x + intercept)))`` of ``x = (score - centre) / scale`` (Platt 1999).

    Fitted by maximum likelihood, with Platt's targets: members ``(N₊ + 1)/(N₊ + 2)`` and others
    ``1/(N₋ + 2)``, N being sums of weights, so that a category of few documents makes no claim to
    certainty. The slope is not below 0: where higher scores would mean lower probability, and where
    all scores are equal or all documents on one side, it is 0 and the probability the mean target.
    """

    kind: ClassVar[str] = "platt"
    help: ClassVar[str] = "a sigmoid fitted out of fold (Platt 1999; Lin, Lin and Weng 2007)"
    flat: ClassVar[tuple[float, ...]] = (0.0, 1.0, 0.0, 0.0)  # the probability is that of score 0
    centre: Floats
    scale: Floats
    slope: Floats
    intercept: Floats

    def __post_init__(self) -> None:
        FittedArrays.__post_init__(self)
        numbers = np.array([self.centre, self.scale, self.slope, self.intercept])
        if not np.isfinite(numbers).all() or (self.scale <= 0).any() or (self.slope < 0).any():
            raise InputError(
                "Platt's calibration: each category needs a scale above 0, a slope of 0 or more, "
                "and only finite numbers"
            )

    @classmethod
    def fit(cls, training: TrainingSet) -> Platt:
        """Fit each category by itself: a few passes over its documents."""
        sigmoids = np.empty((training.categories, 4))
        for category in range(training.categories):
            sigmoids[category] = _sigmoid(*training.of_category(category))
        return cls(*sigmoids.T)

    @property
    def categories(self) -> int:
        """The number of categories."""
        return len(self.slope)

    def probabilities(self, scores: ArrayLike) -> Floats:
        """Return probabilities of scores, documents × categories; linear in the scores."""
        from scipy.special import expit

        values = checked_scores(scores, categories=self.categories)
        with np.errstate(over="ignore"):
            x = np.clip((values - self.centre) / self.scale, -FARTHEST, FARTHEST)
        probabilities: Floats = expit(self._logits(self.slope * x + self.intercept))
        return probabilities

    def _logits(self, z: Floats) -> Floats:
        """Return the logits of probabilities from those of the sigmoids."""
        return z

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], categories: int) -> Platt:
        """Restore a calibration from the result of :meth:`to_arrays`."""
        return cls(
            *(stored_array(arrays, field.name, np.float64, categories) for field in fields(cls))
        )

    def resized(self, categories: int, shares: Mapping[int, float]) -> Platt:
        """Return the calibration of more categories; those in ``shares`` have a slope of 0."""
        from scipy.special import logit

        sigmoids = np.tile(self.flat, (categories, 1))
        sigmoids[: self.categories] = np.stack(list(self.to_arrays().values()), axis=1)
        for category, share in shares.items():
            sigmoids[category] = self.flat
            sigmoids[category, 3] = logit(min(max(share, SURE), 1 - SURE))
        return type(self)(*sigmoids.T)


def _sigmoid(scores: Floats, inside: Flags, weights: Floats) -> tuple[float, float, float, float]:
    """Fit one category; return centre, scale, slope and intercept."""
    from scipy.special import logit

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


def fitted_sigmoid(x: Floats, targets: Floats, weights: Floats) -> tuple[float, float]:
    """Return slope and intercept of the best sigmoid, by Newton's method (Lin, Lin and Weng 2007).

    Minimises the cross entropy ``Σ wᵢ (ln(1 + exp(zᵢ)) - tᵢ zᵢ)`` of ``z = slope·x + intercept``,
    with weights that add up to 1. It is convex, and targets inside (0, 1) keep the minimum finite.
    The loss in this form does not cancel or overflow, and backtracking shortens each step until the
    loss falls. A few passes over the documents.
    """
    from scipy.special import logit

    point = np.array([0.0, float(logit(weights @ targets))])
    loss = _loss(point, x, targets, weights)
    for _ in range(MOST_ITERATIONS):
        gradient, step = _gradient_and_step(point, x, targets, weights)
        if np.abs(gradient).max() <= TOLERANCE:
            break
        length = 1.0
        while length >= SHORTEST_STEP:
            tried = point + length * step
            tried_loss = _loss(tried, x, targets, weights)
            if tried_loss < loss + SUFFICIENT_DECREASE * length * float(gradient @ step):
                break
            length /= 2
        else:
            break  # rounding allows no lower loss
        point, loss = tried, tried_loss
    return float(point[0]), float(point[1])


def _loss(point: Floats, x: Floats, targets: Floats, weights: Floats) -> float:
    z = point[0] * x + point[1]
    return float(weights @ (np.logaddexp(0, z) - targets * z))


def _gradient_and_step(
    point: Floats, x: Floats, targets: Floats, weights: Floats
) -> tuple[Floats, Floats]:
    """Return the gradient and the full Newton step, both as (slope, intercept).

    Centring x by its curvature separates the two equations.
    """
    from scipy.special import expit

    p = expit(point[0] * x + point[1])
    residuals = weights * (p - targets)
    by_slope, by_intercept = residuals @ x, residuals.sum()
    curvatures = weights * p * (1 - p)
    total = curvatures.sum() + RIDGE
    centre = curvatures @ x / total
    spread = curvatures @ (x - centre) ** 2 + RIDGE
    slope_step = -(by_slope - centre * by_intercept) / spread
    intercept_step = -by_intercept / total - centre * slope_step
    return np.array([by_slope, by_intercept]), np.array([slope_step, intercept_step])


@dataclass(frozen=True, slots=True, eq=False)
class Isotonic(FittedArrays):
    """The rising function of the score that is nearest to membership in squares.

    Fitted by pooling adjacent violators (Ayer et al. 1955; Zadrozny and Elkan 2002); documents of
    equal score are one point. Category c has the knots ``offsets[c]:offsets[c + 1]``; the function
    is straight between two knots and flat beyond the last ones. A category without members has
    probability 0 everywhere, one without others 1. It bends to any shape, so it needs many members:
    with few, prefer Platt's sigmoid.
    """

    kind: ClassVar[str] = "isotonic"
    help: ClassVar[str] = "isotonic regression out of fold, for categories with many documents"
    offsets: Ints
    scores: Floats
    values: Floats

    def __post_init__(self) -> None:
        FittedArrays.__post_init__(self)
        if not _sound(self.offsets, self.scores, self.values):
            raise InputError(
                "isotonic calibration: each category needs knots of rising, finite scores with "
                "values from 0 to 1 that do not fall"
            )

    @classmethod
    def fit(cls, training: TrainingSet) -> Isotonic:
        """Fit each category by itself; O(n log n) for n documents."""
        return cls._of(
            [_knots(*training.of_category(category)) for category in range(training.categories)]
        )

    @classmethod
    def _of(cls, knots: list[tuple[Floats, Floats]]) -> Isotonic:
        offsets = np.cumsum([0, *(len(scores) for scores, _ in knots)])
        scores, values = zip(*knots, strict=True) if knots else ((), ())
        nothing = np.empty(0)
        return cls(offsets, np.concatenate([nothing, *scores]), np.concatenate([nothing, *values]))

    @property
    def categories(self) -> int:
        """The number of categories."""
        return len(self.offsets) - 1

    def probabilities(self, scores: ArrayLike) -> Floats:
        """Return probabilities of scores, documents × categories.

        Cost for each score: the logarithm of the number of the category's knots.
        """
        asked = checked_scores(scores, categories=self.categories)
        probabilities = np.empty(asked.shape)
        for category in range(self.categories):
            knots, values = self._knots_of(category)
            column = asked[:, category]
            next_knot = np.minimum(np.searchsorted(knots, column), len(knots) - 1)
            # Rounding may lift a value above the next knot; then the function would fall there.
            probabilities[:, category] = np.minimum(
                np.interp(column, knots, values), values[next_knot]
            )
        return probabilities

    def _knots_of(self, category: int) -> tuple[Floats, Floats]:
        knots = slice(int(self.offsets[category]), int(self.offsets[category + 1]))
        return self.scores[knots], self.values[knots]

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], categories: int) -> Isotonic:
        """Restore a calibration from the result of :meth:`to_arrays`."""
        scores = stored_array(arrays, "scores", np.float64)
        return cls(
            stored_array(arrays, "offsets", np.int64, categories + 1),
            scores,
            stored_array(arrays, "values", np.float64, len(scores)),
        )

    def resized(self, categories: int, shares: Mapping[int, float]) -> Isotonic:
        """Return the calibration of more categories; those in ``shares`` are flat."""
        return self._of(
            [
                (np.zeros(1), np.full(1, min(max(shares[category], 0.0), 1.0)))
                if category in shares
                else self._knots_of(category)
                for category in range(categories)
            ]
        )


def _knots(scores: Floats, inside: Flags, weights: Floats) -> tuple[Floats, Floats]:
    """Fit one category; keep only the two ends of a flat stretch."""
    from scipy.optimize import isotonic_regression

    if len(scores) == 0:
        return np.zeros(1), np.zeros(1)
    levels, level = np.unique(scores, return_inverse=True)
    sizes = np.bincount(level, weights)
    shares = np.bincount(level, np.where(inside, weights, 0.0)) / sizes
    values = np.clip(isotonic_regression(shares, weights=sizes).x, 0.0, 1.0)
    bends = np.ones(len(values), dtype=np.bool_)
    bends[1:-1] = (values[1:-1] != values[:-2]) | (values[1:-1] != values[2:])
    return levels[bends], values[bends]


def _sound(offsets: Ints, scores: Floats, values: Floats) -> bool:
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
