"""Section 5.2 and tables 4 to 7: terms, and macro-averaged F1 by method, threshold and terms.

The counts of distinct terms show whether texts are cut as the paper's were, before anything is
learned. Table 4 has all features and cross-validated hyperparameters, at both thresholds, by the
printed algorithms; its study has the same objectives at their optimum. Tables 5 to 7 have the
default threshold, with terms selected by BNS; the study ``selection`` has the other measures beside
it, of which the paper says only that BNS was consistently a little better.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from postil.corpus.document import Document
from postil.recipes.recipe import Recipe, load_recipe
from postil.text.analyzer import Analyzer
from postil_papers.experiment import CellValues, Experiment, Fill
from postil_papers.genkin_lewis_madigan_2004.runs import (
    COLLECTIONS,
    EXACT,
    HYPERPARAMETERS,
    MODAPTE,
    RECIPES,
    THRESHOLDS,
    Collection,
    on,
    runs_of,
)
from postil_papers.harness import remarked

TERMS_TABLE = "terms"
TRAINING, ALL = "in training documents", "in all"

# Table 4's rows: the three methods at the default threshold, then tuned.
ROWS = {f"{method}, {each}": (method, each) for each in THRESHOLDS for method in RECIPES}
AT_OPTIMUM = "table4-optimum"

# Section 5.3.2, by the names of the recipes that select with them.
MEASURES = {"BNS": "bns", "chi-square": "chi-square", "Pearson": "pearson"}
SIZES = (500, 50, 5)
# Tables 5 to 7: the collections, and the rows with their recipes.
TABLES = {"ModApte": "table5", "RCV1-v2": "table6", "OHSUMED": "table7"}
BY_SIZE = {
    "lasso, all": RECIPES["lasso"],
    "ridge, all": RECIPES["ridge"],
    **{f"ridge, {terms}": f"ridge-logistic-bns-{terms}" for terms in SIZES},
}
BY_MEASURE = {
    f"{measure}, {terms}": f"ridge-logistic-{name}-{terms}"
    for terms in SIZES
    for measure, name in MEASURES.items()
}


def run_terms(collection: Collection, recipes: Mapping[str, Recipe]) -> CellValues:
    """Fill the counts of terms; every method reads the collection alike."""
    in_training, in_all = distinct_terms(collection.documents(), recipes["SVM"])
    return {
        (TERMS_TABLE, collection.name, TRAINING): float(len(in_training)),
        (TERMS_TABLE, collection.name, ALL): float(len(in_all)),
    }


def distinct_terms(documents: Iterable[Document], recipe: Recipe) -> tuple[set[str], set[str]]:
    """Return the terms of documents not marked test, and of all documents."""
    analyzer = Analyzer(recipe.representation.analyzer)
    in_training: set[str] = set()
    in_test: set[str] = set()
    for document in documents:
        terms = in_test if document.split == "test" else in_training
        for field in recipe.representation.fields:
            terms.update(analyzer.tokens(document.fields.get(field, "")))
    return in_training, in_training | in_test


def run_methods(table: str, collection: Collection, recipes: Mapping[str, Recipe]) -> CellValues:
    """Fill table 4, or its study, on one collection."""
    runs = runs_of(collection, recipes)
    f1 = {row: runs[method].macro_f1(each) for row, (method, each) in ROWS.items()}
    found = {(table, row, collection.name): value for row, value in f1.items()}
    if table == "table4":
        found |= {("order", row, collection.name): place for row, place in places(f1).items()}
    return remarked(found, *(run.remark for run in runs.values()))


def places(f1: Mapping[str, float]) -> dict[str, int]:
    """Return the place of each row among those of its threshold: 1 has the highest F1."""
    rivals = {
        row: [f1[other] for other in ROWS if ROWS[other][1] == threshold]
        for row, (_, threshold) in ROWS.items()
    }
    return {row: 1 + sum(value > f1[row] for value in rivals[row]) for row in ROWS}


def run_hyperparameters(
    table: str, row: str, collection: Collection, recipes: Mapping[str, Recipe]
) -> CellValues:
    """Fill one row of a table: the same method with each choice of the hyperparameter."""
    runs = runs_of(collection, recipes)
    found = {(table, row, choice): run.macro_f1("default") for choice, run in runs.items()}
    return remarked(found, *(run.remark for run in runs.values()))


def term_experiments() -> list[Experiment]:
    """Return the count of terms for each collection."""
    return [
        on(
            collection,
            "terms",
            run_terms,
            Fill(TERMS_TABLE, (collection.name,), (TRAINING, ALL)),
            recipes={"SVM": RECIPES["SVM"]},
        )
        for collection in COLLECTIONS
    ]


def effectiveness_experiments() -> list[Experiment]:
    """Return table 4 for each collection, the rows of tables 5 to 7, and those of the studies."""
    rows = tuple(ROWS)
    methods = [
        on(
            collection,
            "macro F1",
            partial(run_methods, "table4"),
            Fill("table4", rows, (collection.name,)),
            Fill("order", rows, (collection.name,)),
            recipes=RECIPES,
        )
        for collection in COLLECTIONS
    ]
    exact = on(
        MODAPTE,
        "macro F1 at the optimum",
        partial(run_methods, AT_OPTIMUM),
        Fill(AT_OPTIMUM, rows, (MODAPTE.name,)),
        recipes=EXACT,
    )
    sizes = [
        _row(collection, TABLES[collection.name], row, name)
        for collection in COLLECTIONS
        for row, name in BY_SIZE.items()
    ]
    measures = [_row(MODAPTE, "selection", row, name) for row, name in BY_MEASURE.items()]
    return [*methods, exact, *sizes, *measures]


def _row(collection: Collection, table: str, row: str, name: str) -> Experiment:
    return on(
        collection,
        f"{table}, {row}",
        partial(run_hyperparameters, table, row),
        Fill(table, (row,), tuple(HYPERPARAMETERS)),
        recipes={choice: change(load_recipe(name)) for choice, change in HYPERPARAMETERS.items()},
    )
