"""The measures of a search: what fits attain on documents that they have not learned from.

A measure is two functions. ``tally`` takes the scores of held-out documents to a few numbers for
each category, which are added up over folds and categories; ``value`` takes such numbers, added up
or not, to the measure. So the measure of all folds is that of all documents together, not a mean of
folds that hold hardly a member each, and micro-averages need no code of their own.

Besides ``MEASURES``, every figure of merit is a measure by its name, such as ``recall>=0.95``. Each
category is cut where the figure is best among the documents that a fold holds out, as with
break-even: thresholds are tuned afterwards, so that a strength is judged by how well it ranks. The
cut has seen the documents it is measured on, so values are optimistic, but alike for each strength.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import log_softmax

from postil import _native
from postil.common.types import Flags, Floats
from postil.errors import SpecError, UsageError
from postil.features.inputs import Csr
from postil.learn.losses import Loss
from postil.learn.merit.figures import Figure, SmoothCounts
from postil.learn.merit.naming import figure_named, unpooled
from postil.learn.options import Part, find, registry
from postil.learn.tasks import NO_MEMBER

if TYPE_CHECKING:
    from postil.learn.method import Method


@dataclass(frozen=True, slots=True, eq=False)
class Unseen:
    """Documents that a fit has not learned from: rows, memberships and document weights."""

    rows: Csr
    members: Flags
    weights: Floats


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """The scores and memberships of held-out documents: documents × categories.

    ``weights`` are the documents' own; class weights apply to learning and not to measuring.
    ``method`` is needed where the method's own loss is measured.
    """

    scores: Floats
    members: Flags
    weights: Floats
    method: Method | None = None


@dataclass(frozen=True, slots=True)
class SearchMeasure(Part):
    """A measure; ``loss_needs`` is what the method's loss must provide for it."""

    tally: Callable[[HeldOut], Floats]
    value: Callable[[Floats], Floats]
    higher_is_better: bool = True
    loss_needs: frozenset[str] = frozenset()


def measure_for(name: str, loss: Loss | None = None) -> SearchMeasure:
    """Return the measure of that name; raise UsageError if the loss lacks what it needs."""
    measure = search_measure(name)
    missing = [] if loss is None else sorted(measure.loss_needs - loss.provides)
    if loss is not None and missing:
        others = ", ".join(m.name for m in MEASURES.values() if not m.loss_needs)
        raise UsageError(
            f"the measure {name} needs a loss that gives a {missing[0]}, which {loss.name} does "
            f"not: use {others}"
        )
    return measure


def search_measure(name: str) -> SearchMeasure:
    """Return the measure of that name: one of ``MEASURES``, or else a figure of merit."""
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


def softmax_measure(name: str) -> SearchMeasure:
    """Return the measure of that name for scores that are compared with each other."""
    known = search_measure(name).name
    if known not in SOFTMAX_MEASURES:
        raise UsageError(
            f"the measure {name} needs a threshold for each category, and scores of one model for "
            f"all classes are compared with each other: use {', '.join(SOFTMAX_MEASURES)}"
        )
    return SOFTMAX_MEASURES[known]


def decision_measure(name: str, learner: str) -> SearchMeasure:
    """Return the measure of that name for compared scores that are no probabilities."""
    found, able = softmax_measure(name), ("error", "f1")
    if found.name not in able:
        raise UsageError(
            f"the measure {name} needs probabilities, and {learner} gives none: use "
            f"{' or '.join(able)}"
        )
    return found


def counts_at_best(figure: Figure) -> Callable[[Floats, Flags, Floats], Floats]:
    """Return what counts TP, FP, FN and TN of each category at its best cut.

    Cost: n log n for n documents and each category.
    """
    alone = unpooled(figure)

    def count(scores: Floats, members: Flags, weights: Floats) -> Floats:
        rows = []
        for c in range(scores.shape[1]):
            found, wrong, total, others = _cuts(scores[:, c], members[:, c], weights)
            sizes = np.full_like(found, total), np.full_like(found, others)
            values = alone.values(SmoothCounts(found, wrong, *sizes))
            # Of equally good cuts the one with fewer errors.
            best = np.lexsort((wrong + total - found, -values))[0]
            rows.append((found[best], wrong[best], total - found[best], others - wrong[best]))
        return np.array(rows, dtype=np.float64).reshape(len(rows), 4)

    return count


def value_of_counts(figure: Figure) -> Callable[[Floats], Floats]:
    """Return what computes the figure of TP, FP, FN and TN on the last axis.

    The figure is undefined (nan) without members. Of a share of errors, less is better.
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


def _cuts(scores: Floats, members: Flags, weights: Floats) -> tuple[Floats, Floats, float, float]:
    """Return TP and FP of every cut of a category's ranked documents, all members and others."""
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    # Documents of equal score stand or fall together.
    last = np.append(ranked[1:] != ranked[:-1], np.ones(min(1, len(ranked)), dtype=bool))
    inside = np.where(members, weights, 0.0)[order]
    found = np.concatenate(([0.0], np.cumsum(inside)[last]))
    wrong = np.concatenate(([0.0], np.cumsum(weights[order] - inside)[last]))
    total = inside.sum()
    return found, wrong, total, weights.sum() - total


