"""Measures of rankings: break-even points, areas and curves, of each category and of all together.

A micro-averaged curve needs a rule for how the thresholds of categories move together; zhang-2000
shows such a curve (figure 1) and does not name its rule, so ``AVERAGINGS`` have names here. Two of
them, ``shifted`` and ``proportional``, set thresholds by looking at the test: they describe
rankings, as break-even points do, and no system could have chosen them. Pass some columns of truth
and scores for a curve over some categories.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from postil.common.types import Flags, Floats
from postil.decide.scores import Csr, Sparse
from postil.evaluate.break_even import (
    DEFINITIONS,
    BreakEvenPoints,
    Point,
    break_even_points,
    gathered,
    missed,
)
from postil.evaluate.counts import (
    UNDEFINED,
    checked_indicator,
    checked_per_category,
    checked_scores,
    named,
    plain,
)
from postil.evaluate.curves import (
    Cuts,
    PrecisionRecallCurve,
    RocCurve,
    average_precision,
    cuts_of,
    cuts_of_categories,
    precision_recall_curve,
    roc_area,
    roc_curve,
)
from postil.evaluate.measures import macro

SHARES = 201


def pooled(truth: Csr, scores: Floats, known: Flags | None = None) -> Cuts:
    """Rank all pairs together, with one threshold for all; sorts documents × categories pairs.

    Fair where scores of categories mean the same, as for probabilities or margins.
    """
    ranked = slice(None) if known is None else known.ravel()
    return cuts_of(scores.ravel()[ranked], truth.toarray().ravel()[ranked])


def shifted(truth: Csr, scores: Floats, known: Flags | None = None) -> Cuts:
    """Rank all pairs by score above the category's break-even threshold (``nearest``).

    One shift moves all thresholds; the curve passes through the micro-averaged break-even point. A
    category whose threshold is infinite keeps it at any shift: the category comes last if the
    threshold accepts nothing (as without members), and first if it accepts everything.
    """
    thresholds = break_even_points(truth, scores, known=known).thresholds
    finite = np.isfinite(thresholds)
    margins = np.tile(-thresholds, (scores.shape[0], 1))
    margins[:, finite] += scores[:, finite]
    return pooled(truth, margins, known)


def proportional(truth: Csr, scores: Floats, known: Flags | None = None) -> Cuts:
    """Accept f times its members in each category, for 401 values of f from 0 to all documents.

    At f = 1 this is the micro-averaged break-even point (``expected``). Only the ranking within
    categories matters, not the meaning of scores.
    Where f times the members falls inside a block of ties, counts are the mean over the orders
    of the tied documents. Categories without members accept nothing at any f. ``lowest`` of the
    cuts holds f, and infinity for the first.
    """
    ranked = list(cuts_of_categories(truth, scores, known))
    categories = [cuts for cuts in ranked if cuts.members]
    widest = max((cuts.cases / cuts.members for cuts in categories), default=1.0)
    shares = np.concatenate(
        [np.linspace(0, 1, SHARES), np.geomspace(1, max(widest, 1.0), SHARES)[1:]]
    )
    accepted, found = np.zeros(len(shares)), np.zeros(len(shares))
    for cuts in categories:
        wanted = np.minimum(shares * cuts.members, cuts.cases)
        accepted += wanted
        found += np.interp(wanted, cuts.accepted, cuts.found)
    return Cuts(
        np.append(np.inf, shares[1:]),
        accepted,
        found,
        float(truth.nnz),
        sum(cuts.cases for cuts in ranked),
    )


AVERAGINGS: dict[str, Callable[[Csr, Floats, Flags | None], Cuts]] = {
    "pooled": pooled,
    "shifted": shifted,
    "proportional": proportional,
}


def micro_cuts(
    truth: Sparse, scores: Floats, averaging: str = "pooled", known: Flags | None = None
) -> Cuts:
    """Return the cuts of all categories together by one of ``AVERAGINGS``.

    Give the result to ``roc_curve`` or ``precision_recall_curve``. Memory is a few arrays of
    documents × categories (``proportional``: of documents).
    """
    average = named(AVERAGINGS, averaging, "micro-averaging of curves")
    members = checked_indicator(truth, "truth")
    return average(members, checked_scores(scores, members.shape), known)


@dataclass(frozen=True)
class Ranking:
    """Break-even points by every definition, areas of each category, and curves of all together.

    ``precision_recall`` holds a curve for each rule of micro-averaging; ``roc`` is the curve of all
    pairs of document and category ranked together.
    """

    break_even: dict[str, BreakEvenPoints]
    roc_areas: Floats
    average_precisions: Floats
    roc: RocCurve
    precision_recall: dict[str, PrecisionRecallCurve]

    def columns(self) -> dict[str, Floats]:
        """Return the values of categories, by name."""
        return {
            **{f"break_even_{name}": each.values for name, each in self.break_even.items()},
            "break_even_threshold": self.break_even["nearest"].thresholds,
            "roc_area": self.roc_areas,
            "average_precision": self.average_precisions,
        }

    def to_dict(self, rule: str, points: int | None) -> dict[str, Any]:
        """Return averages and curves as plain values for JSON."""
        return {
            "break_even": {name: each.to_dict(rule) for name, each in self.break_even.items()},
            "roc_area": plain(macro(self.roc_areas, rule)),
            "average_precision": plain(macro(self.average_precisions, rule)),
            "pooled_roc": self.roc.to_dict(points),
            "micro_precision_recall": {
                name: curve.to_dict(points) for name, curve in self.precision_recall.items()
            },
        }


def rank_categories(
    truth: Sparse,
    scores: Floats,
    scored: ArrayLike | None = None,
    known: Flags | None = None,
) -> Ranking:
    """Measure the rankings of all categories.

    Sorts the documents for each category, and all pairs of document and category for the curves
    of all together; memory is a few arrays of documents × categories.

    Parameters
    ----------
    truth:
        Sparse indicator of documents × categories.
    scores:
        Scores of documents × categories.
    scored:
        True for each category that has scores; all have, by default. The values of the others are
        undefined, and their members are missed wherever categories are averaged over counts.
    known:
        False for the memberships that are not ranked.
    """
    points: dict[str, list[Point]] = {name: [] for name in DEFINITIONS}
    areas, precisions = [], []
    columns = int(truth.shape[1])
    flags = np.ones(columns) if scored is None else scored
    ranked = checked_per_category(flags, columns, "scored").astype(np.bool_)
    for cuts, real in zip(cuts_of_categories(truth, scores, known), ranked, strict=True):
        for name, locate in DEFINITIONS.items():
            points[name].append(locate(cuts) if real else missed(cuts))
        areas.append(roc_area(cuts) if real else UNDEFINED)
        precisions.append(average_precision(cuts) if real else UNDEFINED)
    return Ranking(
        {name: gathered(name, found) for name, found in points.items()},
        np.array(areas, np.float64),
        np.array(precisions, np.float64),
        roc_curve(micro_cuts(truth, scores, known=known)),
        {
            name: precision_recall_curve(micro_cuts(truth, scores, name, known))
            for name in AVERAGINGS
        },
    )
