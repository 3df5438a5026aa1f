"""Figures 4 to 8 of zhang-oles-2001."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from postil.plots.figure import Axis, Figure, Level, Line, Panel
from postil_papers.loading import load_paper
from postil_papers.paper import PaperFigure
from postil_papers.plotting import (
    Curve,
    Histogram,
    curves_of,
    histogram_figure,
    histograms_of,
    line_figure,
)
from postil_papers.reproduction import Table

NAME = "zhang-oles-2001"
SMOOTHING = 3.0  # the γ of figure 4
ALL_FEATURES = "all"

Curves = Mapping[str, Curve]


def figure_4(reach: float = 3.0, points: int = 241) -> Figure:
    """Draw the losses over the margin from ``-reach`` to ``reach``; they are computed."""
    facts = _facts("figure4")
    z = np.linspace(-reach, reach, points)
    lines = (
        Line(
            series.name,
            tuple(z.tolist()),
            tuple(loss(z).tolist()),
            "ours",
            series.line,
            True,
            False,
        )
        for series, loss in zip(facts.series, LOSSES, strict=True)
    )
    x, y = Axis(facts.x.label), Axis(facts.y.label)
    return Figure(facts.id, facts.title, x, y, (Panel(tuple(lines)),))


def figure_5(histograms: Mapping[str, Histogram]) -> Figure:
    """Draw the margins ``y(w·x)`` of the training documents, a histogram for each method."""
    return histogram_figure(_facts("figure5"), histograms)


def figure_6(ours: Curves, paper: Curves | None = None) -> Figure:
    """Draw macro-averaged F1 over the k largest categories against k, by method."""
    return line_figure(_facts("figure6"), ours, paper)


def figure_7(ours: Curves, paper: Curves | None = None, levels: tuple[Level, ...] = ()) -> Figure:
    """Draw the break-even point against the number of features; levels are of all features."""
    return line_figure(_facts("figure7"), ours, paper, levels)


def figure_8(ours: Curves, paper: Curves | None = None) -> Figure:
    """Draw the break-even point against lambda."""
    return line_figure(_facts("figure8"), ours, paper)


def hinge(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """``g(z) = max(0, 1 - z)``, the loss of the SVM (equation 9)."""
    return np.maximum(0.0, 1 - z)


def logistic(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """``ln(1 + exp(-z))``, without overflow."""
    return np.logaddexp(0.0, -z)


def smoothed_hinge(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """``ln(1 + exp(γ(1 - z)))/γ`` with γ = 3, which tends to the hinge as γ grows."""
    return np.logaddexp(0.0, SMOOTHING * (1 - z)) / SMOOTHING


LOSSES = (hinge, logistic, smoothed_hinge)


def _facts(id: str) -> PaperFigure:
    return next(figure for figure in load_paper(NAME).figures if figure.id == id)


def _draw_4(_: Table) -> Figure:
    return figure_4()


def _draw_5(table: Table) -> Figure | None:
    found = histograms_of(table)
    return figure_5(found) if found else None


def _draw_6(table: Table) -> Figure | None:
    ours = curves_of(table, "ours")
    return figure_6(ours, curves_of(table, "paper")) if ours else None


def _draw_7(table: Table) -> Figure | None:
    ours = curves_of(table, "ours")
    levels = tuple(_levels(table))
    return figure_7(ours, curves_of(table, "paper"), levels) if ours else None


def _draw_8(table: Table) -> Figure | None:
    ours = curves_of(table, "ours")
    return figure_8(ours, curves_of(table, "paper")) if ours else None


def _levels(table: Table) -> list[Level]:
    """Where the curve of figure 7 ends without feature selection."""
    found = []
    for cell in table.cells:
        if cell.key.column == ALL_FEATURES and cell.paper is not None:
            words = f"all features, the paper: about {cell.paper:g}"
            found.append(Level(cell.key.row, cell.paper, words, "paper"))
        if cell.key.column == ALL_FEATURES and cell.ours is not None:
            words = f"all features, ours: {cell.ours:.1f}"
            found.append(Level(cell.key.row, cell.ours, words, "ours"))
    return found


FIGURES: Mapping[str, Callable[[Table], Figure | None]] = {
    "figure4": _draw_4,
    "figure5": _draw_5,
    "figure6": _draw_6,
    "figure7": _draw_7,
    "figure8": _draw_8,
}
