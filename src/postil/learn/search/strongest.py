"""The strongest useful strength: where a category's regularization path begins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from postil import _native
from postil.common.types import Floats
from postil.learn.category_tasks import CategoryTasks
from postil.learn.search.grids import of_lambda
from postil.learn.strength import Way

if TYPE_CHECKING:
    from postil.learn.search.one_vs_rest import Problems


# Halvings of an interval: enough for double precision.
HALVINGS = 100
NOISE = 1e-12
# A Gaussian path begins where weights can lower the objective by no more than this share of it.
WORTH_HAVING = 0.01


def strongest(problems: Problems, way: Way = "lam") -> Floats:
    """The strength of each category at which its weights begin to move, in the given way.

    Where the prior has an absolute value (Laplace, elastic net) this is exact: at it and above,
    every term's weight is 0; just below, one is not. With g the slopes of the average loss at the
    model that is nothing but its constant, it is where the strength of the absolute value is the
    size of the largest. A free constant does not depend on the strength; a penalised one does, so
    that the two are found together, by halving.

    A Gaussian prior never lets weights rest. There it is λ = ‖g‖²/(4 · 0.01 · L), L being the
    average loss of the constant alone: as the loss is convex, no weights lower the objective by
    more than 1 % of L. A category in which there is nothing to learn, or no term, gets that of
    the strongest other; λ = 1 where there is none.

    Factors of terms' variances are taken into account; other priors of single terms are not, so
    that a term of a mean above 0, say, has a weight before the path begins.

    Cost: one pass over the documents of the members, and some 100 over the members' terms.
    """
    documents = problems.sample_weights.of_documents(problems.design.documents)
    tasks = CategoryTasks(problems.labels, documents, problems.sample_weights)
    share = problems.method.share
    lam = np.ones(len(problems.labels))
    if len(tasks.learnable):
        slopes = Slopes(problems, tasks)
        found = _at_rest(slopes, way) if share > 0 else _little_to_gain(slopes)
        lam[:] = found.max() or 1.0
        lam[tasks.learnable[found > 0]] = found[found > 0]
    return of_lambda(lam, way, tasks.total, share)


class Slopes:
    """The slopes of the average loss in all terms, for models of a constant alone.

    With Pⱼ the summed values of term j in the members and Nⱼ in the others, weighted, it is
    (Pⱼ loss'(b) - Nⱼ loss'(-b)) / n. Terms that no member has differ in Nⱼ alone, so that only
    their largest and the sum of their squares are kept.
    """

    def __init__(self, problems: Problems, tasks: CategoryTasks) -> None:
        self.method = problems.method
        self.options = problems.method.to_native()
        self.total = tasks.total
        chosen, rows, selection = tasks.learnable, problems.design.rows, problems.selection
        inside, outside = tasks.member_weights[chosen], tasks.other_weights[chosen]
        members = tasks.labels.by_category()[:, chosen].astype(np.float64)
        weights = np.asarray(tasks.documents @ members).ravel()
        self.member_mass = inside * weights
        self.other_mass = outside * (tasks.total - weights)
        # A term of f times the variance is held by 1/√f of the strength: as if it were √f larger.
        scales = _scales(problems)
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
                dense = np.zeros(problems.design.terms)
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
        """The average loss of giving all documents these scores, one for each category."""
        values = _loss_at(self.options, np.concatenate([scores, -scores]))[0]
        inside, outside = np.split(values, 2)
        result: Floats = (self.member_mass * inside + self.other_mass * outside) / self.total
        return result

    def of_score(self, scores: Floats) -> tuple[Floats, Floats]:
        """loss'(b) and loss'(-b)."""
        inside, outside = np.split(_loss_at(self.options, np.concatenate([scores, -scores]))[1], 2)
        return inside, outside

    def peaks(self, scores: Floats) -> Floats:
        """The largest slope of each category, whatever its sign."""
        inside, outside = self.of_score(scores)
        each = np.abs(self._of_terms(inside, outside))
        among = np.maximum.reduceat(each, self.starts)
        result: Floats = np.maximum(among, self.rest_peak * np.abs(outside) / self.total)
        return result

    def squared_norms(self, scores: Floats) -> Floats:
        """‖g‖² of each category."""
        inside, outside = self.of_score(scores)
        among = np.add.reduceat(self._of_terms(inside, outside) ** 2, self.starts)
        result: Floats = among + self.rest_squares * (outside / self.total) ** 2
        return result

    def _of_terms(self, inside: Floats, outside: Floats) -> Floats:
        terms = self.members * inside[self.owner] - self.others * outside[self.owner]
        result: Floats = terms / self.total
        return result

    def of_constant(self, weights: Floats) -> Floats:
        """The slope in the constant's weight."""
        inside, outside = self.of_score(weights * self.method.constant)
        pull = self.member_mass * inside - self.other_mass * outside
        result: Floats = self.method.constant * pull / self.total
        return result

    def free_constants(self) -> Floats:
        """The constant's weight of least loss, by halving; 0 where there is no constant."""
        low, high = np.zeros((2, len(self.member_mass)))
        if self.method.intercept == "none":
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


def _at_rest(slopes: Slopes, way: Way) -> Floats:
    """The least λ at which no term moves.

    A penalised constant of weight v ≠ 0 has |slope| = a + 2b|v|, which gives λ for v, and so all
    is a matter of v. The largest slope less a is convex between 0 and the free constant's v, where
    there is no square, and below 0 at the first end: there is one v at which terms begin to move.
    """
    share, constant = slopes.method.share, slopes.method.constant
    free = slopes.free_constants()
    if slopes.method.intercept != "penalised":
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
    """The λ, a = ρλ, for which a constant of this size rests under this pull: a + 2b|v| = pull."""
    if way == "prior_variance":  # b = (1-ρ) n λ²/4
        root = np.sqrt(share**2 + 2 * (1 - share) * documents * size * pull)
        result: Floats = 2 * pull / (share + root)
        return result
    squares = (2.0 if way == "lam" else 1.0) * (1 - share)  # b = (1-ρ) λ, or half of it
    return pull / (share + squares * size)


def _little_to_gain(slopes: Slopes) -> Floats:
    scores = slopes.free_constants() * slopes.method.constant
    result: Floats = slopes.squared_norms(scores) / (4 * WORTH_HAVING * slopes.loss(scores))
    return result


def _scales(problems: Problems) -> Floats:
    factors = None if problems.priors is None else problems.priors.factors
    return np.ones(problems.design.terms) if factors is None else np.sqrt(factors)


def _loss_at(options: _native.LearnOptions, margins: Floats) -> tuple[Floats, Floats, Floats]:
    return _native.loss_at(options, np.ascontiguousarray(margins))


def _row(matrix: Any, at: int) -> tuple[NDArray[Any], Floats]:  # noqa: ANN401 - CSR
    stretch = slice(int(matrix.indptr[at]), int(matrix.indptr[at + 1]))
    return matrix.indices[stretch], matrix.data[stretch]


def _first_outside(order: NDArray[Any], terms: NDArray[Any]) -> int:
    """The first of an order that is none of these terms; -1 where all are."""
    head = order[: len(terms) + 1]
    outside = ~np.isin(head, terms)
    return int(head[np.argmax(outside)]) if outside.any() else -1
