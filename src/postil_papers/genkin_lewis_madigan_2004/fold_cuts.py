"""A study of table 1: lasso against the SVM, where lasso's cross-validation cuts other folds.

Section 4.4 chooses each category's prior variance on two of ten folds, and the paper does not tell
which documents are in them. Another cut gives other variances, other errors, and another p.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from postil.recipes.recipe import Recipe
from postil_papers.experiment import CellValues, Experiment, Fill, Settings
from postil_papers.genkin_lewis_madigan_2004.collections import COLLECTIONS
from postil_papers.genkin_lewis_madigan_2004.comparisons import (
    COLUMNS,
    JUDGED,
    columns,
    compare_two,
)
from postil_papers.genkin_lewis_madigan_2004.methods import RECIPES, Load
from postil_papers.genkin_lewis_madigan_2004.plugging import experiment, remarked
from postil_papers.genkin_lewis_madigan_2004.runs import facts_of

TABLE = "table1-folds"
STUDIED = "ModApte"
SEEDS = tuple(range(8))
"""Of the cuts; table 1 has the first."""

TWO, TEN, SVM = "two folds", "ten folds", "SVM"


def run_cuts(settings: Settings) -> CellValues:
    """Compare lasso of every cut with the one SVM."""
    baseline = facts_of(settings, SVM)
    seeds = cast("Sequence[int]", settings["seeds"])
    runs = {_row(seed): facts_of(settings, TWO, seed) for seed in seeds}
    runs[TEN] = facts_of(settings, TEN)
    found = {
        (TABLE, row, name): value
        for row, run in runs.items()
        for name, value in columns(compare_two(run, baseline, JUDGED)).items()
    }
    return remarked(found, runs.values())


def experiments(load: Load) -> list[Experiment]:
    """The one study."""
    lasso = load(RECIPES["lasso"])
    return [
        experiment(
            "errors under other folds",
            next(each for each in COLLECTIONS if each.name == STUDIED),
            {TWO: lasso, TEN: of_all_folds(lasso), SVM: load(RECIPES[SVM])},
            run_cuts,
            (Fill(TABLE, (*map(_row, SEEDS), TEN), COLUMNS),),
            __name__,
            seeds=list(SEEDS),
        )
    ]


def of_all_folds(recipe: Recipe) -> Recipe:
    """The recipe with a search that learns from every fold."""
    assert recipe.search is not None
    return replace(recipe, search=replace(recipe.search, rounds=None))


def _row(seed: int) -> str:
    return f"{TWO}, cut {seed + 1}"
