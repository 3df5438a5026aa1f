"""The break-even point: the precision and recall of a category where the two are equal.

With p members that is where p documents are accepted. Documents of equal score are accepted
together, so p may fall inside a block and no threshold breaks even; ``DEFINITIONS`` differ there.
The first four agree where a threshold breaks even.

The micro-average (zhang-oles-2001 section 4.2, zhang-2000) cuts each category at its own break-even
point, adds up the counts, and takes the mean of pooled precision and pooled recall. A category
without members adds nothing. A category without scores has no break-even point, and its members
count as false negatives. docs/measuring.md has the reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from postil.common.types import Flags, Floats, Indices
from postil.decide.scores import Sparse
from postil.evaluate.counts import UNDEFINED, named, plain, ratio
from postil.evaluate.curves import Cuts, cuts_of_categories
from postil.evaluate.measures import Average, macro


class Point(NamedTuple):
    """A category's break-even point and its counts, fractional where interpolated.

    ``threshold`` is undefined where no single threshold gives these counts.
    """

    value: float
    threshold: float
    true_positives: float
    false_positives: float
    false_negatives: float


Definition = Callable[[Cuts], Point]

_NONE = Point(UNDEFINED, UNDEFINED, 0.0, 0.0, 0.0)


def exact(cuts: Cuts) -> Point:
    """Return the cut that accepts as many documents as are members, undefined without one."""
    below, above = _around(cuts)
    return _at(cuts, below) if below == above else _NONE


def nearest(cuts: Cuts) -> Point:
    """Return the mean of precision and recall at the cut that accepts most nearly p documents.

    Of two equally near cuts it is the one that accepts more; the value is 0 where that cut accepts
    nothing.
    """
    below, above = _around(cuts)
    too_few, too_many = cuts.members - cuts.accepted[below], cuts.accepted[above] - cuts.members
    return _at(cuts, above if too_many <= too_few else below)


def interpolated(cuts: Cuts) -> Point:
    """Return the crossing of the precision-recall polygon with precision = recall.

    Left of the first cut that finds a member the polygon is taken as flat.
    """
    below, above = _around(cuts)
    if below == above:
        return _at(cuts, below)
    right = np.array([cuts.recall[above], cuts.precision[above]])
    left = np.array([0.0, right[1]])
    if cuts.found[below] > 0:
        left = np.array([cuts.recall[below], cuts.precision[below]])
    fall, rise = left[1] - left[0], right[0] - right[1]
    along = float(np.nan_to_num(ratio(fall, fall + rise)))
    return _balanced(cuts, float(left[0] + along * (right[0] - left[0])))


def expected(cuts: Cuts) -> Point:
    """Return the mean over all orders of the tied documents.

    It is ``(TPₐ + (p - a)/(b - a) · (TP_b - TPₐ)) / p`` for cuts that accept a < p < b.
    """
    below, above = _around(cuts)
    if below == above:
        return _at(cuts, below)
    found = np.interp(cuts.members, cuts.accepted, cuts.found)
    return _balanced(cuts, float(found) / cuts.members)


def ceiling(cuts: Cuts) -> Point:
    """Return the highest ``min(precision, recall)`` of any cut: it may exceed ``exact``.

    That is the point on the curve of interpolated precision, which at recall r is the highest
    precision at any recall ≥ r.
    """
    lower = np.fmin(cuts.precision, cuts.recall)
    return _balanced(cuts, float(lower.max())) if cuts.members else _at(cuts, 0)


def missed(cuts: Cuts) -> Point:
    """Return the point of a category without scores, by any definition: no member is found."""
    return Point(UNDEFINED, float(np.inf), 0.0, 0.0, cuts.members)


DEFINITIONS: dict[str, Definition] = {
    "exact": exact,
    "nearest": nearest,
    "interpolated": interpolated,
    "expected": expected,
    "ceiling": ceiling,
}


@dataclass(frozen=True)
class BreakEvenPoints:
    """The break-even points of all categories under one definition, one entry each."""

    definition: str
    values: Floats
    thresholds: Floats
    true_positives: Floats
    false_positives: Floats
    false_negatives: Floats

    @property
    def precision(self) -> float:
        """Precision of the pooled counts."""
        return float(_share(self.true_positives, self.false_positives))

    @property
    def recall(self) -> float:
        """Recall of the pooled counts."""
        return float(_share(self.true_positives, self.false_negatives))

    @property
    def micro(self) -> float:
        """The micro-averaged break-even point: the mean of pooled precision and recall."""
        if np.isnan(self.precision):
            # Nothing is accepted: undefined without members, else nothing was found.
            return self.recall
        return (self.precision + self.recall) / 2

    def macro(self, rule: str = "zero") -> Average:
        """Return the mean over categories."""
        return macro(self.values, rule)

    def of(self, categories: Indices) -> BreakEvenPoints:
        """Return the points of some categories, such as the ten largest."""
        definition, *columns = vars(self).values()
        return BreakEvenPoints(definition, *(column[categories] for column in columns))

    def to_dict(self, rule: str = "zero") -> dict[str, Any]:
        """Return the averages as plain values for JSON."""
        averages = self.macro(rule)
        pooled = {"micro": self.micro, "precision": self.precision, "recall": self.recall}
        described: dict[str, Any] = plain(
            {**pooled, "macro": averages, "undefined": averages.undefined}
        )
        return described


def break_even_points(
    truth: Sparse, scores: Floats, definition: str = "nearest", known: Flags | None = None
) -> BreakEvenPoints:
    """Find the break-even point of every category; sorts the documents once for each.

    Parameters
    ----------
    truth:
        Sparse indicator of documents × categories.
    scores:
        Scores of documents × categories.
    definition:
        Name of one of ``DEFINITIONS``.
    known:
        False for the memberships that are not ranked.
    """
    locate = named(DEFINITIONS, definition, "definition of the break-even point")
    return gathered(definition, (locate(cuts) for cuts in cuts_of_categories(truth, scores, known)))


def gathered(definition: str, points: Iterable[Point]) -> BreakEvenPoints:
    """Return the points of categories as columns."""
    table = np.array(list(points), np.float64).reshape(-1, 5)
    return BreakEvenPoints(definition, *table.T)


def _around(cuts: Cuts) -> tuple[int, int]:
    """Return the last cut that accepts at most the number of members, the first at least it."""
    below = int(np.searchsorted(cuts.accepted, cuts.members, side="right")) - 1
    return below, int(np.searchsorted(cuts.accepted, cuts.members, side="left"))


def _at(cuts: Cuts, cut: int) -> Point:
    found, accepted = float(cuts.found[cut]), float(cuts.accepted[cut])
    value = UNDEFINED
    if cuts.members:
        value = (found / max(accepted, 1.0) + found / cuts.members) / 2
    return Point(value, cuts.threshold(cut), found, accepted - found, cuts.members - found)


def _balanced(cuts: Cuts, value: float) -> Point:
    found = value * cuts.members
    return Point(value, UNDEFINED, found, cuts.members - found, cuts.members - found)


def _share(found: Floats, rest: Floats) -> Floats:
    return ratio(found.sum(), found.sum() + rest.sum())
