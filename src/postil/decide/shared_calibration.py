"""Calibrations in which categories share evidence, and the decisions that follow from them.

``Hierarchical`` gives each category a sigmoid of its own and draws it toward the sigmoids of
categories of the same size, the more so the fewer members it has. ``Joint`` is for documents of
exactly one category: the probabilities of a document sum to 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postil.common.types import Flags, Floats
from postil.decide.decision import stored_array
from postil.decide.fitted_calibration import SURE, FittedArrays, Platt
from postil.decide.scores import TrainingSet, checked_scores
from postil.errors import InputError

# Scores are binned at equal distances of arcsinh(score / unit), which is fine near 0 and coarse far
# away; the unit is the median size of a member's score.
BINS = 256
FARTHEST = 50.0
MOST_ROUNDS = 20
NEWTON_STEPS = 4
LONGEST_STEP = 0.7
STEEPEST, FLATTEST = 3.5, -3.5  # of the logarithm of a slope
# The prior variances of a slope's logarithm and of a midpoint, and the number of categories that
# they count as.
PRIOR_SPREAD, PRIOR_CATEGORIES = 0.1, 2.0
# The logits of sigmoids between which the curve of probabilities has one slope, the prior weight of
# leaving sigmoids as they are, and the bounds of slopes.
KNOTS = np.array([-3.0, -1.0, 1.0, 3.0])
BEND_PRIOR = 0.5
BENDS = (0.02, 50.0)
HALVINGS = 80
# Fewer categories do not show how sigmoids change with the size of a category.
FEWEST_FOR_SIZES = 8


@dataclass(frozen=True, slots=True, eq=False)
class Hierarchical(Platt):
    """A sigmoid for each category, ``1 / (1 + exp(-exp(a) (x - c)))``, estimated together.

    The parameters (a, c) of all categories come from a normal distribution whose mean is linear in
    the logarithm of a category's share of the documents. Mean and covariance are estimated from all
    categories by expectation maximisation with Laplace's approximation (empirical Bayes). A
    category with many members has the sigmoid of its own scores, one with three nearly that of its
    peers. One member and one other document on the wrong side are added to all categories
    together, so that perfect scores make no claim to certainty.

    Scores do not follow a sigmoid to its ends, least of all in small categories: labels err, and
    some documents are like no other. The logit of the probability is therefore a rising curve of
    the sigmoid's, nearly straight between ``KNOTS``, by maximum likelihood over all categories. Its
    slopes and its shift follow the size of a category.

    Cost: one pass over the scores, then categories × 256 bins for some hundred steps.
    """

    kind: ClassVar[str] = "hierarchical"
    help: ClassVar[str] = "a sigmoid fitted out of fold, which rare categories share"
    flat: ClassVar[tuple[float, ...]] = (*Platt.flat, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0)
    far_below: Floats
    below: Floats
    middle: Floats
    above: Floats
    far_above: Floats
    shift: Floats

    def __post_init__(self) -> None:
        Platt.__post_init__(self)
        if not np.isfinite([*self._bends, self.shift]).all() or (self._bends <= 0).any():
            raise InputError(
                "hierarchical calibration: its slopes must be above 0, and all numbers finite"
            )

    @property
    def _bends(self) -> NDArray[np.float64]:
        """The slopes of the curve, one row for each stretch."""
        return np.array([self.far_below, self.below, self.middle, self.above, self.far_above])

    @classmethod
    def fit(cls, training: TrainingSet) -> Hierarchical:
        """Fit all categories together."""
        from scipy.special import logit

        sigmoids = np.tile(cls.flat, (training.categories, 1))
        shares = training.priors()
        sigmoids[:, 3] = logit(np.clip(shares, SURE, 1 - SURE))
        learnable = np.flatnonzero((shares > 0) & (np.diff(training.truth.indptr) > 0))
        learnable = learnable[shares[learnable] < 1]
        if len(learnable):
            unit = _unit(training)
            bins = _Bins.of(training, learnable, unit)
            slopes, midpoints = _sigmoids(bins, shares[learnable])
            none = np.zeros(len(slopes))
            z = slopes[:, np.newaxis] * (bins.x - midpoints[:, np.newaxis])
            sigmoids[learnable] = np.column_stack(
                [midpoints * unit, none + unit, slopes, none, _bends(bins, z, shares[learnable])]
            )
        return cls(*sigmoids.T)

    def _logits(self, z: Floats) -> Floats:
        """Return the logits of probabilities from those of the sigmoids."""
        logits: Floats = self.shift + KNOTS[0]
        for slope, stretch in zip(self._bends, _stretches(z), strict=True):
            logits = logits + slope * stretch
        return logits

    def thresholds(self, probability: float) -> Floats:
        """Return the score of each category at which its probability reaches a value."""
        from scipy.special import logit

        wanted = float(logit(probability))
        reach = abs(wanted) + np.abs(self._logits(np.zeros(self.categories)))
        reach = reach / self._bends.min(axis=0) + 2 * KNOTS[-1]
        least, most = -reach, reach
        for _ in range(HALVINGS):
            z = (least + most) / 2
            enough = self._logits(z) >= wanted
            least, most = np.where(enough, least, z), np.where(enough, z, most)
        with np.errstate(divide="ignore", invalid="ignore"):
            x = (most - self.intercept) / self.slope
        flat = np.where(self._logits(self.intercept) >= wanted, -np.inf, np.inf)
        return np.where(self.slope > 0, self.centre + self.scale * x, flat)


def _unit(training: TrainingSet) -> float:
    """Return the median absolute score of members, or 1 if that is 0."""
    members = training.truth.tocoo()
    sizes = np.abs(training.scores[members.row, members.col])
    unit = _median(sizes, training.weights[members.row]) if len(sizes) else 1.0
    return unit if np.isfinite(unit) and unit > 0 else 1.0


def _median(values: NDArray[Any], weights: Floats) -> float:
    """Return the lower weighted median."""
    order = np.argsort(values, kind="stable")
    sums = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(sums, sums[-1] / 2)]])


@dataclass(frozen=True, slots=True, eq=False)
class _Bins:
    """Histograms of scores: the mean score, all documents and the members of each bin."""

    x: Floats
    documents: Floats
    members: Floats

    @classmethod
    def of(cls, training: TrainingSet, categories: NDArray[np.intp], unit: float) -> _Bins:
        shape = (len(categories), BINS)
        x, documents, members = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        reach = np.arcsinh(FARTHEST)
        for row, category in enumerate(categories.tolist()):
            own, inside, weights = training.of_category(category)
            with np.errstate(over="ignore"):
                scores = np.clip(own / unit, -FARTHEST, FARTHEST)
            place = ((np.arcsinh(scores) + reach) * (BINS / (2 * reach))).astype(np.int64)
            place = np.minimum(place, BINS - 1)
            documents[row] = np.bincount(place, weights, BINS)
            members[row] = np.bincount(place[inside], weights[inside], BINS)
            x[row] = np.bincount(place, weights * scores, BINS)
            # One of each on the wrong side, shared by all categories.
            share = 1.0 / len(categories)
            high = int(_median(place[inside], weights[inside]))
            low = int(_median(place[~inside], weights[~inside]))
            documents[row, [high, low]] += share
            members[row, low] += share
            x[row, [high, low]] += share * scores_at(np.array([high, low]))
        filled = documents > 0
        x[filled] /= documents[filled]
        return cls(x, documents, members)


def scores_at(bins: NDArray[np.int64]) -> Floats:
    """Return the scores in the middle of bins, in units."""
    reach = np.arcsinh(FARTHEST)
    middle: Floats = np.sinh((bins + 0.5) * (2 * reach / BINS) - reach)
    return middle


def _sigmoids(bins: _Bins, shares: Floats) -> tuple[Floats, Floats]:
    """Return the slopes and midpoints of all categories by expectation maximisation."""
    count = len(shares)
    sizes = np.column_stack([np.ones(count), np.log(shares) - np.log(shares).mean()])
    if count < FEWEST_FOR_SIZES:
        sizes = sizes[:, :1]
    points = np.tile((1.0, 0.0), (count, 1))
    mean = points.copy()
    covariance: NDArray[Any] = np.eye(2)
    for round_number in range(MOST_ROUNDS):
        precision = np.linalg.inv(covariance)
        for _ in range(NEWTON_STEPS * (4 if round_number == 0 else 1)):
            steps, curvatures = _newton(bins, points, mean, precision)
            points = points + steps
            points[:, 0] = np.clip(points[:, 0], FLATTEST, STEEPEST)
            if np.abs(steps).max() < 1e-3:
                break
        mean = sizes @ np.linalg.lstsq(sizes, points, rcond=None)[0]
        apart = points - mean
        spread = apart.T @ apart + np.linalg.inv(curvatures).sum(axis=0)
        spread += PRIOR_CATEGORIES * PRIOR_SPREAD * np.eye(2)
        new = spread / (count + PRIOR_CATEGORIES)
        if np.abs(new - covariance).max() < 0.01 * np.abs(new).max():
            break
        covariance = new
    return np.exp(points[:, 0]), points[:, 1]


def _stretches(z: Floats) -> Iterator[Floats]:
    """Yield how far z reaches into each stretch between knots; the sum is ``z - KNOTS[0]``."""
    yield -np.logaddexp(0.0, KNOTS[0] - z)
    entered = np.logaddexp(0.0, z - KNOTS[0])
    for knot in KNOTS[1:]:
        passed = np.logaddexp(0.0, z - knot)
        yield entered - passed
        entered = passed
    yield entered


def _bends(bins: _Bins, z: Floats, shares: Floats) -> Floats:
    """Return the slopes and the shift of each category's curve, from the logit of its sigmoid."""
    from scipy.optimize import minimize
    from scipy.special import expit

    sizes = np.log(shares) - np.log(shares).mean()
    if len(shares) < FEWEST_FOR_SIZES:
        sizes = np.zeros_like(sizes)
    filled = bins.documents > 0
    documents, members = bins.documents[filled], bins.members[filled]
    size = sizes[np.nonzero(filled)[0]]
    stretches = np.array([*_stretches(z[filled])])
    count = len(stretches)

    def parts(free: Floats, size: Floats) -> tuple[Floats, Floats]:
        own, by_size = free.reshape(2, -1, 1)
        values = own + by_size * size
        return np.exp(np.clip(values[:count], *np.log(BENDS))), values[count]

    def loss(free: Floats) -> tuple[float, Floats]:
        slopes, shift = parts(free, size)
        changes = slopes * stretches
        logits = changes.sum(axis=0) + shift + KNOTS[0]
        value = (documents * np.logaddexp(0.0, logits) - members * logits).sum()
        apart = documents * expit(logits) - members
        changes = np.vstack([changes * apart, apart])
        gradient = np.concatenate([changes.sum(axis=1), changes @ size])
        return float(value + BEND_PRIOR * (free**2).sum()), gradient + 2 * BEND_PRIOR * free

    free = np.zeros(2 * (count + 1))
    # To the last digits, as far as rounding allows: another processor rounds differently.
    found = minimize(
        loss,
        free,
        jac=True,
        method="L-BFGS-B",
        bounds=[(-4.0, 4.0)] * len(free),
        options={"maxcor": 30, "ftol": 1e-15},
    )
    return np.vstack(parts(found.x, sizes)).T


