"""One number of a reproduction: the paper's, ours, and how far apart they are."""

from __future__ import annotations

from dataclasses import dataclass
from math import log10
from typing import Literal, NamedTuple

from postil.papers.paper import Scale, Source

Verdict = Literal["within", "explained", "beyond"]

# Differences of printed decimals are not exact in binary: 85.4 - 86.9 is a little over -1.5.
ROUNDING = 1e-9


class CellKey(NamedTuple):
    """Where a cell stands: ``("table2", "F1", "SVM")``."""

    table: str
    row: str
    column: str


@dataclass(frozen=True, slots=True)
class Measured:
    """A number an experiment found, with its standard deviation and a remark where it has them."""

    value: float
    deviation: float | None = None
    remark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell: what the paper has, what we have, and what is to be said about it.

    ``paper`` is ``None`` where only we have a number, ``ours`` where no experiment ran or where
    it failed; ``error`` then says how. ``tolerance`` is ``None`` where nothing is judged. A
    ``note`` explains a deviation, for good; a ``remark`` is what the experiment had to say.
    """

    key: CellKey
    paper: float | None = None
    paper_deviation: float | None = None
    source: Source | None = None
    where: str = ""
    ours: float | None = None
    ours_deviation: float | None = None
    scale: Scale = "linear"
    tolerance: float | None = None
    note: str = ""
    remark: str = ""
    error: str = ""

    @property
    def difference(self) -> float | None:
        """``ours - paper``; on the log scale ``log10(ours) - log10(paper)``."""
        if self.paper is None or self.ours is None:
            return None
        if self.scale == "log":
            return log10(self.ours) - log10(self.paper)
        return self.ours - self.paper

    @property
    def verdict(self) -> Verdict | None:
        """Whether the difference is within the tolerance, or else explained by a note."""
        if self.difference is None or self.tolerance is None:
            return None
        if abs(self.difference) <= self.tolerance + ROUNDING:
            return "within"
        return "explained" if self.note else "beyond"
