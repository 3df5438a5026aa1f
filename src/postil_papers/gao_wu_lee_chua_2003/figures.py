"""Figures 2, 3 and 4: the class loss, and the convergence of GPD.

Figure 2 is the class loss (eq. 4.7) with three α and β. Figure 3 is F1 of one category's training
documents by step of GPD in 400 directions, from the members' mean; figure 4 has histograms of
``d = -f`` of members and others, before the first step and after 500.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from postil.common.types import Floats
from postil.learn.merit.objective import Weights
from postil.recipes.recipe import Recipe, load_recipe
from postil_papers.experiment import CellValues, Fill, experiment
from postil_papers.gao_wu_lee_chua_2003.descents import Gpd, gpd_on
from postil_papers.gao_wu_lee_chua_2003.runs import COLLECTION, F1, spaces_of
from postil_papers.gao_wu_lee_chua_2003.tables import REDUCED
from postil_papers.harness import Problem
from postil_papers.paper import axis_column
from postil_papers.plotting import (
    Draw,
    Shape,
    draw_formulas,
    draw_histograms,
    draw_lines,
    formula_experiment,
    histogram_cells,
)
from postil_papers.zhang_jin_yang_hauptmann_2003.collections import Collection

SIGMOID_PLACES = tuple(float(d) for d in range(-6, 7))
# The text names the first α and β; of the others it describes the effect.
SIGMOIDS = ((1.0, 0.0), (5.0, 0.0), (1.0, 2.0))

CURVE, HISTOGRAMS = "figure3", "figure4"
SERIES = "acq"
BEFORE, AFTER = "before", "after 500 steps"
MEMBERS, OTHERS = "C+", "C-"
SAMPLES = tuple(f"{kind}, {when}" for when in (BEFORE, AFTER) for kind in (MEMBERS, OTHERS))
STEPS, WIDTH = 500, 0.1
# Every step while the curve moves, then some.
CLOSE, APART = 50, 10


def class_loss(alpha: float, beta: float, d: Floats) -> Floats:
    """``l(d) = 1 / (1 + exp(-α(d + β)))``, without overflow."""
    return np.exp(-np.logaddexp(0.0, -alpha * (d + beta)))


SHAPES: dict[str, Shape] = {
    f"α = {alpha:g}, β = {beta:g}": partial(class_loss, alpha, beta) for alpha, beta in SIGMOIDS
}


def run_convergence(
    collection: Collection, recipe: Recipe, dimensions: int, category: str, steps: int
) -> CellValues:
    """Fill figures 3 and 4 from one descent of one category."""
    problem = spaces_of(collection, recipe.representation).of_directions(dimensions)
    return traced(problem.only(category), recipe, steps)


def traced(problem: Problem, recipe: Recipe, most: int) -> CellValues:
    """Return F1 at every step that is shown, and the histograms of d before and after."""
    found: dict[tuple[str, str, str], float] = {}
    with gpd_on(problem, recipe) as gpd:
        last = start = gpd.start()
        samples = distances(gpd, start, BEFORE)
        found[CURVE, SERIES, axis_column(0)] = float(gpd.values(start)[1][0])
        for step, weights in gpd.descent(most, f"{SERIES}, "):
            if step <= CLOSE or step % APART == 0:
                found[CURVE, SERIES, axis_column(step)] = float(gpd.values(weights)[1][0])
            last = weights
        samples |= distances(gpd, last, AFTER)
    return {**found, **histogram_cells(HISTOGRAMS, samples, WIDTH)}


def distances(gpd: Gpd, weights: Weights, when: str) -> dict[str, Floats]:
    """Return ``d = -f`` (eq. 4.8) of members and of others."""
    d = -weights.scores(gpd.products)[:, 0].astype(np.float64)
    inside = gpd.problem.labels.members.toarray()[:, 0]
    return {f"{MEMBERS}, {when}": d[inside], f"{OTHERS}, {when}": d[~inside]}


EXPERIMENTS = [
    experiment(
        "convergence",
        run_convergence,
        Fill(CURVE, (SERIES,)),
        Fill(HISTOGRAMS, SAMPLES),
        collection=COLLECTION,
        recipe=load_recipe(F1),
        dimensions=REDUCED,
        category=SERIES,
        steps=STEPS,
    ),
    formula_experiment("sigmoids", "figure2", SHAPES, SIGMOID_PLACES),
]
FIGURES: dict[str, Draw] = {
    "figure2": partial(draw_formulas, SHAPES, SIGMOID_PLACES[-1]),
    CURVE: partial(draw_lines, marked=False),
    HISTOGRAMS: draw_histograms,
}
