"""The climbs of a method: from every start, by its solver, keeping the highest top."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from postil.common.types import Floats
from postil.learn.combining import LEAST_SHARP, MOST_SHARP
from postil.learn.fit import StopReason
from postil.learn.merit.ascent import Climb, dots_alone
from postil.learn.merit.method import MfomMethod
from postil.learn.merit.objective import distance
from postil.learn.merit.options import GpdOptions, LbfgsOptions, Weights
from postil.learn.merit.starts import Beginning, FigureSlopes, shaken, steps

Told = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, eq=False)
class Top:
    """Where climbs ended, by problem: weights, height, slope left, steps, and the start."""

    weights: Weights
    objectives: Floats
    certificates: Floats
    iterations: NDArray[np.int64]
    level: NDArray[np.bool_]
    starts: NDArray[np.int64]
    tried: Floats  # starts × problems: what each start came to
    sharpness: float | None = None  # of rivals, in the unit of the scores

    def stopped(self, at: int, tolerance: float) -> StopReason:
        """Why a climb ended; steps of a rate end when they are taken."""
        if not self.level[at]:
            return "iterations"
        return "certified" if self.certificates[at] <= tolerance else "movement"

    def better(self, other: Top, joint: bool) -> Top:
        """The higher top of each problem; all of one climb where they belong together."""
        higher = other.objectives > self.objectives
        if joint:
            higher = np.full_like(higher, other.objectives.sum() > self.objectives.sum())
        picked = {
            name: np.where(higher, getattr(other, name), getattr(self, name))
            for name in ("objectives", "certificates", "iterations", "level", "starts")
        }
        weights = Weights(
            np.where(higher, other.weights.terms, self.weights.terms),
            np.where(higher, other.weights.intercepts, self.weights.intercepts),
        )
        return Top(weights, **picked, tried=np.vstack([self.tried, other.tried]))


def highest_top(given: Beginning, method: MfomMethod, told: Told | None = None) -> Top:
    """Climb from every start, and keep the highest top of each problem.

    Rivals begin to compete where each category came to by itself, in the binary form: they climb
    once more, together. ``told`` hears how many steps are done, of how many at most.
    """
    together = given.merit.sharpness is not None
    climbs = len(method.climbs()) + together
    alone = replace(given, merit=given.merit.alone()) if together else given
    starts = method.beginnings()
    best: Top | None = None
    for number in range(len(method.climbs())):
        progress = None if told is None else _of_several(told, number, climbs)
        if best is None or number < len(starts):
            place = starts[number].begin(alone)
        else:
            place = shaken(best.weights, method.seed + number)
        top = _solved(alone, method, place, number, progress)
        best = top if best is None else best.better(top, alone.merit.joint)
    assert best is not None
    if not together:
        return best
    weights = best.weights
    unit = float(np.median(distance(weights.scores(given.products), alone.merit)))
    if not LEAST_SHARP <= method.sharpness / unit <= MOST_SHARP:
        # Scores of so large or small a unit are divided by it: all decisions stay.
        weights, unit = Weights(weights.terms / unit, weights.intercepts / unit), 1.0
    sharpened = replace(given, merit=given.merit.sharpened(method.sharpness / unit))
    progress = None if told is None else _of_several(told, climbs - 1, climbs)
    joint = _solved(sharpened, method, weights, 0, progress)
    return replace(joint, starts=best.starts, tried=best.tried, sharpness=sharpened.merit.sharpness)


def _solved(
    given: Beginning, method: MfomMethod, start: Weights, number: int, told: Told | None
) -> Top:
    return _SOLVERS[type(method.solver_options())](given, method, start, number, told)


def _climb(
    given: Beginning, method: MfomMethod, start: Weights, number: int, told: Told | None
) -> Top:
    options = method.solver_options()
    assert isinstance(options, LbfgsOptions)
    merit, place = given.merit, start
    gap = distance(merit.margins(start.scores(given.products)), merit)
    if merit.joint:
        gap = np.full_like(gap, np.median(gap))  # margins are compared: one unit for all
    taken = np.zeros(merit.problems, dtype=np.int64)
    shares = options.shares()
    for stage, share in enumerate(shares):
        climb = Climb(
            given.products,
            merit,
            place,
            steepness=share * options.steepness / gap,
            lam=method.lam / gap**2,  # of weights in units of the distance
            pairs=options.pairs,
            kept=given.kept,
        )
        progress = _in_stage(told, stage, len(shares), options.iterations)
        found = climb.steps(options.iterations, options.tolerance, progress)
        if progress is not None:
            progress(options.iterations)  # those that were not needed
        place = found.weights
        taken += found.iterations
    starts = np.full(merit.problems, number)
    return Top(
        place, found.objectives, found.certificates, taken, found.level, starts, found.objectives
    )


def _step(
    given: Beginning, method: MfomMethod, start: Weights, number: int, told: Told | None
) -> Top:
    options = method.solver_options()
    assert isinstance(options, GpdOptions)
    slopes = FigureSlopes(given.merit, options)
    found = start
    first = _slope(given, start, slopes)
    for step, weights in steps(given.products, start, slopes, options, given.kept):
        found = weights
        if told is not None:
            told(step, options.iterations)
    left = _slope(given, found, slopes) / np.maximum(first, np.finfo(np.float64).tiny)
    assert slopes.seen is not None
    count = given.merit.problems
    return Top(
        found,
        slopes.seen.values,
        left,
        np.full(count, options.iterations),
        np.zeros(count, dtype=bool),
        np.full(count, number),
        slopes.seen.values,
    )


def _slope(given: Beginning, weights: Weights, slopes: FigureSlopes) -> Floats:
    """How steep it is at a place, by problem."""
    scores = weights.scores(given.products)
    table = np.empty_like(scores)
    sums = slopes(scores, table)
    gradient = given.products.gradient(table)
    if given.kept is not None:
        gradient *= given.kept
    return np.sqrt(dots_alone(gradient, gradient) + sums**2)


def _of_several(told: Told, number: int, count: int) -> Told:
    return lambda done, most: told(number * most + done, count * most)


def _in_stage(
    told: Told | None, stage: int, stages: int, most: int
) -> Callable[[int], None] | None:
    if told is None:
        return None
    return lambda done: told(stage * most + done, stages * most)


_SOLVERS = {LbfgsOptions: _climb, GpdOptions: _step}
