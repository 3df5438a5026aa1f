"""A study of the solvers: GPD against L-BFGS on the same features, for F1 and for few errors.

Not in the paper, which says that there are faster algorithms and reports none. Rows are

- GPD, 2000 steps, as in table 4;
- L-BFGS on the very objective of GPD, with its α, from the same start, until it is level;
- L-BFGS as the recipes have it: 15 steps, and α by the distance of members and others.

``objective`` is the mean over categories of what was climbed, on training documents: smooth F1, or
the balanced error with its sign turned. That of the last row has another α, and is no rival's.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any, cast

import numpy as np

from postil.learn.merit.ascent import Ascent
from postil.recipes.recipe import Recipe
from postil_papers.cache import Question, shared
from postil_papers.cells import Json, Measured
from postil_papers.experiment import CellValues, Experiment, Fill, Settings, tell
from postil_papers.gao_wu_lee_chua_2003.asking import averages, experiment
from postil_papers.gao_wu_lee_chua_2003.criteria import FIGURES, descent_for
from postil_papers.gao_wu_lee_chua_2003.descents import (
    Stop,
    descent_of,
    ground_of,
    method_of,
    settings_data,
)
from postil_papers.gao_wu_lee_chua_2003.methods import (
    FULL,
    MACRO,
    MEAN,
    MICRO,
    USUAL,
    Load,
    code_of,
    learning,
)
from postil_papers.gao_wu_lee_chua_2003.runs import run_of
from postil_papers.gao_wu_lee_chua_2003.spaces import Space, spaces_of
from postil_papers.gao_wu_lee_chua_2003.tallies import Tally

TABLE = "solvers"
OBJECTIVE = "objective"
COLUMNS = (MICRO, MACRO, MEAN, OBJECTIVE)
GPD, SAME, USUAL_LBFGS = "GPD", "L-BFGS, the same objective", "L-BFGS of the recipes"
MOST, TOLERANCE, PAIRS = 300, 1e-3, 10


def row_of(figure: str, solver: str) -> str:
    """A row by what is climbed, and how."""
    return f"{figure}, {solver}"


def cells_of(row: str, tally: Tally, objective: float, remark: str) -> CellValues:
    """A row of the table; seconds are told, not compared."""
    values = {**averages(tally), OBJECTIVE: objective}
    return {
        (TABLE, row, column): Measured(value, remark=remark) for column, value in values.items()
    }


def run_gpd(row: str, settings: Settings) -> CellValues:
    """The descent of tables 1 and 4."""
    stop = descent_of(settings, row)[USUAL]
    remark = f"{stop.steps} steps in {stop.seconds:.0f} s"
    return cells_of(row, stop.tally, stop.smooth, remark)


def run_recipe(row: str, settings: Settings) -> CellValues:
    """The recipe with its other solver."""
    run = run_of(settings, row)
    remark = f"α by the distance of scores; learned in {run.seconds:.0f} s"
    return cells_of(row, run.by_rule, run.smooth, remark)


def run_same(row: str, settings: Settings) -> CellValues:
    """The same objective from the same start, by the other solver."""
    recipe = cast("Mapping[str, dict[str, Any]]", settings["recipes"])[row]
    asked = {key: settings[key] for key in ("corpus", "documents", "most")}
    question = Question(
        "gao-wu-lee-chua-2003: a climb",
        {**asked, "recipe": recipe},
        settings_data(settings),
        code_of(__name__),
    )
    found = shared(question, lambda: _climbed(asked, Recipe.from_dict(recipe)))
    facts = cast("dict[str, Any]", found)
    stop = Stop(**{**facts, "tally": Tally(**facts["tally"])})
    remark = f"{stop.steps} steps in {stop.seconds:.0f} s"
    return cells_of(row, stop.tally, stop.smooth, remark)


def _climbed(asked: Mapping[str, Json], recipe: Recipe) -> Json:
    space = spaces_of(asked, recipe.representation).whole()
    return asdict(climb(space, recipe, cast("int", asked["most"])))


def climb(space: Space, recipe: Recipe, most: int) -> Stop:
    """L-BFGS on what a recipe's GPD climbs, from where it begins, all categories in lock step."""
    with ground_of(space, method_of(recipe)) as ground:
        begun = time.perf_counter()
        found = Ascent(
            ground.products,
            ground.merit,
            ground.start(),
            steepness=np.full(ground.merit.problems, ground.options.steepness),
            pairs=PAIRS,
        ).run(most, TOLERANCE, partial(tell, f"{recipe.name} by L-BFGS"))
        seconds = time.perf_counter() - begun
        return ground.look(space, found.weights, seconds, int(found.iterations.max()))


RUNS: dict[str, Callable[[str, Settings], CellValues]] = {
    GPD: run_gpd,
    SAME: run_same,
    USUAL_LBFGS: run_recipe,
}


def by_lbfgs(recipe: Recipe) -> Recipe:
    """The recipe with the solver that the others of ours have, as it comes."""
    return learning(recipe, solver="l-bfgs", options=None)


def experiments(load: Load) -> list[Experiment]:
    """One for each figure and solver."""
    return [
        experiment(
            f"solvers, {row_of(figure, solver)}",
            partial(RUNS[solver], row_of(figure, solver)),
            (Fill(TABLE, (row_of(figure, solver),), COLUMNS),),
            __name__,
            **_asked(load, figure, solver),
        )
        for figure in FIGURES
        for solver in RUNS
    ]


def _asked(load: Load, figure: str, solver: str) -> dict[str, Any]:
    row, recipe = row_of(figure, solver), load(FIGURES[figure])
    if solver == GPD:
        return {"descents": {row: descent_for(load, figure, FULL)}}
    if solver == SAME:
        return {"recipes": {row: learning(recipe)}, "most": MOST}
    return {"recipes": {row: by_lbfgs(recipe)}}
