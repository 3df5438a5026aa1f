"""Figure 2: the SVM's objective against the seconds that MLR-CG has taken.

``O_svm(w) = (1/n) Σ max(0, 1 - yᵢ(w·xᵢ + b)) + λ‖w‖²`` after every step of conjugate gradients, and
as a level what SMO ends with, whose duality gap is 1e-4 of it. The seconds are of one thread; to
look at the objective takes some of them, so that they are a little more than table 2's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, cast

import numpy as np

from postil.learn.job import Job
from postil.learn.method import Method
from postil.recipes.recipe import Recipe
from postil_papers.cells import Measured
from postil_papers.experiment import (
    CellValues,
    Experiment,
    Fill,
    Settings,
    corpus_fingerprint,
    tell,
)
from postil_papers.paper import axis_column
from postil_papers.tracing import trace_objective
from postil_papers.zhang_jin_yang_hauptmann_2003.collections import (
    ARXIV,
    RCV1,
    REUTERS,
    Collection,
    documents_of,
)
from postil_papers.zhang_jin_yang_hauptmann_2003.growth import first_rows
from postil_papers.zhang_jin_yang_hauptmann_2003.methods import (
    LAMBDA,
    MLR_CG,
    SMO,
    SMO_LEARN,
    Load,
    binary_recipe,
    code_of,
    svm,
)
from postil_papers.zhang_jin_yang_hauptmann_2003.tasks import Task, vectors_of
from postil_papers.zhang_jin_yang_hauptmann_2003.trainers import Learned, by_recipe

OPTIMUM = "SVM"  # the column of the level
TOLERANCE = 1e-4
DIGITS = 6  # of seconds

# The figures; the paper's is of RCV1. Of arXiv so many documents that SMO reaches the optimum.
FIGURES = {"figure2": RCV1, "figure2-reuters": REUTERS, "figure2-arxiv": ARXIV}
DOCUMENTS = {ARXIV.name: 32_000}
# With 781,265 documents SMO would take too long; growth says how its time grows.
WITHOUT_OPTIMUM = frozenset({RCV1.name})


def run_convergence(figure: str, settings: Settings) -> CellValues:
    """Trace every category of the settings."""
    recipes = cast("Mapping[str, dict[str, Any]]", settings["recipes"])
    recipe = Recipe.from_dict(recipes[MLR_CG])
    vectors = vectors_of(documents_of(settings), recipe.representation)
    rows = vectors.learned
    if settings["first"] is not None:
        rows = first_rows(rows, cast("int", settings["first"]))
    found: dict[tuple[str, str, str], float | Measured] = {}
    wanted = cast("list[str]", settings["categories"])
    for done, category in enumerate(wanted):
        tell("categories", done, len(wanted))
        task = vectors.task(category, recipe.selection, rows)
        task.warm()
        found |= {
            (figure, category, axis_column(seconds)): value
            for seconds, value in trace(task, recipe).items()
        }
        if SMO in recipes:
            learned = by_recipe(Recipe.from_dict(recipes[SMO]), task)
            least = svm_objective(task, learned, LAMBDA)
            found[figure, category, OPTIMUM] = Measured(least, remark=learned.remark)
    return found


def trace(task: Task, recipe: Recipe) -> dict[float, float]:
    """The SVM's objective by seconds; of steps that take no time the last.

    It begins with 1, the loss of every document where all weights are 0.
    """
    method = cast("Method", recipe.method())
    (steps,) = trace_objective(Job(task.design, task.labels), method)
    found = {0.0: 1.0}
    for seconds, value in zip(steps.seconds, steps.objectives, strict=True):
        found[round(float(seconds), DIGITS)] = float(value)
    return found


def svm_objective(task: Task, learned: Learned, lam: float) -> float:
    """``(1/n) Σ max(0, 1 - yᵢ(w·xᵢ + b)) + λ‖w‖²``."""
    margins = task.signs * (task.doubles @ learned.weights + learned.intercept)
    losses = np.maximum(0.0, 1 - margins)
    return float(losses.mean() + lam * learned.weights @ learned.weights)


def experiments(load: Load) -> list[Experiment]:
    """One for each figure."""
    return list(_experiments(binary_recipe(load)))


def _experiments(recipe: Recipe) -> Iterable[Experiment]:
    for figure, collection in FIGURES.items():
        yield Experiment(
            name=f"{collection.name}, convergence",
            run=partial(run_convergence, figure),
            fills=(Fill(figure, rows=collection.categories),),
            code=code_of(__name__, f"{__package__}.growth"),
            settings=_settings(collection, collection.read_by(recipe)),
            data=partial(corpus_fingerprint, collection.corpus),
        )


def _settings(collection: Collection, recipe: Recipe) -> dict[str, Any]:
    exact = {**SMO_LEARN, "options": {"tolerance": TOLERANCE}}
    recipes = {MLR_CG: {**recipe.to_dict(), "expect": []}}
    if collection.name not in WITHOUT_OPTIMUM:
        recipes[SMO] = svm(recipe, exact).to_dict()
    return {
        **collection.settings(),
        "first": DOCUMENTS.get(collection.name),
        "recipes": recipes,
    }