def _newton(
    bins: _Bins, points: Floats, mean: Floats, precision: NDArray[Any]
) -> tuple[Floats, NDArray[Any]]:
    """Return the scoring step of each category, shortened, and the matrices of curvature."""
    from scipy.special import expit

    slopes = np.exp(points[:, :1])
    z = slopes * (bins.x - points[:, 1:])
    p = expit(z)
    residuals = bins.members - bins.documents * p
    weights = bins.documents * p * (1 - p)
    gradient = np.column_stack([(residuals * z).sum(axis=1), -(residuals * slopes).sum(axis=1)])
    gradient -= (points - mean) @ precision
    cross = -(weights * z * slopes).sum(axis=1)
    curvature = np.empty((len(points), 2, 2))
    curvature[:, 0, 0] = (weights * z * z).sum(axis=1)
    curvature[:, 0, 1] = curvature[:, 1, 0] = cross
    curvature[:, 1, 1] = (weights * slopes * slopes).sum(axis=1)
    curvature += precision
    steps = np.linalg.solve(curvature, gradient[..., np.newaxis])[..., 0]
    longest = np.abs(steps).max(axis=1, keepdims=True)
    return steps * np.minimum(1.0, LONGEST_STEP / np.maximum(longest, LONGEST_STEP)), curvature


