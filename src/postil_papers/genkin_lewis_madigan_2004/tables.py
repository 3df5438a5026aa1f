"""Tables 1 to 7, figure 6 and the terms of section 5.2: errors and F1 of the three methods.

Tables 1 to 3 and figure 6 have the errors on test documents, category by category. A pair of
methods is compared by the number of categories where the left has fewer errors, where it has more,
and the two-sided Wilcoxon test of the differences. The captions say tuned thresholds, the text of
section 6.1 default ones: tables and figure follow the text, which agrees with the ties of table 1,
and a study follows the caption.

``table1-folds`` is a study of the folds of lasso's cross-validation. Section 4.4 chooses each
category's prior variance on two of ten folds, and the paper does not say which documents are in
them. Another cut gives other variances, other errors, and another p.

Tables 4 to 7 have macro-averaged F1. Table 4 has all features and cross-validated hyperparameters,
at both thresholds, by the printed algorithms; its study has the same objectives at their optimum.
Tables 5 to 7 have the default threshold, with terms selected by BNS; the study ``selection`` has
the other measures beside it, of which the paper says only that BNS was consistently a little
better. The counts of distinct terms show whether texts are cut as the paper's were.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import log1p

import numpy as np

from postil.corpus.document import Document
from postil.evaluate.comparisons import Comparison, wilcoxon
from postil.plots.figure import Axis, Figure, Line, Panel
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
    RunFacts,
    by_hyperparameter,
    on,
    run_of,
    runs_of,
)
from postil_papers.harness import remarked
from postil_papers.plotting import Draw, facts_of, figure_of, members_of
from postil_papers.reproduction import Table

PAIRS = {
    "lasso vs ridge": ("lasso", "ridge"),
    "lasso vs SVM": ("lasso", "SVM"),
    "ridge vs SVM": ("ridge", "SVM"),
}
COLUMNS = ("fewer", "more", "equal", "p")
LEVEL = 0.05

# The tables that compare the methods on a collection, with the threshold of each.
TABLES = {
    "ModApte": {"table1": "default", "table1-tuned": "tuned"},
    "RCV1-v2": {"table2": "default"},
    "OHSUMED": {"table3": "default"},
}
JUDGED = "default"

FOLDS_TABLE = "table1-folds"
SEEDS = tuple(range(8))  # of the cuts; table 1 has the first
TWO, TEN, SVM = "two folds", "ten folds", "SVM"
ALGORITHMS = ("ridge", "lasso", "SVM")  # from left to right, as the caption of figure 6 says
JITTER = 0.15  # at most, to either side

TERMS_TABLE = "terms"
TRAINING, ALL = "in training documents", "in all"

# Table 4's rows: the three methods at the default threshold, then tuned.
ROWS = {f"{method}, {each}": (method, each) for each in THRESHOLDS for method in RECIPES}
AT_OPTIMUM = "table4-optimum"

# Section 5.3.2, by the names of the recipes that select with them.
MEASURES = {"BNS": "bns", "chi-square": "chi-square", "Pearson": "pearson"}
SIZES = (500, 50, 5)
# Tables 5 to 7: the collections, and the rows with their recipes.
SIZE_TABLES = {"ModApte": "table5", "RCV1-v2": "table6", "OHSUMED": "table7"}
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


def run_comparisons(
    tables: Mapping[str, str], collection: Collection, recipes: Mapping[str, Recipe]
) -> CellValues:
    """Fill the comparison of the methods on one collection."""
    runs = runs_of(collection, recipes)
    found: dict[tuple[str, str, str], float] = {}
    for pair, (left, right) in PAIRS.items():
        for table, threshold in tables.items():
            test = compare(runs[left], runs[right], threshold)
            found |= {(table, pair, name): value for name, value in columns(test).items()}
        found["directions", pair, collection.name] = direction(
            compare(runs[left], runs[right], JUDGED)
        )
    return remarked(found, *(run.remark for run in runs.values()))


def compare(left: RunFacts, right: RunFacts, threshold: str) -> Comparison:
    """Return Wilcoxon's test on the errors of two runs."""
    errors = [run.errors(threshold).astype(np.float64) for run in (left, right)]
    return wilcoxon(errors[0], errors[1], more_is_better=False)


def columns(test: Comparison) -> dict[str, float]:
    """Return the four columns of a row."""
    found = (test.left_better, test.right_better, test.equal, test.p_value)
    return dict(zip(COLUMNS, found, strict=True))


def direction(test: Comparison) -> float:
    """Return 1 if the left is significantly better, -1 if the right is, 0 if neither is."""
    if test.p_value >= LEVEL:
        return 0.0
    return float(np.sign(test.left_better - test.right_better))


