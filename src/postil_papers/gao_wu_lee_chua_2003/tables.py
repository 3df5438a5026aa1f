"""Section 6.1 and tables 1 to 4: the collection, figures of merit, directions, and rivals.

A row of tables 2 and 3 is one run of GPD, measured after 500, 1000, 2000 and 3000 steps.
``table1-mean``, ``table2-mean`` and ``table4-mean`` hold the mean of F1s in the same runs, which
the paper does not print. The trends are differences of rows. ``table2-length`` has the rows of one
trend again, where vectors are not scaled in the directions that are used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from postil.recipes.recipe import Recipe, load_recipe
from postil_papers.experiment import CellValues, Experiment, Fill, Measured, experiment
from postil_papers.gao_wu_lee_chua_2003.descents import Descent, stops_of
from postil_papers.gao_wu_lee_chua_2003.runs import (
    BPA_TREE,
    COLLECTION,
    F1,
    MCE,
    Tally,
    linear_svm,
    run_of,
    spaces_of,
)
from postil_papers.harness import TOP_TEN
from postil_papers.zhang_jin_yang_hauptmann_2003.collections import Collection

COUNTS = ("training", "test", "categories", "terms")

DIMENSIONS = (100, 200, 400, 800, 1200, 1613)
REDUCED, FULL = 400, 1613
# GPD iterations by the names of the printed columns.
STOPS: Mapping[str, int] = {"500ite": 500, "1000ite": 1000, "2000ite": 2000, "3000ite": 3000}
FEW, USUAL = "500ite", "2000ite"

# Table 1: the figures of merit, the parts of the categories, and the averages.
FIGURES = {"MCE": MCE, "F1": F1}
TOP, OTHER = "Top-10", "Other 80"
MICRO, MACRO = "micro-avg", "macro-avg"

# Tables 2 and 3, and the average in each.
MEASURES: dict[str, Callable[[Tally], float]] = {
    "table2": Tally.macro,
    "table2-mean": Tally.mean,
    "table3": Tally.micro,
}
TRENDS = {"table2-trend": "table2", "table3-trend": "table3"}
# "When the dimension is beyond 800, only little improvement is observed."
BEND = 800
SPANS = {
    f"from {DIMENSIONS[0]} to {BEND}": (DIMENSIONS[0], BEND),
    f"from {BEND} to {FULL}": (BEND, FULL),
}

UNSCALED = "table2-length"
EARLY = next(iter(SPANS))

# Table 4.
BASELINE, SVM, MFOM = "Baseline", "Linear SVM", "MFoM"
MICRO_ROW, MACRO_ROW = "micro-avg (all 90)", "macro-avg (all 90)"
METHOD_ROWS = {
    "table4": (*TOP_TEN, MICRO_ROW),
    "table4-macro": (MACRO_ROW,),
    "table4-mean": (MACRO_ROW,),
}


def run_counts(collection: Collection, recipe: Recipe) -> CellValues:
    """Fill the numbers of documents, categories and terms."""
    vectors = spaces_of(collection, recipe.representation).vectors
    documents = (len(vectors.learned), len(vectors.tested))
    found = (*documents, len(vectors.labels.names), vectors.matrix.shape[1])
    return {
        ("collection", "Reuters-21578", name): float(value)
        for name, value in zip(COUNTS, found, strict=True)
    }


def run_figure(
    column: str, collection: Collection, largest: Sequence[str], descent: Descent
) -> CellValues:
    """Fill a column of table 1: the averages of both parts of the categories."""
    stop = stops_of(collection, descent)[USUAL]
    found: dict[tuple[str, str, str], float] = {}
    for part, tally in ((TOP, stop.tally.of(largest)), (OTHER, stop.tally.without(largest))):
        found["table1", f"{part}, {MICRO}", column] = tally.micro()
        found["table1", f"{part}, {MACRO}", column] = tally.macro()
        found["table1-mean", f"{part}, {MACRO}", column] = tally.mean()
    return {key: Measured(value, remark=stop.remark) for key, value in found.items()}


def run_dimensions(row: str, collection: Collection, descent: Descent) -> CellValues:
    """Fill one number of directions in tables 2 and 3."""
    return {
        (table, row, name): Measured(
            measure(stop.tally), remark=f"{stop.seconds:.0f} s for all categories"
        )
        for name, stop in stops_of(collection, descent).items()
        for table, measure in MEASURES.items()
    }


def run_trend(table: str, collection: Collection, descents: Mapping[str, Descent]) -> CellValues:
    """Fill by how much a table's number grows over each span of dimensions."""
    measure = MEASURES[TRENDS[table]]
    values = {
        (dimensions, name): measure(stop.tally)
        for dimensions, descent in descents.items()
        for name, stop in stops_of(collection, descent).items()
    }
    return {
        (table, span, stop): values[str(last), stop] - values[str(first), stop]
        for span, (first, last) in SPANS.items()
        for stop in STOPS
    }


