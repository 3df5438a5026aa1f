"""Tables 1 to 3 and figure 6: the test errors of the three methods, category by category.

A pair of methods is compared by the number of errors on each category: where the left has fewer,
where it has more, and the two-sided Wilcoxon test of the differences. The captions say tuned
thresholds, the text of section 6.1 default ones: tables and figure follow the text, which the ties
of table 1 speak for, a study the caption.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from postil.evaluate.comparisons import Comparison, wilcoxon
from postil_papers.experiment import CellValues, Experiment, Fill, Settings
from postil_papers.genkin_lewis_madigan_2004.collections import COLLECTIONS, Collection
from postil_papers.genkin_lewis_madigan_2004.facts import RunFacts
from postil_papers.genkin_lewis_madigan_2004.methods import RECIPES, Load
from postil_papers.genkin_lewis_madigan_2004.plugging import experiment, remarked
from postil_papers.genkin_lewis_madigan_2004.runs import facts_of

PAIRS = {
    "lasso vs ridge": ("lasso", "ridge"),
    "lasso vs SVM": ("lasso", "SVM"),
    "ridge vs SVM": ("ridge", "SVM"),
}
COLUMNS = ("fewer", "more", "equal", "p")
LEVEL = 0.05

# Which tables compare the methods on a collection, and with which threshold.
TABLES = {
    "ModApte": {"table1": "default", "table1-tuned": "tuned"},
    "RCV1-v2": {"table2": "default"},
    "OHSUMED": {"table3": "default"},
}
JUDGED = "default"


def run_comparisons(collection: str, settings: Settings) -> CellValues:
    """Compare the methods on one collection."""
    runs = {method: facts_of(settings, method) for method in RECIPES}
    found: dict[tuple[str, str, str], float] = {}
    for table, threshold in TABLES[collection].items():
        for pair, compared in compare(runs, threshold).items():
            found |= {(table, pair, name): value for name, value in columns(compared).items()}
    for pair, compared in compare(runs, JUDGED).items():
        found["directions", pair, collection] = direction(compared)
    return remarked(found, runs.values())


def compare(runs: Mapping[str, RunFacts], threshold: str) -> dict[str, Comparison]:
    """Wilcoxon's test on the errors of each pair of methods; sorts the categories."""
    return {
        pair: compare_two(runs[left], runs[right], threshold)
        for pair, (left, right) in PAIRS.items()
    }


def compare_two(left: RunFacts, right: RunFacts, threshold: str) -> Comparison:
    """Wilcoxon's test on the errors of two runs."""
    errors = [run.errors(threshold).astype(np.float64) for run in (left, right)]
    return wilcoxon(errors[0], errors[1], more_is_better=False)


def columns(compared: Comparison) -> dict[str, float]:
    """The four columns of a row."""
    found = (compared.left_better, compared.right_better, compared.equal, compared.p_value)
    return dict(zip(COLUMNS, found, strict=True))


def direction(compared: Comparison) -> float:
    """1 where the left is significantly better, -1 where the right is, 0 where neither is."""
    if compared.p_value >= LEVEL:
        return 0.0
    return float(np.sign(compared.left_better - compared.right_better))


def run_errors(collection: str, settings: Settings) -> CellValues:
    """Figure 6: the errors of every category by every method, with default thresholds."""
    found = {}
    for method in RECIPES:
        run = facts_of(settings, method)
        for category, errors in zip(run.categories, run.errors("default").tolist(), strict=True):
            found["figure6", f"{collection}: {category}", method] = float(errors)
    return found


def experiments(load: Load) -> list[Experiment]:
    """A comparison and a panel of figure 6 for each collection."""
    recipes = {method: load(name) for method, name in RECIPES.items()}
    found = []
    for collection in COLLECTIONS:
        found += [
            experiment(
                "errors compared",
                collection,
                recipes,
                partial(run_comparisons, collection.name),
                _fills(collection),
                __name__,
            ),
            experiment(
                "errors by category",
                collection,
                recipes,
                partial(run_errors, collection.name),
                (Fill("figure6", columns=tuple(RECIPES)),),
                __name__,
            ),
        ]
    return found


def _fills(collection: Collection) -> tuple[Fill, ...]:
    compared = (Fill(table, tuple(PAIRS), COLUMNS) for table in TABLES[collection.name])
    return (*compared, Fill("directions", tuple(PAIRS), (collection.name,)))
