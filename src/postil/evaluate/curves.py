"""ROC and precision-recall curves, read off the cuts of a ranking.

Take the cuts of one category (``cuts_of``), or those of a micro-average (``micro_cuts``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from postil.evaluate.cuts import Cuts
from postil.evaluate.undefined import UNDEFINED, plain_fields
from postil.features.inputs import Floats, Indices


@dataclass(frozen=True)
class RocCurve:
    """True against false positive rate at every cut, from (0, 0) to (1, 1).

    ``thresholds`` are the lowest accepted scores. ``area`` is that under the curve, straight
    between cuts: the probability that a member outranks a non-member, ties counting half. All
    is undefined where there is no member, or nothing but members.
    """

    false_positive_rate: Floats
    true_positive_rate: Floats
    thresholds: Floats
    area: float

    def to_dict(self, points: int | None = None) -> dict[str, Any]:
        """Give plain values for JSON, at most about ``points`` of the curve."""
        kept = _thinned(self.false_positive_rate, self.true_positive_rate, points)
        return plain_fields(
            {
                "area": self.area,
                "false_positive_rate": self.false_positive_rate[kept],
                "true_positive_rate": self.true_positive_rate[kept],
                "thresholds": self.thresholds[kept],
            }
        )


@dataclass(frozen=True)
class PrecisionRecallCurve:
    """Precision against recall at every cut that accepts something, recall rising.

    ``average_precision`` is ``Σ (Rₖ - Rₖ₋₁) Pₖ``, precision weighted by the recall each cut
    adds; nothing is interpolated. Recall and average precision are undefined where there is no
    member.
    """

    recall: Floats
    precision: Floats
    thresholds: Floats
    average_precision: float

    def to_dict(self, points: int | None = None) -> dict[str, Any]:
        """Give plain values for JSON, at most about ``points`` of the curve."""
        kept = _thinned(self.recall, self.precision, points)
        return plain_fields(
            {
                "average_precision": self.average_precision,
                "recall": self.recall[kept],
                "precision": self.precision[kept],
                "thresholds": self.thresholds[kept],
            }
        )


def roc_curve(cuts: Cuts) -> RocCurve:
    """Draw the ROC curve; costs the cuts."""
    return RocCurve(cuts.false_positive_rate, cuts.recall, cuts.lowest, roc_area(cuts))


def roc_area(cuts: Cuts) -> float:
    """The area under the ROC curve by trapezoids."""
    if cuts.members in (0, cuts.cases):
        return UNDEFINED
    return float(np.trapezoid(cuts.recall, cuts.false_positive_rate))


def precision_recall_curve(cuts: Cuts) -> PrecisionRecallCurve:
    """Draw the precision-recall curve; costs the cuts."""
    some = cuts.accepted > 0
    return PrecisionRecallCurve(
        cuts.recall[some], cuts.precision[some], cuts.lowest[some], average_precision(cuts)
    )


def average_precision(cuts: Cuts) -> float:
    """``Σ (Rₖ - Rₖ₋₁) Pₖ``."""
    if not cuts.members:
        return UNDEFINED
    return float((np.diff(cuts.recall) * cuts.precision[1:]).sum())


def _thinned(across: Floats, up: Floats, points: int | None) -> Indices:
    """Choose points evenly along the curve's length (in steps across plus steps up)."""
    if points is None or len(across) <= points or np.isnan(across).any() or np.isnan(up).any():
        return np.arange(len(across))[: points or len(across)]
    walked = np.append(0.0, np.cumsum(np.abs(np.diff(across)) + np.abs(np.diff(up))))
    stations = np.linspace(0, walked[-1], points)
    return np.unique(np.append(np.searchsorted(walked, stations), [0, len(across) - 1]))
