"""Figures 1 and 2 of zhang-jin-yang-hauptmann-2003, and that of the growth with documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from postil.plots.figure import Axis, Figure, Level, Line, Panel
from postil_papers.loading import load_paper
from postil_papers.paper import PaperFigure
from postil_papers.plotting import Curve, curves_of
from postil_papers.reproduction import Table
from postil_papers.zhang_jin_yang_hauptmann_2003.growth import exponent
from postil_papers.zhang_jin_yang_hauptmann_2003.loss_shapes import LOSSES
from postil_papers.zhang_jin_yang_hauptmann_2003.methods import MLR_CG, SVM

NAME = "zhang-jin-yang-hauptmann-2003"
REACH, POINTS = 3.0, 241


def draw_losses(table: Table) -> Figure:
    """Draw the losses over the margin; they are computed."""
    facts = _facts(table)
    z = np.linspace(-REACH, REACH, POINTS)
    strokes = {series.name: series.line for series in facts.series}
    lines = tuple(
        Line(name, tuple(z.tolist()), tuple(loss(z).tolist()), stroke=strokes[name], marked=False)
        for name, loss in LOSSES.items()
    )
    return _figure(facts, (Panel(lines),))


def draw_convergence(table: Table) -> Figure | None:
    """Draw the objective against seconds, a panel for each category, and the SVM's optimum.

    What both end with stands over a panel: in it nobody could tell them apart.
    """
    optimum = {
        cell.key.row: cell.ours
        for cell in table.cells
        if cell.key.column == SVM and cell.ours is not None
    }
    panels = []
    for category, curve in curves_of(table, "ours").items():
        line = Line(MLR_CG, curve.x, curve.y, marked=False)
        ends = {MLR_CG: curve.y[-1]}
        marks: tuple[Level, ...] = ()
        if category in optimum:
            ends[SVM] = optimum[category]
            marks = (Level(SVM, optimum[category], ""),)
        told = ", ".join(f"{method} {value:.4f}" for method, value in ends.items())
        panels.append(Panel((line, *marks), f"{category}: {told}"))
    return _figure(_facts(table), tuple(panels)) if panels else None


def draw_growth(table: Table) -> Figure | None:
    """Draw seconds against documents, a panel for each category, with the exponents over it."""
    facts, found = _facts(table), curves_of(table, "ours")
    sizes = tuple(sorted({size for curve in found.values() for size in curve.x}))
    by_category: dict[str, dict[str, Curve]] = {}
    for row, curve in found.items():
        category, _, method = row.partition(": ")
        by_category.setdefault(category, {})[method] = curve
    panels = [
        Panel(
            tuple(Line(method, curve.x, curve.y) for method, curve in curves.items()),
            _told(category, curves),
        )
        for category, curves in by_category.items()
    ]
    x, y = Axis(facts.x.label, facts.x.scale, sizes), Axis(facts.y.label, facts.y.scale)
    return Figure(facts.id, facts.title, x, y, tuple(panels)) if panels else None


def _told(category: str, curves: Mapping[str, Curve]) -> str:
    """The title of a panel: two exponents a line, so that neighbours do not meet."""
    slopes = [
        f"{method} {exponent(curve.x, curve.y):.2f}"
        for method, curve in curves.items()
        if len(curve.x) > 1
    ]
    pairs = (", ".join(slopes[place : place + 2]) for place in range(0, len(slopes), 2))
    return "\n".join([f"{category}, exponents" if slopes else category, *pairs])


def _figure(facts: PaperFigure, panels: tuple[Panel, ...]) -> Figure:
    x, y = (Axis(each.label, each.scale, each.values) for each in (facts.x, facts.y))
    return Figure(facts.id, facts.title, x, y, panels)


def _facts(table: Table) -> PaperFigure:
    return next(figure for figure in load_paper(NAME).figures if figure.id == table.id)


FIGURES: Mapping[str, Callable[[Table], Figure | None]] = {
    "figure1": draw_losses,
    "figure2": draw_convergence,
    "figure2-reuters": draw_convergence,
    "figure2-arxiv": draw_convergence,
    "growth": draw_growth,
}
