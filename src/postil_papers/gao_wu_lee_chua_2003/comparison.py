"""Table 4: the baseline's trees, a linear SVM, and MFoM, category by category."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from postil.recipes.recipe import Recipe
from postil_papers.cells import Measured
from postil_papers.experiment import TOP_TEN, CellValues, Experiment, Fill, Settings
from postil_papers.gao_wu_lee_chua_2003.asking import experiment, largest
from postil_papers.gao_wu_lee_chua_2003.descents import Descent, descent_of
from postil_papers.gao_wu_lee_chua_2003.dimensions import grid_descent
from postil_papers.gao_wu_lee_chua_2003.methods import (
    BPA_TREE,
    F1,
    FULL,
    USUAL,
    Load,
    linear_svm,
    plain,
)
from postil_papers.gao_wu_lee_chua_2003.runs import run_of
from postil_papers.gao_wu_lee_chua_2003.tallies import Tally

TABLE, MACROS, MEANS = "table4", "table4-macro", "table4-mean"
BASELINE, SVM, MFOM = "Baseline", "Linear SVM", "MFoM"
MICRO_ROW, MACRO_ROW = "micro-avg (all 90)", "macro-avg (all 90)"
FILLED = {TABLE: (*TOP_TEN, MICRO_ROW), MACROS: (MACRO_ROW,), MEANS: (MACRO_ROW,)}


def decided_by_run(method: str, settings: Settings) -> tuple[Tally, str]:
    """Decisions of a recipe, and what is to be said of them."""
    run = run_of(settings, method)
    rows = f"{run.rows} rows of weights"
    return run.by_rule, f"{rows} of {run.terms} features; learned in {run.seconds:.0f} s"


def decided_by_descent(method: str, settings: Settings) -> tuple[Tally, str]:
    """Decisions after the usual number of steps."""
    stop = descent_of(settings, method)[USUAL]
    return stop.tally, f"{stop.steps} steps in {stop.seconds:.0f} s"


DECIDED: dict[str, Callable[[str, Settings], tuple[Tally, str]]] = {
    BASELINE: decided_by_run,
    SVM: decided_by_run,
    MFOM: decided_by_descent,
}


def run_column(method: str, settings: Settings) -> CellValues:
    """F1 of the largest categories, and the averages over all, by one method."""
    tally, remark = DECIDED[method](method, settings)
    values = {(TABLE, name, method): tally.f1_of(name) for name in largest(settings)}
    values[TABLE, MICRO_ROW, method] = tally.micro()
    values[MACROS, MACRO_ROW, method] = tally.macro()
    values[MEANS, MACRO_ROW, method] = tally.mean()
    return {place: Measured(value, remark=remark) for place, value in values.items()}


def experiments(load: Load) -> list[Experiment]:
    """One for each method."""
    recipe = load(F1)
    descents: dict[str, dict[str, Descent]] = {MFOM: {MFOM: grid_descent(recipe, FULL)}}
    recipes: dict[str, dict[str, Recipe]] = {
        BASELINE: {BASELINE: plain(load(BPA_TREE))},
        SVM: {SVM: linear_svm(recipe)},
    }
    return [
        experiment(
            f"table4, {method}",
            partial(run_column, method),
            tuple(Fill(table, rows, (method,)) for table, rows in FILLED.items()),
            __name__,
            descents=descents.get(method),
            recipes=recipes.get(method),
        )
        for method in DECIDED
    ]
