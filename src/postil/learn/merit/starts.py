"""Starts of non-convex learning, and gradient steps over all documents.

GPD and the batch perceptron both step ``W ← W + size · Σ slope(x) x`` (gao-wu-lee-chua-2003, eq.
5.3 and 5.2), with the slopes of a figure of merit, or with 1 for each mistake. A step costs two
products of the documents with a table of all problems, and documents × problems for the slopes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.sparse as sp

from postil.common.progress import Progress
from postil.common.types import Floats
from postil.learn.job import Design, Job, Labels, SampleWeights
from postil.learn.merit.objective import (
    Cases,
    Evaluation,
    Merit,
    Products,
    Table,
    Weights,
    distance,
    means,
)
from postil.learn.merit.options import GpdOptions, StepOptions
from postil.learn.method import Method
from postil.learn.options import Part, registry

# Scores and a table to write slopes to; returns their sums by problem.
Slopes = Callable[[Table, Table], Floats]

PERCEPTRON_STEPS = 200
MODIFIED = "modified-squared"
FEW = 5  # members: as many and more are enough for a convex method
NOISE = 0.5  # of a restart, as a share of the usual weight


def steps(
    products: Products,
    start: Weights,
    slopes_at: Slopes,
    options: StepOptions,
    kept: Floats | None = None,
) -> Iterator[tuple[int, Weights]]:
    """Yield the number of steps taken, and the weights, which the next step overwrites.

    ``kept`` (features × problems) is 0 where a problem may not use a feature.
    """
    terms, intercepts = start.terms.copy(), start.intercepts.copy()
    slopes = np.empty((products.documents, len(intercepts)), dtype=np.float32)
    for step in range(options.iterations):
        weights = Weights(terms, intercepts)
        sums = slopes_at(weights.scores(products), slopes)
        size = options.size(step)
        change = products.gradient(slopes)
        if kept is not None:
            change *= kept
        terms += size * change
        intercepts += size * sums
        yield step + 1, weights


def last_weights(
    task: MeritTask,
    start: Weights,
    slopes_at: Slopes,
    options: StepOptions,
    progress: Progress | None = None,
) -> Weights:
    """Take all steps, and return the weights after the last one."""
    found = start
    for step, found in steps(task.products, start, slopes_at, options, task.kept):  # noqa: B007
        if progress is not None:
            progress(step, options.iterations)
    return found


class FigureSlopes:
    """Slopes of a figure of merit; ``seen`` is the last evaluation."""

    def __init__(self, merit: Merit, options: GpdOptions) -> None:
        self.merit = merit
        self.steepness = np.full(merit.problems, options.steepness)
        self.follows_mean = options.offset == "mean"
        self.seen: Evaluation | None = None

    def __call__(self, scores: Table, slopes: Table) -> Floats:
        """Write the slope of the figure by each score; return the sums by problem."""
        offsets = self._offsets(scores)
        self.seen = self.merit.evaluate(scores, self.steepness, offsets, slopes)
        return self.merit.slopes(scores, self.seen, self.steepness, slopes)

    def _offsets(self, scores: Table) -> Floats:
        if not self.follows_mean:
            return np.zeros(self.merit.problems)
        # The mean of d = -f over the documents of each problem.
        counted = self.merit.members + self.merit.others
        inside = np.where(self.merit.cases != 0, self.merit.margins(scores), 0.0)
        return -np.asarray(self.merit.documents @ inside) / np.maximum(counted, 1e-300)


class MistakeSlopes:
    """1 for a member that is not accepted, -1 for another that is (eq. 5.1 and 5.2)."""

    def __init__(self, merit: Merit) -> None:
        self.merit = merit
        self.mistakes = np.zeros(merit.problems)

    def __call__(self, scores: Table, slopes: Table) -> Floats:
        """Write the slope of each document; return the sums by problem."""
        cases, documents = self.merit.cases, self.merit.documents
        wrong = ((cases > 0) != (scores > 0)) & (cases != 0)
        np.multiply(wrong, cases, out=slopes, casting="unsafe")
        slopes *= documents.astype(np.float32)[:, None]
        self.mistakes = np.asarray(documents @ wrong, dtype=np.float64)
        totals: Floats = slopes.sum(axis=0, dtype=np.float64)
        return totals


@dataclass(frozen=True, slots=True, eq=False)
class MeritTask:
    """A maximisation: documents, problems, and the terms that each problem may use.

    ``kept`` (features × problems) is 0 where a problem may not use a feature; None allows all.
    """

    design: Design
    products: Products
    merit: Merit
    threads: int
    kept: Floats | None = None


@dataclass(frozen=True, slots=True)
class Start(Part):
    """A start; ``weights`` returns the weights of all problems."""

    weights: Callable[[MeritTask], Weights]


def members_mean(task: MeritTask) -> Weights:
    """Return the mean of the members, with the least score of one as offset (section 5.3).

    The paper takes the mean of the smaller class, which in one-vs-rest is nearly always the
    members; where they are more than half, it is the others' mean with its sign turned. The least
    value of ``Σ w_k x_k`` is taken over the same class: over all documents, everything would be
    accepted at first, and the slopes of rare categories would be too small for any number of steps.
    """
    merit = task.merit
    turned = merit.members > merit.others
    sides = np.where(turned, -1, 1).astype(np.int8)
    inside = (merit.cases == sides) * merit.documents[:, None]
    counts = np.maximum(inside.sum(axis=0), np.finfo(np.float64).tiny)
    terms = task.products.gradient(inside) / counts
    if task.kept is not None:
        terms *= task.kept
    scores = task.products.scores(terms)
    least = np.where(inside > 0, scores, np.inf).min(axis=0)
    least = np.where(np.isfinite(least), least, 0.0)
    signs = np.where(turned, -1.0, 1.0)
    return Weights(terms * signs, -least.astype(np.float64) * signs)


def batch_perceptron(task: MeritTask) -> Weights:
    """Return the weights of the batch perceptron from the mean of the members (eq. 5.2)."""
    options = StepOptions(iterations=PERCEPTRON_STEPS)
    return last_weights(task, members_mean(task), MistakeSlopes(task.merit), options)


def _convex(task: MeritTask, loss: str) -> Weights:
    """Return a convex fit's weights, with intercepts that accept a member."""
    found = _convex_fit(task, loss)
    terms = found.terms if task.kept is None else found.terms * task.kept
    return _accepting(task, Weights(terms, found.intercepts))


