"""Figures of merit: smooth functions of the counts of decisions, higher is better.

gao-wu-lee-chua-2003 makes the counts of decisions smooth (eq. 4.4 to 4.6), so that any measure of
them can be maximised. A figure gives its value and its slopes with TP and with FP, while the
numbers of members and of others stay fixed.

A floor, such as "at least 95% recall", has no slope. Its smooth form is a penalty that begins at
the floor: ``PENALTY·bend(shortfall)``, where ``bend(s)`` is 0 up to ``s = 0``, ``s²/(2·EASE)`` up
to EASE and ``s - EASE/2`` beyond. Its slope is continuous, and beyond EASE a missing point of the
floor costs PENALTY points of the rest, more than it usually gains. The maximum nearly reaches the
floor; a threshold that is tuned afterwards reaches it on the documents it is tuned on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from postil.common.types import Flags, Floats
from postil.errors import UsageError

OUTCOMES = ("tp", "fp", "fn", "tn")
PENALTY = 10.0
EASE = 0.01
# Sums of weights are rounded: a floor that is missed by less is reached.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class SmoothCounts:
    """Counts of decisions of some problems: sums of document weights, not whole numbers."""

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

    @property
    def accepted(self) -> Floats:
        """Documents that were accepted."""
        return self.true_positives + self.false_positives

    def added(self) -> SmoothCounts:
        """Return the counts of all problems added up, in the place of each."""
        parts = (self.true_positives, self.false_positives, self.members, self.others)
        return SmoothCounts(*(np.full_like(part, part.sum()) for part in parts))


@dataclass(frozen=True, slots=True, eq=False)
class Attained:
    """The value of counted decisions, problem by problem.

    ``values`` are the measure itself, not its smooth form: higher is better, nan where it is 0/0.
    ``reached`` is True where the figure's floor holds, and everywhere without a floor. ``totals``
    are sums in the figure's own unit, if it has one: the earnings, or the costs.
    """

    values: Floats
    reached: Flags
    totals: Floats | None = None


class Figure(ABC):
    """A measure to maximise.

    A ``pooled`` figure adds up the counts of all problems first, so that all have one value. A
    figure that ``falls`` is a share of errors: its value is negative, and printed without sign. A
    figure ``adds_up`` if the counts of all problems together give the value of all of them.
    """

    pooled: bool = False
    falls: ClassVar[bool] = False
    adds_up: ClassVar[bool] = False

    @property
    @abstractmethod
    def name(self) -> str:
        """The text that :func:`postil.learn.merit.naming.figure_named` reads."""

    @abstractmethod
    def own_values(self, counts: SmoothCounts) -> Floats:
        """Return the value of each problem's own counts."""

    @abstractmethod
    def own_gains(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        """Return the slopes of each problem's value with its TP, and with its FP."""

    @abstractmethod
    def attained(self, counts: SmoothCounts) -> Attained:
        """Return the true measure of counted decisions, each problem by itself."""

    def values(self, counts: SmoothCounts) -> Floats:
        """Return the value of each problem; the same for all if the figure is pooled."""
        return self.own_values(counts.added() if self.pooled else counts)

    def gains(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        """Return the slopes of each value with TP, and with FP."""
        return self.own_gains(counts.added() if self.pooled else counts)

    def attained_where(self, defined: Flags, counts: SmoothCounts) -> Attained:
        """Return the smooth value where the measure is defined, and nan elsewhere."""
        return Attained(np.where(defined, self.own_values(counts), np.nan), np.ones_like(defined))


def overall(figure: Figure, counts: SmoothCounts) -> float:
    """Return one number for all problems, higher is better.

    Figures that are pooled or add up, as costs do, are taken of the counts of all together; the
    others are the mean over problems, where an undefined value is 0.
    """
    if figure.pooled or figure.adds_up:
        counts = counts.added()
    values = figure.attained(counts).values
    return float(np.nan_to_num(values, nan=0.0).mean()) if len(values) else 0.0


def share_of(above: Floats, below: Floats, otherwise: float = 0.0) -> Floats:
    """Return ``above / below``, or ``otherwise`` where ``below`` is 0."""
    nothing = np.full(np.shape(below), otherwise)
    result: Floats = np.divide(above, below, out=nothing, where=below > 0)
    return result


def written(number: float) -> str:
    """Return the shortest text that reads back as the number."""
    return repr(float(number)).removesuffix(".0")


@dataclass(frozen=True, slots=True)
class FBeta(Figure):
    """``(1 + β²)TP / ((1 + β²)TP + β²FN + FP)``: eq. 4.3 where β is 1, 0 where nothing is counted.

    If ``pooled`` it is the micro-average (eq. 6.2).
    """

    beta: float = 1.0
    pooled: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.beta < np.inf:
            raise UsageError(f"F-beta needs a finite beta above 0, got {self.beta}")

    @property
    def name(self) -> str:
        """The name: ``f1``, ``f0.5``, ``micro-f1``."""
        return f"{'micro-' if self.pooled else ''}f{written(self.beta)}"

    def own_values(self, counts: SmoothCounts) -> Floats:
        """Return F-beta."""
        return share_of(*self._parts(counts))

    def own_gains(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        """Return ``∂F/∂TP = ((1 + β²) - F) / below`` and ``∂F/∂FP = -F / below``."""
        found, below = self._parts(counts)
        share = share_of(np.ones_like(found), below)
        value = found * share
        return (1.0 + self.beta**2 - value) * share, -value * share

    def attained(self, counts: SmoothCounts) -> Attained:
        """Return F-beta, undefined without members and without acceptances."""
        return self.attained_where(self._parts(counts)[1] > 0, counts)

    def _parts(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        # Members do not change with decisions: TP + FN is their number.
        square = self.beta**2
        found = (1.0 + square) * counts.true_positives
        return found, counts.accepted + square * counts.members


@dataclass(frozen=True, slots=True)
class BalancedError(Figure):
    """``-(FN / members + FP / others) / 2``: the class-balanced MCE of section 6.2.1."""

    name: ClassVar[str] = "balanced-error"
    falls: ClassVar[bool] = True

    def own_values(self, counts: SmoothCounts) -> Floats:
        """Return the negative mean of both shares of errors."""
        by_member, by_other = self.own_gains(counts)
        return -(counts.false_negatives * by_member - counts.false_positives * by_other)

    def own_gains(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        """Return half the inverse numbers of members and of others, whatever the decisions."""
        half = np.full_like(counts.members, 0.5)
        return share_of(half, counts.members), -share_of(half, counts.others)

    def attained(self, counts: SmoothCounts) -> Attained:
        """Return the same of counted decisions, undefined without members or without others."""
        return self.attained_where((counts.members > 0) & (counts.others > 0), counts)


@dataclass(frozen=True, slots=True)
class PlainError(Figure):
    """``-(FP + FN) / n``: the share of wrong decisions, of n documents (the MCE of eq. 4.2)."""

    name: ClassVar[str] = "error"
    falls: ClassVar[bool] = True
    adds_up: ClassVar[bool] = True

    def own_values(self, counts: SmoothCounts) -> Floats:
        """Return the negative share of wrong decisions, 0 without documents."""
        wrong = counts.false_positives + counts.false_negatives
        return -share_of(wrong, counts.members + counts.others)

    def own_gains(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        """Return ``1/n`` and ``-1/n``."""
        each = share_of(np.ones_like(counts.members), counts.members + counts.others)
        return each, -each

    def attained(self, counts: SmoothCounts) -> Attained:
        """Return the same of counted decisions, undefined without documents."""
        return self.attained_where(counts.members + counts.others > 0, counts)


@dataclass(frozen=True, slots=True)
class Utility(Figure):
    """``tp·TP + fp·FP + fn·FN + tn·TN``: the earnings of each decision, or costs if negative.

    The value is scaled so that a perfect decision has 1 and accepting nothing has 0, which keeps
    the order of decisions: ``(TP - price·FP) / members`` with ``price = (tn - fp) / (tp - fn)``,
    the wrong acceptances that one more member is worth. TREC's T11U is ``2TP - FP``, a price of
    1/2. Without members it is ``-price·FP``. ``as_cost`` prints and sums the numbers as costs.
    """

    adds_up: ClassVar[bool] = True
    tp: float = 0.0
    fp: float = 0.0
    fn: float = 0.0
    tn: float = 0.0
    as_cost: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        if not np.isfinite([self.tp, self.fp, self.fn, self.tn]).all():
            raise UsageError(f"{self.name}: each number must be finite")
        if not self.tp > self.fn:
            raise UsageError(
                f"{self.name}: a member that is found must be worth more than one that is missed; "
                "otherwise nothing would be accepted"
            )
        if not self.tn > self.fp:
            raise UsageError(
                f"{self.name}: accepting another document must be worth less than rejecting it; "
                "otherwise everything would be accepted"
            )

    @classmethod
    def of_costs(cls, fp: float = 1.0, fn: float = 1.0) -> Utility:
        """Return ``-(fp·FP + fn·FN)``: the costs of wrong decisions."""
        return cls(fp=-fp, fn=-fn, as_cost=True)

    @property
    def price(self) -> float:
        """The cost of a wrong acceptance, where one more member found is worth 1."""
        return (self.tn - self.fp) / (self.tp - self.fn)

    @property
    def name(self) -> str:
        """The name: ``cost(fp=1, fn=5)``, ``utility(tp=2, fp=-1)``."""
        if self.as_cost:
            return _call("cost", {"fp": -self.fp, "fn": -self.fn})
        named = {name: getattr(self, name) for name in OUTCOMES}
        return _call("utility", {name: value for name, value in named.items() if value != 0})

    def own_values(self, counts: SmoothCounts) -> Floats:
        """Return the scaled utility."""
        earned = counts.true_positives - self.price * counts.false_positives
        return earned * self.own_gains(counts)[0]

    def own_gains(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        """Return ``1/members`` and ``-price/members``, whatever the decisions."""
        by_member = share_of(np.ones_like(counts.members), counts.members, 1.0)
        return by_member, -self.price * by_member

    def attained(self, counts: SmoothCounts) -> Attained:
        """Return the same of counted decisions, undefined without members, and the sum."""
        found = self.attained_where(counts.members > 0, counts)
        total = (
            self.tp * counts.true_positives
            + self.fp * counts.false_positives
            + self.fn * counts.false_negatives
            + self.tn * counts.true_negatives
        )
        total = (-total if self.as_cost else total) + 0.0  # no -0.0
        return Attained(found.values, found.reached, total)


def _call(name: str, arguments: Mapping[str, float]) -> str:
    inside = ", ".join(f"{key}={written(value + 0.0)}" for key, value in arguments.items())
    return f"{name}({inside})"


@dataclass(frozen=True, slots=True)
class _WithFloor(Figure):
    """A figure that is named after the measure with a floor, as ``recall>=0.95``."""

    kept: ClassVar[str]
    floor: float
    pooled: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.floor <= 1:
            raise UsageError(
                f"the least {self.kept} must be above 0 and up to 1, as in {self.kept}>=0.9; got "
                f"{self.floor}"
            )

    @property
    def name(self) -> str:
        """The name: ``recall>=0.95``, ``micro-precision>=0.9``."""
        return f"{'micro-' if self.pooled else ''}{self.kept}>={written(self.floor)}"


@dataclass(frozen=True, slots=True)
class PrecisionAtRecall(_WithFloor):
    """``TP/(TP + FP) - penalty(floor - TP/members)``: precision with at least so much recall.

    Precision is 0 where nothing is accepted. Without members no recall is missed, and the value is
    0.
    """

    kept: ClassVar[str] = "recall"

    def own_values(self, counts: SmoothCounts) -> Floats:
        """Return precision less the penalty."""
        precision = share_of(counts.true_positives, counts.accepted)
        return precision - PENALTY * _bend(self._shortfall(counts))[0]

    def own_gains(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        """Return ``FP/accepted² + penalty'/members`` and ``-TP/accepted²``."""
        accepted = counts.accepted
        steep = PENALTY * _bend(self._shortfall(counts))[1]
        squared = share_of(share_of(np.ones_like(accepted), accepted), accepted)
        by_member = share_of(np.ones_like(steep), counts.members)
        return (
            counts.false_positives * squared + steep * by_member,
            -counts.true_positives * squared,
        )

    def attained(self, counts: SmoothCounts) -> Attained:
        """Return precision, undefined where nothing is accepted."""
        reached = counts.true_positives >= self.floor * counts.members * (1 - ROUNDING)
        return Attained(share_of(counts.true_positives, counts.accepted, np.nan), reached)

    def _shortfall(self, counts: SmoothCounts) -> Floats:
        return self.floor - share_of(counts.true_positives, counts.members, 1.0)


@dataclass(frozen=True, slots=True)
class RecallAtPrecision(_WithFloor):
    """``TP/members - penalty((floor·accepted - TP)/members)``: recall with so much precision.

    The shortfall counts members, not precision: the members that are missing among the accepted, as
    a share of all. It is 0 exactly where precision is enough, and unlike precision it is smooth
    where nothing is accepted. Without members the value is 0.
    """

    kept: ClassVar[str] = "precision"

    def own_values(self, counts: SmoothCounts) -> Floats:
        """Return recall less the penalty."""
        recall = share_of(counts.true_positives, counts.members)
        return recall - PENALTY * _bend(self._shortfall(counts))[0]

    def own_gains(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        """Return ``(1 + penalty'·(1 - floor))/members`` and ``-penalty'·floor/members``."""
        by_member = share_of(np.ones_like(counts.members), counts.members)
        steep = PENALTY * _bend(self._shortfall(counts))[1]
        return (1.0 + steep * (1.0 - self.floor)) * by_member, -steep * self.floor * by_member

    def attained(self, counts: SmoothCounts) -> Attained:
        """Return recall, undefined without members; the floor holds where nothing is accepted."""
        reached = counts.true_positives >= self.floor * counts.accepted * (1 - ROUNDING)
        return Attained(share_of(counts.true_positives, counts.members, np.nan), reached)

    def _shortfall(self, counts: SmoothCounts) -> Floats:
        return share_of(self.floor * counts.accepted - counts.true_positives, counts.members)


FLOORS = (PrecisionAtRecall, RecallAtPrecision)


def _bend(shortfall: Floats) -> tuple[Floats, Floats]:
    """Return the penalty of a shortfall, and its slope."""
    missing = np.maximum(shortfall, 0.0)
    near = missing < EASE
    value = np.where(near, missing * missing / (2 * EASE), missing - EASE / 2)
    return value, np.where(near, missing / EASE, 1.0)