def run_errors(collection: Collection, recipes: Mapping[str, Recipe]) -> CellValues:
    """Fill figure 6: the errors of every category by every method, with default thresholds."""
    return {
        ("figure6", f"{collection.name}: {category}", method): float(errors)
        for method, run in runs_of(collection, recipes).items()
        for category, errors in zip(run.categories, run.errors("default"), strict=True)
    }


def run_folds(
    collection: Collection, recipes: Mapping[str, Recipe], seeds: Sequence[int]
) -> CellValues:
    """Fill the study: lasso of every cut against the one SVM."""
    baseline = run_of(collection, recipes[SVM])
    runs = {cut_row(seed): run_of(collection, recipes[TWO], seed) for seed in seeds}
    runs[TEN] = run_of(collection, recipes[TEN])
    found = {
        (FOLDS_TABLE, row, name): value
        for row, run in runs.items()
        for name, value in columns(compare(run, baseline, JUDGED)).items()
    }
    return remarked(found, *(run.remark for run in runs.values()))


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


def draw_errors(table: Table) -> Figure | None:
    """Draw ``ln(1 + errors)`` of each category by method in parallel coordinates.

    A panel for each collection has a thin line for each category; jitter keeps equal ones apart.
    """
    chance = random.Random(0)
    lines: dict[str, list[Line]] = {}
    places = tuple(float(place) for place in range(len(ALGORITHMS)))
    for row, errors in members_of(table, ALGORITHMS).items():
        collection, _, _ = row.partition(": ")
        jitter = JITTER * (2 * chance.random() - 1)
        y = tuple(log1p(each) + jitter for each in errors)
        line = Line(collection, places, y, marked=False, thin=True)
        lines.setdefault(collection, []).append(line)
    panels = [
        Panel(tuple(lines[each.name]), each.name) for each in COLLECTIONS if each.name in lines
    ]
    facts = facts_of(table)
    x = Axis(facts.x.label, ticks=places, names=ALGORITHMS)
    return figure_of(facts, *panels, x=x, legend=False)


def cut_row(seed: int) -> str:
    """Return the row of one cut in the study of folds."""
    return f"{TWO}, cut {seed + 1}"


def _on_collection(collection: Collection) -> list[Experiment]:
    name, tables = collection.name, TABLES[collection.name]
    return [
        on(
            collection,
            "terms",
            run_terms,
            Fill(TERMS_TABLE, (name,), (TRAINING, ALL)),
            recipes={"SVM": RECIPES["SVM"]},
        ),
        on(
            collection,
            "errors compared",
            partial(run_comparisons, tables),
            *(Fill(table, tuple(PAIRS), COLUMNS) for table in tables),
            Fill("directions", tuple(PAIRS), (name,)),
            recipes=RECIPES,
        ),
        on(
            collection,
            "errors by category",
            run_errors,
            Fill("figure6", columns=tuple(RECIPES)),
            recipes=RECIPES,
        ),
        on(
            collection,
            "macro F1",
            partial(run_methods, "table4"),
            Fill("table4", tuple(ROWS), (name,)),
            Fill("order", tuple(ROWS), (name,)),
            recipes=RECIPES,
        ),
        *(_row(collection, SIZE_TABLES[name], row, recipe) for row, recipe in BY_SIZE.items()),
    ]


def _row(collection: Collection, table: str, row: str, name: str) -> Experiment:
    return on(
        collection,
        f"{table}, {row}",
        partial(run_hyperparameters, table, row),
        Fill(table, (row,), HYPERPARAMETERS),
        recipes=by_hyperparameter(load_recipe(name)),
    )


def _fold_study() -> Experiment:
    lasso = load_recipe(RECIPES["lasso"])
    assert lasso.search is not None
    all_folds = replace(lasso, search=replace(lasso.search, rounds=None))
    return on(
        MODAPTE,
        "errors under other folds",
        run_folds,
        Fill(FOLDS_TABLE, (*map(cut_row, SEEDS), TEN), COLUMNS),
        recipes={TWO: lasso, TEN: all_folds, SVM: RECIPES[SVM]},
        seeds=SEEDS,
    )


EXPERIMENTS = [
    *(each for collection in COLLECTIONS for each in _on_collection(collection)),
    _fold_study(),
    on(
        MODAPTE,
        "macro F1 at the optimum",
        partial(run_methods, AT_OPTIMUM),
        Fill(AT_OPTIMUM, tuple(ROWS), (MODAPTE.name,)),
        recipes=EXACT,
    ),
    *(_row(MODAPTE, "selection", row, name) for row, name in BY_MEASURE.items()),
]
FIGURES: dict[str, Draw] = {"figure6": draw_errors}
