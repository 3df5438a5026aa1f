"""Tables 4 to 7: macro-averaged F1 by method, threshold, number of terms and hyperparameter.

Table 4 has all features and cross-validated hyperparameters, at both thresholds, by the printed
algorithms; its study has the same objectives at their optimum. Tables 5 to 7 have the default
threshold, with terms selected by BNS; the study ``selection`` has the other measures beside it, of
which the paper says only that BNS was consistently a little better.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from postil_papers.experiment import CellValues, Experiment, Fill, Settings
from postil_papers.genkin_lewis_madigan_2004.collections import COLLECTIONS, MODAPTE, Collection
from postil_papers.genkin_lewis_madigan_2004.facts import THRESHOLDS
from postil_papers.genkin_lewis_madigan_2004.methods import (
    EXACT,
    HYPERPARAMETERS,
    MEASURES,
    RECIPES,
    SIZES,
    Load,
    selected,
)
from postil_papers.genkin_lewis_madigan_2004.plugging import experiment, remarked
from postil_papers.genkin_lewis_madigan_2004.runs import facts_of

# Table 4's rows: the three methods at the default threshold, then tuned.
ROWS = {f"{method}, {each}": (method, each) for each in THRESHOLDS for method in RECIPES}

AT_OPTIMUM = "table4-optimum"

# Tables 5 to 7: the collections, and the rows with their recipes.
TABLES = {"ModApte": "table5", "RCV1-v2": "table6", "OHSUMED": "table7"}
BY_SIZE = {
    "lasso, all": RECIPES["lasso"],
    "ridge, all": RECIPES["ridge"],
    **{f"ridge, {terms}": selected("BNS", terms) for terms in SIZES},
}
BY_MEASURE = {
    f"{measure}, {terms}": selected(measure, terms) for terms in SIZES for measure in MEASURES
}


def run_methods(collection: str, settings: Settings) -> CellValues:
    """Table 4 on one collection, and the order of the methods at each threshold."""
    runs = {method: facts_of(settings, method) for method in RECIPES}
    f1 = {row: runs[method].macro_f1(each) for row, (method, each) in ROWS.items()}
    found = {("table4", row, collection): value for row, value in f1.items()}
    found |= {("order", row, collection): float(place) for row, place in places(f1).items()}
    return remarked(found, runs.values())


def run_exact(settings: Settings) -> CellValues:
    """The study of table 4 on ModApte."""
    runs = {method: facts_of(settings, method) for method in EXACT}
    found = {
        (AT_OPTIMUM, row, MODAPTE.name): runs[method].macro_f1(each)
        for row, (method, each) in ROWS.items()
    }
    return remarked(found, runs.values())


def places(f1: Mapping[str, float]) -> dict[str, int]:
    """The place of each row among those of its threshold: 1 has the highest F1."""
    rivals = {
        row: [f1[other] for other in ROWS if ROWS[other][1] == threshold]
        for row, (_, threshold) in ROWS.items()
    }
    return {row: 1 + sum(value > f1[row] for value in rivals[row]) for row in ROWS}


def run_hyperparameters(table: str, row: str, settings: Settings) -> CellValues:
    """One row of a table: the same recipe with each choice of the hyperparameter."""
    runs = {choice: facts_of(settings, choice) for choice in HYPERPARAMETERS}
    found = {(table, row, choice): run.macro_f1("default") for choice, run in runs.items()}
    return remarked(found, runs.values())


def experiments(load: Load) -> list[Experiment]:
    """Table 4 for each collection, the rows of tables 5 to 7, and those of the study."""
    by_method = [_methods(collection, load) for collection in COLLECTIONS]
    by_size = [
        _row(collection, TABLES[collection.name], row, recipe, load)
        for collection in COLLECTIONS
        for row, recipe in BY_SIZE.items()
    ]
    by_measure = [
        _row(MODAPTE, "selection", row, recipe, load) for row, recipe in BY_MEASURE.items()
    ]
    return [*by_method, _exact(load), *by_size, *by_measure]


def _methods(collection: Collection, load: Load) -> Experiment:
    rows, columns = tuple(ROWS), (collection.name,)
    return experiment(
        "macro F1",
        collection,
        {method: load(name) for method, name in RECIPES.items()},
        partial(run_methods, collection.name),
        (Fill("table4", rows, columns), Fill("order", rows, columns)),
        __name__,
    )


def _exact(load: Load) -> Experiment:
    return experiment(
        "macro F1 at the optimum",
        MODAPTE,
        {method: load(name) for method, name in EXACT.items()},
        run_exact,
        (Fill(AT_OPTIMUM, tuple(ROWS), (MODAPTE.name,)),),
        __name__,
    )


def _row(collection: Collection, table: str, row: str, recipe: str, load: Load) -> Experiment:
    return experiment(
        f"{table}, {row}",
        collection,
        {choice: chosen(load(recipe)) for choice, chosen in HYPERPARAMETERS.items()},
        partial(run_hyperparameters, table, row),
        (Fill(table, (row,), tuple(HYPERPARAMETERS)),),
        __name__,
    )
