"""Maximisation from every start of a method, keeping the best local optimum of each problem."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from postil.common.progress import Progress
from postil.common.types import Flags, Floats
from postil.learn.combining import LEAST_SHARP, MOST_SHARP
from postil.learn.fit import StopReason
from postil.learn.merit.ascent import Ascent, dots_alone
from postil.learn.merit.method import MfomMethod
from postil.learn.merit.objective import Weights, distance
from postil.learn.merit.options import GpdOptions, LbfgsOptions
from postil.learn.merit.starts import FigureSlopes, MeritTask, steps, with_noise


@dataclass(frozen=True, slots=True, eq=False)
class LocalOptimum:
    """The best local optimum of each problem.

    Attributes
    ----------
    weights, objectives : Weights, array
        The optimum and its value.
    certificates : array
        The slope left, as a share of that at the start.
    iterations, converged : array
        The number of steps, and True where the solver's own rule ended them.
    starts : array of int
        The number of the start that led to the optimum.
    tried : array
        Starts × problems: the objective that each start led to.
    sharpness : float or None
        The sharpness of rivals, in the unit of the scores.
    """

    weights: Weights
    objectives: Floats
    certificates: Floats
    iterations: NDArray[np.int64]
    converged: Flags
    starts: NDArray[np.int64]
    tried: Floats
    sharpness: float | None = None

    def stopped(self, at: int, tolerance: float) -> StopReason:
        """Return why the steps of a problem ended."""
        if not self.converged[at]:
            return "iterations"
        return "certified" if self.certificates[at] <= tolerance else "movement"

    def better_of(self, other: LocalOptimum, joint: bool) -> LocalOptimum:
        """Return the better optimum of each problem, or of all together if they are joint."""
        higher = other.objectives > self.objectives
        if joint:
            higher = np.full_like(higher, other.objectives.sum() > self.objectives.sum())
        picked = {
            name: np.where(higher, getattr(other, name), getattr(self, name))
            for name in ("objectives", "certificates", "iterations", "converged", "starts")
        }
        weights = Weights(
            np.where(higher, other.weights.terms, self.weights.terms),
            np.where(higher, other.weights.intercepts, self.weights.intercepts),
        )
        return LocalOptimum(weights, **picked, tried=np.vstack([self.tried, other.tried]))


def part_of(progress: Progress | None, number: int, parts: int) -> Progress | None:
    """Return the progress of one of several parts of the same length."""
    if progress is None:
        return None
    return lambda done, most: progress(number * most + done, parts * most)


def maximise(task: MeritTask, method: MfomMethod, progress: Progress | None = None) -> LocalOptimum:
    """Maximise from every start and restart, and keep the best local optimum of each problem.

    Rivals start where each category ended by itself, in the binary form, and are then maximised
    together.
    """
    with_rivals = task.merit.sharpness is not None
    runs = len(method.run_names()) + with_rivals
    alone = replace(task, merit=task.merit.alone()) if with_rivals else task
    starts = method.start_parts()
    best: LocalOptimum | None = None
    for number in range(len(method.run_names())):
        if best is None or number < len(starts):
            start = starts[number].weights(alone)
        else:
            start = with_noise(best.weights, method.seed + number)
        found = _solved(alone, method, start, number, part_of(progress, number, runs))
        best = found if best is None else best.better_of(found, alone.merit.joint)
    assert best is not None
    if not with_rivals:
        return best
    weights = best.weights
    unit = float(np.median(distance(weights.scores(task.products), alone.merit)))
    if not LEAST_SHARP <= method.sharpness / unit <= MOST_SHARP:
        # Scores of such a large or small unit are divided by it, which keeps all decisions.
        weights, unit = Weights(weights.terms / unit, weights.intercepts / unit), 1.0
    sharpness = method.sharpness / unit
    together = replace(task, merit=replace(task.merit, sharpness=sharpness))
    joint = _solved(together, method, weights, 0, part_of(progress, runs - 1, runs))
    return replace(joint, starts=best.starts, tried=best.tried, sharpness=sharpness)


def _solved(
    task: MeritTask, method: MfomMethod, start: Weights, number: int, progress: Progress | None
) -> LocalOptimum:
    options = method.solver_options
    if isinstance(options, GpdOptions):
        return _by_gpd(task, options, start, number, progress)
    return _by_lbfgs(task, options, method.lam, start, number, progress)


def _by_lbfgs(
    task: MeritTask,
    options: LbfgsOptions,
    lam: float,
    start: Weights,
    number: int,
    progress: Progress | None,
) -> LocalOptimum:
    merit, weights = task.merit, start
    gap = distance(merit.margins(start.scores(task.products)), merit)
    if merit.joint:
        gap = np.full_like(gap, np.median(gap))  # margins are compared: one unit for all
    taken = np.zeros(merit.problems, dtype=np.int64)
    shares = options.shares()
    for stage, share in enumerate(shares):
        ascent = Ascent(
            task.products,
            merit,
            weights,
            steepness=share * options.steepness / gap,
            lam=lam / gap**2,  # of weights in units of the distance
            pairs=options.pairs,
            kept=task.kept,
        )
        of_stage = part_of(progress, stage, len(shares))
        found = ascent.run(options.iterations, options.tolerance, of_stage)
        if of_stage is not None:
            of_stage(options.iterations, options.iterations)  # including those not needed
        weights = found.weights
        taken += found.iterations
    return LocalOptimum(
        weights,
        found.objectives,
        found.certificates,
        taken,
        found.converged,
        np.full(merit.problems, number),
        found.objectives,
    )


def _by_gpd(
    task: MeritTask,
    options: GpdOptions,
    start: Weights,
    number: int,
    progress: Progress | None,
) -> LocalOptimum:
    slopes = FigureSlopes(task.merit, options)
    found = start
    first = _gradient_norms(task, start, slopes)
    for step, weights in steps(task.products, start, slopes, options, task.kept):
        found = weights
        if progress is not None:
            progress(step, options.iterations)
    left = _gradient_norms(task, found, slopes) / np.maximum(first, np.finfo(np.float64).tiny)
    assert slopes.seen is not None
    count = task.merit.problems
    return LocalOptimum(
        found,
        slopes.seen.values,
        left,
        np.full(count, options.iterations),
        np.zeros(count, dtype=bool),
        np.full(count, number),
        slopes.seen.values,
    )


def _gradient_norms(task: MeritTask, weights: Weights, slopes: FigureSlopes) -> Floats:
    scores = weights.scores(task.products)
    table = np.empty_like(scores)
    sums = slopes(scores, table)
    gradient = task.products.gradient(table)
    if task.kept is not None:
        gradient *= task.kept
    return np.sqrt(dots_alone(gradient, gradient) + sums**2)
