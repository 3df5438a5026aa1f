"""What a search for the strength of regularization found, for programs and for people."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.common.types import Flags, Floats
from postil.learn.search.folds import Cut, Squeezed
from postil.learn.search.grids import SYMBOLS
from postil.learn.strength import Strengths, Way

SHARE = "share"


@dataclass(frozen=True, slots=True, eq=False)
class SearchResult:
    """The measure of every strength, and the strength chosen for every category.

    Strengths are numbers of the way ``over``: λ, C or the prior variance. ``grid`` goes from strong
    to weak; where each category has a grid of its own (``relative``), it holds λ as shares of that
    of the category's strongest. ``values`` and ``standard_errors`` are of all categories together,
    one for each place of the grid; ``best`` is the place of the best.

    ``tried``, ``values_by_category`` and ``standard_errors_by_category`` are points × categories.
    An automatic search has tried points between those of the grid, too; ``strongest`` is where the
    path of each category began, and λ goes with the ``power`` of a strength. Undefined and
    unmeasured values are nan. A standard error is the jackknife's, leaving out one fold at a time.

    ``chosen`` is what to learn with, one for each category. ``fell_back`` marks the categories that
    wanted a strength of their own and had too few members, or too few others, for the folds (none,
    if ``cut`` is random);
    ``tied`` those whose measure was always the same: theirs is the best place for all together.
    ``unfinished`` counts for each place the fits that ran out of iterations. ``squeezed`` tells of
    a limit of terms.
    """

    names: tuple[str, ...]
    measure: str
    folds: int
    rounds: int
    cut: Cut
    shared: bool
    one_standard_error: bool
    over: Way
    automatic: bool
    relative: bool
    grid: Floats
    values: Floats
    standard_errors: Floats
    best: int
    tried: Floats
    values_by_category: Floats
    standard_errors_by_category: Floats
    chosen: Floats
    strongest: Floats | None
    power: float
    fell_back: Flags
    tied: Flags
    unfinished: NDArray[np.int64]
    seconds: float
    squeezed: Squeezed | None = None

    def strengths(self) -> Strengths:
        """What to learn with; it means the same for all documents as for those of a fold."""
        return Strengths(self.over, self.chosen)

    @property
    def shared_strength(self) -> float:
        """The best of the grid for all categories together (a share, where it is relative)."""
        return float(self.grid[self.best])

    @property
    def key(self) -> str:
        """What the numbers of the grid are called in rows."""
        return SHARE if self.relative else self.over

    def rows(self) -> list[dict[str, Any]]:
        """One row for each place: its measure, standard error, how many categories are there."""
        counts = np.bincount(self._places(), minlength=len(self.grid))
        return [
            {
                self.key: float(strength),
                "value": _plain(self.values[at]),
                "standard_error": _plain(self.standard_errors[at]),
                "categories": int(counts[at]),
                "unfinished": int(self.unfinished[at]),
            }
            for at, strength in enumerate(self.grid)
        ]

    def _places(self) -> NDArray[np.int64]:
        """The place of each category's choice, or the nearest to it."""
        chosen = self.chosen
        if self.relative and self.strongest is not None:
            chosen = (chosen / self.strongest) ** self.power
        distances = np.abs(np.log(self.grid)[:, None] - np.log(chosen))
        places: NDArray[np.int64] = np.argmin(distances, axis=0)
        return places

    def category_rows(self) -> list[dict[str, Any]]:
        """One row for each category: its strength, and its measure at every strength tried."""
        rows = []
        for c, name in enumerate(self.names):
            row: dict[str, Any] = {
                "category": name,
                self.over: float(self.chosen[c]),
                "fell_back": bool(self.fell_back[c]),
                "tied": bool(self.tied[c]),
                "values": [_plain(value) for value in self.values_by_category[:, c]],
                "standard_errors": [_plain(e) for e in self.standard_errors_by_category[:, c]],
            }
            if self.relative:
                row["tried"] = self.tried[:, c].tolist()
            if self.squeezed is not None:
                row |= self.squeezed.row(c)
            rows.append(row)
        return rows

    def to_dict(self, *, categories: bool | None = None) -> dict[str, Any]:
        """Plain values; the table of categories too if each has its strength, or as asked."""
        told: dict[str, Any] = {
            "measure": self.measure,
            "folds": self.folds,
            "rounds": self.rounds,
            "cut": self.cut,
            "shared": self.shared,
            "one_standard_error": self.one_standard_error,
            "over": self.over,
            "automatic": self.automatic,
            self.key: self.shared_strength,
            "seconds": self.seconds,
            "grid": self.rows(),
        }
        if self.squeezed is not None:
            told |= self.squeezed.to_dict()
        own = not self.shared or self.squeezed is not None
        if categories if categories is not None else own:
            told["categories"] = self.category_rows()
        return told

    def to_text(self) -> str:
        """The table by strength, an arrow at the best for all together, and notes."""
        head = SHARE if self.relative else SYMBOLS[self.over]
        lines = [f"{'':2}{head:>8}  {self.measure:>14}  {'std. error':>10}  {'categories':>10}"]
        for at, row in enumerate(self.rows()):
            mark = "→ " if at == self.best else "  "
            value, error = _shown(row["value"]), _shown(row["standard_error"])
            lines.append(
                f"{mark}{row[self.key]:>8.3g}  {value:>14}  {error:>10}  {row['categories']:>10}"
            )
        return "\n".join(lines + self.notes())

    def notes(self) -> list[str]:
        """What a reader of the table should know besides."""
        told = []
        symbol = SYMBOLS[self.over]
        reasons = (
            (f"too few members or others for {self.folds} folds", self.fell_back),
            (f"{self.measure} is the same at every {symbol}", self.tied),
        )
        taken = "share of the strongest" if self.relative else symbol
        for reason, marked in reasons:
            if marked.any():
                told.append(
                    f"{reason}, so that the shared {taken} is taken ({self._counted(marked)})"
                )
        if self.unfinished.any():
            told.append(f"{_fits(self.unfinished)} ran out of iterations")
        if self.squeezed is not None:
            told += self.squeezed.notes(self.names, self.measure)
        return told

    def _counted(self, marked: Flags) -> str:
        names = [self.names[c] for c in np.flatnonzero(marked)]
        every = "category" if len(self.names) == 1 else "categories"
        shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        return f"{len(names)} of {len(self.names)} {every}: {shown}"


def unfinished_sentence(result: SearchResult) -> str:
    """How many fits of a search ran out of iterations, where, and what to do."""
    at = int(np.argmax(result.unfinished))
    where, advice = "", ", or leave it out of the grid"
    if result.automatic:
        advice = ""
    if not result.relative:
        where = f", most of them with {SYMBOLS[result.over]} = {result.grid[at]:g}"
    return (
        f"{_fits(result.unfinished)} of the search ran out of iterations{where}: allow more "
        f"iterations{advice}"
    )


def _fits(unfinished: NDArray[np.int64]) -> str:
    count = int(unfinished.sum())
    return f"{count} fit{'' if count == 1 else 's'}"


def _plain(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"
