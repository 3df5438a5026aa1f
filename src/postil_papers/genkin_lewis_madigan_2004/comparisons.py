"""Tables 1 to 3 and figure 6: the test errors of the three methods, category by category.

A pair of methods is compared by the number of errors on each category: where the left has fewer,
where it has more, and the two-sided Wilcoxon test of the differences. The captions say tuned
thresholds, the text of section 6.1 default ones: tables and figure follow the text, which agrees
with the ties of table 1, and a study follows the caption.

``table1-folds`` is a study of the folds of lasso's cross-validation. Section 4.4 chooses each
category's prior variance on two of ten folds, and the paper does not say which documents are in
them. Another cut gives other variances, other errors, and another p.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from postil.evaluate.comparisons import Comparison, wilcoxon
from postil.recipes.recipe import Recipe, load_recipe
from postil_papers.experiment import CellValues, Experiment, Fill
from postil_papers.genkin_lewis_madigan_2004.runs import (
    COLLECTIONS,
    MODAPTE,
    RECIPES,
    Collection,
    RunFacts,
    on,
    run_of,
    runs_of,
)
from postil_papers.harness import remarked

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
    runs = {_row(seed): run_of(collection, recipes[TWO], seed) for seed in seeds}
    runs[TEN] = run_of(collection, recipes[TEN])
    found = {
        (FOLDS_TABLE, row, name): value
        for row, run in runs.items()
        for name, value in columns(compare(run, baseline, JUDGED)).items()
    }
    return remarked(found, *(run.remark for run in runs.values()))


def _row(seed: int) -> str:
    return f"{TWO}, cut {seed + 1}"


def comparison_experiments() -> list[Experiment]:
    """Return a comparison and a panel of figure 6 for each collection."""
    found = []
    for collection in COLLECTIONS:
        tables = TABLES[collection.name]
        found += [
            on(
                collection,
                "errors compared",
                partial(run_comparisons, tables),
                *(Fill(table, tuple(PAIRS), COLUMNS) for table in tables),
                Fill("directions", tuple(PAIRS), (collection.name,)),
                recipes=RECIPES,
            ),
            on(
                collection,
                "errors by category",
                run_errors,
                Fill("figure6", columns=tuple(RECIPES)),
                recipes=RECIPES,
            ),
        ]
    return found


def fold_experiments() -> list[Experiment]:
    """Return the study of other folds."""
    lasso = load_recipe(RECIPES["lasso"])
    assert lasso.search is not None
    all_folds = replace(lasso, search=replace(lasso.search, rounds=None))
    return [
        on(
            MODAPTE,
            "errors under other folds",
            run_folds,
            Fill(FOLDS_TABLE, (*map(_row, SEEDS), TEN), COLUMNS),
            recipes={TWO: lasso, TEN: all_folds, SVM: RECIPES[SVM]},
            seeds=SEEDS,
        )
    ]
