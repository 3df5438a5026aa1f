"""Read papers from their TOML files and check every number against a schema.

A schema maps each key of a table to a reader and a default. A reader returns the value, or raises
TypeError with the words that complete "must be …".
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files
from math import isfinite
from typing import Any, TypeAlias, get_args

from postil.common.suggest import advice
from postil.errors import InputError, UsageError
from postil.plots.figure import Scale, Stroke
from postil_papers.paper import (
    AxisFacts,
    Exhibit,
    Kind,
    LeftOut,
    Names,
    Paper,
    PaperFigure,
    PaperNote,
    PaperValue,
    Series,
    Source,
    Tolerance,
    axis_column,
)

SUFFIX = ".toml"
REQUIRED = object()
Reader: TypeAlias = Callable[[Any], Any]
Schema: TypeAlias = Mapping[str, tuple[Reader, object]]


def paper_names() -> Names:
    """Return the short names of all papers, sorted."""
    entries = (entry.name for entry in files("postil_papers").iterdir())
    return tuple(sorted(name.removesuffix(SUFFIX) for name in entries if name.endswith(SUFFIX)))


def load_paper(name: str) -> Paper:
    """Return a paper by its short name, such as ``zhang-oles-2001``."""
    names = paper_names()
    if name not in names:
        raise UsageError(f"there is no paper called {name!r}{advice(name, names)}")
    file = files("postil_papers") / f"{name}{SUFFIX}"
    paper = parse_paper(file.read_text(encoding="utf-8"), file.name)
    if paper.name != name:
        raise InputError(f"{file.name}: name is {paper.name!r}, but the file is called {name!r}")
    return paper


def parse_paper(text: str, place: str) -> Paper:
    """Return a paper from TOML; error messages begin with ``place``, the name of the file."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{place}: is not TOML: {error}") from error
    root = _read(values, place, PAPER)
    paper = Paper(
        name=root["name"],
        title=root["title"],
        authors=root["authors"],
        year=root["year"],
        tables=tuple(_table(each, _place(place, "table", each)) for each in root["table"]),
        figures=tuple(_figure(each, _place(place, "figure", each)) for each in root["figure"]),
        notes=tuple(PaperNote(**_read(note, f"{place}, note", NOTE)) for note in root["note"]),
        left_out=tuple(
            LeftOut(**_read(part, f"{place}, left_out", LEFT_OUT)) for part in root["left_out"]
        ),
    )
    _check_ids(paper, place)
    return paper


def _read(values: Mapping[str, object], place: str, schema: Schema) -> dict[str, Any]:
    """Return the values of a table as its schema reads them; refuse unknown and missing keys."""
    for key in values:
        if key not in schema:
            raise InputError(f"{place}: {key!r} means nothing here{advice(key, schema)}")
    found: dict[str, Any] = {}
    for key, (reader, default) in schema.items():
        if key not in values and default is REQUIRED:
            raise InputError(f"{place}: {key!r} is missing")
        try:
            found[key] = reader(values[key]) if key in values else default
        except TypeError as error:
            raise InputError(f"{place}: {key} must be {error}, got {values[key]!r}") from None
    return found


def _place(place: str, kind: str, values: Mapping[str, object]) -> str:
    name = values.get("id", values.get("name", values.get("row", "")))
    return f"{place}, {kind} {name}"


