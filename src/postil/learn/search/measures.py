"""What a search over λ can go by: measures of documents that a fit has not seen.

A measure is two functions. ``tally`` takes the scores of held-out documents to a few numbers for
each category that may be added up over folds and categories; ``value`` takes such numbers, added
up or not, to the measure. So the measure of all folds is that of all documents together, not a
mean of folds that hold hardly a member each, and micro-averages need no code of their own.

Beside those of ``MEASURES``, any figure of merit is a measure by its name, as ``recall>=0.95``: see
:mod:`postil.learn.search.measures`.

A figure of merit as what a search goes by.

Each category is cut where the figure is best among the documents a fold holds out, as with
break-even: thresholds are tuned afterwards, so that a strength is judged by how well it ranks. The
counts of these cuts are added up over folds and categories, and the figure is taken of the sums.
The cut has seen the documents it is measured on, so values are hopeful: alike for each strength,
which is all that a search compares.

How a search chooses: the best value, or the first that is nearly as good.

Strengths that were tried, and what the documents held out say of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from postil import _native
from postil.common.types import Flags, Floats, Ints
from postil.errors import SpecError, UsageError
from postil.learn.merit.figures import Figure, SmoothCounts
from postil.learn.merit.naming import figure_named, unpooled
from postil.learn.method import Method
from postil.learn.options import Part, find, registry
from postil.learn.search.problems import Measure

Counting = Callable[[Floats, Flags, Floats], Floats]


def counts_at_best(figure: Figure) -> Counting:
    """TP, FP, FN and TN of each category at its best cut; n log n for n documents and category."""
    alone = unpooled(figure)

    def count(scores: Floats, members: Flags, weights: Floats) -> Floats:
        rows = [
            _at_best(alone, scores[:, c], members[:, c], weights) for c in range(scores.shape[1])
        ]
        return np.array(rows, dtype=np.float64).reshape(len(rows), 4)

    return count


def value_of_counts(figure: Figure) -> Callable[[Floats], Floats]:
    """The figure of TP, FP, FN and TN on the last axis; undefined (nan) without members.

    Of a share of errors it is the share, of which less is better.
    """
    alone = unpooled(figure)
    sign = -1.0 if figure.falls else 1.0

    def value(counts: Floats) -> Floats:
        found, wrong, missed, rejected = np.moveaxis(counts, -1, 0)
        members = found + missed
        values = sign * alone.values(SmoothCounts(found, wrong, members, wrong + rejected))
        result: Floats = np.where(members > 0, values, np.nan)
        return result

    return value


def _at_best(
    figure: Figure, scores: Floats, members: Flags, weights: Floats
) -> tuple[float, float, float, float]:
    """Of equally good cuts the one with fewer errors."""
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    # Documents of equal score stand or fall together.
    last = np.append(ranked[1:] != ranked[:-1], np.ones(min(1, len(ranked)), dtype=bool))
    inside = np.where(members, weights, 0.0)[order]
    found = np.concatenate(([0.0], np.cumsum(inside)[last]))
    wrong = np.concatenate(([0.0], np.cumsum(weights[order] - inside)[last]))
    total, others = inside.sum(), weights.sum() - inside.sum()
    counts = SmoothCounts(found, wrong, np.full_like(found, total), np.full_like(found, others))
    best = np.lexsort((wrong + total - found, -figure.values(counts)))[0]
    return (
        float(found[best]),
        float(wrong[best]),
        float(total - found[best]),
        float(others - wrong[best]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """Documents a fit has not seen: their scores and memberships, documents × categories.

    ``weights`` are the documents' own; class weights act on learning and not on measuring.
    """

    scores: Floats
    members: Flags
    weights: Floats
    method: Method


@dataclass(frozen=True, slots=True)
class SearchMeasure(Part):
    """A measure; ``loss_needs`` is what the method's loss must provide for it."""

    tally: Callable[[HeldOut], Floats]
    value: Callable[[Floats], Floats]
    higher_is_better: bool = True
    loss_needs: frozenset[str] = frozenset()


def measure_for(name: str, method: Method | None = None) -> SearchMeasure:
    """The measure of that name, refused where the method cannot be measured by it."""
    measure = search_measure(name)
    if method is not None:
        loss = method.parts()[0]
        missing = sorted(measure.loss_needs - loss.provides)
        if missing:
            others = ", ".join(m.name for m in MEASURES.values() if not m.loss_needs)
            raise UsageError(
                f"the measure {name} needs a loss that gives a {missing[0]}, which {loss.name} "
                f"does not: use {others}"
            )
    return measure


