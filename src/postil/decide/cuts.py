"""The cuts of one category's documents by a threshold, and the objectives that rank them.

Documents of equal score stand or fall together: cut j accepts the documents of the j highest
distinct scores, and arrays are over the cuts, 0 to m. Errors and F1 take the best cut that accepts
most: of cuts with equal errors it finds the most members, and its threshold is the lowest, as
zhang-oles-2001 (section 4.2) asks for small categories, whose models lean towards rejecting.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from postil.common.types import Flags, Floats


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """The cuts of one category that has members and others.

    ``levels`` are the m distinct scores, falling; ``found[j]`` and ``accepted[j]`` are the weights
    of the members and of all documents that cut j accepts; ``members`` and ``total`` are the
    weights of all members and of all documents.
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
        # A block of equal scores ends where the next score differs.
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
    def wrong(self) -> Floats:
        """Others accepted, ``accepted - found``."""
        return self.accepted - self.found

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
        """Return a threshold t that makes the cut: it accepts the scores >= t and no others.

        It is in the middle of the gap between the lowest score accepted and the highest rejected,
        where it is farthest from both. A cut that accepts nothing has t just above the highest
        score, one that accepts everything at the lowest score: both are finite.
        """
        if cut == 0:
            with np.errstate(over="ignore"):  # above the largest number there is only infinity
                return float(np.nextafter(self.levels[0], np.inf))
        if cut == len(self.levels):
            return float(self.levels[-1])
        accepted, rejected = float(self.levels[cut - 1]), float(self.levels[cut])
        # Halved before adding, so that it cannot overflow; it may round to the lower score.
        middle = 0.5 * accepted + 0.5 * rejected
        return middle if middle > rejected else accepted


# Sums of weights are rounded: a smaller relative difference is a tie. Sums of ones are exact.
EQUAL = 1e-12


@dataclass(frozen=True, slots=True)
class Objective:
    """A value for every cut, -inf for one that is not allowed, and a choice among the best.

    ``value`` is a function of the cuts and of the rule's parameter.
    """

    value: Callable[[Cuts, float], Floats]
    accept_most: bool = True

    def best_cut(self, cuts: Cuts, target: float) -> int | None:
        """Return the best cut, or None if no cut is allowed; linear in the cuts."""
        values = self.value(cuts, target)
        best = float(values.max())
        if best == -np.inf:
            return None
        ties = np.flatnonzero(values >= best - EQUAL * abs(best))
        return int(ties[-1] if self.accept_most else ties[0])


def _recall_at_precision(cuts: Cuts, precision: float) -> Floats:
    enough = (cuts.accepted > 0) & (cuts.found >= precision * cuts.accepted * (1 - EQUAL))
    return np.where(enough, cuts.recall, -np.inf)


def _precision_at_recall(cuts: Cuts, recall: float) -> Floats:
    enough = cuts.found >= recall * cuts.members * (1 - EQUAL)
    return np.where(enough, cuts.precision, -np.inf)


# Errors are counted as successes, so that EQUAL is measured against all documents.
FEWEST_ERRORS = Objective(lambda cuts, _: cuts.total - cuts.errors)
# Recall plus the share of others that are rejected.
FEWEST_SHARES_OF_ERRORS = Objective(
    lambda cuts, _: 1 + cuts.recall - cuts.wrong / (cuts.total - cuts.members)
)
HIGHEST_F1 = Objective(lambda cuts, _: cuts.f1)
HIGHEST_F_BETA = Objective(lambda cuts, beta: cuts.f_beta(beta))
# Members found, less the price of each document wrongly accepted; scaled, and counted from all
# documents, for EQUAL as with errors.
HIGHEST_NET = Objective(
    lambda cuts, price: cuts.total + (cuts.found - price * cuts.wrong) / (1 + price)
)
# More accepted at equal recall is more accepted in error.
HIGHEST_RECALL = Objective(_recall_at_precision, accept_most=False)
HIGHEST_PRECISION = Objective(_precision_at_recall)
# Precision and recall share their numerator: they are equal where accepted = members.
BREAK_EVEN = Objective(lambda cuts, _: cuts.total - np.abs(cuts.accepted - cuts.members))
