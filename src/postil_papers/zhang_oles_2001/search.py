"""Table 1: the λ of each method by 5-fold cross-validation on the training documents.

The paper says neither what the folds are measured by nor how long each fit runs. Here it is the
micro-averaged break-even point, which no threshold disturbs, and each fit starts from that of the
stronger λ before it and stops by its duality gap: the same objectives as the recipes', and so the
same minima, at a fraction of the 35 times 100 sweeps. A fit that has not converged after
``PASSES`` passes, as those with the smallest λ, is measured as it is; a remark counts them.

The same folds compare two readings of the 10000 selected features, which the study
``table2-selection`` shows for the λ that the paper prints: the terms above one bar for all
categories, and the best of each category.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
from postil_papers.zhang_oles_2001.tables import (
    CORPUS,
    FOR_EACH,
    RECIPES,
    SELECTION,
    by_certificate,
    for_each_category,
)

MEASURE = "break-even"
FOLDS = 5
TOLERANCE = 1e-2  # neighbours on the grid are a factor of ten apart
PASSES = 30


ONE_BAR = "one bar"


def run_search(
    method: str, reading: str, corpus: str, recipe: Recipe, printed: float
) -> CellValues:
    """Fill the λ of one method, and the break-even point of the folds at the printed λ."""
    with quiet_fits():
        model = train(open_corpus(corpus), recipe, progress=report)
    rows: list[dict[str, Any]] = model.method["search"]["grid"]
    unfinished = sum(row["unfinished"] for row in rows)
    remark = ""
    if unfinished:
        passes = cast("Method", recipe.method()).solver_options.iterations
        remark = f"; {unfinished} fits were stopped after {passes} passes"
    return _cells(method, reading, printed, {row["lam"]: row["value"] for row in rows}, remark)


def run_smoothing(
    method: str,
    reading: str,
    corpus: str,
    recipe: Recipe,
    printed: float,
    grid: Sequence[float],
    folds: int,
) -> CellValues:
    """Fill the same for the smoothing of Naive Bayes, which the paper calls λ too."""
    values = smoothing_values(open_corpus(corpus), recipe, grid, folds)
    return _cells(method, reading, printed, values)


def _cells(
    method: str, reading: str, printed: float, values: Mapping[float, float], remark: str = ""
) -> CellValues:
    """Return the best λ (of the reading that table 1 has) and the value at the printed one."""
    remark = grid_remark(MEASURE, "λ", values.items()) + remark
    found = {_folds_cell(reading, method): Measured(100 * values[printed], remark=remark)}
    if reading == ONE_BAR:
        best = max(values, key=values.__getitem__)
        found["table1", "lambda", method] = Measured(best, remark=remark)
    return found


def _folds_cell(reading: str, method: str) -> tuple[str, str, str]:
    return SELECTION, f"BEP by folds, {reading}", method


def smoothing_values(
    documents: Iterable[Document], recipe: Recipe, grid: Sequence[float], folds: int
) -> dict[float, float]:
    """Return the break-even point of one-vs-rest Naive Bayes by its smoothing, cross-validated."""
    whole = vectors_of(training(documents), recipe.representation).problem()
    chosen = measure_for(MEASURE)
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
    return dict(zip(grid, chosen.value(tallies).tolist(), strict=True))


def _searching(recipe: Recipe) -> Recipe:
    """Return the recipe with a search for λ in place of its own λ."""
    recipe = with_strength(by_certificate(recipe, TOLERANCE, PASSES))
    learn = dict(recipe.learn)
    if learn["solver"] == "smo":
        learn["options"] = {"tolerance": TOLERANCE}
    search = Search(grid=PAPER_GRID, folds=FOLDS, measure=MEASURE)
    return replace(recipe, learn=learn, search=search, decide=Decide(rule="default"))


def _experiment(method: str, reading: str, recipe: Recipe) -> Experiment:
    table, row, _ = _folds_cell(reading, method)
    fills = [Fill(table, (row,), (method,))]
    if reading == ONE_BAR:
        fills.append(Fill("table1", columns=(method,)))
    name = f"lambda of {recipe.name}, {reading}"
    if "smoothing" in recipe.learn:
        return experiment(
            name,
            partial(run_smoothing, method, reading),
            *fills,
            corpus=CORPUS,
            recipe=recipe,
            printed=recipe.learn["smoothing"],
            grid=PAPER_GRID,
            folds=FOLDS,
        )
    return experiment(
        name,
        partial(run_search, method, reading),
        *fills,
        corpus=CORPUS,
        recipe=_searching(recipe),
        printed=recipe.learn["lam"],
    )


EXPERIMENTS = [
    _experiment(method, reading, change(load_recipe(name)))
    for reading, change in {ONE_BAR: lambda recipe: recipe, FOR_EACH: for_each_category}.items()
    for method, name in RECIPES.items()
]
