"""Experiments: functions from settings to cells, plugged in by name.

An experiment says which cells it fills, so that the runner knows which experiments a table
needs and where to report that one failed.

How far an experiment has got, told to whoever looks.

An experiment is a function of its settings alone, so that its watcher is not among them: it is
set around the whole run, and experiments tell it through :func:`tell`.

Fits of an experiment.

The corpora experiments read, known by their bytes.

What several papers take of Reuters-21578 in its ModApte split.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import product
from typing import TypeAlias

from postil.common.suggest import advice
from postil.corpus.named.registry import named
from postil.errors import CorpusError, UsageError
from postil.learn.fit import NotConvergedWarning
from postil_papers.cache import data_fingerprint
from postil_papers.cells import CellKey, Json, Measured
from postil_papers.paper import Exhibit, Paper

Settings: TypeAlias = Mapping[str, Json]
CellValues: TypeAlias = Mapping[tuple[str, str, str], float | Measured]
RunExperiment: TypeAlias = Callable[[Settings], CellValues]


@dataclass(frozen=True, slots=True)
class Fill:
    """Cells of one table or figure: these rows and columns, ``None`` meaning all there are.

    With both named, every combination is filled, also where the paper has no such cell. With
    one left open, in a table the paper's cells are filled; a figure takes others too, because a
    curve may be drawn through any places.
    """

    table: str
    rows: tuple[str, ...] | None = None
    columns: tuple[str, ...] | None = None

    def expected(self, exhibit: Exhibit) -> list[CellKey]:
        """List the cells that are promised."""
        if self.rows is not None and self.columns is not None:
            pairs = list(product(self.rows, self.columns))
        else:
            pairs = [place for place in exhibit.places if self._matches(*place)]
        return [CellKey(exhibit.id, row, column) for row, column in pairs]

    def covers(self, key: CellKey, exhibit: Exhibit) -> bool:
        """Say whether a cell may be filled."""
        if not self._matches(key.row, key.column):
            return False
        named = self.rows is not None and self.columns is not None
        return named or exhibit.is_open or (key.row, key.column) in exhibit.places

    def _matches(self, row: str, column: str) -> bool:
        return (self.rows is None or row in self.rows) and (
            self.columns is None or column in self.columns
        )


def no_data() -> str:
    """Fingerprint of an experiment that reads no documents."""
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """A named function that fills cells.

    Its results are kept under ``name``, ``settings``, the fingerprint that ``data`` returns and
    ``code``, the version of whatever computes them; what does not change results (threads,
    folders, a progress bar) belongs into the function and not into the settings.
    """

    name: str
    run: RunExperiment
    fills: tuple[Fill, ...]
    code: str
    settings: Settings = field(default_factory=dict)
    data: Callable[[], str] = no_data

    def tables(self) -> frozenset[str]:
        """Name the tables and figures it fills cells of."""
        return frozenset(fill.table for fill in self.fills)

    def expected(self, paper: Paper) -> list[CellKey]:
        """List the cells it promises."""
        exhibits = {exhibit.id: exhibit for exhibit in paper.exhibits}
        found: dict[CellKey, None] = {}
        for fill in self.fills:
            found.update(dict.fromkeys(fill.expected(exhibits[fill.table])))
        return list(found)

    def covers(self, key: CellKey, paper: Paper) -> bool:
        """Say whether it may fill this cell."""
        exhibits = {exhibit.id: exhibit for exhibit in paper.exhibits}
        return any(
            fill.table == key.table and fill.covers(key, exhibits[fill.table])
            for fill in self.fills
        )


def check_experiments(paper: Paper, experiments: Mapping[str, Experiment]) -> None:
    """Refuse experiments for tables the paper does not have, or that promise the same cell."""
    ids = [exhibit.id for exhibit in paper.exhibits]
    promised: dict[CellKey, str] = {}
    for name, experiment in experiments.items():
        if name != experiment.name:
            raise UsageError(f"the experiment {experiment.name!r} is plugged in as {name!r}")
        for table in sorted(experiment.tables()):
            if table not in ids:
                raise UsageError(
                    f"experiment {name!r}: {paper.name} has no {table!r}{advice(table, ids)}"
                )
        for key in experiment.expected(paper):
            other = promised.setdefault(key, name)
            if other != name:
                raise UsageError(
                    f"the experiments {other!r} and {name!r} both fill {', '.join(key)}; "
                    "let one of them leave it"
                )


def by_name(*experiments: Experiment) -> dict[str, Experiment]:
    """Plug experiments in under their names, in this order; no name may come twice."""
    found: dict[str, Experiment] = {}
    for experiment in experiments:
        if experiment.name in found:
            raise UsageError(f"there are two experiments called {experiment.name!r}")
        found[experiment.name] = experiment
    return found


StepProgress = Callable[[str, int, int | None], None]

_WATCH: ContextVar[StepProgress | None] = ContextVar("watch", default=None)


def tell(step: str, done: int, total: int | None) -> None:
    """So much of a step is done, and of how much if that is known."""
    watch = _WATCH.get()
    if watch is not None:
        watch(step, done, total)


@contextmanager
def watched_by(watch: StepProgress) -> Iterator[None]:
    """Let a watcher know what is told in here."""
    token = _WATCH.set(watch)
    try:
        yield
    finally:
        _WATCH.reset(token)


@contextmanager
def counted_not_warned() -> Iterator[None]:
    """Let fits stop before they have converged: that is an experiment's plan, and its remark."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        yield


class AbsentCorpusError(CorpusError):
    """A known corpus is not on this computer; the message says how to get it."""


def corpus_fingerprint(name: str) -> str:
    """SHA-256 over the files of a known corpus, each read once."""
    corpus = named(name)
    try:
        place = corpus.find()
    except CorpusError as error:
        # In a few words: many cells may say it.
        raise AbsentCorpusError(
            f"the corpus {name} is absent; get it with: postil corpus fetch {name} (from a copy "
            f"you have: postil corpus fetch {name} --from PATH)"
        ) from error
    return data_fingerprint(place)


TOP_TEN = (
    "earn",
    "acq",
    "money-fx",
    "grain",
    "crude",
    "trade",
    "interest",
    "ship",
    "wheat",
    "corn",
)
"""The ten categories with the most training documents, in the order of the printed rows."""
