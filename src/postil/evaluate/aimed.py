"""The measure a model was trained for, taken of its decisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from postil.evaluate.averages import Average, macro
from postil.evaluate.counts import Counts
from postil.evaluate.undefined import plain_fields
from postil.features.inputs import Floats
from postil.learn.merit.figures import Attained, Figure, SmoothCounts
from postil.learn.merit.figures_floors import FLOORS
from postil.learn.merit.naming import figure_named


@dataclass(frozen=True)
class Aimed:
    """A figure of merit: of all categories together, and averaged over them.

    Shares of errors are positive here, and the less the better. ``reached`` and ``categories`` are
    of figures with a floor: how many of the categories with members keep it; ``micro_reached`` is
    whether all together do. ``total`` is what all decisions earned or cost, of utilities and costs.
    """

    measure: str
    less_is_better: bool
    micro: float
    macro: Average
    micro_reached: bool | None = None
    reached: int | None = None
    categories: int | None = None
    total: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Give plain values for JSON."""
        return plain_fields({**vars(self), "macro": self.macro.to_dict()})


def aimed(counts: Counts, measure: str, undefined: str = "zero") -> Aimed:
    """Take a measure of counted decisions; costs the categories."""
    figure = figure_named(measure)
    each = figure.attained(_smooth(counts))
    pooled = figure.attained(_smooth(counts.pooled()))
    sign = -1.0 if figure.falls else 1.0
    with_members = counts.members > 0
    return Aimed(
        figure.name,
        figure.falls,
        sign * float(pooled.values[0]) + 0.0,
        macro(_signed(each.values, sign), undefined),
        **_floor(figure, each, pooled, with_members),
        total=None if pooled.totals is None else float(pooled.totals[0]),
    )


def _floor(
    figure: Figure, each: Attained, pooled: Attained, with_members: np.ndarray[Any, Any]
) -> dict[str, Any]:
    if not isinstance(figure, FLOORS):
        return {}
    return {
        "micro_reached": bool(pooled.reached[0]),
        "reached": int((each.reached & with_members).sum()),
        "categories": int(with_members.sum()),
    }


def _signed(values: Floats, sign: float) -> Floats:
    result: Floats = sign * values + 0.0  # no -0.0
    return result


def _smooth(counts: Counts) -> SmoothCounts:
    return SmoothCounts(
        *(
            np.atleast_1d(np.asarray(part, dtype=np.float64))
            for part in (
                counts.true_positives,
                counts.false_positives,
                counts.members,
                counts.cases - counts.members,
            )
        )
    )