# Thresholds of probability that are compared: multiples of 1/STEPS, from LEAST to one half, which
# is the highest that F1 can ask for.
STEPS, LEAST, MOST = 1000, 50, 500


def best_probability(training: TrainingSet, calibration: Hierarchical, chosen: Flags) -> float:
    """Return the probability at which giving labels has the highest F1 of all pairs together.

    Of probabilities with equal F1 it is the one nearest to half the F1, which is the best if
    probabilities are right. Cost: documents × categories.
    """
    given, right = np.zeros(STEPS + 1), np.zeros(STEPS + 1)
    probabilities = calibration.probabilities(training.scores)
    for category in np.flatnonzero(chosen).tolist():
        place = np.minimum(probabilities[:, category] * STEPS, STEPS).astype(np.int64)
        inside, weights = training.members(category), training.weights_of(category)
        given += np.bincount(place, weights, STEPS + 1)
        right += np.bincount(place[inside], weights[inside], STEPS + 1)
    members = right.sum()
    found, accepted = (np.cumsum(each[::-1])[::-1] for each in (right, given))
    f1 = 2 * found / np.maximum(accepted + members, SURE)
    steps = np.arange(LEAST, MOST + 1)
    best = float(f1[steps].max())
    equal = steps[f1[steps] >= best - 1e-12]
    nearest = equal[np.abs(equal / STEPS - best / 2).argmin()]
    return float(nearest / STEPS)


