"""Where climbs begin.

Steps along a gradient of all documents: GPD, and the batch perceptron.

Both go ``W ← W + size · Σ slope(x) x`` (gao-wu-lee-chua-2003, eq. 5.3 and 5.2), and differ in the
slopes: those of a figure of merit, or 1 for each mistake. A step costs two products of the
documents with a table of all problems, and documents × problems for the slopes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.common.types import Floats
from postil.learn.job import Design, Labels, SampleWeights
from postil.learn.merit.objective import Cases, Evaluation, Merit, Products, distance, means
from postil.learn.merit.options import GpdOptions, StepOptions, Weights
from postil.learn.method import Method
from postil.learn.one_vs_rest import fit
from postil.learn.options import Part, registry

Table = NDArray[Any]
# Scores and a table to write slopes to; gives their sums by problem.
Slopes = Callable[[Table, Table], Floats]


def steps(
    products: Products,
    start: Weights,
    slopes_at: Slopes,
    options: StepOptions,
    kept: Floats | None = None,
) -> Iterator[tuple[int, Weights]]:
    """Step by step: how many were taken, and the weights, which the next step writes over.

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


class FigureSlopes:
    """Slopes of a figure of merit; remembers what was seen last."""

    def __init__(self, merit: Merit, options: GpdOptions) -> None:
        self.merit = merit
        self.steepness = np.full(merit.problems, options.steepness)
        self.follows_mean = options.offset == "mean"
        self.seen: Evaluation | None = None
        self.steepest: Floats | None = None

    def __call__(self, scores: Table, slopes: Table) -> Floats:
        """How the figure of each problem grows with each score."""
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
        """The sum over mistakes is what weights move by."""
        cases, documents = self.merit.cases, self.merit.documents
        wrong = ((cases > 0) != (scores > 0)) & (cases != 0)
        np.multiply(wrong, cases, out=slopes, casting="unsafe")
        slopes *= documents.astype(np.float32)[:, None]
        self.mistakes = np.asarray(documents @ wrong, dtype=np.float64)
        totals: Floats = slopes.sum(axis=0, dtype=np.float64)
        return totals


PERCEPTRON_STEPS = 200
MODIFIED = "modified-squared"
FEW = 5  # members: so many and more are enough for a convex method
SHAKE = 0.5  # of a restart, as a share of the usual weight


@dataclass(frozen=True, slots=True, eq=False)
class Beginning:
    """What a start can look at: the documents, the problems, and who asks."""

    design: Design
    products: Products
    merit: Merit
    threads: int
    kept: Floats | None = None


@dataclass(frozen=True, slots=True)
class Start(Part):
    """A way to begin; ``begin`` gives weights of all problems."""

    begin: Callable[[Beginning], Weights]


def members_mean(given: Beginning) -> Weights:
    """Weights: the mean of the members; offset: the least score of one (section 5.3).

    The paper has the mean of the smaller class, which in one-vs-rest is nearly always the members;
    where they are more than half, it is the others' mean with its sign turned. The least value of
    ``Σ w_k x_k`` is taken over the same class: over all documents, everything would be accepted at
    first, and the slopes of rare categories would be too small for any number of steps.
    """
    merit = given.merit
    turned = merit.members > merit.others
    sides = np.where(turned, -1, 1).astype(np.int8)
    inside = (merit.cases == sides) * merit.documents[:, None]
    counts = np.maximum(inside.sum(axis=0), np.finfo(np.float64).tiny)
    terms = given.products.gradient(inside) / counts
    if given.kept is not None:
        terms *= given.kept
    scores = given.products.scores(terms)
    least = np.where(inside > 0, scores, np.inf).min(axis=0)
    least = np.where(np.isfinite(least), least, 0.0)
    signs = np.where(turned, -1.0, 1.0)
    return Weights(terms * signs, -least.astype(np.float64) * signs)


def batch_perceptron(given: Beginning) -> Weights:
    """What the batch perceptron makes of the mean of the members (eq. 5.2)."""
    start = members_mean(given)
    found = start
    options = StepOptions(iterations=PERCEPTRON_STEPS)
    slopes = MistakeSlopes(given.merit)
    for _, weights in steps(given.products, start, slopes, options, given.kept):
        found = weights
    return found


