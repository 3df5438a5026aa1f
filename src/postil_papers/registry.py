"""Which code belongs to a paper: what draws its figures, what fills its cells.

To plug experiments in, write a module with ``EXPERIMENTS``, a mapping from names to
``Experiment`` (see ``experiment.by_name``), and name it here.

What there is to reproduce of a paper: its tables and figures, and roughly what each costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

from postil_papers.cache import ResultCache
from postil_papers.cells import Json
from postil_papers.experiment import Experiment, by_name
from postil_papers.paper import Paper
from postil_papers.reproduction import Reproduction, Table
from postil_papers.runner import chosen_exhibits

if TYPE_CHECKING:
    from postil.plots.figure import Figure


DrawFigure: TypeAlias = "Callable[[Table], Figure | None]"


@dataclass(frozen=True, slots=True)
class PaperCode:
    """Modules of a paper: ``figures`` has ``FIGURES``, each of ``experiments`` ``EXPERIMENTS``."""

    figures: str | None = None
    experiments: tuple[str, ...] = ()


PAPERS: dict[str, PaperCode] = {
    "gao-wu-lee-chua-2003": PaperCode(
        figures="postil_papers.gao_wu_lee_chua_2003.figures",
        experiments=("postil_papers.gao_wu_lee_chua_2003.experiments",),
    ),
    "genkin-lewis-madigan-2004": PaperCode(
        figures="postil_papers.genkin_lewis_madigan_2004.figures",
        experiments=("postil_papers.genkin_lewis_madigan_2004.experiments",),
    ),
    "zhang-2000": PaperCode(
        figures="postil_papers.zhang_2000.figures",
        experiments=("postil_papers.zhang_2000.experiments",),
    ),
    "zhang-jin-yang-hauptmann-2003": PaperCode(
        figures="postil_papers.zhang_jin_yang_hauptmann_2003.figures",
        experiments=("postil_papers.zhang_jin_yang_hauptmann_2003.experiments",),
    ),
    "zhang-oles-2001": PaperCode(
        figures="postil_papers.zhang_oles_2001.figures",
        experiments=(
            "postil_papers.zhang_oles_2001.search",
            "postil_papers.zhang_oles_2001.reuters",
            "postil_papers.zhang_oles_2001.studies",
            "postil_papers.zhang_oles_2001.multiclass",
            "postil_papers.zhang_oles_2001.loss_shapes",
            "postil_papers.zhang_oles_2001.margins",
            "postil_papers.zhang_oles_2001.curves",
        ),
    ),
}


def experiments_of(name: str) -> dict[str, Experiment]:
    """Gather the experiments of a paper; a paper without code has none."""
    modules = map(import_module, PAPERS.get(name, PaperCode()).experiments)
    return by_name(*(each for module in modules for each in module.EXPERIMENTS.values()))


def figures_of(reproduction: Reproduction) -> dict[str, Figure]:
    """Lay out the figures among what was reproduced; one whose numbers are absent is left out."""
    home = PAPERS.get(reproduction.paper.name, PaperCode()).figures
    drawers: Mapping[str, DrawFigure] = import_module(home).FIGURES if home else {}
    laid_out = {
        table.id: drawers[table.id](table) for table in reproduction.tables if table.id in drawers
    }
    return {id: figure for id, figure in laid_out.items() if figure is not None}


@dataclass(frozen=True, slots=True)
class Listed:
    """A table or figure: its id, what it shows, what it reads, and what fills it.

    ``seconds`` is what its experiments took where they were computed before, by the cache; None
    where one of them was not. Those that several tables share count for each.
    """

    id: str
    title: str
    where: str
    corpora: tuple[str, ...]
    experiments: tuple[str, ...]
    seconds: float | None

    def to_dict(self) -> dict[str, Json]:
        """As JSON holds it."""
        return {
            "id": self.id,
            "title": self.title,
            "where": self.where,
            "corpora": list(self.corpora),
            "experiments": list(self.experiments),
            "seconds": self.seconds,
        }


def listed(
    paper: Paper,
    experiments: Mapping[str, Experiment],
    cache: ResultCache,
    only: Iterable[str] | None = None,
) -> list[Listed]:
    """The tables and figures of a paper in its order; one pass over the cache's files."""
    took = _seconds_kept(cache)
    found = []
    for exhibit in chosen_exhibits(paper, only):
        names = tuple(each.name for each in experiments.values() if exhibit.id in each.tables())
        known = bool(names) and all(name in took for name in names)
        seconds = sum(took[name] for name in names) if known else None
        found.append(
            Listed(exhibit.id, exhibit.title, exhibit.where, exhibit.corpora, names, seconds)
        )
    return found


def _seconds_kept(cache: ResultCache) -> dict[str, float]:
    """The most that each experiment took: computed again, one may find shared work done."""
    took: dict[str, float] = {}
    for experiment, result in cache.kept():
        seconds = result.get("seconds") if isinstance(result, dict) else None
        if isinstance(seconds, float):
            took[experiment] = max(seconds, took.get(experiment, 0.0))
    return took
