"""All the ways a threshold can cut one category's documents in two, and what each is worth.

Documents of equal score stand or fall together, so n documents of m distinct scores have m + 1
cuts: cut j accepts the documents of the j highest scores. Everything below is an array over the
cuts, 0 to m.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from postil.decide.inputs import Flags, Floats


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
