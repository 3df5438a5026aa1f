"""Figures of merit: functions of smooth counts, the more the better, with their slopes.

gao-wu-lee-chua-2003 makes the counts of decisions smooth (eq. 4.4 to 4.6), so that any measure of
them can be climbed. A figure says its value, and how much it gains with TP and with FP while the
numbers of members and of others stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class SmoothCounts:
    """Counts of decisions of some problems: weights of documents, not whole numbers."""

    true_positives: Floats
    false_positives: Floats
    members: Floats
    others: Floats

    @property
    def false_negatives(self) -> Floats:
        """Members that were not accepted."""
        return self.members - self.true_positives

    @property
    def true_negatives(self) -> Floats:
        """Others that were not accepted."""
        return self.others - self.false_positives


class Figure(Protocol):
    """A measure to climb; ``pooled`` figures add the counts of all problems up first."""

    @property
    def name(self) -> str:
        """How it is written, as :func:`postil.learn.merit.naming.figure_named` reads it."""

    @property
    def pooled(self) -> bool:
        """Whether all problems have one value."""

    def values(self, counts: SmoothCounts) -> Floats:
        """The value of each problem; of a pooled figure the same for all."""

    def gains(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        """What each value gains with TP, and with FP; of a pooled figure, what the one gains."""


@dataclass(frozen=True, slots=True)
class FBeta:
    """``(1 + β²)TP / ((1 + β²)TP + β²FN + FP)``: eq. 4.3 where β is 1, 0 where nothing is counted.

    With ``pooled`` it is the micro-average (eq. 6.2).
    """

    beta: float = 1.0
    pooled: bool = False

    @property
    def name(self) -> str:
        """``f1``, ``f0.5``, ``micro-f1``."""
        return f"{'micro-' if self.pooled else ''}f{self.beta:g}"

    def values(self, counts: SmoothCounts) -> Floats:
        """The figure of each problem."""
        found, below = self._parts(counts)
        return np.divide(found, below, out=np.zeros_like(found), where=below > 0)

    def gains(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        """``∂F/∂TP = ((1 + β²) - F) / below`` and ``∂F/∂FP = -F / below``."""
        found, below = self._parts(counts)
        share = np.divide(1.0, below, out=np.zeros_like(found), where=below > 0)
        value = found * share
        return (1.0 + self.beta**2 - value) * share, -value * share

    def _parts(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        # Members do not change with decisions: TP + FN is their number.
        square = self.beta**2
        found = (1.0 + square) * counts.true_positives
        below = counts.true_positives + counts.false_positives + square * counts.members
        if self.pooled:
            return np.full_like(found, found.sum()), np.full_like(below, below.sum())
        return found, below


@dataclass(frozen=True, slots=True)
class BalancedError:
    """``-(FN / members + FP / others) / 2``: the class-balanced MCE of section 6.2.1."""

    pooled: bool = False

    @property
    def name(self) -> str:
        """``balanced-error``."""
        return "balanced-error"

    def values(self, counts: SmoothCounts) -> Floats:
        """The negative of the mean of both shares of errors."""
        by_member, by_other = self._shares(counts)
        return -(counts.false_negatives * by_member + counts.false_positives * by_other)

    def gains(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        """They do not depend on the decisions."""
        by_member, by_other = self._shares(counts)
        return by_member, -by_other

    def _shares(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        return _half_share(counts.members), _half_share(counts.others)


def _half_share(total: Floats) -> Floats:
    return np.divide(0.5, total, out=np.zeros_like(total), where=total > 0)