def search_measure(name: str) -> SearchMeasure:
    """The measure of that name: one of ``MEASURES``, or else a figure of merit."""
    if name in MEASURES:
        return MEASURES[name]
    try:
        figure = figure_named(name)
    except SpecError:
        if _MARKS.isdisjoint(str(name)):
            find("measure of a search", MEASURES, name)
        raise
    count = counts_at_best(figure)
    return SearchMeasure(
        figure.name,
        "a figure of merit where a cut of each fold is best for it",
        _NONE,
        lambda held: count(held.scores, held.members, held.weights),
        value_of_counts(figure),
        not figure.falls,
    )


def ratio_of(above: Floats, below: Floats) -> Floats:
    """One over the other; undefined (nan) where there is nothing below."""
    result: Floats = np.divide(above, below, out=np.full(np.shape(below), np.nan), where=below > 0)
    return result


def confusion(weights: Floats, members: Flags, accepted: Flags) -> Floats:
    """TP, FP and FN of each category, for documents of these weights."""
    return np.stack(
        [
            weights @ (accepted & members),
            weights @ (accepted & ~members),
            weights @ (~accepted & members),
        ],
        axis=-1,
    )


def _counts(held: HeldOut) -> Floats:
    """TP, FP and FN of the natural decision, score >= 0."""
    return confusion(held.weights, held.members, held.scores >= 0)


def f1_of(counts: Floats) -> Floats:
    """2TP / (2TP + FP + FN); undefined without members."""
    found, wrong, missed = np.moveaxis(counts, -1, 0)
    of_members = ratio_of(2 * found, 2 * found + wrong + missed)
    result: Floats = np.where(found + missed > 0, of_members, np.nan)
    return result


def _errors(held: HeldOut) -> Floats:
    """The weight of wrong decisions, and of all."""
    wrong = held.weights @ ((held.scores >= 0) != held.members)
    return np.stack([wrong, np.full(len(wrong), held.weights.sum())], axis=-1)


def share_of(pairs: Floats) -> Floats:
    """The first of two sums over the second."""
    return ratio_of(pairs[..., 0], pairs[..., 1])


def _losses(held: HeldOut) -> Floats:
    """The summed loss of each category, and the summed weight of its documents."""
    margins = np.where(held.members, held.scores, -held.scores)
    flat = np.ascontiguousarray(margins, dtype=np.float64).ravel()
    values = _native.loss_at(held.method.to_native(), flat)[0].reshape(margins.shape)
    summed = held.weights @ values
    return np.stack([summed, np.full(len(summed), held.weights.sum())], axis=-1)


def _log_likelihoods(held: HeldOut) -> Floats:
    """Σ ln P(what is so): the logistic loss is its negative."""
    return _losses(held) * (-1.0, 1.0)


def _break_even_counts(held: HeldOut) -> Floats:
    """TP, FP and FN of each category at its cut of least ``|FP - FN|`` among these documents."""
    columns = range(held.scores.shape[1])
    rows = [_best_cut(held.scores[:, c], held.members[:, c], held.weights) for c in columns]
    return np.array(rows, dtype=np.float64).reshape(len(rows), 3)


def _best_cut(scores: Floats, members: Flags, weights: Floats) -> tuple[float, float, float]:
    """Of equally balanced cuts the one with fewer errors; n log n for n documents."""
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    # Documents of equal score stand or fall together.
    last = np.append(ranked[1:] != ranked[:-1], np.ones(min(1, len(ranked)), dtype=bool))
    inside = np.where(members, weights, 0.0)[order]
    found = np.concatenate(([0.0], np.cumsum(inside)[last]))
    wrong = np.concatenate(([0.0], np.cumsum(weights[order] - inside)[last]))
    missed = inside.sum() - found
    best = np.lexsort((wrong + missed, np.abs(wrong - missed)))[0]
    return float(found[best]), float(wrong[best]), float(missed[best])


def _break_even(counts: Floats) -> Floats:
    """The mean of precision and recall; undefined without members."""
    found, wrong, missed = np.moveaxis(counts, -1, 0)
    precision = np.nan_to_num(ratio_of(found, found + wrong))
    return (precision + ratio_of(found, found + missed)) / 2


_NONE: frozenset[str] = frozenset()
# What is written with these was meant for a figure of merit.
_MARKS = frozenset(">=≥(")

