"""Experiments: named functions from settings to the cells of tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from postil.common.suggest import advice
from postil.errors import UsageError
from postil_papers.paper import Exhibit, Names, Paper, within


class CellKey(NamedTuple):
    """The place of a cell: ``("table2", "F1", "SVM")``."""

    table: str
    row: str
    column: str


@dataclass(frozen=True, slots=True)
class Measured:
    """A number that an experiment found, with its standard deviation and a remark if any."""

    value: float
    deviation: float | None = None
    remark: str = ""


CellValues: TypeAlias = Mapping[tuple[str, str, str], float | Measured]


@dataclass(frozen=True, slots=True)
class Fill:
    """Cells of one table or figure: these rows and columns, ``None`` meaning all of them.

    With both named, every combination is filled, also where the paper has no such cell. With
    one left open, a table takes only the paper's cells; a figure takes others too, because a
    curve may be drawn through any places.
    """

    table: str
    rows: Names | None = None
    columns: Names | None = None

    def expected(self, exhibit: Exhibit) -> list[CellKey]:
        """Return the cells that are promised."""
        if self.rows is not None and self.columns is not None:
            pairs = list(product(self.rows, self.columns))
        else:
            pairs = [place for place in exhibit.places if within(self.rows, self.columns, *place)]
        return [CellKey(exhibit.id, row, column) for row, column in pairs]

    def covers(self, key: CellKey, exhibit: Exhibit) -> bool:
        """Return True if a cell may be filled."""
        if key.table != self.table or not within(self.rows, self.columns, key.row, key.column):
            return False
        named = self.rows is not None and self.columns is not None
        return named or exhibit.is_open or (key.row, key.column) in exhibit.places


@dataclass(frozen=True, slots=True)
class Experiment:
    """A named function that fills cells.

    ``run`` is called with the settings as keyword arguments. Its results are kept by its name, the
    settings, the bytes of the corpus that the setting ``corpus`` (or ``collection``) names, and the
    code that computes them. What does not change results (threads, progress) is no setting.
    """

    name: str
    run: Callable[..., CellValues]
    fills: tuple[Fill, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)

    def tables(self) -> frozenset[str]:
        """Return the ids of the tables and figures that it fills cells of."""
        return frozenset(fill.table for fill in self.fills)

    def expected(self, paper: Paper) -> list[CellKey]:
        """Return the cells that it promises."""
        exhibits = {exhibit.id: exhibit for exhibit in paper.exhibits}
        keys = (key for fill in self.fills for key in fill.expected(exhibits[fill.table]))
        return list(dict.fromkeys(keys))

    def covers(self, key: CellKey, paper: Paper) -> bool:
        """Return True if it may fill this cell."""
        exhibits = {exhibit.id: exhibit for exhibit in paper.exhibits}
        return any(fill.covers(key, exhibits[fill.table]) for fill in self.fills)


def experiment(
    name: str,
    run: Callable[..., CellValues],
    *fills: Fill,
    **settings: Any,  # noqa: ANN401 - whatever the function takes
) -> Experiment:
    """Return an experiment that fills these cells, with the settings as keyword arguments."""
    return Experiment(name, run, fills, settings)


def by_name(*experiments: Experiment) -> dict[str, Experiment]:
    """Return experiments by their names, in this order; raise UsageError if a name comes twice."""
    found: dict[str, Experiment] = {}
    for each in experiments:
        if each.name in found:
            raise UsageError(f"there are two experiments called {each.name!r}")
        found[each.name] = each
    return found


def check_experiments(paper: Paper, experiments: Mapping[str, Experiment]) -> None:
    """Raise UsageError if an experiment fills an unknown table, or two promise the same cell."""
    ids = [exhibit.id for exhibit in paper.exhibits]
    promised: dict[CellKey, str] = {}
    for name, each in experiments.items():
        if name != each.name:
            raise UsageError(f"the experiment {each.name!r} is registered as {name!r}")
        for table in sorted(each.tables()):
            if table not in ids:
                raise UsageError(
                    f"experiment {name!r}: {paper.name} has no {table!r}{advice(table, ids)}"
                )
        for key in each.expected(paper):
            other = promised.setdefault(key, name)
            if other != name:
                raise UsageError(
                    f"the experiments {other!r} and {name!r} both fill {', '.join(key)}; "
                    "remove the cell from one of them"
                )
