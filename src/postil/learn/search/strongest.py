"""The strongest useful strength of a job's categories: where a regularization path begins."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import softmax

from postil import _native
from postil.common.types import Floats
from postil.learn.job import Design, Job, Labels, SampleWeights
from postil.learn.search.grids import of_lambda
from postil.learn.strength import Strengths, Way
from postil.learn.tasks import CategoryTasks, ClassTask

if TYPE_CHECKING:
    from postil.learn.all_classes import PolychotomousMethod

# Halvings of an interval: enough for double precision.
HALVINGS = 100
# Halvings of an interval whose ends are a factor of 2 apart.
NEAR_HALVINGS = 24
NOISE = 1e-12
# A Gaussian path begins where weights can lower the objective by no more than this share of it.
WORTH_HAVING = 0.01
EXACT = {"tolerance": 1e-14}


def strongest(job: Job, options: _native.LearnOptions, share: float, way: Way) -> Floats:
    """Return the strength of each category at which its weights begin to move.

    Where the prior has an absolute value (Laplace, elastic net) this is exact: at it and above,
    every term's weight is 0; just below, one is not. With g the slopes of the average loss at the
    model that has only its constant, it is where the strength of the absolute value is the size of
    the largest. A free constant does not depend on the strength; a penalised one does, so that the
    two are found together, by halving.

    A Gaussian prior moves every weight. There it is λ = ‖g‖²/(4 · 0.01 · L), L being the average
    loss of the constant alone: as the loss is convex, no weights lower the objective by more than
    1 % of L. A category that has nothing to learn, or no term, gets the strength of the strongest
    other; λ = 1 where there is none.

    Factors of terms' variances are taken into account; other per-term priors are not, so that a
    term of a mean above 0, say, has a weight before the path begins.

    Cost: one pass over the documents of the members, and some 100 over the members' terms.

    Parameters
    ----------
    job : Job
        The documents, categories, selected terms and per-term priors.
    options : LearnOptions
        The native options of the method: its loss, its intercept and its constant.
    share : float
        The share of the absolute value in the prior.
    way : {"lam", "C", "prior_variance"}
        The way of the strengths that are returned.
    """
    tasks = CategoryTasks(job.labels, job.sample_weights)
    lam = np.ones(len(job.labels))
    if len(tasks.learnable):
        slopes = Slopes(job, tasks, options)
        found = _at_rest(slopes, share, way) if share > 0 else _little_to_gain(slopes)
        lam[:] = found.max() or 1.0
        lam[tasks.learnable[found > 0]] = found[found > 0]
    return of_lambda(lam, way, tasks.total, share)


class Slopes:
    """The slopes of the average loss in all terms, for models that have only a constant.

    With Pⱼ the summed values of term j in the members and Nⱼ in the others, weighted, it is
    (Pⱼ loss'(b) - Nⱼ loss'(-b)) / n. Terms that no member has differ in Nⱼ alone, so that only
    their largest and the sum of their squares are kept.
    """

    def __init__(self, job: Job, tasks: CategoryTasks, options: _native.LearnOptions) -> None:
        self.options = options
        self.total = tasks.total
        chosen, rows, selection = tasks.learnable, job.design.rows, job.selection
        inside, outside = tasks.member_weights[chosen], tasks.other_weights[chosen]
        members = tasks.labels.by_category()[:, chosen].astype(np.float64)
        weights = np.asarray(tasks.documents @ members).ravel()
        self.member_mass = inside * weights
        self.other_mass = outside * (tasks.total - weights)
        # A term of f times the variance is held by 1/√f of the strength: as if it were √f larger.
        scales = _scales(job)
        everywhere = np.asarray(tasks.documents @ rows).ravel() * scales
        sums = (members.multiply(tasks.documents[:, None]).T @ rows).tocsr()
        order = np.argsort(-np.abs(everywhere), kind="stable")
        squares = float(everywhere @ everywhere)
        self.rest_peak, self.rest_squares = np.zeros(len(chosen)), np.zeros(len(chosen))
        pieces: list[tuple[Floats, Floats]] = []
        for at, category in enumerate(chosen.tolist()):
            terms, values = _row(sums, at)
            values = values * scales[terms]
            if selection is not None:
                dense = np.zeros(job.design.terms)
                dense[terms] = values
                terms = selection[category]
                values = dense[terms]
            else:
                shared = everywhere[terms]
                peak = _first_outside(order, terms)
                self.rest_peak[at] = outside[at] * (0.0 if peak < 0 else abs(everywhere[peak]))
                left = max(0.0, squares - float(shared @ shared))
                self.rest_squares[at] = outside[at] ** 2 * left
            pieces.append((inside[at] * values, outside[at] * (everywhere[terms] - values)))
        # A 0 for each category: the largest of no slopes is 0.
        self.members = np.concatenate([np.append(p, 0.0) for p, _ in pieces])
        self.others = np.concatenate([np.append(n, 0.0) for _, n in pieces])
        lengths = np.array([len(p) + 1 for p, _ in pieces])
        self.starts = np.concatenate(([0], np.cumsum(lengths)[:-1]))
        self.owner = np.repeat(np.arange(len(chosen)), lengths)

    def loss(self, scores: Floats) -> Floats:
        """Return the average loss if all documents have these scores, one for each category."""
        values = _loss_at(self.options, np.concatenate([scores, -scores]))[0]
        inside, outside = np.split(values, 2)
        result: Floats = (self.member_mass * inside + self.other_mass * outside) / self.total
        return result

    def _of_score(self, scores: Floats) -> tuple[Floats, Floats]:
        """Return loss'(b) and loss'(-b)."""
        inside, outside = np.split(_loss_at(self.options, np.concatenate([scores, -scores]))[1], 2)
        return inside, outside

    def peaks(self, scores: Floats) -> Floats:
        """Return the largest size of a slope of each category."""
        inside, outside = self._of_score(scores)
        each = np.abs(self._of_terms(inside, outside))
        among = np.maximum.reduceat(each, self.starts)
        result: Floats = np.maximum(among, self.rest_peak * np.abs(outside) / self.total)
        return result

    def squared_norms(self, scores: Floats) -> Floats:
        """Return ‖g‖² of each category."""
        inside, outside = self._of_score(scores)
        among = np.add.reduceat(self._of_terms(inside, outside) ** 2, self.starts)
        result: Floats = among + self.rest_squares * (outside / self.total) ** 2
        return result

    def _of_terms(self, inside: Floats, outside: Floats) -> Floats:
        terms = self.members * inside[self.owner] - self.others * outside[self.owner]
        result: Floats = terms / self.total
        return result

    def of_constant(self, weights: Floats) -> Floats:
        """Return the slope in the constant's weight."""
        inside, outside = self._of_score(weights * self.options.constant)
        pull = self.member_mass * inside - self.other_mass * outside
        result: Floats = self.options.constant * pull / self.total
        return result

    def free_constants(self) -> Floats:
        """Return the constant's weight of least loss, by halving; 0 without a constant."""
        low, high = np.zeros((2, len(self.member_mass)))
        if self.options.intercept == _native.Intercept.none:
            return low
        side = -np.sign(self.of_constant(low))
        high[side != 0] = 1.0
        while (short := side * self.of_constant(side * high) < 0).any():
            high[short] *= 2.0
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            short = side * self.of_constant(side * middle) < 0
            low, high = np.where(short, middle, low), np.where(short, high, middle)
        result: Floats = side * high
        return result


