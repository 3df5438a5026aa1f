"""Measures of decisions, and their averages over categories.

A measure is a function of the four counts, undefined where it is 0/0. **Micro**: the counts of all
categories are added up and measured once. **Macro**: each category is measured, and the measures
are averaged, each category alike. The literature has two macro-F1s, which never share a name here:
the *mean of F1* and the *F1 of means* (docs/measuring.md).

Averages run over the last axis, so that the resamples of a bootstrap are averaged at once; all
cost the number of values.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from postil.common.types import Flags, Floats, Indices, Ints
from postil.decide.scores import Sparse
from postil.errors import UsageError
from postil.evaluate.counts import (
    UNDEFINED,
    Counts,
    checked_indicator,
    checked_pair,
    difference,
    named,
    per_document,
    ratio,
    rule_named,
)
from postil.learn.merit.figures import FLOORS, RecallAtPrecision, SmoothCounts
from postil.learn.merit.naming import figure_named

Statistic = Callable[[Counts], Floats]


@dataclass(frozen=True)
class Measure:
    """A measure: its name, its formula, and its direction."""

    name: str
    summary: str
    formula: Statistic
    more_is_better: bool = True


def precision(counts: Counts) -> Floats:
    """Return ``TP / (TP + FP)``, undefined where nothing was accepted."""
    return ratio(counts.true_positives, counts.accepted)


def recall(counts: Counts) -> Floats:
    """Return ``TP / (TP + FN)``, undefined where there is no member."""
    return ratio(counts.true_positives, counts.members)


def f_beta(counts: Counts, beta: float) -> Floats:
    """Return ``(1 + β²)TP / ((1 + β²)TP + β²FN + FP)``: recall weighs β times as much as precision.

    Where precision and recall are both defined and not both 0 this is van Rijsbergen's
    ``(1 + β²)PR / (β²P + R)``. Written over counts it is 0, not undefined, where members were
    missed and nothing was accepted; it is undefined only where TP = FP = FN = 0 (and, as
    precision is, for β = 0 where nothing was accepted).
    """
    weight = _checked_beta(beta) ** 2
    found = (1 + weight) * counts.true_positives
    return ratio(found, found + weight * counts.false_negatives + counts.false_positives)


def _checked_beta(beta: float) -> float:
    if not 0 <= beta < math.inf:
        raise UsageError(f"F-beta needs a finite beta of at least 0, got {beta}")
    return beta


def f1(counts: Counts) -> Floats:
    """Return ``2TP / (2TP + FP + FN)`` (genkin-lewis-madigan-2004, 34)."""
    return f_beta(counts, 1.0)


def error(counts: Counts) -> Floats:
    """Return ``(FP + FN) / n`` (genkin-lewis-madigan-2004, 33), undefined where n = 0."""
    return ratio(counts.errors, counts.cases)


def f_beta_measure(beta: float) -> Measure:
    """Return F-beta as a measure with a name, ``f0.5`` for example."""
    _checked_beta(beta)
    return Measure(f"f{beta:g}", f"F with beta {beta:g}", lambda counts: f_beta(counts, beta=beta))


MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure("precision", "share of the accepted that are members", precision),
        Measure("recall", "share of the members that are accepted", recall),
        Measure("f1", "harmonic mean of precision and recall", f1),
        Measure("error", "share of the decisions that are wrong", error, more_is_better=False),
    )
}


def is_single_label(truth: Sparse) -> bool:
    """Return True if every document has exactly one category, also if there is no document."""
    return bool((per_document(checked_indicator(truth, "truth")) == 1).all())


def decided_rightly(truth: Sparse, decisions: Sparse) -> Flags:
    """Flag the documents whose decided categories are the true ones, all and no other.

    Costs the non-zeros of both matrices and the documents.
    """
    members, decided = checked_pair(truth, decisions)
    return np.asarray(per_document(difference(members, decided)) == 0)


def exact_match(truth: Sparse, decisions: Sparse, weights: Floats | None = None) -> float:
    """Return the share of documents decided rightly, undefined without documents."""
    right = decided_rightly(truth, decisions)
    each = np.ones(len(right)) if weights is None else weights
    return float(ratio(each @ right, each.sum()))


@dataclass(frozen=True)
class Average:
    """A macro-average: its value, the number of categories, and the number of undefined ones."""

    value: float
    categories: int
    undefined: int
    rule: str


def mean_over_categories(values: Floats, rule: str = "zero") -> Floats:
    """Average the last axis; the mean is undefined where every value is."""
    filling = rule_named(rule).filling
    defined = ~np.isnan(values)
    total = np.where(defined, values, filling or 0.0).sum(axis=-1)
    found = defined.sum(axis=-1)
    mean = ratio(total, found if filling is None else values.shape[-1])
    return np.where(found == 0, UNDEFINED, mean)


def macro(values: Floats, rule: str = "zero") -> Average:
    """Average one value per category and count the undefined ones."""
    undefined = int(np.isnan(values).sum())
    return Average(float(mean_over_categories(values, rule)), len(values), undefined, rule)


def micro(counts: Counts, measure: str | Measure) -> float:
    """Measure the pooled counts of all categories."""
    return float(micro_statistic(measure)(counts))


def f1_of_means(counts: Counts, rule: str = "zero") -> Floats:
    """Return ``2P̄R̄ / (P̄ + R̄)`` (gao-wu-lee-chua-2003, 6.1), 0 where both means are 0.

    Under ``skip`` the two means may be over different categories.
    """
    mean_precision = mean_over_categories(precision(counts), rule)
    mean_recall = mean_over_categories(recall(counts), rule)
    total = mean_precision + mean_recall
    value = ratio(2 * mean_precision * mean_recall, total)
    return np.where(total == 0, 0.0, value)


def macro_f1_of_means(counts: Counts, rule: str = "zero") -> Average:
    """Return F1 of mean precision and mean recall; a category is undefined where either is."""
    unsure = np.isnan(precision(counts)) | np.isnan(recall(counts))
    value = float(f1_of_means(counts, rule))
    return Average(value, len(unsure), int(unsure.sum()), rule)


def micro_statistic(measure: str | Measure) -> Statistic:
    """Return a micro-average as a function of counts, for a bootstrap."""
    formula = _formula(measure)
    return lambda counts: formula(counts.pooled())


def macro_statistic(measure: str | Measure, rule: str = "zero") -> Statistic:
    """Return a macro-average as a function of counts, for a bootstrap."""
    formula = _formula(measure)
    return lambda counts: mean_over_categories(formula(counts), rule)


def macro_resampled(measure: str | Measure, rule: str, observed: Counts) -> Statistic:
    """Return a macro-average as a function of resampled counts.

    A category that a resample leaves without a document is left out there: a rule for undefined
    values would pull the average of rare categories towards its value. Only a category that is
    undefined in the ``observed`` counts, and so in every resample, goes by the rule.
    """
    formula = _formula(measure)
    defined = np.flatnonzero(~np.isnan(formula(observed)))
    total = len(formula(observed))
    filling = rule_named(rule).filling

    def statistic(counts: Counts) -> Floats:
        mean = mean_over_categories(formula(counts)[..., defined], "skip")
        if filling is None or not total:
            return mean
        return (len(defined) * mean + (total - len(defined)) * filling) / total

    return statistic


def _formula(measure: str | Measure) -> Statistic:
    return (named(MEASURES, measure, "measure") if isinstance(measure, str) else measure).formula


def top_categories(sizes: Ints, k: int) -> Indices:
    """Return the k largest categories by training size, equal ones in column order."""
    if not 1 <= k <= len(sizes):
        raise UsageError(f"top {k}: k must be from 1 to {len(sizes)}, the number of categories")
    return np.argsort(-sizes, kind="stable")[:k]


def macro_over_top(values: Floats, sizes: Ints, k: int, rule: str = "zero") -> Average:
    """Average over the k largest categories (zhang-oles-2001, figure 6)."""
    return macro(values[top_categories(sizes, k)], rule)


@dataclass(frozen=True)
class Aimed:
    """The figure of merit a model was trained for: of all categories together, and averaged.

    Shares of errors are positive here, and less is better. For a figure with a floor, ``reached``
    of ``categories`` with members keep it, and ``micro_reached`` is True if all together do;
    with a floor of precision these are the categories that some document gets, and ``unused``
    counts the others. For utilities and costs, ``total`` is what all decisions earned or cost.
    """

    measure: str
    less_is_better: bool
    micro: float
    macro: Average
    micro_reached: bool | None = None
    reached: int | None = None
    categories: int | None = None
    unused: int = 0
    total: float | None = None


def aimed(counts: Counts, measure: str, undefined: str = "zero") -> Aimed:
    """Return a figure of merit of counted decisions; costs the categories."""
    figure = figure_named(measure)
    each = figure.attained(_smooth(counts))
    pooled = figure.attained(_smooth(counts.pooled()))
    sign = -1.0 if figure.falls else 1.0
    with_members = counts.members > 0
    floor = isinstance(figure, FLOORS)
    # A category that no document gets keeps a floor of precision, but says nothing of it.
    given = with_members
    if isinstance(figure, RecallAtPrecision):
        given = with_members & (counts.accepted > 0)
    # Adding 0.0 turns -0.0 into 0.
    return Aimed(
        figure.name,
        figure.falls,
        sign * float(pooled.values[0]) + 0.0,
        macro(sign * each.values + 0.0, undefined),
        micro_reached=bool(pooled.reached[0]) if floor else None,
        reached=int((each.reached & given).sum()) if floor else None,
        categories=int(given.sum()) if floor else None,
        unused=int((with_members & ~given).sum()),
        total=None if pooled.totals is None else float(pooled.totals[0]),
    )


def _smooth(counts: Counts) -> SmoothCounts:
    others = counts.cases - counts.members
    parts = (counts.true_positives, counts.false_positives, counts.members, others)
    return SmoothCounts(*(np.atleast_1d(np.asarray(part, np.float64)) for part in parts))
