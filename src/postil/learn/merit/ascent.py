"""L-BFGS on smooth figures of merit, all problems in lock step.

One iteration is two products of the documents with a table of all problems: the scores of the
directions, and the gradient. Trying a step costs no product, since scores are linear in it.
Converged problems rest; once they are half of all, they leave the active set.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.common.progress import Progress
from postil.common.types import Flags, Floats, Singles
from postil.learn.fit import StopReason
from postil.learn.merit.objective import Evaluation, Merit, Products, Table, Weights

Dots = Callable[[NDArray[Any], NDArray[Any]], Floats]

# A pair of less curvature than this share of its lengths is not used.
LEAST_CURVATURE = 1e-8
ENOUGH_GAIN = 1e-4  # of what the slope promises (Armijo)
MOST_TRIALS = 25
NEARLY_LEVEL = 1e-3  # a slope of this share of the steepness
LEAST_GAIN = 1e-9  # relative: a step that gains less is the last


def dots_alone(left: NDArray[Any], right: NDArray[Any]) -> Floats:
    """Return the products of the columns of two tables, each for itself."""
    products: Floats = np.einsum("fp,fp->p", left, right, dtype=np.float64)
    return products


def dots_together(left: NDArray[Any], right: NDArray[Any]) -> Floats:
    """Return the product of two tables as one long vector, once for each column."""
    return np.full(left.shape[1], dots_alone(left, right).sum())


class Memory:
    """The last steps and changes of gradients of each problem (a column of every table).

    A pair without curvature, which occurs where the figure is not concave, has a rate of 0 and is
    skipped. Memory is 8 bytes × pairs × features × problems; a direction costs four passes over it.
    """

    def __init__(self, pairs: int, dots: Dots) -> None:
        self._dots = dots
        self._kept: deque[tuple[Singles, Singles, Floats]] = deque(maxlen=pairs)
        self._scale: Floats | None = None

    @property
    def knows_curvature(self) -> bool:
        """True if directions have a meaningful length."""
        return self._scale is not None

    def keep(self, steps: Floats, changes: Floats) -> None:
        """Add a step and the change of the gradient along it."""
        curvature = self._dots(steps, changes)
        lengths = self._dots(changes, changes)
        used = curvature > LEAST_CURVATURE * np.sqrt(self._dots(steps, steps) * lengths)
        rates = np.divide(1.0, curvature, out=np.zeros_like(curvature), where=used)
        self._kept.append((steps.astype(np.float32), changes.astype(np.float32), rates))
        before = np.ones_like(curvature) if self._scale is None else self._scale
        self._scale = np.divide(curvature, lengths, out=before.copy(), where=used)

    def direction(self, gradient: Floats) -> Floats:
        """Return the descent direction: minus the gradient times the inverse curvature."""
        direction = -gradient
        taken = []
        for steps, changes, rates in reversed(self._kept):
            shares = rates * self._dots(steps, direction)
            direction -= changes * shares
            taken.append(shares)
        if self._scale is not None:
            direction *= self._scale
        for (steps, changes, rates), shares in zip(self._kept, reversed(taken), strict=True):
            direction += steps * (shares - rates * self._dots(changes, direction))
        return direction

    def of(self, problems: NDArray[Any]) -> Memory:
        """Return the same for some of the problems."""
        kept = Memory(self._kept.maxlen or 0, self._dots)
        for steps, changes, rates in self._kept:
            kept._kept.append((steps[:, problems], changes[:, problems], rates[problems]))
        kept._scale = None if self._scale is None else self._scale[problems]
        return kept


@dataclass(frozen=True, slots=True, eq=False)
class LocalOptimum:
    """The best local optimum of each problem.

    ``certificates`` are the slopes left, as shares of those at the start; ``converged`` is True
    where the solver's own rule ended the steps.
    """

    weights: Weights
    objectives: Floats
    certificates: Floats
    iterations: NDArray[np.int64]
    converged: Flags

    def stopped(self, at: int, tolerance: float) -> StopReason:
        """Return why the steps of a problem ended."""
        if not self.converged[at]:
            return "iterations"
        return "certified" if self.certificates[at] <= tolerance else "movement"

    def replaced(self, higher: Flags, other: LocalOptimum) -> LocalOptimum:
        """Return the other optimum of the problems that are ``higher``, this one of the rest."""
        both = (
            (getattr(other, name), getattr(self, name))
            for name in ("objectives", "certificates", "iterations", "converged")
        )
        weights = Weights(
            np.where(higher, other.weights.terms, self.weights.terms),
            np.where(higher, other.weights.intercepts, self.weights.intercepts),
        )
        return LocalOptimum(weights, *(np.where(higher, *pair) for pair in both))


class Ascent:
    """Maximise ``figure - λ‖w‖²`` of each problem, as the descent of its negative, the loss.

    ``steepness`` is α of each problem's acceptances, ``pairs`` the number of steps in memory, and
    ``lam`` is one number, or one for each problem that stands alone. ``kept`` (features × problems)
    is 0 where a problem may not use a feature; the start has a weight of 0 there.
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
        # A pooled figure counts once per problem, so that λ weighs the same.
        self.height = float(merit.problems) if merit.figure.pooled else 1.0
        self.dots = dots_together if merit.joint else dots_alone
        self.memory = Memory(pairs, self.dots)
        self.point = start.stacked()
        self.scores = start.scores(products)
        self.acceptances = np.empty_like(self.scores)
        self.losses, self.gradient = self._losses_and_gradient()

    def run(
        self, iterations: int, tolerance: float, progress: Progress | None = None
    ) -> LocalOptimum:
        """Step until the slope of every problem is within the tolerance, or iterations end."""
        count = self.merit.problems
        point = self.point.copy()
        losses, slopes = self.losses.copy(), self._norms()
        # The slope of a start that is nearly level does not measure what is left.
        first = np.maximum(slopes, NEARLY_LEVEL * self.steepness)
        taken = np.zeros(count, dtype=np.int64)
        converged = slopes <= tolerance * first
        active = np.arange(count)
        for step in range(1, iterations + 1):
            moving = self._step(~converged[active])
            slope = self._norms()
            point[:, active] = self.point
            losses[active], slopes[active] = self.losses, slope
            taken[active[~converged[active]]] = step
            converged[active] |= ~moving | (slope <= tolerance * first[active])
            if progress is not None:
                progress(step, iterations)
            if converged.all():
                break
            active = self._shrunk(active, converged)
        weights = Weights(point[:-1], point[-1])
        return LocalOptimum(weights, -losses, slopes / first, taken, converged)

    def _step(self, wanted: Flags) -> Flags:
        """Take one step in the wanted problems; return which of them gained by it."""
        direction = self.memory.direction(self.gradient)
        slope = self.dots(direction, self.gradient)
        uphill = ~(slope < 0)
        if uphill.any():
            direction[:, uphill] = -self.gradient[:, uphill]
            slope = self.dots(direction, self.gradient)
        along = Weights(direction[:-1], direction[-1]).scores(self.products)
        sizes = self._first_sizes(slope) * wanted
        sizes, moved = self._line_search(direction, along, slope, sizes)
        before, gradient = self.losses, self.gradient
        steps = direction * sizes
        self.point += steps
        self.scores += along * sizes.astype(self.scores.dtype)
        self.losses, self.gradient = self._losses_and_gradient()
        self.memory.keep(steps, self.gradient - gradient)
        gained: Flags = before - self.losses > LEAST_GAIN * np.abs(before)
        return moved & gained

    def _first_sizes(self, slope: Floats) -> Floats:
        """Return the whole step, or a short one before any curvature is known."""
        if self.memory.knows_curvature:
            return np.ones_like(slope)
        return np.minimum(1.0, 1.0 / np.sqrt(np.maximum(-slope, np.finfo(np.float64).tiny)))

    def _line_search(
        self, direction: Floats, along: Table, slope: Floats, sizes: Floats
    ) -> tuple[Floats, Flags]:
        """Shorten steps until each gains enough; return sizes, 0 where none does."""
        linear = 2.0 * self.lam * self.dots(direction[:-1], self.point[:-1])
        square = self.lam * self.dots(direction[:-1], direction[:-1])
        now = self._figure_losses(self._evaluated(self.scores))
        done = sizes == 0
        for _ in range(MOST_TRIALS):
            trial = self._evaluated(self.scores + along * sizes.astype(self.scores.dtype))
            losses = self._figure_losses(trial) - now + sizes * (linear + sizes * square)
            done |= losses <= ENOUGH_GAIN * sizes * slope
            if done.all():
                break
            # The minimum of the parabola through the known values, within bounds.
            bend = losses - sizes * slope
            lowest = np.divide(-0.5 * slope * sizes**2, bend, out=0.5 * sizes, where=bend > 0)
            shorter = np.clip(lowest, 0.1 * sizes, 0.5 * sizes)
            sizes = np.where(done, sizes, shorter)
        return np.where(done, sizes, 0.0), done & (sizes > 0)

    def _evaluated(self, scores: Table) -> Evaluation:
        return self.merit.evaluate(scores, self.steepness, self.offsets, self.acceptances)

    def _figure_losses(self, found: Evaluation) -> Floats:
        """Return the negative figure of each problem, or of all together."""
        if self.merit.joint and not self.merit.figure.pooled:
            return np.full_like(found.values, -found.values.sum())
        return -self.height * found.values

    def _losses_and_gradient(self) -> tuple[Floats, Floats]:
        found = self._evaluated(self.scores)
        sums = self.merit.slopes(self.scores, found, self.steepness, self.acceptances)
        terms = self.point[:-1]
        gradient = np.empty_like(self.point)
        gradient[:-1] = -self.height * self.products.gradient(self.acceptances)
        if self.kept is not None:
            gradient[:-1] *= self.kept
        gradient[:-1] += 2.0 * self.lam * terms
        gradient[-1] = -self.height * sums
        return self._figure_losses(found) + self.lam * self.dots(terms, terms), gradient

    def _norms(self) -> Floats:
        return np.sqrt(self.dots(self.gradient, self.gradient))

    def _shrunk(self, active: NDArray[Any], converged: Flags) -> NDArray[Any]:
        """Remove converged problems from the active set, once they are half of it."""
        moving = np.flatnonzero(~converged[active])
        if self.merit.joint or 2 * len(moving) > len(active):
            return active
        self.merit = self.merit.of(moving)
        self.steepness, self.offsets = self.steepness[moving], self.offsets[moving]
        self.lam = self.lam[moving]
        if self.kept is not None:
            self.kept = self.kept[:, moving]
        self.memory = self.memory.of(moving)
        self.point = self.point[:, moving]
        self.scores = np.ascontiguousarray(self.scores[:, moving])
        self.acceptances = np.empty_like(self.scores)
        self.losses, self.gradient = self.losses[moving], self.gradient[:, moving]
        return active[moving]
