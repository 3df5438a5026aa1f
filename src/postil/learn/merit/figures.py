"""Figures of merit: functions of smooth counts, the more the better, with their slopes.

gao-wu-lee-chua-2003 makes the counts of decisions smooth (eq. 4.4 to 4.6), so that any measure of
them can be climbed. A figure says its value, and how much it gains with TP and with FP while the
numbers of members and of others stay as they are.

Figures that are sums over documents: errors, costs and utilities.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import numpy as np

from postil.common.types import Flags, Floats
from postil.errors import UsageError


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


OUTCOMES = ("tp", "fp", "fn", "tn")


@dataclass(frozen=True, slots=True)
class PlainError:
    """``-(FP + FN) / n``: the share of wrong decisions, of n documents (the MCE of eq. 4.2)."""

    name: ClassVar[str] = "error"
    pooled: ClassVar[bool] = False
    falls: ClassVar[bool] = True
    adds_up: ClassVar[bool] = True

    def values(self, counts: SmoothCounts) -> Floats:
        """The negative of the share of wrong decisions; 0 without documents."""
        wrong = counts.false_positives + counts.false_negatives
        return -share_of(wrong, counts.members + counts.others)

    def gains(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        """``1/n`` and ``-1/n``."""
        each = share_of(np.ones_like(counts.members), counts.members + counts.others)
        return each, -each

    def attained(self, counts: SmoothCounts) -> Attained:
        """The same of counted decisions; undefined without documents."""
        some = counts.members + counts.others > 0
        return Attained(np.where(some, self.values(counts), np.nan), np.ones_like(some))


@dataclass(frozen=True, slots=True)
class Utility:
    """``tp·TP + fp·FP + fn·FN + tn·TN``: what each decision earns, or costs where it is negative.

    It is scaled so that a perfect decision has 1 and accepting nothing has 0, which changes no
    order of decisions: ``(TP - price·FP) / members`` with ``price = (tn - fp) / (tp - fn)``, the
    wrong acceptances that one more member is worth. TREC's T11U is ``2TP - FP``, a price of 1/2.
    Without members it is ``-price·FP``. Finding a member has to be worth more than missing it, and
    accepting another less than rejecting it: else all would be accepted, or nothing.
    """

    falls: ClassVar[bool] = False
    adds_up: ClassVar[bool] = True
    pooled: ClassVar[bool] = False
    tp: float = 0.0
    fp: float = 0.0
    fn: float = 0.0
    tn: float = 0.0
    # How it was asked for: as costs, which are printed as costs.
    as_cost: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        told = self._told()
        if not np.isfinite([self.tp, self.fp, self.fn, self.tn]).all():
            raise UsageError(f"{told}: each is a finite number")
        if not self.tp > self.fn:
            raise UsageError(
                f"{told}: a member that is found has to be worth more than one that is missed, or "
                "nothing would be accepted"
            )
        if not self.tn > self.fp:
            raise UsageError(
                f"{told}: accepting another document has to be worth less than rejecting it, or "
                "everything would be accepted"
            )

    @classmethod
    def of_costs(cls, fp: float = 1.0, fn: float = 1.0) -> Utility:
        """``-(fp·FP + fn·FN)``: what wrong decisions cost."""
        return cls(fp=-fp, fn=-fn, as_cost=True)

    @property
    def price(self) -> float:
        """What a wrong acceptance costs, where one more member found is worth 1."""
        return (self.tn - self.fp) / (self.tp - self.fn)

    @property
    def name(self) -> str:
        """``cost(fp=1, fn=5)``, ``utility(tp=2, fp=-1)``."""
        return self._told()

    def values(self, counts: SmoothCounts) -> Floats:
        """The scaled utility of each problem."""
        earned = counts.true_positives - self.price * counts.false_positives
        return earned * _by_member(counts)

    def gains(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        """``1/members`` and ``-price/members``, whatever the decisions."""
        by_member = _by_member(counts)
        return by_member, -self.price * by_member

    def attained(self, counts: SmoothCounts) -> Attained:
        """The same of counted decisions, undefined without members; and the sum as it was asked."""
        some = counts.members > 0
        values = np.where(some, self.values(counts), np.nan)
        return Attained(values, np.ones_like(some), self._totals(counts))

    def _totals(self, counts: SmoothCounts) -> Floats:
        total = (
            self.tp * counts.true_positives
            + self.fp * counts.false_positives
            + self.fn * counts.false_negatives
            + self.tn * counts.true_negatives
        )
        return (-total if self.as_cost else total) + 0.0  # no -0.0

    def _told(self) -> str:
        if self.as_cost:
            return _call("cost", {"fp": -self.fp, "fn": -self.fn})
        named = {name: getattr(self, name) for name in OUTCOMES}
        return _call("utility", {name: value for name, value in named.items() if value != 0})


def _call(name: str, arguments: Mapping[str, float]) -> str:
    inside = ", ".join(f"{key}={written(value + 0.0)}" for key, value in arguments.items())
    return f"{name}({inside})"


def _by_member(counts: SmoothCounts) -> Floats:
    return share_of(np.ones_like(counts.members), counts.members, 1.0)
