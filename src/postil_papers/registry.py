"""The code of each paper: its experiments, its figures, and a list of what they reproduce.

A paper ``zhang-2000`` has its code in the package ``postil_papers.zhang_2000``, which holds a list
``EXPERIMENTS`` and a mapping ``FIGURES`` from ids to functions that draw.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from postil_papers.experiment import Experiment, by_name
from postil_papers.paper import Paper
from postil_papers.reproduction import Reproduction
from postil_papers.results import ResultStore
from postil_papers.runner import chosen_exhibits

if TYPE_CHECKING:
    from postil.plots.figure import Figure


def code_of_paper(paper: str) -> Any:  # noqa: ANN401 - a package
    """Import the package of a paper that holds its ``EXPERIMENTS`` and ``FIGURES``."""
    return import_module(f"postil_papers.{paper.replace('-', '_')}")


def experiments_of(name: str) -> dict[str, Experiment]:
    """Return the experiments of a paper by their names."""
    return by_name(*code_of_paper(name).EXPERIMENTS)


def figures_of(reproduction: Reproduction) -> dict[str, Figure]:
    """Return the figures that were reproduced, by id, without those that lack their numbers."""
    drawers = code_of_paper(reproduction.paper.name).FIGURES
    drawn = {
        table.id: drawers[table.id](table) for table in reproduction.tables if table.id in drawers
    }
    return {id: figure for id, figure in drawn.items() if figure is not None}


@dataclass(frozen=True, slots=True)
class Listed:
    """A table or figure with its corpora and its experiments.

    ``seconds`` is the time that its experiments took when they were computed before, or ``None``
    if one of them was not. An experiment that several tables share counts for each.
    """

    id: str
    title: str
    where: str
    corpora: tuple[str, ...]
    experiments: tuple[str, ...]
    seconds: float | None


def listed(
    paper: Paper,
    experiments: Mapping[str, Experiment],
    store: ResultStore,
    only: Iterable[str] | None = None,
) -> list[Listed]:
    """Return the tables and figures of a paper in its order, without running anything."""
    took = store.seconds()
    found = []
    for exhibit in chosen_exhibits(paper, only):
        names = tuple(each.name for each in experiments.values() if exhibit.id in each.tables())
        known = bool(names) and all(name in took for name in names)
        seconds = sum(took[name] for name in names) if known else None
        found.append(
            Listed(exhibit.id, exhibit.title, exhibit.where, exhibit.corpora, names, seconds)
        )
    return found
