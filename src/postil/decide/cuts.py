"""All the ways a threshold can cut one category's documents in two, and what each is worth.

Documents of equal score stand or fall together, so n documents of m distinct scores have m + 1
cuts: cut j accepts the documents of the j highest scores. Everything below is an array over the
cuts, 0 to m.

What a tuned threshold strives for: a value for every cut, the larger the better.

Which of equally good cuts is taken belongs to the objective. Errors and F1 take the one that
accepts most: of cuts with equal errors it finds the most members, hence has the highest F1, and
its threshold is the lowest, which is where zhang-oles-2001 (section 4.2) wants tuning to move
the thresholds of small categories, whose models lean towards rejecting. It needs no idea of
where 0 lies, so it serves margins, logarithms of odds and probabilities alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from postil.common.types import Flags, Floats


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """The cuts of one category that has members and others.

    ``levels`` are the m distinct scores, falling; ``found[j]`` and ``accepted[j]`` the weight of
    the members and of all documents that cut j accepts; ``members`` and ``total`` their sums.
    """

    levels: Floats
    found: Floats
    accepted: Floats
    members: float
    total: float

    @classmethod
    def of(cls, scores: Floats, inside: Flags, weights: Floats) -> Cuts:
        """Sort the documents of one category; O(n log n) for n documents."""
        falling = np.argsort(scores)[::-1]
        ordered = scores[falling]
        # A block of equal scores ends where the next score is another one.
        ends = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), len(ordered) - 1)
        accepted = np.cumsum(weights[falling])[ends]
        found = np.cumsum(np.where(inside, weights, 0.0)[falling])[ends]
        return cls(
            ordered[ends],
            np.insert(found, 0, 0.0),
            np.insert(accepted, 0, 0.0),
            float(found[-1]),
            float(accepted[-1]),
        )

    @property
    def errors(self) -> Floats:
        """Others accepted plus members rejected, ``accepted - found + members - found``."""
        return self.accepted - 2 * self.found + self.members

    @property
    def precision(self) -> Floats:
        """``found / accepted``; 0 for cut 0, which accepts nothing."""
        nothing = np.zeros_like(self.found)
        return np.divide(self.found, self.accepted, out=nothing, where=self.accepted > 0)

    @property
    def recall(self) -> Floats:
        """``found / members``."""
        return self.found / self.members

    @property
    def f1(self) -> Floats:
        """``2·found / (members + accepted)``."""
        return 2 * self.found / (self.members + self.accepted)

    def f_beta(self, beta: float) -> Floats:
        """``(1 + β²)·found / (β²·members + accepted)``."""
        square = beta * beta
        return (1 + square) * self.found / (square * self.members + self.accepted)

    def threshold(self, cut: int) -> float:
        """Find a threshold t that makes the cut: it accepts the scores >= t and no others.

        In the middle of the gap between the lowest score accepted and the highest rejected,
        where it is farthest from both. A cut that accepts nothing has t just above the highest
        score, one that accepts everything at the lowest: finite, and no farther out than the
        scores have a say.
        """
        if cut == 0:
            with np.errstate(over="ignore"):  # above the largest number there is only infinity
                return float(np.nextafter(self.levels[0], np.inf))
        if cut == len(self.levels):
            return float(self.levels[-1])
        accepted, rejected = float(self.levels[cut - 1]), float(self.levels[cut])
        # Halved before adding, lest it overflow; between neighbours it may round to the lower.
        middle = 0.5 * accepted + 0.5 * rejected
        return middle if middle > rejected else accepted


# Sums of weights are rounded: what differs by less is equal. Sums of ones are exact.
EQUAL = 1e-12

Value: TypeAlias = Callable[[Cuts, float], Floats]


@dataclass(frozen=True, slots=True)
class Objective:
    """``value(cuts, target)`` is -inf for a cut that will not do; of the best cuts, take one."""

    value: Value
    accept_most: bool = True

    def best_cut(self, cuts: Cuts, target: float) -> int | None:
        """Find the best cut, or None where none will do; linear in the cuts."""
        values = self.value(cuts, target)
        best = float(values.max())
        if best == -np.inf:
            return None
        ties = np.flatnonzero(values >= best - EQUAL * abs(best))
        return int(ties[-1] if self.accept_most else ties[0])


def _fewest_errors(cuts: Cuts, target: float) -> Floats:  # noqa: ARG001 - there is no target
    # Counted as successes, so that EQUAL is measured against all documents.
    return cuts.total - cuts.errors


def _f1(cuts: Cuts, target: float) -> Floats:  # noqa: ARG001
    return cuts.f1


def _f_beta(cuts: Cuts, beta: float) -> Floats:
    return cuts.f_beta(beta)


def _net(cuts: Cuts, price: float) -> Floats:
    # Scaled, and counted upwards from all documents, for EQUAL as with errors.
    wrong = cuts.accepted - cuts.found
    return cuts.total + (cuts.found - price * wrong) / (1 + price)


def _fewest_shares(cuts: Cuts, target: float) -> Floats:  # noqa: ARG001
    # Recall plus the share of others that are rejected.
    return 1 + cuts.recall - (cuts.accepted - cuts.found) / (cuts.total - cuts.members)


def _recall_at_precision(cuts: Cuts, precision: float) -> Floats:
    enough = (cuts.accepted > 0) & (cuts.found >= precision * cuts.accepted * (1 - EQUAL))
    return np.where(enough, cuts.recall, -np.inf)


def _precision_at_recall(cuts: Cuts, recall: float) -> Floats:
    enough = cuts.found >= recall * cuts.members * (1 - EQUAL)
    return np.where(enough, cuts.precision, -np.inf)


def _balance(cuts: Cuts, target: float) -> Floats:  # noqa: ARG001
    # Precision and recall share their numerator: they are equal where accepted = members.
    return cuts.total - np.abs(cuts.accepted - cuts.members)


FEWEST_ERRORS = Objective(_fewest_errors)
FEWEST_SHARES_OF_ERRORS = Objective(_fewest_shares)
HIGHEST_F1 = Objective(_f1)
HIGHEST_F_BETA = Objective(_f_beta)
# Members found, less the price of each document wrongly accepted.
HIGHEST_NET = Objective(_net)
# More accepted at equal recall is more accepted in error.
HIGHEST_RECALL = Objective(_recall_at_precision, accept_most=False)
HIGHEST_PRECISION = Objective(_precision_at_recall)
BREAK_EVEN = Objective(_balance)
