"""A paper's tables and figures with ours beside them.

What an experiment returns, checked, and as the cache keeps it.

The results of an experiment, to and from the cache.

Tables put together from what the paper prints and what the experiments found.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from numbers import Real
from statistics import fmean
from typing import Literal, cast

from postil.errors import InputError, PostilError, UsageError
from postil_papers.cache import CacheWarning, Question, ResultCache
from postil_papers.cells import ROUNDING, Cell, CellKey, Json, Measured, Verdict
from postil_papers.experiment import CellValues, Experiment
from postil_papers.paper import Exhibit, Paper, PaperFigure, PaperValue

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


Results = Mapping[CellKey, Measured]


def checked_results(values: CellValues, experiment: Experiment, paper: Paper) -> Results:
    """Take an experiment's cells: finite numbers, above 0 on the log scale, only its own cells."""
    if not isinstance(values, Mapping):
        raise UsageError(f"returned {type(values).__name__}, not a mapping from cells to numbers")
    scales = {exhibit.id: exhibit.scale for exhibit in paper.exhibits}
    found: dict[CellKey, Measured] = {}
    for place, value in values.items():
        key = _key(place)
        if not experiment.covers(key, paper):
            raise UsageError(f"returned a cell it does not fill: {', '.join(key)}")
        found[key] = _measured(key, value)
        if scales[key.table] == "log" and found[key].value <= 0:
            raise UsageError(f"returned {value!r} for {', '.join(key)}, which must be above 0")
    return found


def results_to_json(results: Results) -> Json:
    """A list of cells: table, row, column, value, deviation, remark."""
    return [[*key, found.value, found.deviation, found.remark] for key, found in results.items()]


def results_from_json(kept: Json, experiment: Experiment, paper: Paper) -> Results:
    """Read what ``results_to_json`` wrote."""
    try:
        rows = cast("list[list[str | float | None]]", kept)
        values = {
            (str(table), str(row), str(column)): Measured(
                cast("float", value), cast("float | None", deviation), str(remark)
            )
            for table, row, column, value, deviation, remark in rows
        }
    except (TypeError, ValueError) as error:
        raise InputError("the cached result is not a list of cells") from error
    return checked_results(values, experiment, paper)


def _key(place: object) -> CellKey:
    if (
        isinstance(place, tuple)
        and len(place) == len(CellKey._fields)
        and all(isinstance(part, str) for part in place)
    ):
        return CellKey(*place)
    raise UsageError(f"returned a cell called {place!r}; it needs (table, row, column), all texts")


def _measured(key: CellKey, value: object) -> Measured:
    given = value if isinstance(value, Measured) else Measured(cast("float", value))
    deviation = None if given.deviation is None else _number(key, given.deviation)
    return Measured(_number(key, given.value), deviation, given.remark)


def _number(key: CellKey, value: object) -> float:
    # NumPy's scalars are real numbers too; a plain float is what JSON keeps.
    if type(value) is not bool and isinstance(value, Real) and isfinite(value):
        return float(value)
    raise UsageError(f"returned {value!r} for {', '.join(key)}; it needs a finite number")


def find_answer(
    cache: ResultCache, question: Question, experiment: Experiment, paper: Paper
) -> tuple[float, Results] | None:
    """Look up seconds and results; ``None`` where they are absent or cannot be used."""
    answer = cache.get(question)
    if answer is None:
        return None
    try:
        return _unpacked(answer.result, experiment, paper)
    except PostilError as error:
        warnings.warn(
            f"the cached result of {experiment.name!r} cannot be used ({error}); "
            "computing it again",
            CacheWarning,
            stacklevel=2,
        )
        return None


def keep_answer(cache: ResultCache, question: Question, seconds: float, results: Results) -> None:
    """Keep seconds and results."""
    cache.put(question, {"seconds": seconds, "cells": results_to_json(results)})


def _unpacked(kept: Json, experiment: Experiment, paper: Paper) -> tuple[float, Results]:
    if not isinstance(kept, dict) or not isinstance(seconds := kept.get("seconds"), float):
        raise InputError("it does not tell its seconds")
    return seconds, results_from_json(kept.get("cells"), experiment, paper)


def assemble(
    paper: Paper,
    exhibit: Exhibit,
    found: Mapping[CellKey, Measured],
    errors: Mapping[CellKey, str],
    absences: Mapping[CellKey, str] | None = None,
) -> Table:
    """Lay out one table: the paper's cells, then those that only we have.

    ``found``, ``errors`` and ``absences`` (why a cell was not tried) may hold cells of other
    tables too. Costs the number of cells, sorted.
    """
    absences = absences or {}
    printed = {CellKey(exhibit.id, value.row, value.column): value for value in exhibit.values}
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
        _cell(
            paper,
            exhibit,
            key,
            printed.get(key),
            found.get(key),
            errors.get(key, ""),
            absences.get(key, ""),
        )
        for key in sorted(keys, key=lambda key: (down[key.row], across[key.column]))
    ]
    general = tuple(
        note.text for note in paper.notes if note.table == exhibit.id and note.is_general
    )
    return Table(exhibit, rows, columns, tuple(cells), general)


def _cell(
    paper: Paper,
    exhibit: Exhibit,
    key: CellKey,
    printed: PaperValue | None,
    found: Measured | None,
    error: str,
    absence: str,
) -> Cell:
    tolerance = exhibit.tolerance
    judged = tolerance is not None and printed is not None and tolerance.judges(*key[1:])
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
        note=_note(paper, key),
        remark=found.remark if found else absence,
        error=error,
    )


def _note(paper: Paper, key: CellKey) -> str:
    told = [
        note.text
        for note in paper.notes
        if note.table == key.table and note.explains(key.row, key.column)
    ]
    return " ".join(told)


def _along_the_axis(column: str) -> tuple[bool, float]:
    """Numbers by size, then names as they came (sorting is stable)."""
    try:
        return False, float(column)
    except ValueError:
        return True, 0.0