@dataclass(frozen=True, slots=True, eq=False)
class Joint(FittedArrays):
    """``g(zₖ) / Σ g(z)`` of ``z = slope·score + intercept`` and g the logistic function.

    One slope and one intercept serve all categories, so that the best score has the highest
    probability. A very low intercept makes it the softmax of ``slope·score``, and the likelihood
    of out-of-fold scores decides between the two and all between them.
    """

    kind: ClassVar[str] = "joint"
    help: ClassVar[str] = "probabilities that sum to 1, fitted out of fold, for one-label documents"
    slope: Floats
    intercept: Floats
    width: Floats

    def __post_init__(self) -> None:
        FittedArrays.__post_init__(self)
        values = np.concatenate([self.slope, self.intercept, self.width])
        if values.shape != (3,) or not np.isfinite(values).all() or (self.slope < 0).any():
            raise InputError(
                "joint calibration: it needs one slope of 0 or more and one intercept, both finite"
            )

    @property
    def categories(self) -> int:
        """The number of categories."""
        return int(self.width[0])

    @classmethod
    def fit(cls, training: TrainingSet) -> Joint:
        """Maximise the likelihood of the labels of at most 20,000 documents.

        One document more, which all share equally, has the best of the categories that it should
        not have (Laplace's rule of succession): otherwise a few documents, all decided rightly,
        would make every probability 1.
        """
        from scipy.optimize import minimize

        rows = np.flatnonzero(np.diff(training.truth.tocsr().indptr))
        rows = rows[:: max(1, -(-len(rows) // MOST_DOCUMENTS))]
        width = np.array([float(training.categories)])
        shares = training.weights[rows]
        if not shares.any() or training.categories < 2:
            return cls(np.ones(1), np.zeros(1), width)
        unit = _unit(training)
        scores = training.scores[rows] / unit
        members = training.truth.tocsr()[rows].tocoo()
        others = scores.copy()
        others[members.row, members.col] = -np.inf
        cases = np.concatenate([members.row, np.arange(len(rows))])
        columns = np.concatenate([members.col, others.argmax(axis=1)])
        weights = np.concatenate([shares[members.row], shares / shares.sum()])

        def loss(point: Floats) -> tuple[float, Floats]:
            return _joint_loss(point, scores, cases, columns, weights)

        bounds = [(FLATTEST, STEEPEST + 2), (-SOFTMAX, SOFTMAX)]
        starts = [np.array([1.0, -SOFTMAX / 2]), np.array([1.0, 0.0])]
        found = min(
            (minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds) for start in starts),
            key=lambda result: float(result.fun),
        )
        slope, intercept = np.exp(found.x[0]) / unit, found.x[1]
        return cls(np.array([slope]), np.array([intercept]), width)

    def probabilities(self, scores: ArrayLike) -> Floats:
        """Return probabilities of scores, documents × categories; each row sums to 1."""
        values = checked_scores(scores, categories=self.categories)
        logs = _log_sigmoid(self.slope * values + self.intercept)
        logs -= logs.max(axis=1, keepdims=True, initial=-np.inf)
        powers: Floats = np.exp(logs)
        powers /= powers.sum(axis=1, keepdims=True)
        return powers

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], categories: int) -> Joint:
        """Restore a calibration from the result of :meth:`to_arrays`."""
        stored = cls(*(stored_array(arrays, each.name, np.float64, 1) for each in fields(cls)))
        if stored.categories != categories:
            raise InputError(
                f"stored decisions are damaged: a joint calibration of {stored.categories} "
                f"categories in a model of {categories}"
            )
        return stored

    def resized(self, categories: int, shares: Mapping[int, float]) -> Joint:  # noqa: ARG002
        """Return the calibration of more categories; all share the slope and the intercept."""
        return Joint(self.slope, self.intercept, np.array([float(categories)]))


