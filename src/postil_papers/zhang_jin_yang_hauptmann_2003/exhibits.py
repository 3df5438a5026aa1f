"""All experiments and figures of zhang-jin-yang-hauptmann-2003, and the formulas of figure 1."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from postil.common.types import Floats
from postil.plots.figure import Axis, Figure, Level, Line, Panel
from postil_papers.plotting import (
    Curve,
    Draw,
    Shape,
    curves_of,
    draw_formulas,
    facts_of,
    figure_of,
    formula_experiment,
)
from postil_papers.reproduction import Table
from postil_papers.zhang_jin_yang_hauptmann_2003.binary import (
    binary_experiments,
    size_experiments,
    whole_experiments,
)
from postil_papers.zhang_jin_yang_hauptmann_2003.convergence import (
    convergence_experiments,
    exponent,
    growth_experiments,
)
from postil_papers.zhang_jin_yang_hauptmann_2003.multiclass import multiclass_experiments
from postil_papers.zhang_jin_yang_hauptmann_2003.tasks import MLR_CG, SVM
from postil_papers.zhang_jin_yang_hauptmann_2003.texts import text_experiments

GAMMAS = (1, 2, 5, 10)
REACH = 3.0  # of the horizontal axis of figure 1


def svm_loss(z: Floats) -> Floats:
    """``g_svm(z) = max(0, 1 - z)``."""
    return np.maximum(0.0, 1 - z)


def smoothed_loss(gamma: float, z: Floats) -> Floats:
    """``g_γ(z) = ln(1 + exp(-γ(z - 1)))/γ`` (equation 1), without overflow."""
    return np.logaddexp(0.0, gamma * (1 - z)) / gamma


# By the names of the series, the sharpest last.
LOSSES: dict[str, Shape] = {
    "SVM": svm_loss,
    **{f"γ = {gamma}": partial(smoothed_loss, float(gamma)) for gamma in GAMMAS},
}


def draw_convergence(table: Table) -> Figure | None:
    """Draw the objective against seconds, a panel for each category, and the SVM's optimum.

    The title of a panel has the last values of both, which the drawing cannot tell apart.
    """
    optimum = {
        cell.key.row: cell.ours
        for cell in table.cells
        if cell.key.column == SVM and cell.ours is not None
    }
    panels = []
    for category, curve in curves_of(table, "ours").items():
        marks: list[Line | Level] = [Line(MLR_CG, curve.x, curve.y, marked=False)]
        ends = {MLR_CG: curve.y[-1]}
        if category in optimum:
            ends[SVM] = optimum[category]
            marks.append(Level(SVM, optimum[category], ""))
        shown = ", ".join(f"{method} {value:.4f}" for method, value in ends.items())
        panels.append(Panel(tuple(marks), f"{category}: {shown}"))
    return figure_of(facts_of(table), *panels)


def draw_growth(table: Table) -> Figure | None:
    """Draw seconds against documents, a panel for each category, with the exponents over it."""
    facts, found = facts_of(table), curves_of(table, "ours")
    sizes = tuple(sorted({size for curve in found.values() for size in curve.x}))
    by_category: dict[str, dict[str, Curve]] = {}
    for row, curve in found.items():
        category, _, method = row.partition(": ")
        by_category.setdefault(category, {})[method] = curve
    panels = [
        Panel(
            tuple(Line(method, curve.x, curve.y) for method, curve in curves.items()),
            _title(category, curves),
        )
        for category, curves in by_category.items()
    ]
    return figure_of(facts, *panels, x=Axis(facts.x.label, facts.x.scale, sizes))


def _title(category: str, curves: Mapping[str, Curve]) -> str:
    """Return the title of a panel: two exponents a line, so that neighbours do not meet."""
    slopes = [
        f"{method} {exponent(curve.x, curve.y):.2f}"
        for method, curve in curves.items()
        if len(curve.x) > 1
    ]
    pairs = (", ".join(slopes[place : place + 2]) for place in range(0, len(slopes), 2))
    return "\n".join([f"{category}, exponents" if slopes else category, *pairs])


EXPERIMENTS = [
    *size_experiments(),
    *binary_experiments(),
    *text_experiments(),
    *whole_experiments(),
    *multiclass_experiments(),
    formula_experiment("losses", "figure1", LOSSES, tuple(float(z) for z in range(-3, 4))),
    *convergence_experiments(),
    *growth_experiments(),
]
FIGURES: dict[str, Draw] = {
    "figure1": partial(draw_formulas, LOSSES, REACH),
    "figure2": draw_convergence,
    "figure2-reuters": draw_convergence,
    "figure2-arxiv": draw_convergence,
    "growth": draw_growth,
}
