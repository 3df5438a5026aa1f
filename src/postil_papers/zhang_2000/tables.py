"""Tables 1 and 2, figure 1, and the paper's finding about feature selection.

The micro-average adds up the counts of categories that are each cut at their own break-even point
(:mod:`postil.evaluate.break_even` explains why the authors do so). ``table2-change`` is table 2
minus table 1, method by method. ``table2-finding`` compares each multiplicative method with its
additive counterpart: the points by which it loses less without selection. Its remarks give
Wilcoxon's test of the two losses over categories.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from postil.common.types import Floats
from postil.evaluate.comparisons import wilcoxon
from postil.recipes.recipe import Recipe
from postil_papers.experiment import CellValues, Fill, Measured, experiment
from postil_papers.paper import axis_column
from postil_papers.plotting import Draw, draw_lines
from postil_papers.zhang_2000.runs import RECIPES, REUTERS, Collection, run_of, selected, unselected

TABLES = {"table1": selected, "table2": unselected}
TOP_ROW, ALL_ROW = "Micro-Avg Top 10", "Micro-Avg All 118"

CURVES = ("SVM", "LM-NWin", "Perceptron")

# Each multiplicative method, and its additive counterpart.
COUNTERPARTS = {"UWin": "Perceptron", "NWin": "Perceptron", "LM-UWin": "SVM", "LM-NWin": "SVM"}
TOP, ALL, OTHERS = "top 10", "all 118", "other 108"
COLUMNS = (TOP, ALL, OTHERS)
CHANGE, FINDING = "table2-change", "table2-finding"


def run_column(table: str, method: str, collection: Collection, recipe: Recipe) -> CellValues:
    """Fill one column of table 1 or 2."""
    run, largest = run_of(collection, recipe), collection.largest
    each = dict(zip(largest, run.each(largest), strict=True))
    return {
        **{(table, name, method): float(value) for name, value in each.items()},
        (table, TOP_ROW, method): run.micro(largest),
        (table, ALL_ROW, method): Measured(run.micro(), remark=run.remark),
    }


def run_curve(method: str, collection: Collection, recipe: Recipe) -> CellValues:
    """Fill the curve of one method in figure 1: precision by recall, in percent."""
    precision = run_of(collection, recipe).precision
    return {
        ("figure1", method, axis_column(recall)): value
        for recall, value in zip(collection.recalls, precision, strict=True)
    }


class Pair:
    """The runs of one method with selected terms and with all terms."""

    def __init__(self, collection: Collection, recipes: Sequence[Recipe]) -> None:
        self.selected, self.all = (run_of(collection, recipe) for recipe in recipes)
        largest = collection.largest
        self.groups = {TOP: largest, ALL: None, OTHERS: self.selected.others(largest)}

    def change(self, column: str) -> float:
        """Return table 2 minus table 1, micro-averaged over a group of categories."""
        names = self.groups[column]
        return self.all.micro(names) - self.selected.micro(names)

    def changes(self, column: str) -> Floats:
        """Return table 2 minus table 1 for each category of a group."""
        names = self.groups[column]
        return self.all.each(names) - self.selected.each(names)


def run_change(method: str, collection: Collection, recipes: Sequence[Recipe]) -> CellValues:
    """Fill a row of ``table2-change``."""
    pair = Pair(collection, recipes)
    return {(CHANGE, method, column): pair.change(column) for column in COLUMNS}


def run_finding(
    row: str, collection: Collection, recipes: Sequence[Recipe], rivals: Sequence[Recipe]
) -> CellValues:
    """Fill a row of ``table2-finding``: a multiplicative method and its additive counterpart."""
    ours, theirs = Pair(collection, recipes), Pair(collection, rivals)
    return {
        (FINDING, row, column): Measured(
            ours.change(column) - theirs.change(column),
            remark=compared(ours.changes(column), theirs.changes(column)),
        )
        for column in COLUMNS
    }


def compared(ours: Floats, theirs: Floats) -> str:
    """Return Wilcoxon's test of two methods' changes as a sentence."""
    test = wilcoxon(np.round(ours, 9), np.round(theirs, 9))
    return (
        f"loses less in {test.left_better} categories, more in {test.right_better}, the same in "
        f"{test.equal}; Wilcoxon's p = {test.p_value:.2g}"
    )


def _both(method: str) -> list[Recipe]:
    return [selected(method), unselected(method)]


EXPERIMENTS = [
    *(
        experiment(
            f"{table}, {method}",
            partial(run_column, table, method),
            Fill(table, columns=(method,)),
            collection=REUTERS,
            recipe=recipe_of(method),
        )
        for table, recipe_of in TABLES.items()
        for method in RECIPES
    ),
    *(
        experiment(
            f"change of {method}",
            partial(run_change, method),
            Fill(CHANGE, (method,), COLUMNS),
            collection=REUTERS,
            recipes=_both(method),
        )
        for method in RECIPES
    ),
    *(
        experiment(
            f"finding, {method}",
            partial(run_finding, f"{method} against {rival}"),
            Fill(FINDING, (f"{method} against {rival}",), COLUMNS),
            collection=REUTERS,
            recipes=_both(method),
            rivals=_both(rival),
        )
        for method, rival in COUNTERPARTS.items()
    ),
    *(
        experiment(
            f"curve of {method}",
            partial(run_curve, method),
            Fill("figure1", rows=(method,)),
            collection=REUTERS,
            recipe=selected(method),
        )
        for method in CURVES
    ),
]
FIGURES: dict[str, Draw] = {"figure1": partial(draw_lines, marked=False)}
