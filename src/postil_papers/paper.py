"""What a paper prints: its tables, its figures and the numbers in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from postil.plots.figure import Scale, Stroke

Source = Literal["printed", "stated", "derived"]
Kind = Literal["line", "histogram", "scatter", "parallel"]


@dataclass(frozen=True, slots=True)
class PaperValue:
    """A number of the paper: in which row and column, and where the paper has it.

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
    """How near ours must come: each cell within ``each``, their mean under ``mean``.

    Both are absolute differences. The cells of ``rows`` and ``columns`` count; ``None`` means
    all of them.
    """

    each: float | None = None
    mean: float | None = None
    rows: tuple[str, ...] | None = None
    columns: tuple[str, ...] | None = None

    def judges(self, row: str, column: str) -> bool:
        """Say whether the cell counts."""
        return (self.rows is None or row in self.rows) and (
            self.columns is None or column in self.columns
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """A table or a figure of a paper, its numbers laid out in rows and columns.

    On the ``log`` scale numbers are compared by their logarithms to base 10. ``decimals_of`` are
    the decimals of columns that differ from the others: such a table mixes units.
    """

    id: str
    title: str
    where: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[PaperValue, ...]
    corpora: tuple[str, ...] = ()
    decimals: int = 1
    scale: Scale = "linear"
    tolerance: Tolerance | None = None
    decimals_of: tuple[tuple[str, int], ...] = ()

    def decimals_in(self, column: str) -> int:
        """How many decimals the numbers of a column are shown with."""
        return dict(self.decimals_of).get(column, self.decimals)

    @property
    def is_open(self) -> bool:
        """Whether ours may have rows and columns that the paper does not name."""
        return False

    @property
    def places(self) -> tuple[tuple[str, str], ...]:
        """The rows and columns that the paper names together, with a number or without."""
        return tuple((value.row, value.column) for value in self.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperTable(Exhibit):
    """A table: every combination of row and column has a printed number."""


@dataclass(frozen=True, slots=True)
class AxisFacts:
    """An axis of a figure: its label, its scale, and where known the values on it."""

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

    kind: Kind
    x: AxisFacts
    y: AxisFacts
    series: tuple[Series, ...]

    @property
    def is_open(self) -> bool:
        """A curve may be drawn through any places."""
        return True

    @property
    def places(self) -> tuple[tuple[str, str], ...]:
        """Each series at each place that the axis names, and wherever there is a number."""
        columns = [axis_column(place) for place in self.x.values]
        drawn = [(series.name, column) for series in self.series for column in columns]
        return tuple(dict.fromkeys([*drawn, *((value.row, value.column) for value in self.values)]))


@dataclass(frozen=True, slots=True)
class PaperNote:
    """Why ours deviates: in these rows and columns, or in the table as a whole if none is named."""

    table: str
    text: str
    rows: tuple[str, ...] | None = None
    columns: tuple[str, ...] | None = None

    @property
    def is_general(self) -> bool:
        """Whether the note is about the table as a whole."""
        return self.rows is None and self.columns is None

    def explains(self, row: str, column: str) -> bool:
        """Say whether the note is about this cell."""
        if self.is_general:
            return False
        return (self.rows is None or row in self.rows) and (
            self.columns is None or column in self.columns
        )


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A part of the paper that is not reproduced, and why."""

    what: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A paper by its short name: its tables and figures in the order of their numbers."""

    name: str
    title: str
    authors: tuple[str, ...]
    year: int
    tables: tuple[PaperTable, ...]
    figures: tuple[PaperFigure, ...]
    notes: tuple[PaperNote, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def exhibits(self) -> tuple[Exhibit, ...]:
        """All tables, then all figures."""
        return (*self.tables, *self.figures)


def axis_column(place: float) -> str:
    """Name the column of a place on a figure's axis: ``10000``, ``0.0001``, ``1e-5``."""
    text = repr(float(place))
    mantissa, exponent, power = text.partition("e")
    shown = mantissa.removesuffix(".0")
    return f"{shown}e{int(power)}" if exponent else shown
