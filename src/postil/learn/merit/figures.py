"""Figures of merit: functions of smooth counts, the more the better, with their slopes.

gao-wu-lee-chua-2003 makes the counts of decisions smooth (eq. 4.4 to 4.6), so that any measure of
them can be climbed. A figure says its value, and how much it gains with TP and with FP while the
numbers of members and of others stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from postil.errors import UsageError

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


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

    def added(self) -> SmoothCounts:
        """The counts of all problems added up, in the place of each."""
        return SmoothCounts(
            *(
                np.full_like(part, part.sum())
                for part in (
                    self.true_positives,
                    self.false_positives,
                    self.members,
                    self.others,
                )
            )
        )


@dataclass(frozen=True, slots=True, eq=False)
class Attained:
    """What decisions are worth, problem by problem.

    ``values`` are the measure itself, not its smooth form: the more the better, and undefined
    (nan) where it is 0/0. ``reached`` says where the figure's floor holds; without a floor it
    holds everywhere. ``totals`` are sums in the figure's own unit, where it has one: what was
    earned, or what it cost.
    """

    values: Floats
    reached: Flags
    totals: Floats | None = None


class Figure(Protocol):
    """A measure to climb; ``pooled`` figures add the counts of all problems up first."""

    @property
    def name(self) -> str:
        """How it is written, as :func:`postil.learn.merit.naming.figure_named` reads it."""

    @property
    def pooled(self) -> bool:
        """Whether all problems have one value."""

    @property
    def falls(self) -> bool:
        """Whether the measure is a share of errors: its value is negative, and printed without."""

    @property
    def adds_up(self) -> bool:
        """Whether the counts of all problems together tell what all of them are worth."""

    def values(self, counts: SmoothCounts) -> Floats:
        """The value of each problem; of a pooled figure the same for all."""

    def gains(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        """What each value gains with TP, and with FP; of a pooled figure, what the one gains."""

    def attained(self, counts: SmoothCounts) -> Attained:
        """The true measure of counted decisions, each problem by itself."""


def overall(figure: Figure, counts: SmoothCounts) -> float:
    """One number for all problems, the more the better.

    Pooled figures, and those that add up, as costs do, are taken of the counts of all together;
    the others are the mean over problems, where an undefined value is 0.
    """
    if figure.pooled or figure.adds_up:
        counts = counts.added()
    values = figure.attained(counts).values
    return float(np.nan_to_num(values, nan=0.0).mean()) if len(values) else 0.0


def share_of(above: Floats, below: Floats, otherwise: float = 0.0) -> Floats:
    """One over the other; ``otherwise`` where there is nothing below."""
    nothing = np.full(np.shape(below), otherwise)
    result: Floats = np.divide(above, below, out=nothing, where=below > 0)
    return result


def written(number: float) -> str:
    """The shortest text that reads back as the number."""
    return repr(float(number)).removesuffix(".0")


@dataclass(frozen=True, slots=True)
class FBeta:
    """``(1 + β²)TP / ((1 + β²)TP + β²FN + FP)``: eq. 4.3 where β is 1, 0 where nothing is counted.

    With ``pooled`` it is the micro-average (eq. 6.2).
    """

    falls: ClassVar[bool] = False
    adds_up: ClassVar[bool] = False
    beta: float = 1.0
    pooled: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.beta < np.inf:
            raise UsageError(f"F-beta needs a finite beta above 0, got {self.beta}")

    @property
    def name(self) -> str:
        """``f1``, ``f0.5``, ``micro-f1``."""
        return f"{'micro-' if self.pooled else ''}f{written(self.beta)}"

    def values(self, counts: SmoothCounts) -> Floats:
        """The figure of each problem."""
        found, below = self._parts(counts)
        return share_of(found, below)

    def gains(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        """``∂F/∂TP = ((1 + β²) - F) / below`` and ``∂F/∂FP = -F / below``."""
        found, below = self._parts(counts)
        share = share_of(np.ones_like(found), below)
        value = found * share
        return (1.0 + self.beta**2 - value) * share, -value * share

    def attained(self, counts: SmoothCounts) -> Attained:
        """F-beta; undefined where there are no members and nothing was accepted."""
        found, below = self._own_parts(counts)
        return Attained(share_of(found, below, np.nan), np.ones_like(found, dtype=np.bool_))

    def _parts(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        return self._own_parts(counts.added() if self.pooled else counts)

    def _own_parts(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        # Members do not change with decisions: TP + FN is their number.
        square = self.beta**2
        found = (1.0 + square) * counts.true_positives
        return found, counts.true_positives + counts.false_positives + square * counts.members


@dataclass(frozen=True, slots=True)
class BalancedError:
    """``-(FN / members + FP / others) / 2``: the class-balanced MCE of section 6.2.1."""

    name: ClassVar[str] = "balanced-error"
    pooled: ClassVar[bool] = False
    falls: ClassVar[bool] = True
    adds_up: ClassVar[bool] = False

    def values(self, counts: SmoothCounts) -> Floats:
        """The negative of the mean of both shares of errors."""
        by_member, by_other = self._shares(counts)
        return -(counts.false_negatives * by_member + counts.false_positives * by_other)

    def gains(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        """They do not depend on the decisions."""
        by_member, by_other = self._shares(counts)
        return by_member, -by_other

    def attained(self, counts: SmoothCounts) -> Attained:
        """The same of counted decisions; undefined without members, or without others."""
        both = (counts.members > 0) & (counts.others > 0)
        return Attained(np.where(both, self.values(counts), np.nan), np.ones_like(both))

    def _shares(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        half = np.full_like(counts.members, 0.5)
        return share_of(half, counts.members), share_of(half, counts.others)
