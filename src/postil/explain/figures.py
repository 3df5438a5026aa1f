"""Numbers as a reader sees them."""

from __future__ import annotations

import math
from collections.abc import Iterable

DIGITS = 4
MOST_DECIMALS = 9
DECIMALS_OF_A_NEAR_MISS = 20


class Figures:
    """Writes numbers of one kind with the same number of decimals, so that they line up.

    The largest has four digits that count.
    """

    def __init__(self, numbers: Iterable[float]) -> None:
        largest = max((abs(number) for number in numbers if math.isfinite(number)), default=0.0)
        before = math.floor(math.log10(largest)) + 1 if largest > 0 else 1
        self.decimals = min(max(DIGITS - before, 0), MOST_DECIMALS)

    def tell_apart(self, one: float, other: float) -> None:
        """Take as many decimals as two different numbers need to be written differently."""
        while one != other and self.plain(one) == self.plain(other):
            if self.decimals == DECIMALS_OF_A_NEAR_MISS:
                break
            self.decimals += 1

    def plain(self, number: float) -> str:
        """Without a plus sign."""
        return f"{number:.{self.decimals}f}"

    def signed(self, number: float) -> str:
        """With a sign, whichever it is."""
        return f"{number:+.{self.decimals}f}"


def times(count: int) -> str:
    """How often, where it is more than once."""
    return f" ×{count}" if count > 1 else ""


def counted(count: int, noun: str) -> str:
    """A number of things: ``1 term``, ``2 terms``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
