"""Figures 2, 3 and 4 of gao-wu-lee-chua-2003."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from postil.plots.figure import Figure
from postil_papers.gao_wu_lee_chua_2003.convergence import CURVE, HISTOGRAMS
from postil_papers.gao_wu_lee_chua_2003.sigmoids import FIGURE, PLACES, SHAPES
from postil_papers.loading import load_paper
from postil_papers.paper import PaperFigure
from postil_papers.plotting import Curve, curves_of, histogram_figure, histograms_of, line_figure
from postil_papers.reproduction import Table

NAME = "gao-wu-lee-chua-2003"
POINTS = 241


def draw_sigmoids(table: Table) -> Figure:
    """Draw the class losses over d; they are computed."""
    d = np.linspace(PLACES[0], PLACES[-1], POINTS)
    curves = {
        name: Curve(tuple(d.tolist()), tuple(shape(d).tolist())) for name, shape in SHAPES.items()
    }
    return line_figure(_facts(table), curves, marked=False)


def draw_convergence(table: Table) -> Figure | None:
    """Draw F1 by step, and the two values that the text tells."""
    ours = curves_of(table, "ours")
    if not ours:
        return None
    return line_figure(_facts(table), ours, curves_of(table, "paper"), marked=False)


def draw_histograms(table: Table) -> Figure | None:
    """Draw d of members and others, before and after, a panel each."""
    histograms = histograms_of(table)
    return histogram_figure(_facts(table), histograms) if histograms else None


def _facts(table: Table) -> PaperFigure:
    return next(figure for figure in load_paper(NAME).figures if figure.id == table.id)


FIGURES: Mapping[str, Callable[[Table], Figure | None]] = {
    FIGURE: draw_sigmoids,
    CURVE: draw_convergence,
    HISTOGRAMS: draw_histograms,
}