def run_unscaled(collection: Collection, descents: Mapping[str, Descent]) -> CellValues:
    """Fill the ends of the first span of table 2, and its growth, with vectors not scaled again."""
    first, last = (
        {name: stop.tally.macro() for name, stop in stops_of(collection, descent).items()}
        for descent in descents.values()
    )
    growth = {name: last[name] - first[name] for name in first}
    rows = zip((*descents, EARLY), (first, last, growth), strict=True)
    return {(UNSCALED, row, name): value for row, each in rows for name, value in each.items()}


def run_method(
    method: str, collection: Collection, largest: Sequence[str], learner: Recipe | Descent
) -> CellValues:
    """Fill a column of table 4: F1 of the largest categories, and the averages over all."""
    if isinstance(learner, Descent):
        stop = stops_of(collection, learner)[USUAL]
        tally, remark = stop.tally, stop.remark
    else:
        run = run_of(collection, learner)
        tally = run.by_rule
        remark = (
            f"{run.rows} rows of weights of {run.terms} features; learned in {run.seconds:.0f} s"
        )
    values = {
        ("table4", name, method): float(f1)
        for name, f1 in zip(largest, tally.of(largest).f1s(), strict=True)
    }
    values["table4", MICRO_ROW, method] = tally.micro()
    values["table4-macro", MACRO_ROW, method] = tally.macro()
    values["table4-mean", MACRO_ROW, method] = tally.mean()
    return {place: Measured(value, remark=remark) for place, value in values.items()}


def grid_descent(dimensions: int) -> Descent:
    """Return the run of a row of tables 2 and 3, which other tables use too."""
    return Descent(load_recipe(F1), dimensions, STOPS)


def figure_descent(figure: str, dimensions: int) -> Descent:
    """Return the run of a column of table 1; that of F1 is a row of tables 2 and 3."""
    if figure == "F1":
        return grid_descent(dimensions)
    return Descent(load_recipe(FIGURES[figure]), dimensions, {USUAL: STOPS[USUAL]})


def _figure_experiment(figure: str, dimensions: int) -> Experiment:
    column = f"{figure}, {dimensions}"
    macros = tuple(f"{part}, {MACRO}" for part in (TOP, OTHER))
    micros = tuple(f"{part}, {MICRO}" for part in (TOP, OTHER))
    return experiment(
        f"table1, {column}",
        partial(run_figure, column),
        Fill("table1", (*micros, *macros), (column,)),
        Fill("table1-mean", macros, (column,)),
        collection=COLLECTION,
        largest=TOP_TEN,
        descent=figure_descent(figure, dimensions),
    )


LEARNERS: dict[str, Recipe | Descent] = {
    BASELINE: load_recipe(BPA_TREE),
    SVM: linear_svm(load_recipe(F1)),
    MFOM: grid_descent(FULL),
}
EXPERIMENTS = [
    experiment(
        "collection",
        run_counts,
        Fill("collection", ("Reuters-21578",), COUNTS),
        collection=COLLECTION,
        recipe=linear_svm(load_recipe(F1)),
    ),
    *(
        experiment(
            f"{dimensions} dimensions",
            partial(run_dimensions, str(dimensions)),
            *(Fill(table, (str(dimensions),), tuple(STOPS)) for table in MEASURES),
            collection=COLLECTION,
            descent=grid_descent(dimensions),
        )
        for dimensions in DIMENSIONS
    ),
    *(
        experiment(
            table,
            partial(run_trend, table),
            Fill(table, tuple(SPANS), tuple(STOPS)),
            collection=COLLECTION,
            descents={str(end): grid_descent(end) for end in (DIMENSIONS[0], BEND, FULL)},
        )
        for table in TRENDS
    ),
    experiment(
        UNSCALED,
        run_unscaled,
        Fill(UNSCALED, (*map(str, SPANS[EARLY]), EARLY), tuple(STOPS)),
        collection=COLLECTION,
        descents={str(end): replace(grid_descent(end), scaled=False) for end in SPANS[EARLY]},
    ),
    *(
        _figure_experiment(figure, dimensions)
        for dimensions in (REDUCED, FULL)
        for figure in FIGURES
    ),
    *(
        experiment(
            f"table4, {method}",
            partial(run_method, method),
            *(Fill(table, rows, (method,)) for table, rows in METHOD_ROWS.items()),
            collection=COLLECTION,
            largest=TOP_TEN,
            learner=learner,
        )
        for method, learner in LEARNERS.items()
    ),
]
