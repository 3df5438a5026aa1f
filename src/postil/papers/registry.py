"""Which code belongs to a paper: what draws its figures, what fills its cells.

To plug experiments in, write a module with ``EXPERIMENTS``, a mapping from names to
``Experiment`` (see ``experiment.by_name``), and name it here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

from postil.papers.experiment import Experiment, by_name
from postil.papers.reproduction import Reproduction, Table

if TYPE_CHECKING:
    from postil.papers.plots.figure import Figure

DrawFigure: TypeAlias = "Callable[[Table], Figure | None]"


@dataclass(frozen=True, slots=True)
class PaperCode:
    """Modules of a paper: ``figures`` has ``FIGURES``, each of ``experiments`` ``EXPERIMENTS``."""

    figures: str | None = None
    experiments: tuple[str, ...] = ()


PAPERS: dict[str, PaperCode] = {
    "gao-wu-lee-chua-2003": PaperCode(
        figures="postil.papers.gao_wu_lee_chua_2003.figures",
        experiments=("postil.papers.gao_wu_lee_chua_2003.experiments",),
    ),
    "genkin-lewis-madigan-2004": PaperCode(
        figures="postil.papers.genkin_lewis_madigan_2004.figures",
        experiments=("postil.papers.genkin_lewis_madigan_2004.experiments",),
    ),
    "zhang-2000": PaperCode(
        figures="postil.papers.zhang_2000.figures",
        experiments=("postil.papers.zhang_2000.experiments",),
    ),
    "zhang-jin-yang-hauptmann-2003": PaperCode(
        figures="postil.papers.zhang_jin_yang_hauptmann_2003.figures",
        experiments=("postil.papers.zhang_jin_yang_hauptmann_2003.experiments",),
    ),
    "zhang-oles-2001": PaperCode(
        figures="postil.papers.zhang_oles_2001.figures",
        experiments=(
            "postil.papers.zhang_oles_2001.search",
            "postil.papers.zhang_oles_2001.reuters",
            "postil.papers.zhang_oles_2001.studies",
            "postil.papers.zhang_oles_2001.multiclass",
            "postil.papers.zhang_oles_2001.loss_shapes",
            "postil.papers.zhang_oles_2001.margins",
            "postil.papers.zhang_oles_2001.curves",
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
