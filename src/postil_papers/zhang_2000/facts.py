"""What is kept of a run: the break-even point of each category, and a precision-recall curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.common.types import Floats
from postil.evaluate.break_even import BreakEvenPoints
from postil.evaluate.curves import precision_recall_curve
from postil.evaluate.ranking import micro_cuts
from postil.features.inputs import Csr

DEFINITION = "nearest"
# The curve that goes through the micro-averaged break-even point; see evaluate.microcurves.
AVERAGING = "shifted"
COLUMNS = ("values", "true_positives", "false_positives", "false_negatives")
ROUNDING = 1e-9  # of a recall in percent


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Plain numbers of a run on test documents.

    ``points`` has the columns of the break-even points, a number for each of ``categories``
    (``None`` where undefined). ``precision`` is that of the micro-averaged curve of the largest
    categories at the recalls that were asked for, in percent. ``C`` is what a search chose.
    """

    categories: list[str]
    points: Mapping[str, list[float | None]]
    precision: list[float]
    C: float | None = None
    remark: str = ""

    def break_even(self) -> BreakEvenPoints:
        """The break-even points; thresholds are not kept."""
        columns = {
            name: np.array([np.nan if value is None else value for value in self.points[name]])
            for name in COLUMNS
        }
        return BreakEvenPoints(
            DEFINITION, thresholds=np.full(len(self.categories), np.nan), **columns
        )

    def places(self, names: Sequence[str]) -> NDArray[np.intp]:
        """Where these categories stand."""
        return np.array([self.categories.index(name) for name in names], dtype=np.intp)

    def micro(self, names: Sequence[str] | None = None) -> float:
        """The micro-averaged break-even point of some categories, or all, in percent."""
        points = self.break_even()
        chosen = points if names is None else points.of(self.places(names))
        return 100 * chosen.micro

    def others(self, names: Sequence[str]) -> list[str]:
        """All categories but these."""
        return [name for name in self.categories if name not in names]

    def of_category(self, name: str) -> float:
        """The break-even point of one category, in percent."""
        return 100 * float(self.break_even().values[self.places([name])[0]])


def plain_points(points: BreakEvenPoints) -> dict[str, list[float | None]]:
    """The columns as plain numbers."""
    return {
        name: [None if np.isnan(value) else float(value) for value in getattr(points, name)]
        for name in COLUMNS
    }


def precision_at(truth: Csr, scores: Floats, recalls: Sequence[float]) -> list[float]:
    """Micro-averaged precision where recall first reaches each of these, all in percent.

    Sorts all pairs of document and category.
    """
    curve = precision_recall_curve(micro_cuts(truth, scores, AVERAGING))
    reached = np.searchsorted(100 * curve.recall, np.asarray(recalls) - ROUNDING)
    return [100 * float(value) for value in curve.precision[reached]]


def searched_remark(search: Mapping[str, Any]) -> str:
    """What a search chose, and what it saw."""
    shown = ", ".join(f"{row['C']:g}: {_percent(row['value'])}" for row in search["grid"])
    return f"C = {search['C']:g}; cross-validated {search['measure']} by C: {shown}"


def _percent(value: float | None) -> str:
    return "undefined" if value is None else f"{100 * value:.1f}"
