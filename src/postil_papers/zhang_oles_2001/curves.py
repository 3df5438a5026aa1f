"""Figures 7 and 8: the break-even point against the number of features and against λ.

The curves are of logistic regression by dual coordinate descent (algorithm 5), 100 passes at
most and fewer where the duality gap is 1e-3 of the objective before: the minimum of table 2's
algorithm 4 in a fraction of its time. Where λ is so small that 100 passes do not reach it, what
they have reached is measured, as the paper does.

As λ → 0 the paper tells of other methods too, in words. What they have reached after 100
iterations depends on the algorithm, so that these are the recipes' own, with a λ of 1e-9.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np

from postil.corpus.document import Document
from postil.corpus.opening import open_corpus
from postil.learn.fit import LinearFit
from postil.learn.job import Job
from postil.learn.strength import Strengths
from postil.recipes.parts import TermSelection
from postil.recipes.recipe import Recipe, load_recipe
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
from postil_papers.paper import axis_column
from postil_papers.zhang_oles_2001.figures import ALL_FEATURES
from postil_papers.zhang_oles_2001.methods import PASSES, by_certificate, code_of
from postil_papers.zhang_oles_2001.problem import Problem, problem_of

CORPUS = "reuters-modapte"
LOGISTIC = "Logistic Reg"
TOLERANCE = 1e-3
SIZES = (10, 30, 100, 300, 1000, 3000, 10000)
STRENGTHS = tuple(10.0**-k for k in range(9))
NEARLY_ZERO = 1e-9
LIMIT = "lambda -> 0"

# The rows of figure 8 that the text tells of, their recipes, and how many terms they select.
LIMITS = {
    "Mod SVM, dual": ("mod-svm", 10000),
    "Mod Least Squares, dual": ("mod-least-squares-dual", 10000),
    "Mod Least Squares, primal": ("mod-least-squares", 10000),
    "Lin Reg": ("lin-reg", 10000),
    "Lin Reg, 100 features": ("lin-reg", 100),
}


def break_even(problem: Problem, recipe: Recipe, lam: float | None, step: str) -> Measured:
    """The break-even point of a recipe, with another λ if one is given."""
    terms = recipe.selection.terms
    with counted_not_warned():
        job = Job(
            problem.design,
            problem.labels,
            selection=None if terms is None else problem.selection(terms),
            strengths=None if lam is None else Strengths("lam", np.full(len(problem.labels), lam)),
            progress=partial(tell, step),
        )
        fit = recipe.method().fit(job)
    return Measured(problem.break_even(fit), remark=_remark(recipe, fit))


def _remark(recipe: Recipe, fit: LinearFit) -> str:
    """How many categories were to converge and have not."""
    if not recipe.learn["options"]["tolerance"]:
        return ""
    unfinished = sum(report.stopped == "iterations" for report in fit.reports)
    told = f"{unfinished} of {len(fit.reports)} categories were stopped after {PASSES} passes"
    return told if unfinished else ""


def by_features(
    documents: Iterable[Document], recipe: Recipe, sizes: Iterable[int]
) -> dict[str, Measured]:
    """Break-even points by the number of terms each category selects."""
    problem = problem_of(documents, recipe.representation)
    return {
        axis_column(size): break_even(
            problem,
            replace(recipe, selection=replace(recipe.selection, terms=size)),
            None,
            f"{size} features",
        )
        for size in sizes
    }


def by_strength(
    documents: Iterable[Document], recipe: Recipe, strengths: Iterable[float]
) -> dict[str, Measured]:
    """Break-even points by λ, each learned from scratch: what 100 passes reach is the point."""
    problem = problem_of(documents, recipe.representation)
    return {axis_column(lam): break_even(problem, recipe, lam, f"λ = {lam:g}") for lam in strengths}


def without_selection(documents: Iterable[Document], recipe: Recipe) -> Measured:
    """The break-even point with every term, however rare."""
    every = replace(recipe.representation, min_occurrences=1)
    problem = problem_of(documents, every)
    return break_even(problem, replace(recipe, selection=TermSelection()), None, "all features")


def run_features(settings: Settings) -> CellValues:
    """Figure 7."""
    corpus, recipe = _given(settings)
    found = by_features(open_corpus(corpus), recipe, cast("list[int]", settings["sizes"]))
    found[ALL_FEATURES] = without_selection(open_corpus(corpus), recipe)
    return {("figure7", LOGISTIC, column): value for column, value in found.items()}


def run_strengths(settings: Settings) -> CellValues:
    """Figure 8, its curve."""
    corpus, recipe = _given(settings)
    found = by_strength(open_corpus(corpus), recipe, cast("list[float]", settings["strengths"]))
    return {("figure8", LOGISTIC, column): value for column, value in found.items()}


def run_limit(row: str, settings: Settings) -> CellValues:
    """Figure 8, what the text tells of one method as λ → 0."""
    corpus, recipe = _given(settings)
    problem = problem_of(open_corpus(corpus), recipe.representation)
    lam = cast("float", settings["lam"])
    return {("figure8", row, LIMIT): break_even(problem, recipe, lam, row)}


def _given(settings: Settings) -> tuple[str, Recipe]:
    recipe = Recipe.from_dict(cast("dict[str, Any]", settings["recipe"]))
    return str(settings["corpus"]), recipe


def _experiment(name: str, run: Any, fill: Fill, recipe: Recipe, **settings: Any) -> Experiment:  # noqa: ANN401
    return Experiment(
        name=name,
        run=run,
        fills=(fill,),
        code=code_of(__name__),
        settings={"corpus": CORPUS, "recipe": replace(recipe, expect=()).to_dict(), **settings},
        data=partial(corpus_fingerprint, CORPUS),
    )


def _logistic() -> Recipe:
    return by_certificate(load_recipe("logistic"), TOLERANCE, PASSES)


def _limit(row: str) -> Experiment:
    name, terms = LIMITS[row]
    recipe = load_recipe(name)
    selected = replace(recipe, selection=replace(recipe.selection, terms=terms))
    run = partial(run_limit, row)
    fill = Fill("figure8", (row,), (LIMIT,))
    return _experiment(f"lambda to 0, {row}", run, fill, selected, lam=NEARLY_ZERO)


EXPERIMENTS = by_name(
    _experiment(
        "number of features",
        run_features,
        Fill("figure7", rows=(LOGISTIC,)),
        _logistic(),
        sizes=list(SIZES),
    ),
    _experiment(
        "strength of regularization",
        run_strengths,
        Fill("figure8", rows=(LOGISTIC,)),
        _logistic(),
        strengths=list(STRENGTHS),
    ),
    *(_limit(row) for row in LIMITS),
)
