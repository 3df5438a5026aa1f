"""What every rendering shows of a table: texts in rows and columns, and footnotes.

The renderings differ in how they set these texts, not in what they say.

Numbers as they are shown: as the paper prints them, and on the log scale as powers.

How the numbers came about: the experiments, as texts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import isclose, log10

from postil.common.escaping import escaped, visible
from postil.plots.figure import Scale
from postil_papers.cells import Cell, Verdict, canonical_json
from postil_papers.paper import PaperFigure, Source, Tolerance
from postil_papers.reproduction import Reproduction, Run, Table

ABOUT = "≈"
MARKS: Mapping[Source | None, str] = {"stated": ABOUT}


def number_text(value: float, scale: Scale, decimals: int) -> str:
    """Show a number: ``86.9``, or ``1e-3`` on the log scale."""
    return _NUMBERS[scale](value, decimals)


def difference_text(value: float, scale: Scale, decimals: int) -> str:
    """Show a difference with its sign, and no sign where nothing is left after rounding.

    On the log scale a difference counts powers of ten, with one decimal where it is not whole.
    """
    places = decimals if scale == "linear" else int(not isclose(value, round(value), abs_tol=1e-9))
    shown = f"{value:+.{places}f}"
    return shown if shown.strip("+-0.") else shown[1:]


def with_deviation(text: str, deviation: float | None, decimals: int) -> str:
    """Add a standard deviation: ``89.7 ±0.5``."""
    return text if deviation is None else f"{text} ±{deviation:.{decimals}f}"


def paper_text(value: float, source: Source | None, scale: Scale, decimals: int) -> str:
    """Show a number of the paper; what its text rounds keeps its digits: ``≈85``."""
    if source == "stated" and scale == "linear":
        return f"{ABOUT}{value:g}"
    return MARKS.get(source, "") + number_text(value, scale, decimals)


def _linear(value: float, decimals: int) -> str:
    shown = f"{value:.{decimals}f}"
    return shown if shown.strip("-0.") else shown.lstrip("-")


def _power(value: float, _: int) -> str:
    exponent = round(log10(value))
    if isclose(value, 10.0**exponent):
        return f"1e{exponent}" if exponent else "1"
    mantissa, _sign, power = f"{value:.1e}".partition("e")
    return f"{mantissa}e{int(power)}"


_NUMBERS: Mapping[Scale, Callable[[float, int], str]] = {"linear": _linear, "log": _power}


NOT_RUN = "–"
FAILED = "failed"
ALARMS: dict[Verdict | None, str] = {"beyond": "!", "explained": "*"}


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
    def alarm(self) -> str:
        """``!`` behind a difference beyond its tolerance, ``*`` behind one that is explained."""
        return ALARMS.get(self.verdict, "")


@dataclass(frozen=True, slots=True)
class RowView:
    """A row: a cell or nothing for each column."""

    name: str
    cells: tuple[CellView | None, ...]


@dataclass(frozen=True, slots=True)
class TableView:
    """A table as it is shown; ``summary`` says how ours fares as a whole."""

    id: str
    title: str
    where: str
    columns: tuple[str, ...]
    rows: tuple[RowView, ...]
    footnotes: tuple[str, ...]
    summary: tuple[str, ...]


@dataclass(slots=True)
class _Footnotes:
    texts: dict[str, int] = field(default_factory=dict)

    def number(self, text: str) -> int:
        return self.texts.setdefault(text, len(self.texts) + 1)


def view(table: Table, *, everything: bool = False) -> TableView:
    """Lay a table out.

    Of a figure only the rows and columns with a number of the paper are shown, unless
    ``everything`` is asked for: its curves are drawn. Unsafe characters become escapes.
    Costs the number of cells.
    """
    shown = [cell for cell in table.cells if everything or _is_shown(table, cell)]
    by_place = {(cell.key.row, cell.key.column): cell for cell in shown}
    filled_rows = {cell.key.row for cell in shown}
    filled_columns = {cell.key.column for cell in shown}
    rows = [row for row in table.rows if row in filled_rows]
    columns = tuple(column for column in table.columns if column in filled_columns)
    footnotes = _Footnotes()
    views = tuple(
        RowView(
            visible(row),
            tuple(_cell(table, by_place.get((row, column)), footnotes) for column in columns),
        )
        for row in rows
    )
    return TableView(
        id=visible(table.id),
        title=escaped(table.exhibit.title),
        where=escaped(table.exhibit.where),
        columns=tuple(map(visible, columns)),
        rows=views,
        footnotes=tuple(map(escaped, footnotes.texts)),
        summary=tuple(map(escaped, _summary(table))),
    )


def turned(shown: TableView) -> TableView:
    """Swap rows and columns: a curve through many places is long rather than wide."""
    rows = tuple(
        RowView(column, tuple(row.cells[position] for row in shown.rows))
        for position, column in enumerate(shown.columns)
    )
    return replace(shown, columns=tuple(row.name for row in shown.rows), rows=rows)


def totals(reproduction: Reproduction) -> str:
    """Notify in one line how many numbers there are, and what became of them."""
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


def _is_shown(table: Table, cell: Cell) -> bool:
    return not table.is_figure or cell.paper is not None or bool(cell.error)


def _cell(table: Table, cell: Cell | None, footnotes: _Footnotes) -> CellView | None:
    if cell is None:
        return None
    exhibit = table.exhibit
    scale, decimals = exhibit.scale, exhibit.decimals_in(cell.key.column)
    paper, ours, difference = "", NOT_RUN, ""
    if cell.paper is not None:
        paper = paper_text(cell.paper, cell.source, scale, decimals)
        paper = with_deviation(paper, cell.paper_deviation, decimals)
    if cell.ours is not None:
        ours = number_text(cell.ours, scale, decimals)
        ours = with_deviation(ours, cell.ours_deviation, decimals)
    elif cell.error:
        ours = FAILED
    if cell.difference is not None:
        difference = difference_text(cell.difference, scale, decimals)
    origin = f"from {cell.where}" if cell.where and cell.where != exhibit.where else ""
    told = [origin, cell.note, cell.remark, cell.error]
    numbers = tuple(footnotes.number(text) for text in told if text)
    return CellView(paper, ours, difference, cell.verdict, ours == FAILED, numbers)


def _summary(table: Table) -> tuple[str, ...]:
    lines = [*_drawn(table), *_judgement(table), *table.notes]
    if table.exhibit.scale == "log" and not table.is_figure:
        lines.insert(0, "differences are in powers of ten")
    return tuple(lines)


def _drawn(table: Table) -> list[str]:
    """What the paper tells of the curves it draws."""
    if not isinstance(table.exhibit, PaperFigure):
        return []
    return [
        f"{series.name}: {series.remark}, the paper says"
        for series in table.exhibit.series
        if series.remark
    ]


def _judgement(table: Table) -> list[str]:
    mean = table.mean_difference
    tolerance = table.exhibit.tolerance
    # What a figure's text tells is rounded and of different kinds, as are columns with decimals
    # of their own: a mean would say little.
    mixed = table.is_figure or bool(table.exhibit.decimals_of)
    if mean is None or (mixed and tolerance is None):
        return []
    judged = table.judged
    have = sum(cell.ours is not None for cell in judged)
    which = _which(tolerance)
    lines = []
    if tolerance is not None and tolerance.each is not None:
        within = sum(cell.verdict == "within" for cell in judged)
        lines.append(f"{which}{within} of {have} within {tolerance.each:g}")
    counted = f" over {have} of {len(judged)} cells" if have < len(judged) else ""
    told = f"{which}mean absolute difference {mean:.2f}{counted}"
    if tolerance is not None and tolerance.mean is not None:
        told += f", to be under {tolerance.mean:g}{_VERDICTS[table.mean_verdict]}"
    return [*lines, told]


def _which(tolerance: Tolerance | None) -> str:
    """The rows and columns that are judged, where not all are."""
    if tolerance is None or (tolerance.rows is None and tolerance.columns is None):
        return ""
    return f"{', '.join((*(tolerance.rows or ()), *(tolerance.columns or ())))}: "


_VERDICTS: dict[Verdict | None, str] = {
    "within": ": met",
    "explained": ": not met, see the note",
    "beyond": ": not met",
    None: "",
}


HEADER = ("experiment", "state", "seconds", "settings")


def run_rows(reproduction: Reproduction) -> list[tuple[str, str, str, str]]:
    """A row for each experiment under ``HEADER``; one without results tells why."""
    return [
        (
            escaped(run.experiment),
            escaped(_state(run)),
            f"{run.seconds:.1f}",
            escaped(_settings(run)),
        )
        for run in reproduction.runs
    ]


def _state(run: Run) -> str:
    return f"{run.state}: {run.error}" if run.error else run.state


def _settings(run: Run) -> str:
    if not isinstance(run.settings, dict):
        return ""
    return ", ".join(f"{key}={_plain(run.settings[key])}" for key in sorted(run.settings))


def _plain(value: object) -> str:
    return value if isinstance(value, str) else canonical_json(value)  # type: ignore[arg-type]
