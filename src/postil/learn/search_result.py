"""What a search over λ found, for programs and for people."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class SearchResult:
    """The measure of every λ, and the λ chosen for every category.

    ``grid`` falls: strong regularization stands first. ``values`` and ``standard_errors`` are of
    all categories together, one for each λ; those ``by_category`` are λ × categories. Undefined
    ones are nan. A standard error is the jackknife's, leaving out one fold at a time.

    ``shared_lambda`` is the best for all together; ``lambdas`` are what to learn with, one for
    each category. ``fell_back`` marks the categories that wanted a λ of their own and had too few
    members, or too few others, for the folds; ``tied`` those whose measure was the same at every
    λ: theirs is the shared one. ``unfinished`` counts for each λ the fits that ran out of
    iterations.
    """

    names: tuple[str, ...]
    measure: str
    folds: int
    shared: bool
    one_standard_error: bool
    grid: Floats
    values: Floats
    standard_errors: Floats
    values_by_category: Floats
    standard_errors_by_category: Floats
    shared_lambda: float
    lambdas: Floats
    fell_back: NDArray[np.bool_]
    tied: NDArray[np.bool_]
    unfinished: NDArray[np.int64]
    seconds: float

    @property
    def fallbacks(self) -> tuple[str, ...]:
        """The categories that took the shared λ for want of members."""
        return tuple(self.names[c] for c in np.flatnonzero(self.fell_back))

    def rows(self) -> list[dict[str, Any]]:
        """One row for each λ: its measure, standard error, and how many categories chose it."""
        return [
            {
                "lam": float(lam),
                "value": _plain(self.values[at]),
                "standard_error": _plain(self.standard_errors[at]),
                "categories": int(np.count_nonzero(self.lambdas == lam)),
                "unfinished": int(self.unfinished[at]),
            }
            for at, lam in enumerate(self.grid)
        ]

    def category_rows(self) -> list[dict[str, Any]]:
        """One row for each category: its λ, and its measure at every λ of the grid."""
        return [
            {
                "category": name,
                "lam": float(self.lambdas[c]),
                "fell_back": bool(self.fell_back[c]),
                "tied": bool(self.tied[c]),
                "values": [_plain(value) for value in self.values_by_category[:, c]],
                "standard_errors": [_plain(e) for e in self.standard_errors_by_category[:, c]],
            }
            for c, name in enumerate(self.names)
        ]

    def to_dict(self, *, categories: bool | None = None) -> dict[str, Any]:
        """Plain values; the table of categories too if each has its λ, or as asked."""
        told: dict[str, Any] = {
            "measure": self.measure,
            "folds": self.folds,
            "shared": self.shared,
            "one_standard_error": self.one_standard_error,
            "lam": self.shared_lambda,
            "seconds": self.seconds,
            "grid": self.rows(),
        }
        if categories if categories is not None else not self.shared:
            told["categories"] = self.category_rows()
        return told

    def to_text(self) -> str:
        """The table by λ, an arrow at the shared choice, and notes."""
        head = f"{'':2}{'λ':>8}  {self.measure:>14}  {'std. error':>10}  {'categories':>10}"
        lines = [head]
        for row in self.rows():
            mark = "→ " if row["lam"] == self.shared_lambda else "  "
            value, error = _shown(row["value"]), _shown(row["standard_error"])
            lines.append(
                f"{mark}{row['lam']:>8.3g}  {value:>14}  {error:>10}  {row['categories']:>10}"
            )
        return "\n".join(lines + self.notes())

    def notes(self) -> list[str]:
        """What a reader of the table should know besides."""
        told = []
        reasons = (
            (f"too few members or others for {self.folds} folds", self.fell_back),
            (f"{self.measure} is the same at every λ", self.tied),
        )
        for reason, marked in reasons:
            if marked.any():
                told.append(f"{reason}, so that the shared λ is taken ({self._counted(marked)})")
        if self.unfinished.any():
            told.append(f"{_fits(self.unfinished)} ran out of iterations")
        return told

    def _counted(self, marked: NDArray[np.bool_]) -> str:
        names = [self.names[c] for c in np.flatnonzero(marked)]
        every = "category" if len(self.names) == 1 else "categories"
        shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        return f"{len(names)} of {len(self.names)} {every}: {shown}"


def unfinished_sentence(result: SearchResult) -> str:
    """How many fits of a search ran out of iterations, where, and what to do."""
    at = int(np.argmax(result.unfinished))
    return (
        f"{_fits(result.unfinished)} of the search ran out of iterations, most of them with "
        f"λ = {result.grid[at]:g}: allow more iterations, or leave it out of the grid"
    )


def _fits(unfinished: NDArray[np.int64]) -> str:
    count = int(unfinished.sum())
    return f"{count} fit{'' if count == 1 else 's'}"


def _plain(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"