def _reader(
    wanted: str, accepts: Callable[[Any], object], convert: Reader = lambda value: value
) -> Reader:
    def read(value: object) -> object:
        if not accepts(value):
            raise TypeError(wanted)
        return convert(value)

    return read


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _is_list(value: object, accepts: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and all(map(accepts, value))


def _is_mapping(value: object) -> bool:
    return isinstance(value, dict)


def _one_of(literal: object) -> Reader:
    allowed = get_args(literal)
    return _reader(f"one of {', '.join(allowed)}", allowed.__contains__)


_text = _reader("a text", _is_text)
_whole = _reader("a whole number of at least 0", lambda value: type(value) is int and value >= 0)
_number = _reader("a number", _is_number, float)
_not_negative = _reader(
    "a number of at least 0", lambda value: _is_number(value) and value >= 0, float
)
_texts = _reader(
    "a list of texts, none twice",
    lambda value: value and _is_list(value, _is_text) and len(set(value)) == len(value),
    tuple,
)
_numbers = _reader(
    "a list of numbers",
    lambda value: _is_list(value, _is_number),
    lambda value: tuple(map(float, value)),
)
_flag = _reader("true or false", lambda value: isinstance(value, bool))
_mapping = _reader("a table", _is_mapping)
_mappings = _reader("a list of tables", lambda value: _is_list(value, _is_mapping))

PAPER: Schema = {
    "name": (_text, REQUIRED),
    "title": (_text, REQUIRED),
    "authors": (_texts, REQUIRED),
    "year": (_whole, REQUIRED),
    "table": (_mappings, []),
    "figure": (_mappings, []),
    "note": (_mappings, []),
    "left_out": (_mappings, []),
}
NOTE: Schema = {
    "table": (_text, REQUIRED),
    "text": (_text, REQUIRED),
    "rows": (_texts, None),
    "columns": (_texts, None),
}
LEFT_OUT: Schema = {"what": (_text, REQUIRED), "why": (_text, REQUIRED)}
EXHIBIT: Schema = {
    "id": (_text, REQUIRED),
    "title": (_text, REQUIRED),
    "where": (_text, REQUIRED),
    "corpora": (_texts, ()),
    "decimals": (_whole, 1),
}
TABLE: Schema = {
    **EXHIBIT,
    "columns": (_texts, REQUIRED),
    "rows": (_mapping, REQUIRED),
    "source": (_one_of(Source), "printed"),
    "scale": (_one_of(Scale), "linear"),
    "tolerance": (_mapping, None),
    "decimals_of": (_mapping, {}),
    "mixed": (_flag, False),
}
TOLERANCE: Schema = {
    "each": (_not_negative, None),
    "mean": (_not_negative, None),
    "rows": (_texts, None),
    "columns": (_texts, None),
}
FIGURE: Schema = {
    **EXHIBIT,
    "kind": (_one_of(Kind), REQUIRED),
    "x": (_mapping, REQUIRED),
    "y": (_mapping, REQUIRED),
    "series": (_mappings, []),
    "value": (_mappings, []),
}
AXIS: Schema = {
    "label": (_text, REQUIRED),
    "scale": (_one_of(Scale), "linear"),
    "values": (_numbers, ()),
}
SERIES: Schema = {
    "name": (_text, REQUIRED),
    "line": (_one_of(Stroke), "solid"),
    "formula": (_text, ""),
    "remark": (_text, ""),
}
FIGURE_VALUE: Schema = {
    "row": (_text, REQUIRED),
    "x": (_number, None),
    "column": (_text, None),
    "value": (_number, REQUIRED),
    "where": (_text, REQUIRED),
    "deviation": (_not_negative, None),
    "source": (_one_of(Source), REQUIRED),
}


def _table(values: Mapping[str, object], place: str) -> Exhibit:
    found = _read(values, place, TABLE)
    source, rows, columns = found.pop("source"), found.pop("rows"), found["columns"]
    if not rows:
        raise InputError(f"{place}: the table has no rows")
    decimals = _read(found["decimals_of"], place, dict.fromkeys(columns, (_whole, None)))
    tolerance = found.pop("tolerance")
    if tolerance is not None:
        tolerance = _tolerance(tolerance, f"{place}, tolerance", tuple(rows), columns)
    found["decimals_of"] = tuple((name, n) for name, n in decimals.items() if n is not None)
    printed = [
        PaperValue(row, column, value, found["where"], deviation, source)
        for row, cells in rows.items()
        for column, value, deviation in _row(place, row, columns, cells)
    ]
    exhibit = Exhibit(**found, rows=tuple(rows), values=tuple(printed), tolerance=tolerance)
    _check_log(exhibit, place)
    return exhibit


def _row(
    place: str, row: str, columns: Names, cells: object
) -> Iterable[tuple[str, float, float | None]]:
    """Yield column, value and deviation of each cell: a number, or [mean, deviation]."""
    if not isinstance(cells, list) or len(cells) != len(columns):
        received = f"{len(cells)} values" if isinstance(cells, list) else repr(cells)
        raise InputError(
            f"{place}: row {row!r} needs {len(columns)} values, one a column; got {received}"
        )
    for column, cell in zip(columns, cells, strict=True):
        try:
            value, *deviation = _numbers(cell if isinstance(cell, list) else [cell])
            if len(deviation) > 1 or min(deviation, default=0.0) < 0:
                raise TypeError
        except (TypeError, ValueError):
            raise InputError(
                f"{place}: row {row!r}, column {column!r}: needs a number, or [mean, deviation] "
                f"with a deviation of at least 0; got {cell!r}"
            ) from None
        yield column, value, deviation[0] if deviation else None


def _tolerance(values: Mapping[str, object], place: str, rows: Names, columns: Names) -> Tolerance:
    found = Tolerance(**_read(values, place, TOLERANCE))
    _check_names(place, "row", found.rows, rows)
    _check_names(place, "column", found.columns, columns)
    if found.each is None and found.mean is None:
        raise InputError(f"{place}: needs 'each' or 'mean'")
    return found


def _figure(values: Mapping[str, object], place: str) -> PaperFigure:
    found = _read(values, place, FIGURE)
    x, y = (_axis(found.pop(name), f"{place}, {name}") for name in ("x", "y"))
    series = tuple(
        Series(**_read(each, _place(place, "series", each), SERIES)) for each in found.pop("series")
    )
    printed = tuple(
        _figure_value(each, _place(place, "value", each)) for each in found.pop("value")
    )
    if not series:
        raise InputError(f"{place}: the figure has no series")
    rows = [*(line.name for line in series), *(value.row for value in printed)]
    columns = [*map(axis_column, x.values), *(value.column for value in printed)]
    places = [(value.row, value.column) for value in printed]
    if len(set(places)) != len(places):
        raise InputError(f"{place}: two values have the same row and column")
    figure = PaperFigure(
        **found,
        rows=tuple(dict.fromkeys(rows)),
        columns=tuple(dict.fromkeys(columns)),
        values=printed,
        scale=y.scale,
        x=x,
        y=y,
        series=series,
    )
    _check_log(figure, place)
    return figure


def _axis(values: Mapping[str, object], place: str) -> AxisFacts:
    axis = AxisFacts(**_read(values, place, AXIS))
    if axis.scale == "log" and any(value <= 0 for value in axis.values):
        raise InputError(f"{place}: values on a log axis must be above 0")
    return axis


def _figure_value(values: Mapping[str, object], place: str) -> PaperValue:
    found = _read(values, place, FIGURE_VALUE)
    x, column = found.pop("x"), found.pop("column")
    if (x is None) == (column is None):
        raise InputError(f"{place}: needs either 'x', a place on the axis, or 'column', a name")
    return PaperValue(**found, column=column if x is None else axis_column(x))


def _check_names(place: str, what: str, names: Names | None, allowed: Names) -> None:
    for name in names or ():
        if name not in allowed:
            raise InputError(f"{place}: there is no {what} called {name!r}{advice(name, allowed)}")


def _check_log(exhibit: Exhibit, place: str) -> None:
    for value in exhibit.values:
        if exhibit.scale == "log" and value.value <= 0:
            raise InputError(
                f"{place}: row {value.row!r}, column {value.column!r}: values on the log scale "
                f"must be above 0; got {value.value}"
            )


def _check_ids(paper: Paper, place: str) -> None:
    ids = tuple(exhibit.id for exhibit in paper.exhibits)
    if not ids:
        raise InputError(f"{place}: the paper has no table and no figure")
    for id in ids:
        if ids.count(id) > 1:
            raise InputError(f"{place}: two tables or figures have the id {id!r}")
    shown = {exhibit.id: exhibit for exhibit in paper.exhibits}
    for note in paper.notes:
        _check_names(place, "table of a note", (note.table,), ids)
        if not shown[note.table].is_open:
            _check_names(place, "row of a note", note.rows, shown[note.table].rows)
            _check_names(place, "column of a note", note.columns, shown[note.table].columns)