def by_size(task: MeritTask) -> Weights:
    """Return the mean of fewer than ``FEW`` members, or modified least squares of more.

    A convex method would learn a rare category from one or two documents alone; their mean accepts
    more documents like them. The scores of both have one unit, the usual distance of members and
    others, because rivals are compared by them. L-BFGS without rivals does not depend on a unit;
    GPD does, and so on the other categories.
    """
    of_many, of_few = _convex(task, MODIFIED), members_mean(task)
    few = task.merit.members < FEW
    unit = np.median(distance(of_many.scores(task.products), task.merit))
    scale = unit / distance(of_few.scores(task.products), task.merit)
    return Weights(
        np.where(few, of_few.terms * scale, of_many.terms),
        np.where(few, of_few.intercepts * scale, of_many.intercepts),
    )


def _accepting(task: MeritTask, found: Weights) -> Weights:
    """Move the intercepts of problems that accept no member half way to the members' mean.

    A convex method rejects all documents of a rare category, so firmly that the figure has no
    slope there, and λ alone would move the weights.
    """
    merit, scores = task.merit, task.products.scores(found.terms)
    inside = (merit.cases > 0) & (merit.documents > 0)[:, None]
    accepts = ((scores > -found.intercepts) & inside).any(axis=0)
    stays = accepts | (merit.members == 0) | (merit.others == 0)
    of_members, of_others = means(scores, merit)
    middle = 0.5 * (of_members + of_others)
    return Weights(found.terms, np.where(stays, found.intercepts, -middle))


def _convex_fit(task: MeritTask, loss: str) -> Weights:
    """Fit a convex method one-vs-rest over the documents of each problem."""
    cases, documents = task.merit.cases, task.merit.documents
    if (cases != 0).all():
        return _fitted(task, loss, cases, documents)
    alone = [
        _fitted(task, loss, cases[:, [p]], documents * (cases[:, p] != 0))
        for p in range(task.merit.problems)
    ]
    return Weights(
        np.hstack([each.terms for each in alone]),
        np.concatenate([each.intercepts for each in alone]),
    )


def _fitted(task: MeritTask, loss: str, cases: Cases, documents: Floats) -> Weights:
    names = tuple(map(str, range(cases.shape[1])))
    job = Job(
        task.design,
        Labels(names, sp.csr_matrix(cases > 0)),
        sample_weights=SampleWeights(documents),
        threads=task.threads,
        quiet=True,
    )
    found = Method(loss=loss).fit(job)
    return Weights(found.weights.toarray().T.astype(np.float64), found.intercepts.copy())


def with_noise(weights: Weights, seed: int) -> Weights:
    """Return the weights with noise, for a restart; weights of 0 stay 0."""
    noise = np.random.default_rng(seed).standard_normal(weights.terms.shape)
    used = weights.terms != 0
    squares = np.square(weights.terms).sum(axis=0)
    usual = np.sqrt(squares / np.maximum(used.sum(axis=0), 1))
    return Weights(weights.terms + NOISE * usual * noise * used, weights.intercepts)


_start = partial(Start, provides=frozenset())
STARTS: Mapping[str, Start] = registry(
    _start("members-mean", "the mean of the members (section 5.3)", weights=members_mean),
    _start("batch-perceptron", "the baseline's weights (eq. 5.2)", weights=batch_perceptron),
    _start("svm", "a linear SVM, C = 1", weights=partial(_convex, loss="hinge")),
    _start("logistic", "logistic regression, C = 1", weights=partial(_convex, loss="logistic")),
    _start("squared", "least squares, C = 1", weights=partial(_convex, loss="squared")),
    _start(
        "modified-squared", "modified least squares, C = 1", weights=partial(_convex, loss=MODIFIED)
    ),
    _start("by-size", "the mean of few members, modified-squared of more", weights=by_size),
)
