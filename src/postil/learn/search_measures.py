"""What a search over λ can go by: measures of documents that a fit has not seen.

A measure is two functions. ``tally`` takes the scores of held-out documents to a few numbers for
each category that may be added up over folds and categories; ``value`` takes such numbers, added
up or not, to the measure. So the measure of all folds is that of all documents together, not a
mean of folds that hold hardly a member each, and micro-averages need no code of their own.

Beside those of ``MEASURES``, any figure of merit is a measure by its name, as ``recall>=0.95``: see
:mod:`postil.learn.search_figures`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from postil import _native
from postil.errors import SpecError, UsageError
from postil.learn.merit.naming import figure_named
from postil.learn.method import Method
from postil.learn.parts import Part, find, registry
from postil.learn.search_figures import counts_at_best, value_of_counts

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


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
