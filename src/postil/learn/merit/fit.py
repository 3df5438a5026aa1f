"""Fits of all categories for a figure of merit: the best local optimum of several starts."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.common.progress import Progress
from postil.common.threads import thread_count
from postil.common.types import Floats, Ints, Singles
from postil.errors import UsageError
from postil.features.selection import Selection
from postil.learn.combining import LEAST_SHARP, MOST_SHARP, Rivals
from postil.learn.fit import FitReport, LinearFit
from postil.learn.job import Design, Job
from postil.learn.merit.ascent import Ascent, LocalOptimum, dots_alone
from postil.learn.merit.method import MfomMethod
from postil.learn.merit.objective import Merit, Products, Weights, distance, products_of
from postil.learn.merit.options import FORMS, GpdOptions, LbfgsOptions
from postil.learn.merit.starts import FigureSlopes, MeritTask, last_weights, with_noise
from postil.learn.tasks import CategoryTasks

# The memory limit of the tables of one block of problems.
BLOCK_BYTES = 512 * 2**20
# Notes on a category by the share of training documents it accepts.
NOTES = {
    0.0: "accepts no training document: try other starts",
    1.0: "accepts every training document: try other starts",
}
# The score of a rival without members: lower than any other.
NO_RIVAL = -1e6


@dataclass(frozen=True, slots=True, eq=False)
class Maximum:
    """The best local optima, and the runs they come from.

    ``starts`` are the numbers of the starts that led to the optima, ``tried`` (starts × problems)
    the objectives that each start led to. ``sharpness`` is that of rivals, in the unit of the
    scores.
    """

    best: LocalOptimum
    starts: NDArray[np.int64]
    tried: Floats
    sharpness: float | None = None


def part_of(progress: Progress | None, number: int, parts: int) -> Progress | None:
    """Return the progress of one of several parts of the same length."""
    if progress is None:
        return None
    return lambda done, most: progress(number * most + done, parts * most)


def maximise(task: MeritTask, method: MfomMethod, progress: Progress | None = None) -> Maximum:
    """Maximise from every start and restart, and keep the best local optimum of each problem.

    Rivals start where each category ended by itself, in the binary form, and are then maximised
    together.
    """
    with_rivals = task.merit.sharpness is not None
    runs = len(method.run_names()) + with_rivals
    alone = replace(task, merit=task.merit.alone()) if with_rivals else task
    starts = [start.weights for start in method.start_parts()]
    best = _solved(alone, method, starts[0](alone), part_of(progress, 0, runs))
    tried = [best.objectives]
    origins = np.zeros(alone.merit.problems, dtype=np.int64)
    for number in range(1, len(method.run_names())):
        if number < len(starts):
            start = starts[number](alone)
        else:
            start = with_noise(best.weights, method.seed + number)
        found = _solved(alone, method, start, part_of(progress, number, runs))
        higher = found.objectives > best.objectives
        if alone.merit.joint:
            higher[:] = found.objectives.sum() > best.objectives.sum()
        best = best.replaced(higher, found)
        origins[higher] = number
        tried.append(found.objectives)
    if not with_rivals:
        return Maximum(best, origins, np.vstack(tried))
    weights = best.weights
    unit = float(np.median(distance(weights.scores(task.products), alone.merit)))
    if not LEAST_SHARP <= method.sharpness / unit <= MOST_SHARP:
        # Scores of such a large or small unit are divided by it, which keeps all decisions.
        weights, unit = Weights(weights.terms / unit, weights.intercepts / unit), 1.0
    sharpness = method.sharpness / unit
    together = replace(task, merit=replace(task.merit, sharpness=sharpness))
    joint = _solved(together, method, weights, part_of(progress, runs - 1, runs))
    return Maximum(joint, origins, np.vstack(tried), sharpness)


def _solved(
    task: MeritTask, method: MfomMethod, start: Weights, progress: Progress | None
) -> LocalOptimum:
    options = method.solver_options
    if isinstance(options, GpdOptions):
        return _by_gpd(task, options, start, progress)
    return _by_lbfgs(task, options, method.lam, start, progress)


def _by_lbfgs(
    task: MeritTask, options: LbfgsOptions, lam: float, start: Weights, progress: Progress | None
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
    return replace(found, iterations=taken)


def _by_gpd(
    task: MeritTask, options: GpdOptions, start: Weights, progress: Progress | None
) -> LocalOptimum:
    slopes = FigureSlopes(task.merit, options)
    first = _gradient_norms(task, start, slopes)
    found = last_weights(task, start, slopes, options, progress)
    left = _gradient_norms(task, found, slopes) / np.maximum(first, np.finfo(np.float64).tiny)
    assert slopes.seen is not None
    taken = np.full(task.merit.problems, options.iterations)
    return LocalOptimum(found, slopes.seen.values, left, taken, np.zeros(len(taken), dtype=bool))


def _gradient_norms(task: MeritTask, weights: Weights, slopes: FigureSlopes) -> Floats:
    scores = weights.scores(task.products)
    table = np.empty_like(scores)
    sums = slopes(scores, table)
    gradient = task.products.gradient(table)
    if task.kept is not None:
        gradient *= task.kept
    return np.sqrt(dots_alone(gradient, gradient) + sums**2)


def fit_mfom(job: Job, method: MfomMethod) -> LinearFit:
    """Fit every category for the method's figure of merit.

    Categories that stand alone are trained in blocks of at most ``BLOCK_BYTES``; with rivals, or
    for a pooled figure, all are trained together. The certificate is the slope left, as a share of
    that at the start; no warning follows from it, because iterations that end before the local
    optimum regularize. With several starts, reports give the objective of each.

    A step costs two products of the documents with a table of all categories (non-zeros ×
    categories), and documents × categories. The result does not depend on the number of threads.

    Parameters
    ----------
    job : Job
        The documents, their categories, and the resources; ``progress`` counts steps.
    method : MfomMethod
        The figure, the solver and the starts.
    """
    if job.sample_weights.classes is not None:
        raise UsageError(
            "a figure of merit weighs members and others itself: leave class weights out, and name "
            "a figure such as f2 or cost(fp=1, fn=5)"
        )
    return _Fit(job, method).linear_fit()


def problem_bytes(design: Design, method: MfomMethod) -> int:
    """Return the memory of the tables of one category during training."""
    pairs = getattr(method.solver_options, "pairs", 0)
    return 24 * design.documents + (48 + 8 * pairs) * design.terms


def kept_terms(selection: Selection | None, terms: int, chosen: Ints) -> Floats | None:
    """Return terms × problems, 0 where a category may not use a term; None if all use all."""
    if selection is None:
        return None
    kept = np.zeros((terms, len(chosen)))
    for at, category in enumerate(chosen.tolist()):
        kept[selection[category], at] = 1.0
    return kept


def cases_of(tasks: CategoryTasks, chosen: Ints) -> NDArray[np.int8]:
    """Return documents × problems: 1 for members of the chosen categories, -1 for others."""
    return np.where(tasks.labels.members[:, chosen].toarray(), np.int8(1), np.int8(-1))


class _Fit:
    """One call of :func:`fit_mfom`."""

    def __init__(self, job: Job, method: MfomMethod) -> None:
        self.job = job
        self.method = method
        self.threads = thread_count(job.threads)
        self.tasks = tasks = CategoryTasks(job.labels, job.sample_weights)
        constants = set(range(len(job.labels))) - set(tasks.learnable.tolist())
        # A single learnable category has no rivals. A category of all documents would claim each
        # of them, which would leave no bar for the others to be above.
        alone = len(tasks.learnable) < 2 or any(tasks.constant(c) > 0 for c in constants)
        self.form = FORMS["binary"] if alone else method.merit_form()
        self.figure = method.merit_figure()
        self.joint = self.form.has_rivals or self.figure.pooled

    def linear_fit(self) -> LinearFit:
        """Train block by block, and return all rows together."""
        tasks, count = self.tasks, len(self.tasks.labels)
        nothing = np.zeros((1, self.job.design.terms), dtype=np.float32)
        empty: sp.csr_matrix[Any] = sp.csr_matrix(nothing)
        rows = [empty] * count
        intercepts = np.array([tasks.constant(c) for c in range(count)])
        if self.form.has_rivals:
            intercepts[intercepts < 0] = NO_RIVAL
        reports = [tasks.constant_report(c, 0.0) for c in range(count)]
        sharpness: float | None = None
        learnable = tasks.learnable
        size = max(1, BLOCK_BYTES // problem_bytes(self.job.design, self.method))
        if self.joint:
            size = max(1, len(learnable))
        with products_of(self.job.design, self.threads) as products:
            for first in range(0, len(learnable), size):
                chosen = learnable[first : first + size]
                begun = time.perf_counter()
                found = self._maximum(products, chosen, first)
                weights, sharpness = found.best.weights, found.sharpness
                seconds = (time.perf_counter() - begun) / len(chosen)
                intercepts[chosen] = weights.intercepts
                block = sp.csr_matrix(weights.terms.T.astype(np.float32))
                accepted = self._accepted(weights.scores(products), sharpness)
                for at, category in enumerate(chosen.tolist()):
                    rows[category] = block[at]
                    note = NOTES.get(float(accepted[at]), "")
                    reports[category] = self._report(found, at, category, note, seconds)
        return LinearFit(
            tasks.labels.names,
            sp.vstack(rows or [empty[:0]], "csr"),
            intercepts,
            tuple(reports),
            combination=None if sharpness is None else self._rivals(count, sharpness),
        )

    def _rivals(self, count: int, sharpness: float) -> Rivals:
        return Rivals(count, sharpness, self.form.capped)

    def _maximum(self, products: Products, chosen: Ints, before: int) -> Maximum:
        job, form = self.job, self.form
        merit = Merit(
            self.figure,
            cases_of(self.tasks, chosen),
            self.tasks.documents,
            sharpness=self.method.sharpness if form.has_rivals else None,
            capped=form.capped,
            absent=len(job.labels) - len(chosen) if form.has_rivals else 0,
            threads=self.threads,
        )
        kept = kept_terms(job.selection, job.design.terms, chosen)
        task = MeritTask(job.design, products, merit, self.threads, kept)
        progress, count = job.progress, len(self.tasks.learnable)
        of_block: Progress | None = None
        if progress is not None:

            def of_block(step: int, most: int) -> None:
                progress(before * most + step * len(chosen), count * most)

        return maximise(task, self.method, of_block)

    def _accepted(self, scores: Singles, sharpness: float | None) -> Floats:
        """Return the share of training documents that each category of a block accepts."""
        margins = np.asarray(scores, dtype=np.float64)
        if sharpness is not None:
            margins = self._rivals(margins.shape[1], sharpness).combined(margins)
        counted = self.tasks.documents > 0
        return np.asarray((margins[counted] > 0).mean(axis=0), dtype=np.float64)

    def _report(
        self, found: Maximum, at: int, category: int, note: str, seconds: float
    ) -> FitReport:
        best, names = found.best, self.method.run_names()
        several: dict[str, Any] = {}
        if len(names) > 1:
            tried = dict(zip(names, found.tried[:, at].tolist(), strict=True))
            several = {"start": names[int(found.starts[at])], "tried": tried}
        return FitReport(
            category=self.tasks.labels.names[category],
            members=int(self.tasks.sizes[category]),
            lam=self.method.lam,
            iterations=int(best.iterations[at]),
            objective=float(best.objectives[at]),
            certificate=float(best.certificates[at]),
            kind="slope left",
            stopped=best.stopped(at, self.method.asked_tolerance()),
            seconds=seconds,
            nonzeros=int(np.count_nonzero(best.weights.terms[:, at])),
            note=note,
            shared=self.joint,
            **several,
        )
