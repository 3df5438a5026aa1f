"""Papers from their TOML files: every number checked, every error with its place.

A file is small: reading it costs its length.

Reading a section of a TOML file with types, and errors that say where.

The tables and figures of a paper's TOML file, read and checked.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from math import isfinite
from typing import TypeVar

from postil.common.suggest import advice
from postil.errors import InputError, UsageError
from postil.plots.figure import Scale, Stroke
from postil_papers.paper import (
    AxisFacts,
    Kind,
    LeftOut,
    Paper,
    PaperFigure,
    PaperNote,
    PaperTable,
    PaperValue,
    Series,
    Source,
    Tolerance,
    axis_column,
)

Value = TypeVar("Value")


class Section:
    """A table of a TOML file that is read key by key; ``finish`` refuses keys nobody read.

    ``place`` says where it stands, for messages: ``zhang-oles-2001.toml, table2``.
    """

    def __init__(self, values: Mapping[str, object], place: str) -> None:
        self._values = values
        self._known: list[str] = []
        self.place = place

    def has(self, key: str) -> bool:
        """Say whether the key is there; it is known from now on."""
        self._known.append(key)
        return key in self._values

    def text(self, key: str, default: str | None = None) -> str:
        """Read a text."""
        return self._read(key, text, default)

    def whole(self, key: str, default: int | None = None) -> int:
        """Read a whole number."""
        return self._read(key, whole, default)

    def number(self, key: str, default: float | None = None) -> float:
        """Read a number."""
        return self._read(key, number, default)

    def texts(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """Read a list of texts, none twice."""
        return self._read(key, distinct_texts, default)

    def numbers(self, key: str, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """Read a list of numbers."""
        return self._read(key, numbers, default)

    def choice(self, key: str, allowed: Mapping[str, Value], default: str | None = None) -> Value:
        """Read one of some words, as what it stands for."""
        word = self.text(key, default)
        if word not in allowed:
            raise self.error(f"{key} is {word!r}{advice(word, allowed)}")
        return allowed[word]

    def section(self, key: str, name: str | None = None) -> Section:
        """Read a table within this one."""
        return Section(self._read(key, table, None), f"{self.place}, {name or key}")

    def sections(self, key: str) -> Iterator[Section]:
        """Read a list of tables; none is an empty list."""
        none: Sequence[Mapping[str, object]] = ()
        for position, values in enumerate(self._read(key, tables, none), 1):
            name = values.get("id", values.get("name", values.get("row", position)))
            yield Section(values, f"{self.place}, {key} {name}")

    def items(self) -> Iterator[tuple[str, object]]:
        """All keys with what they hold."""
        self._known.extend(self._values)
        yield from self._values.items()

    def finish(self) -> None:
        """Refuse what nobody read."""
        for key in self._values:
            if key not in self._known:
                raise self.error(f"{key!r} means nothing here{advice(key, self._known)}")

    def error(self, message: str) -> InputError:
        """Build an error that says where."""
        return InputError(f"{self.place}: {message}")

    def _read(self, key: str, read: Callable[[object], Value], default: Value | None) -> Value:
        if not self.has(key):
            if default is None:
                raise self.error(f"{key!r} is missing")
            return default
        try:
            return read(self._values[key])
        except TypeError as error:
            raise self.error(f"{key} must be {error}, got {self._values[key]!r}") from None


def text(value: object) -> str:
    """Take a text that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise TypeError("a text")
    return value


def whole(value: object) -> int:
    """Take a whole number of at least 0."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError("a whole number of at least 0")
    return value


def number(value: object) -> float:
    """Take a finite number."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(value):
        raise TypeError("a number")
    return float(value)


def distinct_texts(value: object) -> tuple[str, ...]:
    """Take a list of texts, at least one and none twice."""
    wanted = "a list of texts, none twice"
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        raise TypeError(wanted)
    found = tuple(text(item) for item in value)
    if len(set(found)) != len(found):
        raise TypeError(wanted)
    return found


def numbers(value: object) -> tuple[float, ...]:
    """Take a list of numbers."""
    if not isinstance(value, list):
        raise TypeError("a list of numbers")
    return tuple(number(item) for item in value)


def table(value: object) -> Mapping[str, object]:
    """Take a table."""
    if not isinstance(value, dict):
        raise TypeError("a table")
    return value


def tables(value: object) -> Sequence[Mapping[str, object]]:
    """Take a list of tables."""
    if not isinstance(value, list):
        raise TypeError("a list of tables")
    return tuple(table(item) for item in value)


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


SUFFIX = ".toml"


def paper_names() -> tuple[str, ...]:
    """Name the papers whose numbers are here, in order."""
    entries = (entry.name for entry in files("postil_papers").iterdir())
    return tuple(sorted(name.removesuffix(SUFFIX) for name in entries if name.endswith(SUFFIX)))


def load_paper(name: str) -> Paper:
    """Load a paper by its short name, such as ``zhang-oles-2001``."""
    names = paper_names()
    if name not in names:
        raise UsageError(f"there is no paper called {name!r}{advice(name, names)}")
    file = files("postil_papers") / f"{name}{SUFFIX}"
    paper = parse_paper(file.read_text(encoding="utf-8"), file.name)
    if paper.name != name:
        raise InputError(f"{file.name}: name is {paper.name!r}, the file's is {name!r}")
    return paper


def parse_paper(text: str, place: str) -> Paper:
    """Read a paper from TOML; ``place`` stands at the head of messages."""
    try:
        root = Section(tomllib.loads(text), place)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{place}: is not TOML: {error}") from error
    paper = Paper(
        name=root.text("name"),
        title=root.text("title"),
        authors=root.texts("authors"),
        year=root.whole("year"),
        tables=tuple(read_table(part) for part in root.sections("table")),
        figures=tuple(read_figure(part) for part in root.sections("figure")),
        notes=tuple(_note(part) for part in root.sections("note")),
        left_out=tuple(_left_out(part) for part in root.sections("left_out")),
    )
    root.finish()
    _check_ids(root, paper)
    return paper


def _note(part: Section) -> PaperNote:
    found = PaperNote(
        part.text("table"),
        part.text("text"),
        part.texts("rows") if part.has("rows") else None,
        part.texts("columns") if part.has("columns") else None,
    )
    part.finish()
    return found


def _left_out(part: Section) -> LeftOut:
    found = LeftOut(part.text("what"), part.text("why"))
    part.finish()
    return found


def _check_ids(root: Section, paper: Paper) -> None:
    ids = [exhibit.id for exhibit in paper.exhibits]
    if not ids:
        raise root.error("there is no table and no figure")
    for exhibit in paper.exhibits:
        if ids.count(exhibit.id) > 1:
            raise root.error(f"two tables or figures have the id {exhibit.id!r}")
    shown = {exhibit.id: exhibit for exhibit in paper.exhibits}
    for note in paper.notes:
        check_names(root, "table of a note", (note.table,), tuple(ids))
        if not shown[note.table].is_open:
            check_names(root, "row of a note", note.rows, shown[note.table].rows)
            check_names(root, "column of a note", note.columns, shown[note.table].columns)
