"""Section 6.3 and figures 2, 3, 7 and 8: selected features, and parameters by prior variance.

The paper does not name the data set of figures 2 and 3. Here it is one category of ModApte, with
the eight terms that chi-square ranks first for it; test documents have no part in it. The recipes
of ridge and lasso define the vectors and the objective; the prior variance is the figure's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean, stdev

import numpy as np
from numpy.typing import NDArray

from postil.errors import UsageError
from postil.features.selection import Selection
from postil.model.description import column_name
from postil.plots.figure import Figure, Line, Panel, Place
from postil.recipes.parts import TermSelection
from postil.recipes.recipe import Recipe, load_recipe
from postil_papers.experiment import CellValues, Experiment, Fill, experiment
from postil_papers.genkin_lewis_madigan_2004.runs import (
    COLLECTIONS,
    EXACT,
    MODAPTE,
    RECIPES,
    Collection,
    by_hyperparameter,
    on,
    run_of,
)
from postil_papers.harness import Problem, remarked, report, training, vectors_of, with_strength
from postil_papers.paper import axis_column
from postil_papers.plotting import (
    Draw,
    draw_histograms,
    draw_lines,
    facts_of,
    figure_of,
    histogram_cells,
    members_of,
)
from postil_papers.reproduction import Table

STATISTICS: Mapping[str, Callable[[list[int]], float]] = {
    "min": min,
    "max": max,
    "mean": fmean,
    "std": stdev,
}
RATIO = "ratio of the means"
WIDTH = 50  # features in a bin of figure 7
POSITIVES, PARAMETERS = "training documents", "parameters"

CATEGORY = "grain"
PATH_TERMS = TermSelection("chi-square", 8)
# A quarter of a power of ten apart, with four digits: columns that can be read.
VARIANCES = tuple(float(f"{10 ** (place / 4):.4g}") for place in range(-16, 17))
# The figures, and the methods whose priors they draw.
PATHS = {"figure2": "ridge", "figure3": "lasso"}
MARKED_VARIANCE = Place(0.01, "0.01, which the paper marks")
LASSO = by_hyperparameter(load_recipe(RECIPES["lasso"]))


def run_features(collection: Collection, recipes: Mapping[str, Recipe], width: float) -> CellValues:
    """Fill the numbers of section 6.3 on one collection, and its histogram in figure 7."""
    run = run_of(collection, recipes["norm"])
    found = {
        ("features", collection.name, name): float(statistic(run.features))
        for name, statistic in STATISTICS.items()
    }
    found |= histogram_cells("figure7", {collection.name: run.features}, width)
    return remarked(found, run.remark)


def run_ratio(collection: Collection, recipes: Mapping[str, Recipe]) -> CellValues:
    """Fill how many times more features the norm-based hyperparameter selects."""
    norm, searched = (run_of(collection, recipes[choice]) for choice in ("norm", "CV"))
    if not any(searched.features):
        raise UsageError("with cross-validated hyperparameters no category has any feature")
    ratio = fmean(norm.features) / fmean(searched.features)
    found = {("features-ratio", collection.name, RATIO): ratio}
    return remarked(found, norm.remark, searched.remark)


def run_scatter(collection: Collection, recipes: Mapping[str, Recipe]) -> CellValues:
    """Fill figure 8: training documents and parameters of each category that has both.

    A category without either has no place on logarithmic axes.
    """
    run = run_of(collection, recipes["CV"])
    rows = zip(run.categories, run.positives, run.parameters, strict=True)
    return {
        ("figure8", name, column): float(value)
        for name, positives, parameters in rows
        if positives and parameters
        for column, value in ((POSITIVES, positives), (PARAMETERS, parameters))
    }


def run_path(
    figure: str, collection: Collection, category: str, variances: Sequence[float], recipe: Recipe
) -> CellValues:
    """Fill figure 2 or 3: the parameters of a few terms at each variance of their prior."""
    documents = training(collection.documents(), category)
    vectors = vectors_of(documents, recipe.representation)
    problem = vectors.problem()
    selection = problem.selection(recipe)
    assert selection is not None
    weights = path(problem, selection, recipe, variances)
    return {
        (figure, column_name(vectors.vectorizer, int(term)), axis_column(variance)): value
        for variance, row in zip(variances, weights.tolist(), strict=True)
        for term, value in zip(selection[0], row, strict=True)
    }


def path(
    problem: Problem, selection: Selection, recipe: Recipe, variances: Sequence[float]
) -> NDArray[np.float64]:
    """Return the weights of the selected terms at each variance, variances × terms."""
    found = []
    for done, variance in enumerate(variances, 1):
        fit = problem.learn(with_strength(recipe, prior_variance=variance), selection)
        found.append(fit.weights[0, selection[0]].toarray()[0])
        report("path", done, len(variances))
    return np.array(found)


def draw_scatter(table: Table) -> Figure | None:
    """Draw parameters against training documents, a point for each category."""
    points = members_of(table, (POSITIVES, PARAMETERS)).values()
    x, y = tuple(x for x, _ in points), tuple(y for _, y in points)
    panel = Panel((Line("lasso", x, y, joined=False),))
    return figure_of(facts_of(table), panel, legend=False) if points else None


def _on_collection(collection: Collection) -> list[Experiment]:
    name = collection.name
    return [
        on(
            collection,
            "features selected",
            run_features,
            Fill("features", (name,), tuple(STATISTICS)),
            Fill("figure7", rows=(name,)),
            recipes={"norm": LASSO["norm"]},
            width=WIDTH,
        ),
        on(
            collection,
            "features by hyperparameter",
            run_ratio,
            Fill("features-ratio", (name,), (RATIO,)),
            recipes=LASSO,
        ),
    ]


EXPERIMENTS = [
    *(each for collection in COLLECTIONS for each in _on_collection(collection)),
    on(
        MODAPTE,
        "parameters by training documents",
        run_scatter,
        Fill("figure8", columns=(POSITIVES, PARAMETERS)),
        recipes={"CV": LASSO["CV"]},
    ),
    *(
        experiment(
            f"{MODAPTE.name}, path of {method}",
            partial(run_path, figure),
            Fill(figure),
            collection=MODAPTE,
            category=CATEGORY,
            variances=VARIANCES,
            recipe=replace(MODAPTE.read_by(load_recipe(EXACT[method])), selection=PATH_TERMS),
        )
        for figure, method in PATHS.items()
    ),
]
draw_path = partial(draw_lines, places=(MARKED_VARIANCE,), marked=False)
FIGURES: dict[str, Draw] = {
    "figure2": draw_path,
    "figure3": draw_path,
    "figure7": draw_histograms,
    "figure8": draw_scatter,
}
