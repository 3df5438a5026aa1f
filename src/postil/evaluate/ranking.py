"""Everything scores tell beyond decisions, from one sorting of each category."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from postil.evaluate.averages import macro
from postil.evaluate.breakeven import DEFINITIONS, BreakEvenPoints, Point, gathered, missed
from postil.evaluate.curves import (
    PrecisionRecallCurve,
    RocCurve,
    average_precision,
    precision_recall_curve,
    roc_area,
    roc_curve,
)
from postil.evaluate.cuts import cuts_of_categories
from postil.evaluate.inputs import checked_flags
from postil.evaluate.microcurves import AVERAGINGS, micro_cuts
from postil.evaluate.undefined import UNDEFINED
from postil.features.inputs import Floats, Sparse


@dataclass(frozen=True)
class Ranking:
    """Break-even points by every definition, areas of each category, and curves of all together.

    ``precision_recall`` holds a curve for each way of micro-averaging; ``roc`` is that of all
    pairs of document and category ranked together.
    """

    break_even: dict[str, BreakEvenPoints]
    roc_areas: Floats
    average_precisions: Floats
    roc: RocCurve
    precision_recall: dict[str, PrecisionRecallCurve]

    def columns(self) -> dict[str, Floats]:
        """Values of categories, by name."""
        return {
            **{f"break_even_{name}": each.values for name, each in self.break_even.items()},
            "break_even_threshold": self.break_even["nearest"].thresholds,
            "roc_area": self.roc_areas,
            "average_precision": self.average_precisions,
        }

    def to_dict(self, rule: str, points: int | None) -> dict[str, Any]:
        """Give averages and curves as plain values for JSON."""
        return {
            "break_even": {name: each.to_dict(rule) for name, each in self.break_even.items()},
            "roc_area": macro(self.roc_areas, rule).to_dict(),
            "average_precision": macro(self.average_precisions, rule).to_dict(),
            "pooled_roc": self.roc.to_dict(points),
            "micro_precision_recall": {
                name: curve.to_dict(points) for name, curve in self.precision_recall.items()
            },
        }


def rank_categories(truth: Sparse, scores: Floats, scored: ArrayLike | None = None) -> Ranking:
    """Measure the rankings of all categories.

    Those that are not ``scored`` rank nothing: their values are undefined, and their members are
    missed wherever categories are averaged over counts.

    Sorts the documents for each category, and all pairs of document and category for the curves
    of all together; memory is a few arrays of documents × categories.
    """
    points: dict[str, list[Point]] = {name: [] for name in DEFINITIONS}
    areas, precisions = [], []
    ranked = checked_flags(scored, int(truth.shape[1]), "scored")
    for cuts, real in zip(cuts_of_categories(truth, scores), ranked, strict=True):
        for name, locate in DEFINITIONS.items():
            points[name].append(locate(cuts) if real else missed(cuts))
        areas.append(roc_area(cuts) if real else UNDEFINED)
        precisions.append(average_precision(cuts) if real else UNDEFINED)
    return Ranking(
        {name: gathered(name, found) for name, found in points.items()},
        np.array(areas, np.float64),
        np.array(precisions, np.float64),
        roc_curve(micro_cuts(truth, scores)),
        {name: precision_recall_curve(micro_cuts(truth, scores, name)) for name in AVERAGINGS},
    )
