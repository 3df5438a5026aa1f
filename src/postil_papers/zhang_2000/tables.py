"""Tables 1 and 2, figure 1, the paper's finding about feature selection, and its web pages.

The micro-average adds up the counts of categories that are each cut at their own break-even point
(:mod:`postil.evaluate.break_even` explains why the authors do so). ``table2-change`` is table 2
minus table 1, method by method. ``table2-finding`` compares each multiplicative method with its
additive counterpart: the points by which it loses less without selection. Its remarks give
Wilcoxon's test of the two losses over categories.

Section 4 remarks on WebKB: accuracy over seven categories by a random 3-fold cross-validation. Each
category is learned against the rest on every term, and the largest w·x decides. C is searched for
in the two parts that are learned from, but only two of the five folds are run: categories are few,
and large. Naive Bayes knows all categories at once, with the smoothing of zhang-oles-2001, whose
note on table 5 says how pages are read. ``webkb-stop-words`` is the same without stop words, which
can improve the SVM according to the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean, stdev

import numpy as np

from postil.common.types import Floats
from postil.evaluate.comparisons import wilcoxon
from postil.recipes.parts import Decide, TermSelection
from postil.recipes.recipe import Recipe, load_recipe
from postil_papers.experiment import CellValues, Fill, Measured, experiment
from postil_papers.paper import axis_column
from postil_papers.plotting import Draw, draw_lines
from postil_papers.single_label import WEBKB, accuracies, all_documents, random_folds
from postil_papers.zhang_2000.runs import RECIPES, REUTERS, Collection, run_of, selected, unselected

TABLES = {"table1": selected, "table2": unselected}
TOP_ROW, ALL_ROW = "Micro-Avg Top 10", "Micro-Avg All 118"

CURVES = ("SVM", "LM-NWin", "Perceptron")

# Each multiplicative method, and its additive counterpart.
COUNTERPARTS = {"UWin": "Perceptron", "NWin": "Perceptron", "LM-UWin": "SVM", "LM-NWin": "SVM"}
TOP, ALL, OTHERS = "top 10", "all 118", "other 108"
COLUMNS = (TOP, ALL, OTHERS)
CHANGE, FINDING = "table2-change", "table2-finding"

TABLE, STUDY = "webkb", "webkb-stop-words"
ACCURACY = "accuracy"
FOLDS = 3
SEARCH_ROUNDS = 2
FIELDS = ("headers", "body")
PAGE_METHODS = {
    **{method: RECIPES[method] for method in ("LM-UWin", "LM-NWin", "SVM")},
    "Naive Bayes": "naive-bayes-1",
}
ANALYZERS = {TABLE: "letters lower stem(porter)", STUDY: "letters lower stop(smart) stem(porter)"}


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


def changes(collection: Collection, recipes: Sequence[Recipe]) -> dict[str, tuple[float, Floats]]:
    """Return table 2 minus table 1 in each group: micro-averaged, and for each category."""
    before, after = (run_of(collection, recipe) for recipe in recipes)
    others = [name for name in before.categories if name not in collection.largest]
    groups = {TOP: collection.largest, ALL: None, OTHERS: others}
    return {
        column: (after.micro(names) - before.micro(names), after.each(names) - before.each(names))
        for column, names in groups.items()
    }


def run_change(method: str, collection: Collection, recipes: Sequence[Recipe]) -> CellValues:
    """Fill a row of ``table2-change``."""
    found = changes(collection, recipes)
    return {(CHANGE, method, column): micro for column, (micro, _) in found.items()}


def run_finding(
    row: str, collection: Collection, recipes: Sequence[Recipe], rivals: Sequence[Recipe]
) -> CellValues:
    """Fill a row of ``table2-finding``: a multiplicative method and its additive counterpart."""
    ours, theirs = changes(collection, recipes), changes(collection, rivals)
    return {
        (FINDING, row, column): Measured(
            ours[column][0] - theirs[column][0], remark=compared(ours[column][1], theirs[column][1])
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


def run_folds(table: str, method: str, corpus: str, folds: int, recipe: Recipe) -> CellValues:
    """Fill one cell: mean and standard deviation of the accuracies of the folds."""
    parts = random_folds(all_documents(corpus), folds)
    values, models = accuracies(parts, recipe, f"{recipe.name}, fold")
    chosen = [f"{model.method['search']['C']:g}" for model in models if "search" in model.method]
    remark = f"C of the folds: {', '.join(chosen)}" if chosen else ""
    return {(table, method, ACCURACY): Measured(fmean(values), stdev(values), remark)}


def for_pages(recipe: Recipe, analyzer: str) -> Recipe:
    """Return the recipe for pages: every term, and the highest score decides.

    All methods see the same vectors, Naive Bayes too.
    """
    representation = replace(
        recipe.representation, analyzer=analyzer, fields=FIELDS, apart=True, min_occurrences=1
    )
    search = None if recipe.search is None else replace(recipe.search, rounds=SEARCH_ROUNDS)
    return replace(
        recipe,
        representation=representation,
        search=search,
        selection=TermSelection(),
        decide=Decide(rule="best"),
    )


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
    *(
        experiment(
            f"{table}, {method}",
            partial(run_folds, table, method),
            Fill(table, (method,), (ACCURACY,)),
            corpus=WEBKB,
            folds=FOLDS,
            recipe=for_pages(load_recipe(name), analyzer),
        )
        for table, analyzer in ANALYZERS.items()
        for method, name in PAGE_METHODS.items()
    ),
]
FIGURES: dict[str, Draw] = {"figure1": partial(draw_lines, marked=False)}
