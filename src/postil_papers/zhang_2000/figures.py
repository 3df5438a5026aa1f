"""Figure 1 of zhang-2000."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from postil.plots.figure import Figure
from postil_papers.loading import load_paper
from postil_papers.plotting import curves_of, line_figure
from postil_papers.reproduction import Table

NAME = "zhang-2000"


def draw_curves(table: Table) -> Figure | None:
    """Draw precision against recall, and the break-even points that table 1 prints."""
    facts = next(figure for figure in load_paper(NAME).figures if figure.id == table.id)
    ours = curves_of(table, "ours")
    return line_figure(facts, ours, curves_of(table, "paper"), marked=False) if ours else None


FIGURES: Mapping[str, Callable[[Table], Figure | None]] = {"figure1": draw_curves}