MOST_DOCUMENTS = 20_000
SOFTMAX = 30.0  # an intercept of -30 makes the logistic function an exponential


def _log_sigmoid(z: Floats) -> Floats:
    logs: Floats = -np.logaddexp(0.0, -z)
    return logs


def _joint_loss(
    point: Floats,
    scores: Floats,
    rows: NDArray[Any],
    columns: NDArray[Any],
    weights: Floats,
) -> tuple[float, Floats]:
    """Return the mean negative log-likelihood of the members, and its gradient."""
    slope, intercept = np.exp(point[0]), point[1]
    z = slope * scores + intercept
    logs = _log_sigmoid(z)
    tops = logs.max(axis=1, keepdims=True)
    powers = np.exp(logs - tops)
    sums = powers.sum(axis=1, keepdims=True)
    normaliser = (tops + np.log(sums))[:, 0]
    total = weights.sum()
    loss = -float(weights @ (logs[rows, columns] - normaliser[rows])) / total
    # The slope of log σ(z) is σ(-z) = 1 - exp(log σ(z)).
    inner = -np.expm1(logs)
    mean = powers / sums * inner
    by_row = np.bincount(rows, weights, len(scores))
    by_intercept = weights @ inner[rows, columns] - by_row @ mean.sum(axis=1)
    by_slope = weights @ (inner * scores)[rows, columns] - by_row @ (mean * scores).sum(axis=1)
    return loss, -np.array([slope * by_slope, by_intercept]) / total
