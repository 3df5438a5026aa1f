"""Figures 3 and 4: what GPD does to one category's training documents, in 400 directions.

Figure 3 is F1 of decisions at 0 by step, from the members' mean; figure 4 has histograms of
``d = -f`` of members and others, before the first step and after 500.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from postil.common.types import Floats
from postil.learn.merit.objective import Weights
from postil.recipes.recipe import Recipe
from postil_papers.experiment import CellValues, Experiment, Fill, Settings
from postil_papers.gao_wu_lee_chua_2003.asking import experiment
from postil_papers.gao_wu_lee_chua_2003.descents import Ground, ground_of, method_of
from postil_papers.gao_wu_lee_chua_2003.methods import F1, REDUCED, Load, plain
from postil_papers.gao_wu_lee_chua_2003.spaces import Space, spaces_of
from postil_papers.paper import axis_column
from postil_papers.plotting import histogram_cells

CURVE, HISTOGRAMS = "figure3", "figure4"
SERIES = "acq"
BEFORE, AFTER = "before", "after 500 steps"
MEMBERS, OTHERS = "C+", "C-"
STEPS, WIDTH = 500, 0.1
# Every step while the curve moves, then some.
CLOSE, APART = 50, 10


def sample_of(kind: str, when: str) -> str:
    """The name of a histogram."""
    return f"{kind}, {when}"


SAMPLES = tuple(sample_of(kind, when) for when in (BEFORE, AFTER) for kind in (MEMBERS, OTHERS))


def run_convergence(settings: Settings) -> CellValues:
    """Both figures from one descent of one category."""
    recipe = Recipe.from_dict(cast("Mapping[str, dict[str, Any]]", settings["recipes"])[F1])
    spaces = spaces_of(settings, recipe.representation)
    space = spaces.of_directions(cast("int", settings["dimensions"]))
    return traced(space.only(str(settings["category"])), recipe, cast("int", settings["steps"]))


def traced(space: Space, recipe: Recipe, most: int) -> CellValues:
    """F1 at every step that is shown, and all d before and after."""
    found: dict[tuple[str, str, str], float] = {}
    with ground_of(space, method_of(recipe)) as ground:
        start = ground.start()
        samples = distances(ground, space, start, BEFORE)
        found[CURVE, SERIES, axis_column(0)] = training_f1(ground, start)
        last = start
        for step, weights in ground.descent(most, f"{SERIES}, "):
            if step <= CLOSE or step % APART == 0:
                found[CURVE, SERIES, axis_column(step)] = training_f1(ground, weights)
            last = weights
        samples |= distances(ground, space, last, AFTER)
    return {**found, **histogram_cells(HISTOGRAMS, samples, WIDTH)}


def training_f1(ground: Ground, weights: Weights) -> float:
    """F1 of the training documents, decided at 0."""
    _, attained = ground.values(weights)
    return float(np.nan_to_num(attained)[0])


def distances(ground: Ground, space: Space, weights: Weights, when: str) -> dict[str, Floats]:
    """``d = -f`` (eq. 4.8) of members and of others."""
    d = -weights.scores(ground.products)[:, 0].astype(np.float64)
    inside = space.labels.members.toarray()[:, 0]
    return {sample_of(MEMBERS, when): d[inside], sample_of(OTHERS, when): d[~inside]}


def experiments(load: Load) -> list[Experiment]:
    """One for both figures."""
    return [
        experiment(
            "convergence",
            run_convergence,
            (Fill(CURVE, (SERIES,)), Fill(HISTOGRAMS, SAMPLES)),
            __name__,
            recipes={F1: plain(load(F1))},
            dimensions=REDUCED,
            category=SERIES,
            steps=STEPS,
        )
    ]
