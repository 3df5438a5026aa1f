"""The paper's finding: multiplicative methods lose less when no features are selected.

``table2-change`` is what leaving the selection out changes, method by method: table 2 minus
table 1. ``table2-finding`` sets each multiplicative method beside the additive one it is the
counterpart of: by how many points it loses less. Its remarks tell Wilcoxon's test over categories
of the two losses: whether that is more than luck.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from postil.common.types import Floats
from postil.evaluate.comparisons import wilcoxon
from postil.recipes.recipe import Recipe
from postil_papers.cells import Measured
from postil_papers.experiment import CellValues, Experiment, Fill, Settings
from postil_papers.zhang_2000.facts import RunFacts
from postil_papers.zhang_2000.methods import COUNTERPARTS, RECIPES, TABLES, Load
from postil_papers.zhang_2000.runs import experiment, facts_of, largest

TOP, ALL, OTHERS = "top 10", "all 118", "other 108"
COLUMNS = (TOP, ALL, OTHERS)
CHANGE, FINDING = "table2-change", "table2-finding"
SELECTED, EVERY = TABLES


def run_change(method: str, settings: Settings) -> CellValues:
    """A row of ``table2-change``."""
    runs = _runs(settings, method)
    return {(CHANGE, method, column): value for column, value in changes(runs, settings).items()}


def run_finding(method: str, settings: Settings) -> CellValues:
    """A row of ``table2-finding``: a multiplicative method and its additive counterpart."""
    ours, rivals = _runs(settings, method), _runs(settings, COUNTERPARTS[method])
    mine, theirs = changes(ours, settings), changes(rivals, settings)
    names = largest(settings)
    chosen = {TOP: names, ALL: None, OTHERS: ours[SELECTED].others(names)}
    return {
        (FINDING, row_of(method), column): Measured(
            mine[column] - theirs[column],
            remark=tested(gains(ours, chosen[column]), gains(rivals, chosen[column])),
        )
        for column in COLUMNS
    }


def changes(runs: Mapping[str, RunFacts], settings: Settings) -> dict[str, float]:
    """Table 2 minus table 1, for the largest categories, all of them, and the others."""
    names = largest(settings)
    chosen = {TOP: names, ALL: None, OTHERS: runs[SELECTED].others(names)}
    return {
        column: runs[EVERY].micro(some) - runs[SELECTED].micro(some)
        for column, some in chosen.items()
    }


def gains(runs: Mapping[str, RunFacts], names: list[str] | None) -> Floats:
    """Table 2 minus table 1 for each of these categories, in percent."""
    found: dict[str, Floats] = {}
    for table, run in runs.items():
        points = run.break_even()
        found[table] = (points if names is None else points.of(run.places(names))).values
    change: Floats = 100 * (found[EVERY] - found[SELECTED])
    return change


def tested(mine: Floats, theirs: Floats) -> str:
    """Wilcoxon's test of two methods' changes, in words."""
    compared = wilcoxon(np.round(mine, 9), np.round(theirs, 9))
    return (
        f"loses less in {compared.left_better} categories, more in {compared.right_better}, the "
        f"same in {compared.equal}; Wilcoxon's p = {compared.p_value:.2g}"
    )


def row_of(method: str) -> str:
    """The row of a multiplicative method."""
    return f"{method} against {COUNTERPARTS[method]}"


def experiments(load: Load) -> list[Experiment]:
    """The change of each method, and the finding for each multiplicative one."""
    by_change = [
        experiment(
            f"change of {method}",
            _recipes(load, method),
            partial(run_change, method),
            (Fill(CHANGE, (method,), COLUMNS),),
            __name__,
        )
        for method in RECIPES
    ]
    by_finding = [
        experiment(
            f"finding, {method}",
            {**_recipes(load, method), **_recipes(load, COUNTERPARTS[method])},
            partial(run_finding, method),
            (Fill(FINDING, (row_of(method),), COLUMNS),),
            __name__,
        )
        for method in COUNTERPARTS
    ]
    return [*by_change, *by_finding]


def _recipes(load: Load, method: str) -> dict[str, Recipe]:
    return {f"{method}, {table}": varied(load(RECIPES[method])) for table, varied in TABLES.items()}


def _runs(settings: Settings, method: str) -> dict[str, RunFacts]:
    return {table: facts_of(settings, f"{method}, {table}") for table in TABLES}
