"""A paper's tables and figures with ours beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from postil.papers.canonical import Json
from postil.papers.cells import ROUNDING, Cell, Verdict
from postil.papers.paper import Exhibit, Paper, PaperFigure

RunState = Literal["finished", "cached", "failed", "absent"]


@dataclass(frozen=True, slots=True)
class Run:
    """What became of one experiment; ``seconds`` is what computing it took, also if cached.

    ``absent`` is one whose corpus is not on this computer; ``error`` says how to get it.
    """

    experiment: str
    state: RunState
    seconds: float
    settings: Json = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table or figure of the paper with a cell for each number the paper or we have.

    ``rows`` and ``columns`` are in the order of showing; not every combination has a cell.
    ``notes`` are about the table as a whole.
    """

    exhibit: Exhibit
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[Cell, ...]
    notes: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The name it is asked for by: ``table2``, ``figure7``."""
        return self.exhibit.id

    @property
    def is_figure(self) -> bool:
        """Whether the paper draws it."""
        return isinstance(self.exhibit, PaperFigure)

    @property
    def judged(self) -> tuple[Cell, ...]:
        """The cells that count for the tolerances; where there are none, all with a number."""
        tolerance = self.exhibit.tolerance
        return tuple(
            cell
            for cell in self.cells
            if cell.paper is not None
            and (tolerance is None or tolerance.judges(cell.key.row, cell.key.column))
        )

    @property
    def is_complete(self) -> bool:
        """Whether each of the judged cells has our number."""
        return all(cell.ours is not None for cell in self.judged)

    @property
    def mean_difference(self) -> float | None:
        """The mean absolute difference over the judged cells that we have."""
        found = [abs(cell.difference) for cell in self.judged if cell.difference is not None]
        return fmean(found) if found else None

    @property
    def mean_verdict(self) -> Verdict | None:
        """Whether the mean difference is under its tolerance; ``None`` while cells are missing."""
        tolerance = self.exhibit.tolerance
        mean = self.mean_difference
        if tolerance is None or tolerance.mean is None or mean is None or not self.is_complete:
            return None
        if mean < tolerance.mean - ROUNDING:
            return "within"
        return "explained" if self.notes else "beyond"


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What `postil reproduce` found: tables and figures, and the runs behind them."""

    paper: Paper
    tables: tuple[Table, ...]
    runs: tuple[Run, ...] = ()

    def cells(self) -> Iterator[Cell]:
        """All cells, table by table, as the tables hold them."""
        for table in self.tables:
            yield from table.cells

    @property
    def failures(self) -> tuple[Run, ...]:
        """The experiments that failed."""
        return tuple(run for run in self.runs if run.state == "failed")

    @property
    def absences(self) -> dict[str, int]:
        """Why experiments were left out, and how many: one line for each absent corpus."""
        return Counter(run.error for run in self.runs if run.state == "absent")

    @property
    def beyond(self) -> tuple[str, ...]:
        """What is beyond its tolerance and not explained, each named."""
        cells = [", ".join(cell.key) for cell in self.cells() if cell.verdict == "beyond"]
        means = [f"{table.id}, mean" for table in self.tables if table.mean_verdict == "beyond"]
        return (*cells, *means)
