"""Table 1: the λ of each method by 5-fold cross-validation on the training documents.

The paper says neither what the folds are measured by nor how long each fit runs. Here it is the
micro-averaged break-even point, which no threshold disturbs, and each fit starts from that of the
stronger λ before it and stops by its duality gap: the same objectives as the recipes', and so the
same minima, at a fraction of the 35 times 100 sweeps. A fit that has not converged after
``PASSES`` passes, as those with the smallest λ, is measured as it is; a remark counts them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np

from postil.corpus.document import Document
from postil.corpus.opening import open_corpus
from postil.decide.folds import make_folds
from postil.learn.job import Job, SampleWeights
from postil.learn.method import Method
from postil.learn.naive_bayes import NaiveBayes
from postil.learn.search.grids import PAPER_GRID
from postil.learn.search.measures import HeldOut, measure_for
from postil.recipes.parts import Decide, Search
from postil.recipes.recipe import Recipe, load_recipe
from postil.train.train import train
from postil_papers.experiment import CellValues, Experiment, Fill, Measured, experiment
from postil_papers.harness import (
    grid_remark,
    quiet_fits,
    report,
    training,
    vectors_of,
    with_strength,
)
from postil_papers.zhang_oles_2001.tables import CORPUS, RECIPES, by_certificate

MEASURE = "break-even"
FOLDS = 5
TOLERANCE = 1e-2  # neighbours on the grid are a factor of ten apart
PASSES = 30


def run_search(method: str, corpus: str, recipe: Recipe) -> CellValues:
    """Fill the λ of one method, with a remark on what every λ gave."""
    with quiet_fits():
        model = train(open_corpus(corpus), recipe, progress=report)
    found: dict[str, Any] = model.method["search"]
    unfinished = sum(row["unfinished"] for row in found["grid"])
    remark = grid_remark(
        found["measure"], "λ", ((row["lam"], row["value"]) for row in found["grid"])
    )
    if unfinished:
        passes = cast("Method", recipe.method()).solver_options.iterations
        remark += f"; {unfinished} fits were stopped after {passes} passes"
    return {("table1", "lambda", method): Measured(float(found["lam"]), remark=remark)}


def run_smoothing(
    method: str, corpus: str, recipe: Recipe, grid: Sequence[float], folds: int, measure: str
) -> CellValues:
    """Fill the smoothing of Naive Bayes, which the paper calls λ too."""
    lam, remark = best_smoothing(open_corpus(corpus), recipe, grid, folds, measure)
    return {("table1", "lambda", method): Measured(lam, remark=remark)}


def best_smoothing(
    documents: Iterable[Document], recipe: Recipe, grid: Sequence[float], folds: int, measure: str
) -> tuple[float, str]:
    """Return the best smoothing of one-vs-rest Naive Bayes by cross-validation, and a remark."""
    whole = vectors_of(training(documents), recipe.representation).problem()
    chosen = measure_for(measure)
    tallies = np.zeros((len(grid), 1))
    for number, (learned, held_out) in enumerate(make_folds(whole.labels.members, folds, 0)):
        # The terms of the vocabulary are those of all training documents.
        part = whole.part(learned, held_out)
        weights = np.zeros(whole.design.documents)
        weights[learned] = 1.0
        selection = part.selection(recipe)
        found = []
        for place, smoothing in enumerate(grid):
            fit = NaiveBayes(smoothing).fit(
                Job(whole.design, whole.labels, selection, SampleWeights(weights))
            )
            ones = np.ones(len(held_out))
            held = HeldOut(fit.scores(part.unseen), part.truth.toarray(), ones, Method())
            found.append(chosen.tally(held).sum(axis=0))
            report("searching λ", number * len(grid) + place + 1, folds * len(grid))
        tallies = tallies + np.stack(found)
    values = chosen.value(tallies)
    worth = values if chosen.higher_is_better else -values
    remark = grid_remark(measure, "λ", zip(grid, values.tolist(), strict=True))
    return float(grid[int(np.argmax(worth))]), remark


def _searching(name: str) -> Recipe:
    """Return the recipe with a search for λ in place of its own λ."""
    recipe = with_strength(by_certificate(load_recipe(name), TOLERANCE, PASSES))
    learn = dict(recipe.learn)
    if learn["solver"] == "smo":
        learn["options"] = {"tolerance": TOLERANCE}
    search = Search(grid=PAPER_GRID, folds=FOLDS, measure=MEASURE)
    return replace(recipe, learn=learn, search=search, decide=Decide(rule="default"))


def _experiment(method: str, name: str) -> Experiment:
    recipe, run, settings = load_recipe(name), partial(run_search, method), {}
    if "smoothing" in recipe.learn:
        run = partial(run_smoothing, method)
        settings = {"grid": PAPER_GRID, "folds": FOLDS, "measure": MEASURE}
    else:
        recipe = _searching(name)
    fill = Fill("table1", columns=(method,))
    return experiment(f"lambda of {name}", run, fill, corpus=CORPUS, recipe=recipe, **settings)


EXPERIMENTS = [_experiment(method, name) for method, name in RECIPES.items()]