def _at_rest(slopes: Slopes, share: float, way: Way) -> Floats:
    """Return the least λ at which no term moves.

    A penalised constant of weight v ≠ 0 has |slope| = a + 2b|v|, which gives λ for v, and so all
    is a matter of v. The largest slope less a is convex between 0 and the free constant's v, where
    there is no square, and below 0 at the first end: there is one v at which terms begin to move.
    """
    constant = slopes.options.constant
    free = slopes.free_constants()
    if slopes.options.intercept != _native.Intercept.penalised:
        return slopes.peaks(free * constant) / share
    nothing = np.zeros_like(free)
    from_zero = slopes.peaks(nothing)
    before_constant = from_zero >= np.abs(slopes.of_constant(nothing))

    def strength(weights: Floats) -> Floats:
        pull = np.abs(slopes.of_constant(weights))
        return _lambda_of_constant(pull, np.abs(weights), way, slopes.total, share)

    low, high = nothing, free
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        rests = slopes.peaks(middle * constant) <= share * strength(middle)
        low, high = np.where(rests, middle, low), np.where(rests, high, middle)
    found = np.where(before_constant, from_zero / share, strength(low))
    # Terms that never move have nothing to show but what rounding leaves of the constant's pull.
    result: Floats = np.where(found > NOISE * strength(nothing), found, 0.0)
    return result


