"""A study of β: none, or the mean of d over all training documents at every step (section 6.2)."""

from __future__ import annotations

from functools import partial

from postil_papers.cells import Measured
from postil_papers.experiment import CellValues, Experiment, Fill, Settings
from postil_papers.gao_wu_lee_chua_2003.asking import averages, experiment
from postil_papers.gao_wu_lee_chua_2003.descents import Descent, descent_of
from postil_papers.gao_wu_lee_chua_2003.dimensions import grid_descent
from postil_papers.gao_wu_lee_chua_2003.methods import (
    F1,
    FEW,
    MACRO,
    MEAN,
    MICRO,
    REDUCED,
    STOPS,
    Load,
    learning,
)

TABLE = "offset"
NONE, FOLLOWED = "none", "the mean of d"
COLUMNS = (MICRO, MACRO, MEAN)


def run_offset(row: str, settings: Settings) -> CellValues:
    """All averages after few steps."""
    stop = descent_of(settings, row)[FEW]
    remark = f"mean F1 of training documents {stop.attained:.3f}"
    return {
        (TABLE, row, column): Measured(value, remark=remark)
        for column, value in averages(stop.tally).items()
    }


def experiments(load: Load) -> list[Experiment]:
    """One for each β; that without is a row of tables 2 and 3."""
    recipe = load(F1)
    options = {**recipe.learn["options"], "offset": "mean"}
    followed = learning(recipe, options=options)
    descents = {
        NONE: grid_descent(recipe, REDUCED),
        FOLLOWED: Descent(followed, REDUCED, {FEW: STOPS[FEW]}),
    }
    return [
        experiment(
            f"offset, {row}",
            partial(run_offset, row),
            (Fill(TABLE, (row,), COLUMNS),),
            __name__,
            descents={row: descent},
        )
        for row, descent in descents.items()
    ]
