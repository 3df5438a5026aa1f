"""Section 4's remark on WebKB: seven categories, a random 3-fold cross-validation, accuracy.

Each category is learned against the rest on every term, stop words included, and the largest w·x
decides. C is searched for in the two parts that are learned from, as the recipes say, but only two
of the five folds are run: categories are few, and large. Naive Bayes knows all categories at once,
with the smoothing of zhang-oles-2001. The study ``webkb-stop-words`` is the same without stop
words, which can improve the SVM according to the paper.

**Pages.** As for zhang-oles-2001, whose author and numbers are the same: with the header of the
server's answer as a field of its own; see its note on table 5.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from statistics import fmean, stdev

from postil.recipes.parts import Decide, TermSelection
from postil.recipes.recipe import Recipe, load_recipe
from postil_papers.experiment import CellValues, Fill, Measured, experiment
from postil_papers.single_label import WEBKB, accuracies, all_documents, random_folds
from postil_papers.zhang_2000.runs import RECIPES

TABLE, STUDY = "webkb", "webkb-stop-words"
ACCURACY = "accuracy"
FOLDS = 3
SEARCH_ROUNDS = 2
FIELDS = ("headers", "body")
METHODS = {
    **{method: RECIPES[method] for method in ("LM-UWin", "LM-NWin", "SVM")},
    "Naive Bayes": "naive-bayes-1",
}
ANALYZERS = {
    TABLE: "letters lower stem(porter)",
    STUDY: "letters lower stop(smart) stem(porter)",
}


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
    experiment(
        f"{table}, {method}",
        partial(run_folds, table, method),
        Fill(table, (method,), (ACCURACY,)),
        corpus=WEBKB,
        folds=FOLDS,
        recipe=for_pages(load_recipe(name), analyzer),
    )
    for table, analyzer in ANALYZERS.items()
    for method, name in METHODS.items()
]