MEASURES: Mapping[str, SearchMeasure] = MappingProxyType(
    registry(
        SearchMeasure("f1", "F1 of score >= 0; micro over categories", _NONE, _counts, f1_of),
        SearchMeasure("error", "share of wrong decisions", _NONE, _errors, share_of, False),
        SearchMeasure("loss", "average of the method's own loss", _NONE, _losses, share_of, False),
        SearchMeasure(
            "break-even",
            "precision and recall where a cut of each fold balances them",
            _NONE,
            _break_even_counts,
            _break_even,
        ),
        SearchMeasure(
            "log-likelihood",
            "average ln P of what is so",
            _NONE,
            _log_likelihoods,
            share_of,
            loss_needs=frozenset({"likelihood"}),
        ),
    )
)


def choose(worth: Floats, standard_errors: Floats | None = None) -> int:
    """The place of the highest worth, of equal ones the first; undefined ones are the worst.

    With standard errors it is the first place within one standard error of the highest.
    """
    known = np.where(np.isnan(worth), -np.inf, worth)
    best = int(np.argmax(known))
    if standard_errors is None or not np.isfinite(standard_errors[best]):
        return best
    return int(np.argmax(known >= known[best] - standard_errors[best]))


def jackknife(tallies: Floats, value: Callable[[Floats], Floats]) -> Floats:
    """The standard error of a value of summed tallies, folds on the first axis.

    With θ₍ᵢ₎ the value without fold i, √((k-1)/k Σ (θ₍ᵢ₎ - mean θ)²): for a mean over folds of one
    size it is their standard deviation over √k. Undefined where one of them is.
    """
    folds = len(tallies)
    # Summed anew, not taken away from the sum: 0 has to come out as 0.
    without = value(np.stack([np.delete(tallies, i, axis=0).sum(axis=0) for i in range(folds)]))
    spread = ((without - without.mean(axis=0)) ** 2).sum(axis=0)
    result: Floats = np.sqrt((folds - 1) / folds * spread)
    return result


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Strengths by category, the strongest first, with their tallies.

    ``tried``, ``known`` and ``unfinished`` are points × categories, ``counts`` is rounds × points ×
    categories × what the measure counts. Where a strength is not ``known`` it was not tried: its
    counts are those of the point before, which only sums over categories look at.
    """

    measure: Measure
    tried: Floats
    counts: Floats
    known: Flags
    unfinished: NDArray[np.int64]

    def together(self) -> tuple[Floats, Floats]:
        """The measure of all categories together at each point, and its standard error."""
        pooled = self.counts.sum(axis=2)
        return self.measure.value(pooled.sum(axis=0)), jackknife(pooled, self.measure.value)

    def by_category(self) -> tuple[Floats, Floats]:
        """The same for each category, points × categories; undefined where not known."""
        values = self.measure.value(self.counts.sum(axis=0))
        errors = jackknife(self.counts, self.measure.value)
        return np.where(self.known, values, np.nan), np.where(self.known, errors, np.nan)

    def worth(self, values: Floats) -> Floats:
        """Values of which more is better."""
        return values if self.measure.higher_is_better else -values

    def choice(self, values: Floats, errors: Floats, *, one_standard_error: bool) -> int:
        """The point of the best value, or the strongest within a standard error of it."""
        return choose(self.worth(values), errors if one_standard_error else None)

    def at(self, picks: Ints) -> Floats:
        """The strength of each category at the point picked for it."""
        result: Floats = np.take_along_axis(self.tried, picks[None, :], axis=0)[0]
        return result

    def head(self, points: int) -> Measured:
        """The first points."""
        return Measured(
            self.measure,
            self.tried[:points],
            self.counts[:, :points],
            self.known[:points],
            self.unfinished[:points],
        )

    def sorted(self, order: Ints) -> Measured:
        """The same with each category's points in an order of its own, points × categories."""
        return Measured(
            self.measure,
            np.take_along_axis(self.tried, order, axis=0),
            np.take_along_axis(self.counts, order[None, :, :, None], axis=1),
            np.take_along_axis(self.known, order, axis=0),
            np.take_along_axis(self.unfinished, order, axis=0),
        )


def all_equal(values: Floats) -> Flags:
    """Categories whose measure says nothing of the strength: the same or undefined at each."""
    known = np.where(np.isnan(values), -np.inf, values)
    equal: Flags = (len(values) > 1) & (known == known[0]).all(axis=0)
    return equal