def _lambda_of_constant(
    pull: Floats, size: Floats, way: Way, documents: float, share: float
) -> Floats:
    """Return the λ, a = ρλ, at which a constant of size |v| rests under a pull of a + 2b|v|."""
    if way == "prior_variance":  # b = (1-ρ) n λ²/4
        root = np.sqrt(share**2 + 2 * (1 - share) * documents * size * pull)
        result: Floats = 2 * pull / (share + root)
        return result
    squares = (2.0 if way == "lam" else 1.0) * (1 - share)  # b = (1-ρ) λ, or half of it
    return pull / (share + squares * size)


def _little_to_gain(slopes: Slopes) -> Floats:
    scores = slopes.free_constants() * slopes.options.constant
    result: Floats = slopes.squared_norms(scores) / (4 * WORTH_HAVING * slopes.loss(scores))
    return result


def _scales(job: Job) -> Floats:
    factors = None if job.term_priors is None else job.term_priors.factors
    return np.ones(job.design.terms) if factors is None else np.sqrt(factors)


def _loss_at(options: _native.LearnOptions, margins: Floats) -> tuple[Floats, Floats, Floats]:
    return _native.loss_at(options, np.ascontiguousarray(margins))


def _row(matrix: Any, at: int) -> tuple[NDArray[Any], Floats]:  # noqa: ANN401 - CSR
    stretch = slice(int(matrix.indptr[at]), int(matrix.indptr[at + 1]))
    return matrix.indices[stretch], matrix.data[stretch]


def _first_outside(order: NDArray[Any], terms: NDArray[Any]) -> int:
    """Return the first of an order that is none of these terms; -1 if all are."""
    head = order[: len(terms) + 1]
    outside = ~np.isin(head, terms)
    return int(head[np.argmax(outside)]) if outside.any() else -1


def strongest_of_classes(
    job: Job, task: ClassTask, method: PolychotomousMethod, way: Way
) -> Floats:
    """Return the strength at which the first weight of any class moves, the same for all classes.

    With pₖ the probabilities that constants alone give the classes, the slope of the average loss
    in the weight of term j is gₖⱼ = (1/n) Σ cᵢ (pₖ - [y(i) = k]) xᵢⱼ. Where the prior has an
    absolute value, every weight rests as long as its strength is the size of the largest slope or
    more. Free constants make pₖ the share of the class; penalised ones depend on the strength, so
    that the largest strength at which a weight moves is found by halving.

    A Gaussian prior moves every weight: as in :func:`strongest`, it is λ = ‖g‖²/(4 · 0.01 · L), at
    which no weights lower the objective by more than 1 % of L, the loss of free constants. λ is 1
    if there is nothing to learn. Factors of terms' variances are taken into account; other per-term
    priors are not.

    Cost: one pass over the non-zeros; with a penalised constant some 50 passes over the terms of
    each class, and as many problems of classes × classes.
    """
    lam = 0.0
    if len(task.learnable) > 1:
        rest = _Rest(job, task, method, way)
        lam = rest.moving() if method.share > 0 else rest.worth_having()
    found = of_lambda(np.array([lam or 1.0]), way, task.total, method.share)
    return np.full(len(job.labels), float(found[0]))


