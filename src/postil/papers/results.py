"""What an experiment returns, checked, and as the cache keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from numbers import Real
from typing import cast

from postil.errors import InputError, UsageError
from postil.papers.canonical import Json
from postil.papers.cells import CellKey, Measured
from postil.papers.experiment import CellValues, Experiment
from postil.papers.paper import Paper

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
