"""The texts of a reproduction: what every rendering shows, whatever its markup."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isclose, log10

from postil.common.escaping import escaped, visible
from postil.plots.figure import Scale
from postil_papers.paper import PaperFigure, Source
from postil_papers.reproduction import Cell, Reproduction, Run, Table, Verdict

NOT_RUN = "–"
FAILED = "failed"
ABOUT = "≈"
MARKS: dict[Verdict | None, str] = {"beyond": "!", "explained": "*"}
JUDGEMENTS: dict[Verdict | None, str] = {
    "within": ": met",
    "explained": ": not met, see the note",
    "beyond": ": not met",
    None: "",
}
HEADER = ("experiment", "state", "seconds", "settings")


def number_text(value: float, scale: Scale, decimals: int) -> str:
    """Return a number as the paper prints it: ``86.9``, or ``1e-3`` on the log scale."""
    if scale == "linear":
        shown = f"{value:.{decimals}f}"
        return shown if shown.strip("-0.") else shown.lstrip("-")
    exponent = round(log10(value))
    if isclose(value, 10.0**exponent):
        return f"1e{exponent}" if exponent else "1"
    mantissa, _, power = f"{value:.1e}".partition("e")
    return f"{mantissa}e{int(power)}"


def difference_text(value: float, scale: Scale, decimals: int) -> str:
    """Return a difference with its sign, without a sign if nothing is left after rounding.

    On the log scale a difference counts powers of ten, with one decimal where it is not whole.
    """
    places = decimals if scale == "linear" else int(not isclose(value, round(value), abs_tol=1e-9))
    shown = f"{value:+.{places}f}"
    return shown if shown.strip("+-0.") else shown[1:]


def paper_text(value: float, source: Source | None, scale: Scale, decimals: int) -> str:
    """Return a number of the paper; what its text rounds keeps its digits: ``≈85``."""
    if source == "stated" and scale == "linear":
        return f"{ABOUT}{value:g}"
    return (ABOUT if source == "stated" else "") + number_text(value, scale, decimals)


@dataclass(frozen=True, slots=True)
class CellView:
    """The three texts of a cell, its verdict, and the numbers of its footnotes."""

    paper: str
    ours: str
    difference: str
    verdict: Verdict | None
    failed: bool
    footnotes: tuple[int, ...]

    @property
    def mark(self) -> str:
        """``!`` behind a difference beyond its tolerance, ``*`` behind one that is explained."""
        return MARKS.get(self.verdict, "")


@dataclass(frozen=True, slots=True)
class RowView:
    """A row: a cell or nothing for each column."""

    name: str
    cells: tuple[CellView | None, ...]


@dataclass(frozen=True, slots=True)
class TableView:
    """A table as it is shown; ``summary`` judges our numbers as a whole."""

    id: str
    title: str
    where: str
    columns: tuple[str, ...]
    rows: tuple[RowView, ...]
    footnotes: tuple[str, ...]
    summary: tuple[str, ...]


def view(table: Table, *, everything: bool = False) -> TableView:
    """Return the texts of a table; unsafe characters become escapes.

    Of a figure only the rows and columns with a number of the paper are shown, unless
    ``everything`` is wanted: its curves are drawn.
    """
    shown = {
        (cell.key.row, cell.key.column): cell
        for cell in table.cells
        if everything or not table.is_figure or cell.paper is not None or cell.error
    }
    rows = [row for row in table.rows if row in {row for row, _ in shown}]
    columns = [column for column in table.columns if column in {column for _, column in shown}]
    footnotes: dict[str, int] = {}
    views = tuple(
        RowView(
            visible(row),
            tuple(_cell(table, shown.get((row, column)), footnotes) for column in columns),
        )
        for row in rows
    )
    return TableView(
        id=visible(table.id),
        title=escaped(table.exhibit.title),
        where=escaped(table.exhibit.where),
        columns=tuple(map(visible, columns)),
        rows=views,
        footnotes=tuple(map(escaped, footnotes)),
        summary=tuple(map(escaped, _summary(table))),
    )


def transposed(shown: TableView) -> TableView:
    """Swap rows and columns: a curve through many places is long rather than wide."""
    rows = tuple(
        RowView(column, tuple(row.cells[position] for row in shown.rows))
        for position, column in enumerate(shown.columns)
    )
    return replace(shown, columns=tuple(row.name for row in shown.rows), rows=rows)


def totals(reproduction: Reproduction) -> str:
    """Return one line with the numbers of cells computed, within tolerance, failed and left out."""
    cells = [cell for cell in reproduction.cells() if cell.paper is not None]
    ours = sum(cell.ours is not None for cell in cells)
    parts = [f"{ours} of {len(cells)} cells with a number of the paper have ours beside it"]
    judged = [cell.verdict for cell in cells if cell.verdict]
    if judged:
        parts.append(f"{judged.count('within')} of {len(judged)} judged are within tolerance")
    if judged.count("explained"):
        parts.append(f"{judged.count('explained')} beyond it and explained")
    if reproduction.failures:
        count = len(reproduction.failures)
        parts.append(f"{count} experiment{'s' if count > 1 else ''} failed")
    left_out = sum(reproduction.absences.values())
    if left_out:
        parts.append(f"{left_out} not run: a corpus is absent")
    return "; ".join(parts)


def _cell(table: Table, cell: Cell | None, footnotes: dict[str, int]) -> CellView | None:
    if cell is None:
        return None
    exhibit = table.exhibit
    scale, decimals = exhibit.scale, exhibit.decimals_in(cell.key.column)

    def with_deviation(text: str, deviation: float | None) -> str:
        return text if deviation is None else f"{text} ±{deviation:.{decimals}f}"

    paper, ours, difference = "", FAILED if cell.error else NOT_RUN, ""
    if cell.paper is not None:
        paper = paper_text(cell.paper, cell.source, scale, decimals)
        paper = with_deviation(paper, cell.paper_deviation)
    if cell.ours is not None:
        ours = with_deviation(number_text(cell.ours, scale, decimals), cell.ours_deviation)
    if cell.difference is not None:
        difference = difference_text(cell.difference, scale, decimals)
    origin = f"from {cell.where}" if cell.where and cell.where != exhibit.where else ""
    notes = filter(None, (origin, cell.note, cell.remark, cell.error))
    numbers = tuple(footnotes.setdefault(note, len(footnotes) + 1) for note in notes)
    return CellView(paper, ours, difference, cell.verdict, ours == FAILED, numbers)


def _summary(table: Table) -> Iterator[str]:
    exhibit = table.exhibit
    if isinstance(exhibit, PaperFigure):
        for series in exhibit.series:
            if series.remark:
                yield f"{series.name}: {series.remark}, the paper says"
    elif exhibit.scale == "log":
        yield "differences are in powers of ten"
    yield from _judgement(table)
    yield from table.notes


def _judgement(table: Table) -> Iterator[str]:
    mean = table.mean_difference
    tolerance = table.exhibit.tolerance
    # Numbers in a figure's text are rounded and of different kinds, as are mixed rows and columns
    # with decimals of their own: a mean would say little.
    mixed = table.is_figure or table.exhibit.mixed or bool(table.exhibit.decimals_of)
    if mean is None or (mixed and tolerance is None):
        return
    judged = table.judged
    have = sum(cell.ours is not None for cell in judged)
    names = () if tolerance is None else (*(tolerance.rows or ()), *(tolerance.columns or ()))
    which = f"{', '.join(names)}: " if names else ""
    if tolerance is not None and tolerance.each is not None:
        within = sum(cell.verdict == "within" for cell in judged)
        yield f"{which}{within} of {have} within {tolerance.each:g}"
    counted = f" over {have} of {len(judged)} cells" if have < len(judged) else ""
    line = f"{which}mean absolute difference {mean:.2f}{counted}"
    if tolerance is not None and tolerance.mean is not None:
        line += f", to be under {tolerance.mean:g}{JUDGEMENTS[table.mean_verdict]}"
    yield line


def run_rows(reproduction: Reproduction) -> list[tuple[str, str, str, str]]:
    """Return a row for each experiment under ``HEADER``, with its error if it has no results."""
    return [
        (
            escaped(run.experiment),
            escaped(f"{run.state}: {run.error}" if run.error else run.state),
            f"{run.seconds:.1f}",
            escaped(_settings(run)),
        )
        for run in reproduction.runs
    ]


def _settings(run: Run) -> str:
    def text(value: object) -> str:
        if isinstance(value, str):
            return value
        return json.dumps(value, sort_keys=True, separators=(",", ":"))

    return ", ".join(f"{key}={text(run.settings[key])}" for key in sorted(run.settings))
