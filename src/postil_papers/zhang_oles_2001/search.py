"""Table 1: the λ of each method by 5-fold cross-validation on the training documents.

The paper says neither what the folds are measured by nor how long each fit runs. Here it is the
micro-averaged break-even point, which no threshold disturbs, and each fit starts from that of the
stronger λ before it and stops by its duality gap: the same objectives as the recipes', and so the
same minima, at a fraction of the 35 times 100 sweeps. A fit that has not converged after
``PASSES`` passes, as those with the smallest λ, is measured as it is; a remark counts them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np

from postil.corpus.document import Document
from postil.corpus.opening import open_corpus
from postil.decide import make_folds
from postil.learn.job import Job, SampleWeights
from postil.learn.method import Method
from postil.learn.naive_bayes import NaiveBayes
from postil.learn.search.grids import PAPER_GRID
from postil.learn.search.measures import HeldOut, measure_for
from postil.recipes.parts import Decide, Search
from postil.recipes.recipe import Recipe, load_recipe
from postil.train.train import train
from postil_papers.cells import Measured
from postil_papers.experiment import (
    CellValues,
    Experiment,
    Fill,
    Settings,
    by_name,
    corpus_fingerprint,
    counted_not_warned,
    tell,
)
from postil_papers.zhang_oles_2001.methods import RECIPES, by_certificate, code_of
from postil_papers.zhang_oles_2001.problem import problem_of

CORPUS = "reuters-modapte"
MEASURE = "break-even"
FOLDS = 5
TOLERANCE = 1e-2  # neighbours on the grid are a factor of ten apart
PASSES = 30
REGULARIZATIONS = ("lam", "C", "prior_variance")


def run_search(method: str, settings: Settings) -> CellValues:
    """Search λ for one method and tell what every λ gave."""
    documents = open_corpus(str(settings["corpus"]))
    recipe = Recipe.from_dict(cast("dict[str, Any]", settings["recipe"]))
    lam, remark = best_lambda(documents, recipe)
    return {("table1", "lambda", method): Measured(lam, remark=remark)}


def best_lambda(documents: Iterable[Document], recipe: Recipe) -> tuple[float, str]:
    """The best λ of a recipe with a search, by the training documents; and a remark."""
    with counted_not_warned():
        model = train(documents, recipe, progress=tell)
    found: Mapping[str, Any] = model.method["search"]
    unfinished = sum(row["unfinished"] for row in found["grid"])
    values = [(row["lam"], row["value"]) for row in found["grid"]]
    remark = _told(str(found["measure"]), values)
    if unfinished:
        remark += f"; {unfinished} fits were stopped after {_passes(recipe)} passes"
    return float(found["lam"]), remark


def run_smoothing(method: str, settings: Settings) -> CellValues:
    """Search the smoothing of Naive Bayes, which the paper calls λ too."""
    documents = open_corpus(str(settings["corpus"]))
    recipe = Recipe.from_dict(cast("dict[str, Any]", settings["recipe"]))
    grid = cast("Sequence[float]", settings["grid"])
    folds = cast("int", settings["folds"])
    lam, remark = best_smoothing(documents, recipe, grid, folds, str(settings["measure"]))
    return {("table1", "lambda", method): Measured(lam, remark=remark)}


def best_smoothing(
    documents: Iterable[Document],
    recipe: Recipe,
    grid: Sequence[float],
    folds: int,
    measure: str = MEASURE,
) -> tuple[float, str]:
    """The best smoothing of one-vs-rest Naive Bayes by cross-validation; and a remark."""
    problem = problem_of((d for d in documents if d.split != "test"), recipe.representation)
    parts = make_folds(problem.labels.members, folds, 0)
    chosen = measure_for(measure)
    terms = recipe.selection.terms
    tallies = np.zeros((len(grid), 1))
    for number, (learned, held_out) in enumerate(parts):
        weights = np.zeros(problem.design.documents)
        weights[learned] = 1.0
        selection = None if terms is None else problem.selection(terms, learned)
        members = problem.labels.members[held_out].toarray()
        ones = np.ones(len(held_out))
        found = []
        for place, smoothing in enumerate(grid):
            fit = NaiveBayes(smoothing).fit(
                Job(problem.design, problem.labels, selection, SampleWeights(weights))
            )
            held = HeldOut(fit.scores(problem.design.rows[held_out]), members, ones, Method())
            found.append(chosen.tally(held).sum(axis=0))
            tell("searching λ", number * len(grid) + place + 1, folds * len(grid))
        tallies = tallies + np.stack(found)
    values = chosen.value(tallies)
    worth = values if chosen.higher_is_better else -values
    remark = _told(measure, list(zip(grid, values.tolist(), strict=True)))
    return float(grid[int(np.argmax(worth))]), remark


def _told(measure: str, values: Sequence[tuple[float, float | None]]) -> str:
    shown = ", ".join(
        f"{lam:g}: {'undefined' if value is None else f'{100 * value:.1f}'}"
        for lam, value in values
    )
    return f"cross-validated {measure} by λ: {shown}"


def _passes(recipe: Recipe) -> int:
    return int(cast("Method", recipe.method()).solver_options.iterations)


def _searching(name: str) -> Recipe:
    """The recipe without its own λ, and with a search for one."""
    recipe = by_certificate(load_recipe(name), TOLERANCE, PASSES)
    learn = {key: value for key, value in recipe.learn.items() if key not in REGULARIZATIONS}
    if learn["solver"] == "smo":
        learn["options"] = {"tolerance": TOLERANCE}
    search = Search(grid=PAPER_GRID, folds=FOLDS, measure=MEASURE)
    return replace(recipe, learn=learn, search=search, decide=Decide(rule="default"), expect=())


def _experiment(method: str, recipe: str) -> Experiment:
    shared: dict[str, Any] = {"corpus": CORPUS}
    if "smoothing" in load_recipe(recipe).learn:
        run = partial(run_smoothing, method)
        plain = replace(load_recipe(recipe), expect=())
        shared |= {"grid": list(PAPER_GRID), "folds": FOLDS, "measure": MEASURE}
    else:
        run = partial(run_search, method)
        plain = _searching(recipe)
    return Experiment(
        name=f"lambda of {recipe}",
        run=run,
        fills=(Fill("table1", columns=(method,)),),
        code=code_of(__name__),
        settings={**shared, "recipe": plain.to_dict()},
        data=partial(corpus_fingerprint, CORPUS),
    )


EXPERIMENTS = by_name(*(_experiment(method, recipe) for method, recipe in RECIPES.items()))
