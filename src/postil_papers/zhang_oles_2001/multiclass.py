"""Table 5: one category a document, five random splits of four parts to one.

Each category is learned against the rest and the highest score decides, without thresholds, with
the λ of table 1. The λ of Naive Bayes is its smoothing.

**Documents.** The paper says nothing of headers. On 20 Newsgroups accuracies near its own come
only from articles with all their header lines, some of which name the group; and on WebKB from
pages with their MIME header (the server's date, kind and version), which gives universities and
times away. So headers are kept here, as a field of their own; subjects are apart too, as titles
are on Reuters, and the titles of web pages are part of the text. Naive Bayes-1 joins all fields,
as its recipe says.

**Solvers.** The recipes' objectives by dual coordinate descent, until the duality gap is 1e-3 of
the objective or after 100 passes; the SVM by SMO. A remark counts the fits that stopped early.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from statistics import fmean, stdev

from postil.recipes.parts import Decide
from postil.recipes.recipe import Recipe, load_recipe
from postil_papers.experiment import CellValues, Experiment, Fill, Measured, experiment
from postil_papers.harness import stopped_early
from postil_papers.single_label import (
    NEWSGROUPS,
    WEBKB,
    accuracies,
    all_documents,
    random_splits,
)
from postil_papers.zhang_oles_2001.reuters import PASSES, RECIPES, TOLERANCE, by_certificate

SPLITS = 5
TEST_SHARE = 0.2
METHODS = {
    "Naive Bayes-1": "naive-bayes-1",
    "Naive Bayes-2": "naive-bayes-2",
    **{name: recipe for name, recipe in RECIPES.items() if name != "Naive Bayes"},
}
# The paper's name of a corpus, ours, and the fields that are kept apart.
CORPORA = {
    "20NewsGroup": (NEWSGROUPS, ("headers", "subject", "body")),
    "WebKB": (WEBKB, ("headers", "body")),
}


def run_splits(
    method: str, column: str, corpus: str, splits: int, test_share: float, recipe: Recipe
) -> CellValues:
    """Fill one cell: mean and standard deviation of the accuracies of the splits."""
    parts = random_splits(all_documents(corpus), splits, test_share)
    values, models = accuracies(parts, recipe, f"of {splits} splits, split")
    reports = [report for model in models for report in model.reports]
    stopped = stopped_early(reports)
    remark = f"{stopped} of {len(reports)} fits were stopped after {PASSES} passes"
    measured = Measured(fmean(values), stdev(values), remark if stopped else "")
    return {("table5", method, column): measured}


def _recipe(name: str, fields: tuple[str, ...]) -> Recipe:
    recipe = by_certificate(load_recipe(name), TOLERANCE, PASSES)
    representation = replace(recipe.representation, fields=fields)
    return replace(recipe, representation=representation, decide=Decide(rule="best"))


def multiclass_experiments() -> list[Experiment]:
    """Return an experiment for each corpus and method."""
    return [
        experiment(
            f"{corpus} {name}",
            partial(run_splits, method, column),
            Fill("table5", (method,), (column,)),
            corpus=corpus,
            splits=SPLITS,
            test_share=TEST_SHARE,
            recipe=_recipe(name, fields),
        )
        for column, (corpus, fields) in CORPORA.items()
        for method, name in METHODS.items()
    ]
