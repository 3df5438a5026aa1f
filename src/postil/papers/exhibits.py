"""The tables and figures of a paper's TOML file, read and checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from postil.papers.paper import (
    AxisFacts,
    Kind,
    PaperFigure,
    PaperTable,
    PaperValue,
    Scale,
    Series,
    Source,
    Stroke,
    Tolerance,
    axis_column,
)
from postil.papers.sections import Section, number
from postil.text.suggest import advice

SCALES: dict[str, Scale] = {"linear": "linear", "log": "log"}
KINDS: dict[str, Kind] = {
    "line": "line",
    "histogram": "histogram",
    "scatter": "scatter",
    "parallel": "parallel",
}
STROKES: dict[str, Stroke] = {"solid": "solid", "dashed": "dashed", "dotted": "dotted"}
SOURCES: dict[str, Source] = {"printed": "printed", "stated": "stated", "derived": "derived"}


def read_table(part: Section) -> PaperTable:
    """Read a ``[[table]]``."""
    columns = part.texts("columns")
    where = part.text("where")
    source = part.choice("source", SOURCES, "printed")
    rows = list(part.section("rows").items())
    if not rows:
        raise part.error("there are no rows")
    found = PaperTable(
        id=part.text("id"),
        title=part.text("title"),
        where=where,
        rows=tuple(row for row, _ in rows),
        columns=columns,
        values=tuple(
            value for row, cells in rows for value in _row(part, row, columns, cells, where, source)
        ),
        corpora=part.texts("corpora", ()),
        decimals=part.whole("decimals", 1),
        scale=part.choice("scale", SCALES, "linear"),
        tolerance=_tolerance(part, tuple(row for row, _ in rows), columns),
        decimals_of=_decimals_of(part, columns),
    )
    part.finish()
    _check_log(part, found.scale, found.values)
    return found


def _row(
    part: Section, row: str, columns: tuple[str, ...], cells: object, where: str, source: Source
) -> Iterator[PaperValue]:
    if not isinstance(cells, list) or len(cells) != len(columns):
        received = f"{len(cells)} values" if isinstance(cells, list) else repr(cells)
        raise part.error(f"row {row!r} needs {len(columns)} values, one a column; got {received}")
    for column, cell in zip(columns, cells, strict=True):
        value, deviation = _value(part, f"row {row!r}, column {column!r}", cell)
        yield PaperValue(row, column, value, where, deviation, source)


def _value(part: Section, which: str, cell: object) -> tuple[float, float | None]:
    """Read a number, or a pair of mean and standard deviation."""
    pair = cell if isinstance(cell, list) else [cell]
    try:
        found = [number(item) for item in pair]
    except TypeError:
        found = []
    if len(found) not in (1, 2) or (len(found) == 2 and found[1] < 0):
        raise part.error(
            f"{which}: needs a number, or [mean, deviation] with a deviation of at least 0; "
            f"got {cell!r}"
        )
    return found[0], found[1] if len(found) == 2 else None


def _decimals_of(part: Section, columns: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """Read the decimals of single columns."""
    if not part.has("decimals_of"):
        return ()
    inner = part.section("decimals_of")
    found = tuple((column, inner.whole(column)) for column, _ in inner.items())
    check_names(inner, "column", tuple(column for column, _ in found), columns)
    return found


def _tolerance(part: Section, rows: tuple[str, ...], columns: tuple[str, ...]) -> Tolerance | None:
    if not part.has("tolerance"):
        return None
    inner = part.section("tolerance")
    found = Tolerance(
        each=inner.number("each") if inner.has("each") else None,
        mean=inner.number("mean") if inner.has("mean") else None,
        rows=inner.texts("rows") if inner.has("rows") else None,
        columns=inner.texts("columns") if inner.has("columns") else None,
    )
    inner.finish()
    check_names(inner, "row", found.rows, rows)
    check_names(inner, "column", found.columns, columns)
    if found.each is None and found.mean is None:
        raise inner.error("needs 'each' or 'mean'")
    if min(found.each or 0, found.mean or 0) < 0:
        raise inner.error("a tolerance is at least 0")
    return found


def read_figure(part: Section) -> PaperFigure:
    """Read a ``[[figure]]``."""
    x, y = _axis(part.section("x")), _axis(part.section("y"))
    series = tuple(_series(inner) for inner in part.sections("series"))
    values = tuple(_figure_value(inner) for inner in part.sections("value"))
    rows = _ordered([*(line.name for line in series), *(value.row for value in values)])
    columns = _ordered([*map(axis_column, x.values), *(value.column for value in values)])
    found = PaperFigure(
        id=part.text("id"),
        title=part.text("title"),
        where=part.text("where"),
        rows=rows,
        columns=columns,
        values=values,
        corpora=part.texts("corpora", ()),
        decimals=part.whole("decimals", 1),
        scale=y.scale,
        kind=part.choice("kind", KINDS),
        x=x,
        y=y,
        series=series,
    )
    part.finish()
    if not series:
        raise part.error("there is no series")
    _check_log(part, found.scale, values)
    places = [(value.row, value.column) for value in values]
    if len(set(places)) != len(places):
        raise part.error("two values have the same row and column")
    return found


def _axis(part: Section) -> AxisFacts:
    found = AxisFacts(
        part.text("label"), part.choice("scale", SCALES, "linear"), part.numbers("values", ())
    )
    part.finish()
    if found.scale == "log" and any(value <= 0 for value in found.values):
        raise part.error("values on a log axis are above 0")
    return found


def _series(part: Section) -> Series:
    found = Series(
        part.text("name"),
        part.choice("line", STROKES, "solid"),
        part.text("formula", ""),
        part.text("remark", ""),
    )
    part.finish()
    return found


def _figure_value(part: Section) -> PaperValue:
    if part.has("x") == part.has("column"):
        raise part.error("needs either 'x', a place on the axis, or 'column', a name")
    column = axis_column(part.number("x")) if part.has("x") else part.text("column")
    found = PaperValue(
        part.text("row"),
        column,
        part.number("value"),
        part.text("where"),
        part.number("deviation") if part.has("deviation") else None,
        part.choice("source", SOURCES),
    )
    part.finish()
    return found


def check_names(
    part: Section, what: str, names: tuple[str, ...] | None, allowed: tuple[str, ...]
) -> None:
    """Refuse a name that is not among those allowed."""
    for name in names or ():
        if name not in allowed:
            raise part.error(f"there is no {what} called {name!r}{advice(name, allowed)}")


def _check_log(part: Section, scale: Scale, values: Iterable[PaperValue]) -> None:
    for value in values:
        if scale == "log" and value.value <= 0:
            raise part.error(
                f"row {value.row!r}, column {value.column!r}: values on the log scale are above 0; "
                f"got {value.value}"
            )


def _ordered(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
