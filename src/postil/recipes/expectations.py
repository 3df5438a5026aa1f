"""What a recipe's paper prints for a corpus, beside what was measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from postil.evaluate import Report
    from postil.recipes.parts import Expectation
    from postil.recipes.recipe import Recipe


def _break_even(report: Report) -> float | None:
    return None if report.ranking is None else report.ranking.break_even["nearest"].micro


def _macro_f1(report: Report) -> float | None:
    """The paper's: over categories with a training and a test document, F1 of 0/0 being 1."""
    f1 = report.values["f1"]
    kept = np.asarray(report.counts.members) > 0
    if report.training_sizes is not None:
        kept &= np.asarray(report.training_sizes) > 0
    return float(np.nan_to_num(f1[kept], nan=1.0).mean()) if kept.any() else None


MEASURES: Mapping[str, Callable[[Report], float | None]] = {
    "micro-f1": lambda report: report.micro["f1"],
    "micro-break-even": _break_even,
    "macro-f1": _macro_f1,
}


@dataclass(frozen=True, slots=True)
class Beside:
    """A printed value and ours, in %; ours and the difference are None if not measured."""

    measure: str
    printed: float
    ours: float | None
    difference: float | None
    tolerance: float

    @property
    def near(self) -> bool:
        """Whether ours is as near as promised."""
        return self.difference is not None and abs(self.difference) <= self.tolerance

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**asdict(self), "near": self.near}


def beside(recipe: Recipe, corpus: str, report: Report) -> list[Beside]:
    """Every expectation of the recipe for the corpus, with what the report has for it."""
    return [_beside(each, report) for each in recipe.expect if each.corpus == corpus]


def _beside(expected: Expectation, report: Report) -> Beside:
    measure = MEASURES.get(expected.measure)
    share = None if measure is None else measure(report)
    ours = None if share is None or math.isnan(share) else 100 * share
    difference = None if ours is None else ours - expected.value
    return Beside(expected.measure, expected.value, ours, difference, expected.tolerance)
