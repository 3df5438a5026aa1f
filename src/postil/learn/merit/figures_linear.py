"""Figures that are sums over documents: errors, costs and utilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from postil.errors import UsageError
from postil.learn.merit.figures import Attained, Floats, SmoothCounts, share_of, written

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