def _convex(loss: str) -> Callable[[Beginning], Weights]:
    def begin(given: Beginning) -> Weights:
        """A convex method's weights, and its intercepts where they accept a member."""
        found = _convex_fit(given, loss)
        terms = found.terms if given.kept is None else found.terms * given.kept
        return _within_reach(given, Weights(terms, found.intercepts))

    return begin


def by_size(given: Beginning) -> Weights:
    """The mean of fewer than ``FEW`` members, modified least squares of more.

    One or two documents are all that a convex method would know a rare category by; their mean
    takes in more that is like them. Scores of both have one unit, the usual distance of members
    and others: rivals are compared by them. L-BFGS, alone, does not depend on a unit; GPD does, and
    so on the categories beside.
    """
    of_many, of_few = _convex(MODIFIED)(given), members_mean(given)
    few = given.merit.members < FEW
    unit = np.median(distance(of_many.scores(given.products), given.merit))
    scale = unit / distance(of_few.scores(given.products), given.merit)
    return Weights(
        np.where(few, of_few.terms * scale, of_many.terms),
        np.where(few, of_few.intercepts * scale, of_many.intercepts),
    )


def _within_reach(given: Beginning, found: Weights) -> Weights:
    """The same with 0 half way between members and others, in problems that accept no member.

    A convex method says no to all of a rare category's documents, so firmly that the figure has no
    slope there: nothing would lead up, and λ alone would move the weights.
    """
    merit, scores = given.merit, given.products.scores(found.terms)
    inside = (merit.cases > 0) & (merit.documents > 0)[:, None]
    accepts = ((scores > -found.intercepts) & inside).any(axis=0)
    stays = accepts | (merit.members == 0) | (merit.others == 0)
    of_members, of_others = means(scores, merit)
    middle = 0.5 * (of_members + of_others)
    return Weights(found.terms, np.where(stays, found.intercepts, -middle))


def _convex_fit(given: Beginning, loss: str) -> Weights:
    """A convex method of the core, one-vs-rest over the documents of each problem."""
    if (given.merit.cases != 0).all():
        names = tuple(map(str, range(given.merit.problems)))
        return _fitted(given, loss, names, given.merit.cases, given.merit.documents)
    alone = [_convex_problem(given, loss, p) for p in range(given.merit.problems)]
    return Weights(
        np.hstack([each.terms for each in alone]),
        np.concatenate([each.intercepts for each in alone]),
    )


def _convex_problem(given: Beginning, loss: str, problem: int) -> Weights:
    """One problem that not all documents are part of."""
    cases = given.merit.cases[:, [problem]]
    return _fitted(given, loss, ("0",), cases, given.merit.documents * (cases[:, 0] != 0))


def _fitted(
    given: Beginning, loss: str, names: tuple[str, ...], cases: Cases, documents: Floats
) -> Weights:
    found = fit(
        given.design,
        Labels(names, sp.csr_matrix(cases > 0)),
        Method(loss=loss),
        sample_weights=SampleWeights(documents),
        threads=given.threads,
        quiet=True,
    )
    return Weights(found.weights.toarray().T.astype(np.float64), found.intercepts.copy())


def shaken(weights: Weights, seed: int) -> Weights:
    """The same weights with noise: where a restart begins. Weights of 0 stay 0."""
    noise = np.random.default_rng(seed).standard_normal(weights.terms.shape)
    used = weights.terms != 0
    squares = np.square(weights.terms).sum(axis=0)
    usual = np.sqrt(squares / np.maximum(used.sum(axis=0), 1))
    return Weights(weights.terms + SHAKE * usual * noise * used, weights.intercepts)


_NONE: frozenset[str] = frozenset()
STARTS: Mapping[str, Start] = MappingProxyType(
    registry(
        Start("members-mean", "the mean of the members (section 5.3)", _NONE, members_mean),
        Start("batch-perceptron", "the baseline's weights (eq. 5.2)", _NONE, batch_perceptron),
        Start("svm", "a linear SVM, C = 1", _NONE, _convex("hinge")),
        Start("logistic", "logistic regression, C = 1", _NONE, _convex("logistic")),
        Start("squared", "least squares, C = 1", _NONE, _convex("squared")),
        Start("modified-squared", "modified least squares, C = 1", _NONE, _convex(MODIFIED)),
        Start("by-size", "the mean of few members, modified-squared of more", _NONE, by_size),
    )
)
