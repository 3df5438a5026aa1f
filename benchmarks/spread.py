"""A median with its range."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of repeated measurements, with the least and the greatest."""

    median: float
    least: float
    greatest: float
    runs: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Summarise measurements."""
        return cls(median(values), min(values), max(values), len(values))

    @classmethod
    def of_ratios(cls, above: Sequence[float], below: Sequence[float]) -> Spread:
        """Summarise above/below, round by round: drift of the machine cancels out."""
        return cls.of([a / b for a, b in zip(above, below, strict=True)])

    def as_dict(self) -> dict[str, float | int]:
        """Return the numbers by name."""
        return asdict(self)

    def __str__(self) -> str:
        if self.runs == 1:
            return digits(self.median)
        return f"{digits(self.median)} ({digits(self.least)}–{digits(self.greatest)})"


def digits(number: float, significant: int = 3) -> str:
    """Write a number with three significant digits, without an exponent."""
    if number == 0 or not math.isfinite(number):
        return f"{number:g}"
    decimals = significant - 1 - math.floor(math.log10(abs(number)))
    return f"{round(number, decimals):,.{max(0, decimals)}f}"
