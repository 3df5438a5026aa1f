"""The printed content of a paper: its tables, its figures and the numbers in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from postil.plots.figure import Scale, Stroke

Source = Literal["printed", "stated", "derived"]
Kind = Literal["line", "histogram", "scatter", "parallel"]
Names = tuple[str, ...]


def within(rows: Names | None, columns: Names | None, row: str, column: str) -> bool:
    """Return True if a cell is in the given rows and columns; ``None`` means all of them."""
    return (rows is None or row in rows) and (columns is None or column in columns)


@dataclass(frozen=True, slots=True)
class PaperValue:
    """A number of the paper with its row, its column and its place in the text.

    ``source`` is ``printed`` (in a table), ``stated`` (in the text, rounded there) or
    ``derived`` (computed from printed numbers).
    """

    row: str
    column: str
    value: float
    where: str
    deviation: float | None = None
    source: Source = "printed"


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Absolute differences allowed: for each cell, and for the mean over the cells.

    The cells of ``rows`` and ``columns`` count; ``None`` means all of them.
    """

    each: float | None = None
    mean: float | None = None
    rows: Names | None = None
    columns: Names | None = None

    def judges(self, row: str, column: str) -> bool:
        """Return True if the cell counts."""
        return within(self.rows, self.columns, row, column)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """A table or a figure of a paper, with its numbers in rows and columns.

    On the ``log`` scale numbers are compared by their logarithms to base 10. ``decimals_of`` holds
    the decimals of columns that differ from the others, in a table that mixes units; where its rows
    mix them, ``mixed`` is True. Where ``is_open``, our results may have rows and columns that the
    paper does not name, because a curve may be drawn through any places.
    """

    is_open: ClassVar[bool] = False
    id: str
    title: str
    where: str
    rows: Names
    columns: Names
    values: tuple[PaperValue, ...]
    corpora: Names = ()
    decimals: int = 1
    scale: Scale = "linear"
    tolerance: Tolerance | None = None
    decimals_of: tuple[tuple[str, int], ...] = ()
    mixed: bool = False

    def decimals_in(self, column: str) -> int:
        """Return the number of decimals to show in a column."""
        return dict(self.decimals_of).get(column, self.decimals)

    @property
    def places(self) -> tuple[tuple[str, str], ...]:
        """The rows and columns that the paper names together, with a number or without."""
        return tuple((value.row, value.column) for value in self.values)


@dataclass(frozen=True, slots=True)
class AxisFacts:
    """An axis of a figure: its label, its scale, and the values on it where they are known."""

    label: str
    scale: Scale = "linear"
    values: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Series:
    """One curve or histogram of a figure; ``formula`` where it is drawn from one."""

    name: str
    line: Stroke = "solid"
    formula: str = ""
    remark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperFigure(Exhibit):
    """A figure: a row for each series, a column for each place on the horizontal axis."""

    is_open: ClassVar[bool] = True
    kind: Kind
    x: AxisFacts
    y: AxisFacts
    series: tuple[Series, ...]

    @property
    def places(self) -> tuple[tuple[str, str], ...]:
        """Each series at each place that the axis names, and every place with a number."""
        columns = [axis_column(place) for place in self.x.values]
        drawn = [(series.name, column) for series in self.series for column in columns]
        return tuple(dict.fromkeys([*drawn, *((value.row, value.column) for value in self.values)]))


@dataclass(frozen=True, slots=True)
class PaperNote:
    """An explanation of a deviation in some rows and columns, or of a table as a whole."""

    table: str
    text: str
    rows: Names | None = None
    columns: Names | None = None

    @property
    def is_general(self) -> bool:
        """True if the note is about the table as a whole."""
        return self.rows is None and self.columns is None

    def explains(self, row: str, column: str) -> bool:
        """Return True if the note is about this cell."""
        return not self.is_general and within(self.rows, self.columns, row, column)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A part of the paper that is not reproduced, and the reason."""

    what: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A paper by its short name, with tables and figures in the order of their numbers."""

    name: str
    title: str
    authors: Names
    year: int
    tables: tuple[Exhibit, ...]
    figures: tuple[PaperFigure, ...]
    notes: tuple[PaperNote, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def exhibits(self) -> tuple[Exhibit, ...]:
        """All tables, then all figures."""
        return (*self.tables, *self.figures)


def axis_column(place: float) -> str:
    """Return the column name of a place on a figure's axis: ``10000``, ``0.0001``, ``1e-5``."""
    text = repr(float(place))
    mantissa, exponent, power = text.partition("e")
    shown = mantissa.removesuffix(".0")
    return f"{shown}e{int(power)}" if exponent else shown
