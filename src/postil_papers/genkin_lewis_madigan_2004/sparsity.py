"""Section 6.3 and figures 7 and 8: how many features the lasso selects for a category."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from statistics import fmean, stdev
from typing import cast

from postil.errors import UsageError
from postil_papers.experiment import CellValues, Experiment, Fill, Settings
from postil_papers.genkin_lewis_madigan_2004.collections import COLLECTIONS, MODAPTE
from postil_papers.genkin_lewis_madigan_2004.methods import HYPERPARAMETERS, RECIPES, Load
from postil_papers.genkin_lewis_madigan_2004.plugging import experiment, remarked
from postil_papers.genkin_lewis_madigan_2004.runs import facts_of
from postil_papers.plotting import histogram_cells

STATISTICS: Mapping[str, Callable[[list[int]], float]] = {
    "min": min,
    "max": max,
    "mean": fmean,
    "std": stdev,
}
RATIO = "ratio of the means"
WIDTH = 50  # features in a bin of figure 7
POSITIVES, PARAMETERS = "training documents", "parameters"


def run_features(collection: str, settings: Settings) -> CellValues:
    """The numbers of section 6.3 on one collection, and its histogram in figure 7."""
    run = facts_of(settings, "norm")
    found = {
        ("features", collection, name): float(statistic(run.features))
        for name, statistic in STATISTICS.items()
    }
    found |= histogram_cells(
        "figure7", {collection: run.features}, cast("float", settings["width"])
    )
    return remarked(found, [run])


def run_ratio(collection: str, settings: Settings) -> CellValues:
    """How many times more features the norm-based hyperparameter selects."""
    norm, searched = facts_of(settings, "norm"), facts_of(settings, "CV")
    if not any(searched.features):
        raise UsageError("with cross-validated hyperparameters no category has any feature")
    ratio = fmean(norm.features) / fmean(searched.features)
    return remarked({("features-ratio", collection, RATIO): ratio}, [norm, searched])


def run_scatter(settings: Settings) -> CellValues:
    """Figure 8: training documents and parameters of each category that has both.

    A category without either has no place on logarithmic axes.
    """
    run = facts_of(settings, "CV")
    found = {}
    for name, *numbers in zip(run.categories, run.positives, run.parameters, strict=True):
        if all(numbers):
            for column, value in zip((POSITIVES, PARAMETERS), numbers, strict=True):
                found["figure8", name, column] = float(value)
    return found


def experiments(load: Load) -> list[Experiment]:
    """Numbers, histogram and ratio for each collection, and figure 8 for ModApte."""
    lasso = load(RECIPES["lasso"])
    recipes = {choice: chosen(lasso) for choice, chosen in HYPERPARAMETERS.items()}
    found = []
    for collection in COLLECTIONS:
        name = collection.name
        found += [
            experiment(
                "features selected",
                collection,
                {"norm": recipes["norm"]},
                partial(run_features, name),
                (Fill("features", (name,), tuple(STATISTICS)), Fill("figure7", rows=(name,))),
                __name__,
                width=WIDTH,
            ),
            experiment(
                "features by hyperparameter",
                collection,
                recipes,
                partial(run_ratio, name),
                (Fill("features-ratio", (name,), (RATIO,)),),
                __name__,
            ),
        ]
    fills = (Fill("figure8", columns=(POSITIVES, PARAMETERS)),)
    name, searched = "parameters by training documents", {"CV": recipes["CV"]}
    return [*found, experiment(name, MODAPTE, searched, run_scatter, fills, __name__)]
