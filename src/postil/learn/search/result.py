"""The result of a search: what every strength attains, and the strength of every category."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from postil.common.types import Flags, Floats, Ints
from postil.learn.search.folds import Cut
from postil.learn.search.grids import SYMBOLS
from postil.learn.search.measures import SearchMeasure
from postil.learn.strength import Strengths, Way

if TYPE_CHECKING:
    from postil.learn.search.squeezer import Squeezed

SHARE = "share"


def choose(worth: Floats, standard_errors: Floats | None = None) -> int:
    """Return the place of the highest worth, of equal ones the first; undefined ones are the worst.

    With standard errors, return the first place within one standard error of the highest.
    """
    known = np.where(np.isnan(worth), -np.inf, worth)
    best = int(np.argmax(known))
    if standard_errors is None or not np.isfinite(standard_errors[best]):
        return best
    return int(np.argmax(known >= known[best] - standard_errors[best]))


def jackknife(tallies: Floats, value: Callable[[Floats], Floats]) -> Floats:
    """Return the standard error of a value of summed tallies, folds on the first axis.

    With θ₍ᵢ₎ the value without fold i, √((k-1)/k Σ (θ₍ᵢ₎ - mean θ)²): for a mean over folds of one
    size it is their standard deviation over √k. Undefined where one of them is.
    """
    folds = len(tallies)
    # Summed anew, not taken away from the sum: 0 has to come out as 0.
    without = value(np.stack([np.delete(tallies, i, axis=0).sum(axis=0) for i in range(folds)]))
    spread = ((without - without.mean(axis=0)) ** 2).sum(axis=0)
    result: Floats = np.sqrt((folds - 1) / folds * spread)
    return result


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """The strengths of each category, the strongest first, with their tallies.

    ``tried``, ``known`` and ``unfinished`` are points × categories, ``counts`` is rounds × points ×
    categories × what the measure counts. Where a strength is not ``known`` it was not tried: its
    counts are those of the point before, which only sums over categories look at.
    """

    measure: SearchMeasure
    tried: Floats
    counts: Floats
    known: Flags
    unfinished: Ints

    def together(self) -> tuple[Floats, Floats]:
        """Return the measure of all categories together at each point, and its standard error."""
        pooled = self.counts.sum(axis=2)
        return self.measure.value(pooled.sum(axis=0)), jackknife(pooled, self.measure.value)

    def by_category(self) -> tuple[Floats, Floats]:
        """Return the same for each category, points × categories; undefined where not known."""
        values = self.measure.value(self.counts.sum(axis=0))
        errors = jackknife(self.counts, self.measure.value)
        return np.where(self.known, values, np.nan), np.where(self.known, errors, np.nan)

    def worth(self, values: Floats) -> Floats:
        """Return values of which more is better."""
        return values if self.measure.higher_is_better else -values

    def choice(self, values: Floats, errors: Floats, *, one_standard_error: bool) -> int:
        """Return the point of the best value, or the strongest within a standard error of it."""
        return choose(self.worth(values), errors if one_standard_error else None)

    def at(self, picks: Ints) -> Floats:
        """Return the strength of each category at the point picked for it."""
        result: Floats = np.take_along_axis(self.tried, picks[None, :], axis=0)[0]
        return result

    def head(self, points: int) -> Measured:
        """Return the first points."""
        return Measured(
            self.measure,
            self.tried[:points],
            self.counts[:, :points],
            self.known[:points],
            self.unfinished[:points],
        )

    def sorted(self, order: Ints) -> Measured:
        """Return the points of each category in an order of its own, points × categories."""
        return Measured(
            self.measure,
            np.take_along_axis(self.tried, order, axis=0),
            np.take_along_axis(self.counts, order[None, :, :, None], axis=1),
            np.take_along_axis(self.known, order, axis=0),
            np.take_along_axis(self.unfinished, order, axis=0),
        )


def all_equal(values: Floats) -> Flags:
    """Return which categories have the same measure, or none, at each strength."""
    known = np.where(np.isnan(values), -np.inf, values)
    equal: Flags = (len(values) > 1) & (known == known[0]).all(axis=0)
    return equal


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

    ``chosen`` is the strength to learn each category with. ``fell_back`` marks the categories that
    have too few members, or too few others, for a strength of their own (none, if the ``cut``
    is not stratified), and ``tied`` those whose measure was always the same: both take the best
    place for all together. ``unfinished`` counts for each place the fits that ran out of
    iterations. ``squeezed`` is the result of a limit of terms.
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
    unfinished: Ints
    seconds: float
    squeezed: Squeezed | None = None

    def strengths(self) -> Strengths:
        """Return the strengths to learn with."""
        return Strengths(self.over, self.chosen)

    @property
    def shared_strength(self) -> float:
        """The best of the grid for all categories together (a share, if it is relative)."""
        return float(self.grid[self.best])

    @property
    def symbol(self) -> str:
        """The symbol of the strengths, for people."""
        return SYMBOLS[self.over]

    @property
    def key(self) -> str:
        """The name of the grid's numbers in rows."""
        return SHARE if self.relative else self.over

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each place: measure, standard error, number of categories, and more."""
        counts = np.bincount(self._places(), minlength=len(self.grid))
        return [
            {
                self.key: float(strength),
                "value": plain(self.values[at]),
                "standard_error": plain(self.standard_errors[at]),
                "categories": int(counts[at]),
                "unfinished": int(self.unfinished[at]),
            }
            for at, strength in enumerate(self.grid)
        ]

    def _places(self) -> Ints:
        """Return the place of each category's choice, or the nearest to it."""
        chosen = self.chosen
        if self.relative and self.strongest is not None:
            chosen = (chosen / self.strongest) ** self.power
        distances = np.abs(np.log(self.grid)[:, None] - np.log(chosen))
        places: Ints = np.argmin(distances, axis=0)
        return places

    def category_rows(self) -> list[dict[str, Any]]:
        """Return one row for each category: its strength, and its measure at every strength."""
        rows = []
        for c, name in enumerate(self.names):
            row: dict[str, Any] = {
                "category": name,
                self.over: float(self.chosen[c]),
                "fell_back": bool(self.fell_back[c]),
                "tied": bool(self.tied[c]),
                "values": [plain(value) for value in self.values_by_category[:, c]],
                "standard_errors": [plain(e) for e in self.standard_errors_by_category[:, c]],
            }
            if self.relative:
                row["tried"] = self.tried[:, c].tolist()
            if self.squeezed is not None:
                row |= self.squeezed.row(c)
            rows.append(row)
        return rows

    def to_dict(self, *, categories: bool | None = None) -> dict[str, Any]:
        """Return plain values, by default with categories if each has its own strength."""
        values: dict[str, Any] = {
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
            values |= self.squeezed.to_dict()
        own = not self.shared or self.squeezed is not None
        if categories if categories is not None else own:
            values["categories"] = self.category_rows()
        return values

    def to_text(self) -> str:
        """Return the table by strength, an arrow at the best for all together, and notes."""
        head = SHARE if self.relative else self.symbol
        lines = [f"{'':2}{head:>8}  {self.measure:>14}  {'std. error':>10}  {'categories':>10}"]
        for at, row in enumerate(self.rows()):
            mark = "→ " if at == self.best else "  "
            value, error = _shown(row["value"]), _shown(row["standard_error"])
            lines.append(
                f"{mark}{row[self.key]:>8.3g}  {value:>14}  {error:>10}  {row['categories']:>10}"
            )
        return "\n".join(lines + self.notes())

    def notes(self) -> list[str]:
        """Return notes for a reader of the table."""
        notes = []
        symbol = self.symbol
        reasons = (
            (f"too few members or others for {self.folds} folds", self.fell_back),
            (f"{self.measure} is the same at every {symbol}", self.tied),
        )
        taken = "share of the strongest" if self.relative else symbol
        for reason, marked in reasons:
            if marked.any():
                notes.append(
                    f"{reason}, so that the shared {taken} is taken ({self._counted(marked)})"
                )
        if self.unfinished.any():
            notes.append(f"{_fits(self.unfinished)} ran out of iterations")
        if self.squeezed is not None:
            notes += self.squeezed.notes(self.names, self.measure)
        return notes

    def _counted(self, marked: Flags) -> str:
        names = [self.names[c] for c in np.flatnonzero(marked)]
        every = "category" if len(self.names) == 1 else "categories"
        shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        return f"{len(names)} of {len(self.names)} {every}: {shown}"

    def unfinished_note(self) -> str:
        """Return how many fits ran out of iterations, where, and what to do; empty if none."""
        if not self.unfinished.any():
            return ""
        at = int(np.argmax(self.unfinished))
        where = "" if self.relative else f", most of them with {self.symbol} = {self.grid[at]:g}"
        advice = "" if self.automatic else ", or leave it out of the grid"
        return (
            f"{_fits(self.unfinished)} of the search ran out of iterations{where}: allow more "
            f"iterations{advice}"
        )


def _fits(unfinished: Ints) -> str:
    count = int(unfinished.sum())
    return f"{count} fit{'' if count == 1 else 's'}"


def plain(value: float) -> float | None:
    """Return a number for a file; None if it is undefined."""
    return float(value) if math.isfinite(value) else None


def _shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"
