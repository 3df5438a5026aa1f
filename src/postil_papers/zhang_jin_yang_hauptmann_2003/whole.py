"""Section 6.1: micro- and macro-averaged F1 of all 90 categories of Reuters.

Both methods learn from the same 500 terms and tune a threshold for each category out of five folds,
as the recipe says.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, cast

from postil.recipes.recipe import Recipe
from postil.train.assess import assess
from postil.train.train import train
from postil_papers.cells import Measured
from postil_papers.experiment import (
    CellValues,
    Experiment,
    Fill,
    Settings,
    corpus_fingerprint,
    counted_not_warned,
    tell,
)
from postil_papers.zhang_jin_yang_hauptmann_2003.collections import REUTERS, documents_of
from postil_papers.zhang_jin_yang_hauptmann_2003.methods import (
    MLR_CG,
    SMO,
    SVM,
    Load,
    binary_recipe,
    by_solver,
    code_of,
)

MICRO, MACRO = "micro", "macro"
ROW = {MICRO: "micro F1", MACRO: "macro F1"}
METHODS = {MLR_CG: MLR_CG, SVM: SMO}  # the columns, and the solvers


def run_whole(method: str, settings: Settings) -> CellValues:
    """Both averages of F1 by one method."""
    return {(table, ROW[table], method): value for table, value in measured(settings).items()}


def measured(settings: Settings) -> dict[str, Measured]:
    """Learn all categories and measure the decisions on the test documents, in percent."""
    corpus = str(settings["corpus"])
    recipe = Recipe.from_dict(cast("dict[str, Any]", settings["recipe"]))
    with counted_not_warned():
        model = train(documents_of(settings), recipe, corpus=corpus, progress=tell)
    tested = (document for document in documents_of(settings) if document.split == "test")
    report = assess(model, tested, corpus=corpus)
    remark = f"{len(report.categories)} categories, {report.counts.cases} test documents"
    found = {MICRO: report.micro["f1"], MACRO: report.macro["f1"].value}
    return {average: Measured(100 * value, remark=remark) for average, value in found.items()}


def experiments(load: Load) -> list[Experiment]:
    """One for each method."""
    recipes = by_solver(REUTERS.read_by(binary_recipe(load)))
    return [
        Experiment(
            name=f"{REUTERS.name}, all categories by {method}",
            run=partial(run_whole, method),
            fills=tuple(Fill(table, (row,), (method,)) for table, row in ROW.items()),
            code=code_of(__name__),
            settings={
                **REUTERS.settings(),
                "recipe": replace(recipes[solver], expect=()).to_dict(),
            },
            data=partial(corpus_fingerprint, REUTERS.corpus),
        )
        for method, solver in METHODS.items()
    ]
