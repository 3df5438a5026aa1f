"""L-BFGS on smooth figures of merit, all problems in lock step.

One iteration is two products of the documents with a table of all problems: the scores of the
directions, and the gradient. Trying a step costs no product, since scores are linear in it.
Problems that have arrived rest; where they are the half of all, the others go on without them.

The memory of L-BFGS, for many problems side by side.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.common.types import Floats, Singles
from postil.learn.merit.objective import Evaluation, Merit, Products
from postil.learn.merit.options import Weights

Dots = Callable[[NDArray[Any], NDArray[Any]], Floats]

# A pair of less curvature than this share of its lengths says nothing of the way down.
LEAST_CURVATURE = 1e-8


def dots_alone(left: NDArray[Any], right: NDArray[Any]) -> Floats:
    """Products of the columns of two tables, each for itself."""
    products: Floats = np.einsum("fp,fp->p", left, right, dtype=np.float64)
    return products


def dots_together(left: NDArray[Any], right: NDArray[Any]) -> Floats:
    """The product of two tables as one long vector, once for each column."""
    return np.full(left.shape[1], dots_alone(left, right).sum())


class Memory:
    """Steps and changes of gradients, the last few of each problem (a column of every table).

    A problem whose pair has no curvature to speak of, which happens where what is climbed is not
    concave, has 0 in its place, so that it is passed over. Memory: 8 bytes × pairs × features ×
    problems; a direction costs four passes over it.
    """

    def __init__(self, pairs: int, dots: Dots) -> None:
        self._dots = dots
        self._kept: deque[tuple[Singles, Singles, Floats]] = deque(maxlen=pairs)
        self._scale: Floats | None = None

    @property
    def knows_curvature(self) -> bool:
        """Whether directions have a length that means something."""
        return self._scale is not None

    def keep(self, steps: Floats, changes: Floats) -> None:
        """Remember a step and how the gradient changed with it."""
        curvature = self._dots(steps, changes)
        lengths = self._dots(changes, changes)
        used = curvature > LEAST_CURVATURE * np.sqrt(self._dots(steps, steps) * lengths)
        rates = np.divide(1.0, curvature, out=np.zeros_like(curvature), where=used)
        self._kept.append((steps.astype(np.float32), changes.astype(np.float32), rates))
        before = np.ones_like(curvature) if self._scale is None else self._scale
        self._scale = np.divide(curvature, lengths, out=before.copy(), where=used)

    def direction(self, gradient: Floats) -> Floats:
        """The way down: the gradient turned by what is remembered of the curvature."""
        way = -gradient
        taken = []
        for steps, changes, rates in reversed(self._kept):
            shares = rates * self._dots(steps, way)
            way -= changes * shares
            taken.append(shares)
        if self._scale is not None:
            way *= self._scale
        for (steps, changes, rates), shares in zip(self._kept, reversed(taken), strict=True):
            way += steps * (shares - rates * self._dots(changes, way))
        return way

    def of(self, problems: NDArray[Any]) -> Memory:
        """The same for some of the problems."""
        kept = Memory(self._kept.maxlen or 0, self._dots)
        for steps, changes, rates in self._kept:
            kept._kept.append((steps[:, problems], changes[:, problems], rates[problems]))
        kept._scale = None if self._scale is None else self._scale[problems]
        return kept


Table = NDArray[Any]
Told = Callable[[int], None]

ENOUGH_GAIN = 1e-4  # of what the slope promises (Armijo)
MOST_TRIALS = 25
NEARLY_LEVEL = 1e-3  # a slope of this share of the steepness
LEAST_GAIN = 1e-9  # relative: less, and a problem has come as far as it can


@dataclass(frozen=True, slots=True, eq=False)
class Climbed:
    """Where a climb ended: weights, values, and how far from level ground, by problem."""

    weights: Weights
    objectives: Floats
    certificates: Floats
    iterations: NDArray[np.int64]
    level: NDArray[np.bool_]


class Climb:
    """Maximise ``figure - λ‖w‖²`` of each problem from given weights on.

    ``lam`` is one number, or one for each problem that stands alone. ``kept`` (features
    × problems) is 0 where a problem may not use a feature; the start does not.
    """

    def __init__(
        self,
        products: Products,
        merit: Merit,
        start: Weights,
        *,
        steepness: Floats,
        lam: float | Floats = 0.0,
        pairs: int = 10,
        kept: Floats | None = None,
    ) -> None:
        self.products = products
        self.merit = merit
        self.steepness = steepness
        self.offsets = np.zeros(merit.problems)
        self.lam: Floats = np.broadcast_to(np.asarray(lam, dtype=np.float64), merit.problems)
        self.kept = kept
        # One figure for all counts as often as there are problems, so that λ weighs the same.
        self.height = float(merit.problems) if merit.figure.pooled else 1.0
        self.dots = dots_together if merit.joint else dots_alone
        self.memory = Memory(pairs, self.dots)
        self.place = start.stacked()
        self.scores = start.scores(products)
        self.acceptances = np.empty_like(self.scores)
        self.losses, self.gradient = self._look()

    def steps(self, most: int, tolerance: float, told: Told | None = None) -> Climbed:
        """Climb until all is level to the tolerance, or for so many steps."""
        count = self.merit.problems
        place = self.place.copy()
        losses, slopes = self.losses.copy(), self._steepest()
        # Where a climb begins nearly on the level, its slope is no measure of what is left.
        first = np.maximum(slopes, NEARLY_LEVEL * self.steepness)
        iterations = np.zeros(count, dtype=np.int64)
        level = slopes <= tolerance * first
        active = np.arange(count)
        for step in range(1, most + 1):
            moving = self._step(~level[active])
            slope = self._steepest()
            place[:, active] = self.place
            losses[active], slopes[active] = self.losses, slope
            iterations[active[~level[active]]] = step
            level[active] |= ~moving | (slope <= tolerance * first[active])
            if told is not None:
                told(step)
            if level.all():
                break
            active = self._without_resting(active, level)
        weights = Weights(place[:-1], place[-1])
        return Climbed(weights, -losses, slopes / first, iterations, level)

    def _step(self, wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Go one step where it is wanted; say which problems moved by something."""
        way = self.memory.direction(self.gradient)
        promise = self.dots(way, self.gradient)
        uphill = ~(promise < 0)
        if uphill.any():
            way[:, uphill] = -self.gradient[:, uphill]
            promise = self.dots(way, self.gradient)
        along = Weights(way[:-1], way[-1]).scores(self.products)
        sizes = self._first_sizes(promise) * wanted
        sizes, moved = self._search(way, along, promise, sizes)
        before, gradient = self.losses, self.gradient
        steps = way * sizes
        self.place += steps
        self.scores += along * sizes.astype(self.scores.dtype)
        self.losses, self.gradient = self._look()
        self.memory.keep(steps, self.gradient - gradient)
        gained: NDArray[np.bool_] = before - self.losses > LEAST_GAIN * np.abs(before)
        return moved & gained

    def _first_sizes(self, promise: Floats) -> Floats:
        """The whole step, or before anything is known of curvature a short one."""
        if self.memory.knows_curvature:
            return np.ones_like(promise)
        return np.minimum(1.0, 1.0 / np.sqrt(np.maximum(-promise, np.finfo(np.float64).tiny)))

    def _search(
        self, way: Floats, along: Table, promise: Floats, sizes: Floats
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """Shorten steps until each gains enough; 0 where none does."""
        linear = 2.0 * self.lam * self.dots(way[:-1], self.place[:-1])
        square = self.lam * self.dots(way[:-1], way[:-1])
        now = self._figures(self.scores)
        done = sizes == 0
        for _ in range(MOST_TRIALS):
            trial = self.scores + along * sizes.astype(self.scores.dtype)
            losses = self._figures(trial) - now + sizes * (linear + sizes * square)
            done |= losses <= ENOUGH_GAIN * sizes * promise
            if done.all():
                break
            # The lowest point of the parabola through what is known, held within reason.
            bend = losses - sizes * promise
            lowest = np.divide(-0.5 * promise * sizes**2, bend, out=0.5 * sizes, where=bend > 0)
            shorter = np.clip(lowest, 0.1 * sizes, 0.5 * sizes)
            sizes = np.where(done, sizes, shorter)
        return np.where(done, sizes, 0.0), done & (sizes > 0)

    def _figures(self, scores: Table) -> Floats:
        """The negative of the figure of each problem, or of all together."""
        found = self.merit.evaluate(scores, self.steepness, self.offsets, self.acceptances)
        return self._negative(found)

    def _negative(self, found: Evaluation) -> Floats:
        if self.merit.joint and not self.merit.figure.pooled:
            return np.full_like(found.values, -found.values.sum())
        return -self.height * found.values

    def _look(self) -> tuple[Floats, Floats]:
        """The loss of each problem here, and its gradient."""
        found = self.merit.evaluate(self.scores, self.steepness, self.offsets, self.acceptances)
        sums = self.merit.slopes(self.scores, found, self.steepness, self.acceptances)
        terms = self.place[:-1]
        gradient = np.empty_like(self.place)
        gradient[:-1] = -self.height * self.products.gradient(self.acceptances)
        if self.kept is not None:
            gradient[:-1] *= self.kept
        gradient[:-1] += 2.0 * self.lam * terms
        gradient[-1] = -self.height * sums
        return self._negative(found) + self.lam * self.dots(terms, terms), gradient

    def _steepest(self) -> Floats:
        return np.sqrt(self.dots(self.gradient, self.gradient))

    def _without_resting(self, active: NDArray[Any], level: NDArray[np.bool_]) -> NDArray[Any]:
        """Go on with those that still climb, once they are no more than half."""
        climbing = np.flatnonzero(~level[active])
        if self.merit.joint or 2 * len(climbing) > len(active):
            return active
        self.merit = self.merit.of(climbing)
        self.steepness, self.offsets = self.steepness[climbing], self.offsets[climbing]
        self.lam = self.lam[climbing]
        if self.kept is not None:
            self.kept = self.kept[:, climbing]
        self.memory = self.memory.of(climbing)
        self.place = self.place[:, climbing]
        self.scores = np.ascontiguousarray(self.scores[:, climbing])
        self.acceptances = np.empty_like(self.scores)
        self.losses, self.gradient = self.losses[climbing], self.gradient[:, climbing]
        return active[climbing]
