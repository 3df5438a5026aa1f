"""From measures of categories to one number.

**Micro**: the counts of all categories are added up and measured once.
**Macro**: each category is measured, and the measures are averaged, each category alike.

Macro-F1 has two definitions in the literature, and they differ by points; here they never share
a name:

- ``mean of F1``: ``(1/N) Σ F1ᵢ`` (zhang-oles-2001 section 4.2, genkin-lewis-madigan-2004);
- ``F1 of means``: ``2P̄R̄ / (P̄ + R̄)`` of mean precision and mean recall
  (gao-wu-lee-chua-2003, 6.1).

Averages run over the last axis, so that the resamples of a bootstrap are averaged at once; all
cost the number of values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from postil.common.types import Floats, Ints
from postil.errors import UsageError
from postil.evaluate.counts import UNDEFINED, Counts, plain_fields, ratio, rule_named
from postil.evaluate.measures import Measure, measure_named, precision, recall
from postil.features.inputs import Indices

Statistic = Callable[[Counts], Floats]


@dataclass(frozen=True)
class Average:
    """A macro-average: its value, over how many categories, how many of them undefined."""

    value: float
    categories: int
    undefined: int
    rule: str

    def to_dict(self) -> dict[str, Any]:
        """Give plain values for JSON."""
        return plain_fields(vars(self))


def mean_over_categories(values: Floats, rule: str = "zero") -> Floats:
    """Average the last axis; undefined where every value is."""
    filling = rule_named(rule).filling
    defined = ~np.isnan(values)
    total = np.where(defined, values, filling or 0.0).sum(axis=-1)
    found = defined.sum(axis=-1)
    mean = ratio(total, found if filling is None else values.shape[-1])
    return np.where(found == 0, UNDEFINED, mean)


def macro(values: Floats, rule: str = "zero") -> Average:
    """Average one value per category and say how many were undefined."""
    undefined = int(np.isnan(values).sum())
    return Average(float(mean_over_categories(values, rule)), len(values), undefined, rule)


def micro(counts: Counts, measure: str | Measure) -> float:
    """Measure the pooled counts of all categories."""
    return float(_measure(measure).formula(counts.pooled()))


def f1_of_means(counts: Counts, rule: str = "zero") -> Floats:
    """``2P̄R̄ / (P̄ + R̄)`` (gao-wu-lee-chua-2003, 6.1); 0 where both means are 0.

    Under ``skip`` the two means may be over different categories.
    """
    mean_precision = mean_over_categories(precision(counts), rule)
    mean_recall = mean_over_categories(recall(counts), rule)
    total = mean_precision + mean_recall
    value = ratio(2 * mean_precision * mean_recall, total)
    return np.where(total == 0, 0.0, value)


def macro_f1_of_means(counts: Counts, rule: str = "zero") -> Average:
    """F1 of mean precision and mean recall; counts categories where either is undefined."""
    unsure = np.isnan(precision(counts)) | np.isnan(recall(counts))
    value = float(f1_of_means(counts, rule))
    return Average(value, len(unsure), int(unsure.sum()), rule)


def micro_statistic(measure: str | Measure) -> Statistic:
    """A micro-average as a function of counts, for a bootstrap."""
    formula = _measure(measure).formula
    return lambda counts: formula(counts.pooled())


def macro_statistic(measure: str | Measure, rule: str = "zero") -> Statistic:
    """A macro-average as a function of counts, for a bootstrap."""
    formula = _measure(measure).formula
    return lambda counts: mean_over_categories(formula(counts), rule)


def top_categories(sizes: Ints, k: int) -> Indices:
    """Find the k largest categories, the largest first, equal ones in column order.

    ``sizes`` are those of training, as in figure 6 of zhang-oles-2001: what counts as a large
    category is known before the test. Sorts the categories.
    """
    if not 1 <= k <= len(sizes):
        raise UsageError(f"top {k}: there are {len(sizes)} categories; k must be from 1 to that")
    return np.argsort(-sizes, kind="stable")[:k]


def macro_over_top(values: Floats, sizes: Ints, k: int, rule: str = "zero") -> Average:
    """Average over the k largest categories (zhang-oles-2001, figure 6)."""
    return macro(values[top_categories(sizes, k)], rule)


def _measure(measure: str | Measure) -> Measure:
    return measure_named(measure) if isinstance(measure, str) else measure