class _Rest:
    """Models that have only constants, and the slopes of all weights there.

    The slopes of a class are those of one-vs-rest logistic regression, if the constant gives it
    the same probability.
    """

    def __init__(self, job: Job, task: ClassTask, method: PolychotomousMethod, way: Way) -> None:
        self.method = method
        self.way = way
        self.total = task.total
        options = _native.LearnOptions()
        options.loss = _native.LossName.logistic
        # Class weights are those of the documents of a class, whichever class is looked at.
        tasks = CategoryTasks(job.labels, SampleWeights(task.weights))
        self.slopes = Slopes(job, tasks, options)
        self.names = tuple(job.labels.names[c] for c in task.learnable)
        self.moves = np.array([name != method.reference for name in self.names])
        counted = task.weights > 0
        places, weights = task.of_document[counted], task.weights[counted]
        self.mass: Floats = np.bincount(places, weights, len(self.names)).astype(np.float64)

    def moving(self) -> float:
        """Return the largest λ below which a weight moves; 0 if none ever does."""
        share = self.method.share
        if self.method.intercept != "penalised":
            return self._peak(self._free()) / share
        # Here constants rest, too.
        equal = np.full(len(self.mass), 1 / len(self.mass))
        pull = float(np.abs(equal - self._shares())[self.moves].max())
        high = top = max(self._peak(equal), self.method.constant * pull) / share
        while not self._moves(high / 2):
            high /= 2
            if high < NOISE * top:
                return 0.0
        low = high / 2
        for _ in range(NEAR_HALVINGS):
            middle = float(np.sqrt(low * high))
            low, high = (middle, high) if self._moves(middle) else (low, middle)
        return high

    def worth_having(self) -> float:
        """Return the λ of a Gaussian prior at which weights can gain little."""
        alone = self._free()
        loss = -float(self.mass @ np.log(alone)) / self.total
        squares = self.slopes.squared_norms(_log_odds(alone))[self.moves].sum()
        return float(squares) / (4 * WORTH_HAVING * loss)

    def _moves(self, lam: float) -> bool:
        return self._peak(self._penalised(lam)) > self.method.share * lam

    def _peak(self, probabilities: Floats) -> float:
        """Return the largest slope; the weights of a reference do not move."""
        return float(self.slopes.peaks(_log_odds(probabilities))[self.moves].max())

    def _shares(self) -> Floats:
        result: Floats = self.mass / self.mass.sum()
        return result

    def _free(self) -> Floats:
        """Return the probabilities of free constants, or without any constant."""
        if self.method.intercept == "none":
            return np.full(len(self.mass), 1 / len(self.mass))
        return self._shares()

    def _penalised(self, lam: float) -> Floats:
        """Return the probabilities of penalised constants.

        They are those of one document without terms for each class.
        """
        count = len(self.names)
        labels = Labels(self.names, sp.csr_matrix(np.eye(count, dtype=np.bool_)))
        strengths = of_lambda(np.full(count, lam), self.way, self.total, self.method.share)
        constants = Job(
            Design(sp.csr_matrix(np.zeros((count, 1), dtype=np.float32))),
            labels,
            sample_weights=SampleWeights(self.mass),
            strengths=Strengths(self.way, strengths),
            threads=1,
            quiet=True,
        )
        fit = replace(self.method, options=EXACT).fit(constants)
        result: Floats = softmax(fit.intercepts)
        return result


def _log_odds(probabilities: Floats) -> Floats:
    others = np.maximum(probabilities.sum() - probabilities, np.finfo(np.float64).tiny)
    result: Floats = np.log(probabilities) - np.log(others)
    return result


def strongest_of_pairs(job: Job, task: ClassTask, way: Way) -> Floats:
    """Return the strength of a multi-class SVM at which weights can gain little.

    λ = ‖g‖²/(4 · 0.01 · L) by the slopes g at zero weights: with L the loss there, no weights of
    terms lower the objective by more than 1 % of it. Cost: one pass over the non-zeros.
    """
    lam = _little_to_gain_in_pairs(job, task)
    values = np.full(len(job.labels), lam if lam > 0 else 1.0)
    return of_lambda(values, way, task.total, 0.0)


def _little_to_gain_in_pairs(job: Job, task: ClassTask) -> float:
    """Return λ; at zero weights each document pulls its class C - 1 times, and every other once."""
    count = len(task.learnable)
    if count < 2:
        return 0.0
    shares = task.weights / task.total
    places = np.arange(len(shares))
    own = sp.csr_matrix((shares, (task.of_document, places)), shape=(count, len(shares)))
    sums = (own @ job.design.rows).toarray()
    slopes = sums.sum(axis=0) - count * sums
    if job.selection is not None:
        for at, category in enumerate(task.learnable.tolist()):
            unused = np.ones(job.design.terms, dtype=bool)
            unused[job.selection[category]] = False
            slopes[at, unused] = 0.0
    loss = 2.0 * (count - 1) * float(shares.sum())
    return float((slopes**2).sum()) / (4 * WORTH_HAVING * loss) if loss > 0 else 0.0
