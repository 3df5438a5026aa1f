"""Figures with a floor: the highest precision with at least so much recall, and the reverse.

A floor is no slope to climb. So a smooth form has a penalty that begins at the floor:
``PENALTY·bend(shortfall)``, where ``bend(s)`` is 0 up to ``s = 0``, ``s²/(2·EASE)`` up to EASE and
``s - EASE/2`` beyond. Its slope is continuous, and beyond EASE a missing point of the floor costs
PENALTY points of the rest, more than what is usually to be had for it. What is found by it keeps
the floor nearly; a threshold that is tuned afterwards keeps it on the documents it is tuned on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from postil.common.types import Floats
from postil.errors import UsageError
from postil.learn.merit.figures import Attained, SmoothCounts, share_of, written

PENALTY = 10.0
EASE = 0.01
# Sums of weights are rounded: a floor that is missed by less is reached.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class PrecisionAtRecall:
    """``TP/(TP + FP) - penalty(floor - TP/members)``: precision with at least so much recall.

    Precision is 0 where nothing is accepted. Without members there is no recall to miss, and the
    value is 0.
    """

    falls: ClassVar[bool] = False
    adds_up: ClassVar[bool] = False
    floor: float
    pooled: bool = False

    def __post_init__(self) -> None:
        _check_floor("recall", self.floor)

    @property
    def name(self) -> str:
        """``recall>=0.95``: what has to be kept."""
        return _name("recall", self.floor, self.pooled)

    def values(self, counts: SmoothCounts) -> Floats:
        """Precision less the penalty."""
        taken = counts.added() if self.pooled else counts
        return _precision(taken) - PENALTY * _bend(self._shortfall(taken))[0]

    def gains(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        """``FP/accepted² + penalty'/members`` and ``-TP/accepted²``."""
        taken = counts.added() if self.pooled else counts
        accepted = taken.true_positives + taken.false_positives
        steep = PENALTY * _bend(self._shortfall(taken))[1]
        squared = share_of(share_of(np.ones_like(accepted), accepted), accepted)
        return (
            taken.false_positives * squared + steep * share_of(np.ones_like(steep), taken.members),
            -taken.true_positives * squared,
        )

    def attained(self, counts: SmoothCounts) -> Attained:
        """Precision, undefined where nothing is accepted, and whether recall is enough."""
        kept = counts.true_positives >= self.floor * counts.members * (1 - ROUNDING)
        return Attained(_precision(counts, np.nan), kept)

    def _shortfall(self, counts: SmoothCounts) -> Floats:
        recall = share_of(counts.true_positives, counts.members, 1.0)
        return self.floor - recall


@dataclass(frozen=True, slots=True)
class RecallAtPrecision:
    """``TP/members - penalty((floor·accepted - TP)/members)``: recall with so much precision.

    The shortfall is of members, not of precision: the members that would have to be among the
    accepted, and are not, as a share of all. It is 0 exactly where precision is enough, and unlike
    precision it is smooth where nothing is accepted. Without members the value is 0.
    """

    falls: ClassVar[bool] = False
    adds_up: ClassVar[bool] = False
    floor: float
    pooled: bool = False

    def __post_init__(self) -> None:
        _check_floor("precision", self.floor)

    @property
    def name(self) -> str:
        """``precision>=0.9``: what has to be kept."""
        return _name("precision", self.floor, self.pooled)

    def values(self, counts: SmoothCounts) -> Floats:
        """Recall less the penalty."""
        taken = counts.added() if self.pooled else counts
        recall = share_of(taken.true_positives, taken.members)
        return recall - PENALTY * _bend(self._shortfall(taken))[0]

    def gains(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        """``(1 + penalty'·(1 - floor))/members`` and ``-penalty'·floor/members``."""
        taken = counts.added() if self.pooled else counts
        by_member = share_of(np.ones_like(taken.members), taken.members)
        steep = PENALTY * _bend(self._shortfall(taken))[1]
        return (1.0 + steep * (1.0 - self.floor)) * by_member, -steep * self.floor * by_member

    def attained(self, counts: SmoothCounts) -> Attained:
        """Recall, undefined without members, and whether precision is enough.

        Where nothing is accepted nothing is wrong: the floor holds, and recall is 0.
        """
        accepted = counts.true_positives + counts.false_positives
        kept = counts.true_positives >= self.floor * accepted * (1 - ROUNDING)
        return Attained(share_of(counts.true_positives, counts.members, np.nan), kept)

    def _shortfall(self, counts: SmoothCounts) -> Floats:
        accepted = counts.true_positives + counts.false_positives
        return share_of(self.floor * accepted - counts.true_positives, counts.members)


FLOORS = (PrecisionAtRecall, RecallAtPrecision)


def _bend(shortfall: Floats) -> tuple[Floats, Floats]:
    """The penalty of a shortfall, and its slope."""
    missing = np.maximum(shortfall, 0.0)
    near = missing < EASE
    value = np.where(near, missing * missing / (2 * EASE), missing - EASE / 2)
    return value, np.where(near, missing / EASE, 1.0)


def _precision(counts: SmoothCounts, otherwise: float = 0.0) -> Floats:
    accepted = counts.true_positives + counts.false_positives
    return share_of(counts.true_positives, accepted, otherwise)


def _name(kept: str, floor: float, pooled: bool) -> str:
    return f"{'micro-' if pooled else ''}{kept}>={written(floor)}"


def _check_floor(kept: str, floor: float) -> None:
    if not 0 < floor <= 1:
        raise UsageError(
            f"the least {kept} is a number above 0 and up to 1, as in {kept}>=0.9; got {floor}"
        )
