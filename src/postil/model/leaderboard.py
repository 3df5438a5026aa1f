"""The leaderboard of the automatic search that a model keeps, for inspection, cards and reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from postil.common.escaping import visible

UNKNOWN = "–"
_OWN_CELLS = ("name", "value", "low", "high", "chosen")
_ORDER = ("C", "documents", "terms", "terms_of_a_document")


class Cell(NamedTuple):
    """The text of a cell; a number has the value that it sorts by."""

    text: str
    value: float | None = None


class Leaderboard(NamedTuple):
    """The trials of a search: how they were compared, titles of columns, and a row for each.

    The first column holds names, and the others numbers. ``chosen`` says which trial was taken,
    with its measure.
    """

    sentence: str
    header: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    chosen: str


def leaderboard(method: Mapping[str, Any]) -> Leaderboard | None:
    """Return the leaderboard of a model's method, or None if no search was made.

    Parameters
    ----------
    method : mapping
        The method of the model, whose ``auto`` has the facts of the search.
    """
    auto = method.get("auto")
    listed = auto.get("leaderboard") if isinstance(auto, Mapping) else None
    rows = [row for row in listed or () if isinstance(row, Mapping)]
    if not isinstance(auto, Mapping) or not rows:
        return None
    found = dict.fromkeys(key for row in rows for key in row if key not in _OWN_CELLS)
    keys = sorted(found, key=lambda key: _ORDER.index(key) if key in _ORDER else len(_ORDER))
    measure = auto.get("measure", "value")
    cells = [_cells(row, keys) for row in rows]
    chosen = ""
    for place, row in enumerate(rows):
        if row.get("chosen"):
            name, value, interval = (cell.text for cell in cells[place][:3])
            chosen = f"{name}; {measure} {value} % (95 % interval {interval})"
            cells[place] = (Cell(f"{name} (chosen)"), *cells[place][1:])
    titles = (str(key).replace("_", " ") for key in keys)
    header = ("trial", f"{measure}, %", "95 % interval", *titles)
    return Leaderboard(_sentence(auto, len(rows)), header, cells, chosen)


def _cells(row: Mapping[str, Any], keys: Sequence[str]) -> tuple[Cell, ...]:
    low, high = _share(row.get("low")), _share(row.get("high"))
    return (
        Cell(visible(str(row.get("name", UNKNOWN)))),
        _share(row.get("value")),
        Cell(f"{low.text} to {high.text}", low.value),
        *(plain_cell(row.get(key)) for key in keys),
    )


def _sentence(auto: Mapping[str, Any], count: int) -> str:
    parts = [f"{count} trials, by {auto.get('measure', 'value')} on held-out training documents"]
    if auto.get("folds"):
        parts.append(f"{auto['folds']} folds")
    if auto.get("copies"):
        parts.append(f"{auto['copies']:,} near copies kept in the fold of their original")
    if auto.get("budget"):
        parts.append(f"a budget of {auto['budget']:g} s")
    if auto.get("ended"):
        parts.append(f"ended early: {auto['ended']}")
    return "; ".join(parts)


def _share(value: object) -> Cell:
    if not isinstance(value, int | float):
        return Cell(UNKNOWN)
    return Cell(f"{100 * value:.1f}", value)


def plain_cell(value: object) -> Cell:
    """Return the cell of a number, a text or nothing."""
    if value is None:
        return Cell(UNKNOWN)
    if isinstance(value, int) and not isinstance(value, bool):
        return Cell(f"{value:,}", value)
    if isinstance(value, float):
        return Cell(f"{value:.4g}", value)
    return Cell(visible(str(value)))