def ratio_of(above: Floats, below: Floats) -> Floats:
    """Return one over the other; undefined (nan) where the second is 0."""
    result: Floats = np.divide(above, below, out=np.full(np.shape(below), np.nan), where=below > 0)
    return result


def share_of(pairs: Floats) -> Floats:
    """Return the first of two sums over the second."""
    return ratio_of(pairs[..., 0], pairs[..., 1])


def _confusion(weights: Floats, members: Flags, accepted: Flags) -> Floats:
    """Return TP, FP and FN of each category."""
    return np.stack(
        [
            weights @ (accepted & members),
            weights @ (accepted & ~members),
            weights @ (~accepted & members),
        ],
        axis=-1,
    )


def _counts(held: HeldOut) -> Floats:
    """Return TP, FP and FN of the decision score >= 0."""
    return _confusion(held.weights, held.members, held.scores >= 0)


def f1_of(counts: Floats) -> Floats:
    """Return 2TP / (2TP + FP + FN); undefined without members."""
    found, wrong, missed = np.moveaxis(counts, -1, 0)
    of_members = ratio_of(2 * found, 2 * found + wrong + missed)
    result: Floats = np.where(found + missed > 0, of_members, np.nan)
    return result


def _errors(held: HeldOut) -> Floats:
    """Return the weight of wrong decisions, and of all."""
    wrong = held.weights @ ((held.scores >= 0) != held.members)
    return np.stack([wrong, np.full(len(wrong), held.weights.sum())], axis=-1)


def _losses(held: HeldOut) -> Floats:
    """Return the summed loss of each category, and the summed weight of its documents."""
    assert held.method is not None
    margins = np.where(held.members, held.scores, -held.scores)
    flat = np.ascontiguousarray(margins, dtype=np.float64).ravel()
    values = _native.loss_at(held.method.to_native(), flat)[0].reshape(margins.shape)
    summed = held.weights @ values
    return np.stack([summed, np.full(len(summed), held.weights.sum())], axis=-1)


def _log_likelihoods(held: HeldOut) -> Floats:
    """Return Σ ln P of the memberships: the logistic loss is its negative."""
    return _losses(held) * (-1.0, 1.0)


def _break_even_counts(held: HeldOut) -> Floats:
    """Return TP, FP and FN of each category at its cut of least ``|FP - FN|``."""
    rows = []
    for c in range(held.scores.shape[1]):
        found, wrong, total, _ = _cuts(held.scores[:, c], held.members[:, c], held.weights)
        missed = total - found
        # Of equally balanced cuts the one with fewer errors.
        best = np.lexsort((wrong + missed, np.abs(wrong - missed)))[0]
        rows.append((found[best], wrong[best], missed[best]))
    return np.array(rows, dtype=np.float64).reshape(len(rows), 3)


def _break_even(counts: Floats) -> Floats:
    """Return the mean of precision and recall; undefined without members."""
    found, wrong, missed = np.moveaxis(counts, -1, 0)
    precision = np.nan_to_num(ratio_of(found, found + wrong))
    return (precision + ratio_of(found, found + missed)) / 2


def _by_class(held: HeldOut, values: Floats, weights: Floats) -> Floats:
    """Return Σ weight × value of each class's documents, and Σ weight."""
    return held.members.T.astype(np.float64) @ np.stack([weights * values, weights], axis=-1)


def _softmax_log_likelihoods(held: HeldOut) -> Floats:
    """Return Σ ln P(own class), P = exp(score) over the sum of all classes' exp.

    Documents whose class had no member in the fit are left out: their probability is 0, whatever
    the strength.
    """
    learned = ~(held.scores == NO_MEMBER).all(axis=0)
    own = log_softmax(held.scores, axis=1)[held.members]
    return _by_class(held, own, held.weights * (held.members @ learned))


def _softmax_losses(held: HeldOut) -> Floats:
    """Return the polychotomous loss: the negative logarithm of the likelihood."""
    return _softmax_log_likelihoods(held) * (-1.0, 1.0)


def _highest(held: HeldOut) -> Flags:
    """Return the decision for the class of the highest score."""
    best = np.zeros_like(held.members)
    best[np.arange(len(best)), held.scores.argmax(axis=1)] = True
    return best


def _highest_errors(held: HeldOut) -> Floats:
    """Return the weight of documents whose class is not found, and of all."""
    found = (held.members & _highest(held)).any(axis=1)
    return _by_class(held, np.where(found, 0.0, 1.0), held.weights)


def _highest_counts(held: HeldOut) -> Floats:
    """Return TP, FP and FN of each class."""
    return _confusion(held.weights, held.members, _highest(held))


_NONE: frozenset[str] = frozenset()
# Names with one of these were meant for a figure of merit.
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

# A document counts for its own class: the sums of all classes are those of all documents.
SOFTMAX_MEASURES: Mapping[str, SearchMeasure] = MappingProxyType(
    registry(
        SearchMeasure(
            "log-likelihood",
            "average ln P of the own class",
            _NONE,
            _softmax_log_likelihoods,
            share_of,
        ),
        SearchMeasure("loss", "its negative", _NONE, _softmax_losses, share_of, False),
        SearchMeasure(
            "error", "share of documents not found", _NONE, _highest_errors, share_of, False
        ),
        SearchMeasure(
            "f1", "F1 of the best class; micro over classes", _NONE, _highest_counts, f1_of
        ),
    )
)
