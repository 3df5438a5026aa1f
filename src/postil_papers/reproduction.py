"""A paper's tables and figures with our results beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite, log10
from numbers import Real
from statistics import fmean
from typing import Any, Literal

from postil.errors import UsageError
from postil.plots.figure import Scale
from postil_papers.experiment import CellKey, CellValues, Experiment, Measured
from postil_papers.paper import Exhibit, Paper, PaperFigure, Source

Verdict = Literal["within", "explained", "beyond"]
RunState = Literal["finished", "cached", "failed", "absent"]
Results = Mapping[CellKey, Measured]

# Differences of printed decimals are not exact in binary: 85.4 - 86.9 is a little over -1.5.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell: the paper's number, ours, and what explains their difference.

    ``paper`` is ``None`` where only we have a number; ``ours`` where no experiment ran or where
    it failed with ``error``. ``tolerance`` is ``None`` where nothing is judged. A ``note`` of the
    paper's file explains a deviation; a ``remark`` comes from the experiment.
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
        """``within`` the tolerance, ``explained`` by a note, or ``beyond`` it."""
        if self.difference is None or self.tolerance is None:
            return None
        if abs(self.difference) <= self.tolerance + ROUNDING:
            return "within"
        return "explained" if self.note else "beyond"


@dataclass(frozen=True, slots=True)
class Run:
    """The outcome of one experiment; ``seconds`` is the time to compute it, also if cached.

    ``absent`` is the state of one whose corpus is not on this computer; ``error`` says how to get
    it.
    """

    experiment: str
    state: RunState
    seconds: float
    settings: Mapping[str, Any]
    error: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table or figure of the paper with a cell for each number that the paper or we have.

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
        """The name of the table on the command line: ``table2``, ``figure7``."""
        return self.exhibit.id

    @property
    def is_figure(self) -> bool:
        """True if the paper draws it."""
        return isinstance(self.exhibit, PaperFigure)

    @property
    def judged(self) -> tuple[Cell, ...]:
        """The cells that count for the tolerances; without tolerances, all with a number."""
        tolerance = self.exhibit.tolerance
        return tuple(
            cell
            for cell in self.cells
            if cell.paper is not None
            and (tolerance is None or tolerance.judges(cell.key.row, cell.key.column))
        )

    @property
    def mean_difference(self) -> float | None:
        """The mean absolute difference over the judged cells that we have."""
        found = [abs(cell.difference) for cell in self.judged if cell.difference is not None]
        return fmean(found) if found else None

    @property
    def mean_verdict(self) -> Verdict | None:
        """The verdict on the mean difference; ``None`` while judged cells are missing."""
        tolerance = self.exhibit.tolerance
        mean = self.mean_difference
        complete = all(cell.ours is not None for cell in self.judged)
        if tolerance is None or tolerance.mean is None or mean is None or not complete:
            return None
        if mean < tolerance.mean - ROUNDING:
            return "within"
        return "explained" if self.notes else "beyond"


@dataclass(frozen=True, slots=True)
class Reproduction:
    """The result of `postil reproduce`: tables and figures, and the runs behind them."""

    paper: Paper
    tables: tuple[Table, ...]
    runs: tuple[Run, ...] = ()

    def cells(self) -> Iterator[Cell]:
        """Yield all cells, table by table."""
        for table in self.tables:
            yield from table.cells

    @property
    def failures(self) -> tuple[Run, ...]:
        """The experiments that failed."""
        return tuple(run for run in self.runs if run.state == "failed")

    @property
    def absences(self) -> dict[str, int]:
        """The number of experiments left out, by reason: one line for each absent corpus."""
        return Counter(run.error for run in self.runs if run.state == "absent")

    @property
    def beyond(self) -> tuple[str, ...]:
        """The names of cells and means beyond their tolerance without an explanation."""
        cells = [", ".join(cell.key) for cell in self.cells() if cell.verdict == "beyond"]
        means = [f"{table.id}, mean" for table in self.tables if table.mean_verdict == "beyond"]
        return (*cells, *means)


def checked_results(values: CellValues, experiment: Experiment, paper: Paper) -> Results:
    """Return an experiment's cells; raise UsageError for a wrong cell or a number out of range.

    Numbers must be finite, and above 0 on the log scale.
    """
    if not isinstance(values, Mapping):
        raise UsageError(f"returned {type(values).__name__}, not a mapping from cells to numbers")
    scales = {exhibit.id: exhibit.scale for exhibit in paper.exhibits}
    found: dict[CellKey, Measured] = {}
    for place, value in values.items():
        key = _key(place)
        if not experiment.covers(key, paper):
            raise UsageError(f"returned a cell it does not fill: {', '.join(key)}")
        given = value if isinstance(value, Measured) else Measured(value)
        deviation = None if given.deviation is None else _number(key, given.deviation)
        found[key] = Measured(_number(key, given.value), deviation, given.remark)
        if scales[key.table] == "log" and found[key].value <= 0:
            raise UsageError(f"returned {value!r} for {', '.join(key)}, which must be above 0")
    return found


def _key(place: object) -> CellKey:
    if (
        isinstance(place, tuple)
        and len(place) == len(CellKey._fields)
        and all(isinstance(part, str) for part in place)
    ):
        return CellKey(*place)
    raise UsageError(f"returned a cell called {place!r}; it needs (table, row, column), all texts")


def _number(key: CellKey, value: object) -> float:
    # NumPy's scalars are real numbers too; a plain float is what JSON holds.
    if type(value) is not bool and isinstance(value, Real) and isfinite(value):
        return float(value)
    raise UsageError(f"returned {value!r} for {', '.join(key)}; it needs a finite number")


def assemble(
    paper: Paper,
    exhibit: Exhibit,
    found: Results,
    errors: Mapping[CellKey, str],
    absences: Mapping[CellKey, str],
) -> Table:
    """Return one table: the paper's cells, then those that only we have.

    ``found``, ``errors`` and ``absences`` hold our numbers, the errors of cells that failed and the
    reasons of cells that were not tried, perhaps of other tables too.
    """
    named = (CellKey(exhibit.id, row, column) for row, column in exhibit.places)
    ours = (key for key in (*found, *errors, *absences) if key.table == exhibit.id)
    keys = tuple(dict.fromkeys([*named, *ours]))
    rows = tuple(dict.fromkeys([*exhibit.rows, *(key.row for key in keys)]))
    columns = tuple(dict.fromkeys([*exhibit.columns, *(key.column for key in keys)]))
    if exhibit.is_open:
        columns = tuple(sorted(columns, key=_along_the_axis))
    down = {row: position for position, row in enumerate(rows)}
    across = {column: position for position, column in enumerate(columns)}
    cells = [
        _cell(paper, exhibit, key, found.get(key), errors.get(key, ""), absences.get(key, ""))
        for key in sorted(keys, key=lambda key: (down[key.row], across[key.column]))
    ]
    notes = [note.text for note in paper.notes if note.table == exhibit.id and note.is_general]
    return Table(exhibit, rows, columns, tuple(cells), tuple(notes))


def _cell(
    paper: Paper, exhibit: Exhibit, key: CellKey, found: Measured | None, error: str, absence: str
) -> Cell:
    place = key.row, key.column
    printed = {(value.row, value.column): value for value in exhibit.values}.get(place)
    notes = (note for note in paper.notes if note.table == key.table and note.explains(*place))
    tolerance = exhibit.tolerance
    judged = tolerance is not None and printed is not None and tolerance.judges(*place)
    return Cell(
        key=key,
        paper=printed.value if printed else None,
        paper_deviation=printed.deviation if printed else None,
        source=printed.source if printed else None,
        where=printed.where if printed else "",
        ours=found.value if found else None,
        ours_deviation=found.deviation if found else None,
        scale=exhibit.scale,
        tolerance=tolerance.each if tolerance is not None and judged else None,
        note=" ".join(note.text for note in notes),
        remark=found.remark if found else absence,
        error=error,
    )


def _along_the_axis(column: str) -> tuple[bool, float]:
    """Return a sort key: numbers by size, then names as they came (sorting is stable)."""
    try:
        return False, float(column)
    except ValueError:
        return True, 0.0
