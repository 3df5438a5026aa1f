"""ROC and precision-recall curves, read off the cuts of a ranking.

Documents are sorted by falling score. A threshold accepts those that score at least that much, so
documents of equal score are accepted together: they are one block, and a cut lies at the end of a
block or before the first. Everything a threshold can trade (break-even points, ROC and
precision-recall curves) is read off these cuts: those of one category (``cuts_of``), or those of a
micro-average (``micro_cuts``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from postil.common.types import Flags, Floats, Indices
from postil.decide.scores import Csr, Sparse
from postil.evaluate.counts import (
    UNDEFINED,
    checked_indicator,
    checked_scores,
    plain,
    ratio,
)


@dataclass(frozen=True)
class Cuts:
    """All cuts of a ranking, from accepting nothing to accepting everything.

    ``lowest`` is the lowest score a cut accepts (infinite for the first, which accepts none),
    ``accepted`` the number of documents it accepts, ``found`` the number of members among them. A
    micro-average may make ``accepted`` and ``found`` fractional.
    """

    lowest: Floats
    accepted: Floats
    found: Floats
    members: float
    cases: float

    @property
    def precision(self) -> Floats:
        """``found / accepted``: undefined at the first cut."""
        return ratio(self.found, self.accepted)

    @property
    def recall(self) -> Floats:
        """``found / members``: undefined where there are none."""
        return ratio(self.found, self.members)

    @property
    def false_positive_rate(self) -> Floats:
        """Share of the non-members that are accepted: undefined where there are none."""
        return ratio(self.accepted - self.found, self.cases - self.members)

    def threshold(self, cut: int) -> float:
        """Return a score that accepts, by ``score ≥ threshold``, exactly what the cut accepts.

        It is half way between the last accepted and the first rejected score if that is a number
        apart from both (so that ``score > threshold`` does the same), else the last accepted
        one; infinite where nothing is accepted.
        """
        above = float(self.lowest[cut])
        if cut + 1 == len(self.lowest):
            return above
        below = float(self.lowest[cut + 1])
        middle = below + (above - below) / 2 if np.isfinite(above - below) else above
        return middle if below < middle < above else above


def cuts_of(scores: Floats, members: Flags) -> Cuts:
    """Return the cuts of one ranking; sorts the documents."""
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    last_of_block = np.append(ranked[1:] != ranked[:-1], True)[: len(ranked)]
    ends = np.flatnonzero(last_of_block)
    found = np.cumsum(members[order], dtype=np.float64)
    return Cuts(
        np.append(np.inf, ranked[ends]),
        np.append(0.0, ends + 1.0),
        np.append(0.0, found[ends]),
        float(np.count_nonzero(members)),
        float(len(scores)),
    )


def cuts_of_categories(truth: Sparse, scores: Floats, known: Flags | None = None) -> Iterator[Cuts]:
    """Yield the cuts of each category in turn; memory for one at a time.

    ``known`` is False for the memberships that are not ranked.
    """
    indicator = checked_indicator(truth, "truth")
    ranked = checked_scores(scores, indicator.shape)
    for category, members in enumerate(columns_of(indicator)):
        rows = slice(None) if known is None else known[:, category]
        yield cuts_of(ranked[rows, category], members[rows])


def columns_of(indicator: Csr) -> Iterator[Flags]:
    """Yield each column of an indicator as a dense array."""
    columns = indicator.tocsc()
    for start, end in pairwise(columns.indptr):
        members = np.zeros(columns.shape[0], np.bool_)
        members[columns.indices[start:end]] = True
        yield members


class _Curve:
    """A number, and columns of points: across, up and the threshold of each."""

    def to_dict(self, points: int | None = None) -> dict[str, Any]:
        """Return plain values for JSON, about ``points`` points of the curve at most."""
        number, *columns = vars(self)
        kept = thinned(vars(self)[columns[0]], vars(self)[columns[1]], points)
        points_kept = {name: vars(self)[name][kept] for name in columns}
        described: dict[str, Any] = plain({number: vars(self)[number], **points_kept})
        return described


@dataclass(frozen=True)
class RocCurve(_Curve):
    """True against false positive rate at every cut, from (0, 0) to (1, 1).

    ``thresholds`` are the lowest accepted scores. ``area`` is the area under the curve, straight
    between cuts: the probability that a member outranks a non-member, ties counting half.
    Everything is undefined without members, and without other documents.
    """

    area: float
    false_positive_rate: Floats
    true_positive_rate: Floats
    thresholds: Floats


@dataclass(frozen=True)
class PrecisionRecallCurve(_Curve):
    """Precision against recall at every cut that accepts something, recall rising.

    ``average_precision`` is ``Σ (Rₖ - Rₖ₋₁) Pₖ``, precision weighted by the recall each cut
    adds, without interpolation. Recall and average precision are undefined without members.
    """

    average_precision: float
    recall: Floats
    precision: Floats
    thresholds: Floats


def roc_curve(cuts: Cuts) -> RocCurve:
    """Return the ROC curve; costs the cuts."""
    return RocCurve(roc_area(cuts), cuts.false_positive_rate, cuts.recall, cuts.lowest)


def roc_area(cuts: Cuts) -> float:
    """Return the area under the ROC curve by trapezoids."""
    if cuts.members in (0, cuts.cases):
        return UNDEFINED
    return float(np.trapezoid(cuts.recall, cuts.false_positive_rate))


def precision_recall_curve(cuts: Cuts) -> PrecisionRecallCurve:
    """Return the precision-recall curve; costs the cuts."""
    some = cuts.accepted > 0
    return PrecisionRecallCurve(
        average_precision(cuts), cuts.recall[some], cuts.precision[some], cuts.lowest[some]
    )


def average_precision(cuts: Cuts) -> float:
    """Return ``Σ (Rₖ - Rₖ₋₁) Pₖ``."""
    if not cuts.members:
        return UNDEFINED
    return float((np.diff(cuts.recall) * cuts.precision[1:]).sum())


def thinned(across: Floats, up: Floats, points: int | None) -> Indices:
    """Return points spaced evenly along the curve's length (steps across plus steps up)."""
    if points is None or len(across) <= points or np.isnan(across).any() or np.isnan(up).any():
        return np.arange(len(across))[: points or len(across)]
    walked = np.append(0.0, np.cumsum(np.abs(np.diff(across)) + np.abs(np.diff(up))))
    stations = np.linspace(0, walked[-1], points)
    return np.unique(np.append(np.searchsorted(walked, stations), [0, len(across) - 1]))
