"""All experiments and figures of zhang-oles-2001, and the formulas of figure 4."""

from __future__ import annotations

from functools import partial

import numpy as np

from postil.common.types import Floats
from postil.plots.figure import Figure, Level, Origin
from postil_papers.plotting import (
    Draw,
    Shape,
    draw_formulas,
    draw_histograms,
    draw_lines,
    formula_experiment,
)
from postil_papers.reproduction import Cell, Table
from postil_papers.zhang_oles_2001.curves import (
    ALL_FEATURES,
    curve_experiments,
    margin_experiments,
)
from postil_papers.zhang_oles_2001.multiclass import multiclass_experiments
from postil_papers.zhang_oles_2001.reuters import reuters_experiments, study_experiments
from postil_papers.zhang_oles_2001.search import search_experiments

SMOOTHING = 3.0  # the γ of figure 4
REACH = 3.0  # of its horizontal axis


def hinge(z: Floats) -> Floats:
    """``g(z) = max(0, 1 - z)``, the loss of the SVM (equation 9)."""
    return np.maximum(0.0, 1 - z)


def logistic(z: Floats) -> Floats:
    """``ln(1 + exp(-z))``, without overflow."""
    return np.logaddexp(0.0, -z)


def smoothed_hinge(z: Floats) -> Floats:
    """``ln(1 + exp(γ(1 - z)))/γ`` with γ = 3, which tends to the hinge as γ grows."""
    return np.logaddexp(0.0, SMOOTHING * (1 - z)) / SMOOTHING


LOSSES: dict[str, Shape] = {
    "g(z)": hinge,
    "ln(1 + exp(-z))": logistic,
    "ln(1 + exp(3(1 - z)))/3": smoothed_hinge,
}


def draw_features(table: Table) -> Figure | None:
    """Draw figure 7, with levels for the break-even point of all features."""
    levels = [
        level
        for cell in table.cells
        if cell.key.column == ALL_FEATURES
        for level in (
            _level(cell, cell.paper, "paper", "all features, the paper: about {:g}"),
            _level(cell, cell.ours, "ours", "all features, ours: {:.1f}"),
        )
        if level is not None
    ]
    return draw_lines(table, levels=levels)


def _level(cell: Cell, value: float | None, origin: Origin, words: str) -> Level | None:
    return None if value is None else Level(cell.key.row, value, words.format(value), origin)


EXPERIMENTS = [
    *search_experiments(),
    *reuters_experiments(),
    *study_experiments(),
    *multiclass_experiments(),
    formula_experiment("losses", "figure4", LOSSES, tuple(float(z) for z in range(-3, 4))),
    *margin_experiments(),
    *curve_experiments(),
]
FIGURES: dict[str, Draw] = {
    "figure4": partial(draw_formulas, LOSSES, REACH),
    "figure5": draw_histograms,
    "figure6": draw_lines,
    "figure7": draw_features,
    "figure8": draw_lines,
}
