"""Figures 4, 5, 7 and 8: losses, margins, and the break-even point by features and by λ.

Figure 5 is of the training documents of the largest category. The curves of figures 7 and 8 are of
logistic regression by algorithm 4 with its 100 sweeps, as in table 2: the paper explains the shape
of figure 8 by them. Figure 7 counts the features of the category that keeps most; one bar leaves
the others fewer.

As λ → 0 the paper describes other methods too, in words. Their weights after 100 iterations depend
on the algorithm, so that these are the recipes' own, with a λ of 1e-9.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from postil.common.types import Floats
from postil.corpus.opening import open_corpus
from postil.learn.strength import Strengths
from postil.plots.figure import Figure, Level
from postil.recipes.parts import TermSelection
from postil.recipes.recipe import Recipe, load_recipe
from postil_papers.experiment import CellValues, Fill, experiment
from postil_papers.harness import Problem, report, training, vectors_of
from postil_papers.paper import axis_column
from postil_papers.plotting import (
    Draw,
    Shape,
    draw_formulas,
    draw_histograms,
    draw_lines,
    formula_experiment,
    hinge,
    histogram_cells,
    smoothed_hinge,
)
from postil_papers.reproduction import Table
from postil_papers.zhang_oles_2001.tables import CORPUS, RECIPES

MARGIN_CATEGORY = "earn"
MARGIN_METHODS = ("Lin Reg", "Mod Least Squares")
BIN_WIDTH = 0.1

LOGISTIC = "Logistic Reg"
ALL_FEATURES = "all"
SIZES = (10, 30, 100, 300, 1000, 3000, 10000)
STRENGTHS = tuple(10.0**-k for k in range(9))
NEARLY_ZERO = 1e-9
LIMIT = "lambda -> 0"
# The rows of figure 8 that the text describes, their recipes, and how many terms they select.
LIMITS = {
    "Mod SVM, dual": ("mod-svm", 10000),
    "Mod Least Squares, dual": ("mod-least-squares-dual", 10000),
    "Mod Least Squares, primal": ("mod-least-squares", 10000),
    "Lin Reg": ("lin-reg", 10000),
    "Lin Reg, 100 features": ("lin-reg", 100),
}


def run_margins(
    corpus: str, category: str, width: float, recipes: Mapping[str, Recipe]
) -> CellValues:
    """Fill figure 5: learn the category by both methods and count the margins."""
    samples = {}
    for method, recipe in recipes.items():
        documents = training(open_corpus(corpus), category)
        samples[method] = margins(vectors_of(documents, recipe.representation).problem(), recipe)
    return histogram_cells("figure5", samples, width)


def margins(problem: Problem, recipe: Recipe) -> NDArray[np.float64]:
    """Return y(w·x + b) of every training document of a problem with one category."""
    fit = problem.learn(recipe, problem.selection(recipe))
    scores = fit.scores(problem.design.rows)[:, 0]
    return np.where(problem.labels.members.toarray()[:, 0], scores, -scores)


def break_even(problem: Problem, recipe: Recipe, lam: float | None, step: str) -> float:
    """Return the break-even point of a recipe, with another λ if one is given."""
    strengths = None if lam is None else Strengths("lam", np.full(len(problem.labels), lam))
    fit = problem.learn(
        recipe, problem.selection(recipe), strengths=strengths, progress=partial(report, step)
    )
    return problem.break_even(fit)


def with_terms(recipe: Recipe, terms: int) -> Recipe:
    """Return the recipe with another number of selected terms."""
    return replace(recipe, selection=replace(recipe.selection, terms=terms))


def run_features(corpus: str, recipe: Recipe, sizes: Sequence[int]) -> CellValues:
    """Fill figure 7: the break-even point by the most terms that a category may select."""
    problem = vectors_of(open_corpus(corpus), recipe.representation).problem()
    found = {
        axis_column(size): break_even(problem, with_terms(recipe, size), None, f"{size} features")
        for size in sizes
    }
    every = replace(recipe.representation, min_occurrences=1)
    problem = vectors_of(open_corpus(corpus), every).problem()
    unselected = replace(recipe, selection=TermSelection())
    found[ALL_FEATURES] = break_even(problem, unselected, None, "all features")
    return {("figure7", LOGISTIC, column): value for column, value in found.items()}


def run_strengths(corpus: str, recipe: Recipe, strengths: Sequence[float]) -> CellValues:
    """Fill the curve of figure 8; each λ begins at 0, without a warm start."""
    problem = vectors_of(open_corpus(corpus), recipe.representation).problem()
    return {
        ("figure8", LOGISTIC, axis_column(lam)): break_even(problem, recipe, lam, f"λ = {lam:g}")
        for lam in strengths
    }


def run_limit(row: str, corpus: str, recipe: Recipe, lam: float) -> CellValues:
    """Fill one of the numbers of figure 8 that the text gives for λ → 0."""
    problem = vectors_of(open_corpus(corpus), recipe.representation).problem()
    return {("figure8", row, LIMIT): break_even(problem, recipe, lam, row)}


def logistic(z: Floats) -> Floats:
    """``ln(1 + exp(-z))``, without overflow."""
    return np.logaddexp(0.0, -z)


# Figure 4, with a γ of 3.
LOSSES: dict[str, Shape] = {
    "g(z)": hinge,
    "ln(1 + exp(-z))": logistic,
    "ln(1 + exp(3(1 - z)))/3": partial(smoothed_hinge, 3.0),
}


def draw_features(table: Table) -> Figure | None:
    """Draw figure 7, with levels for the break-even point of all features."""
    levels = []
    for cell in table.cells:
        if cell.key.column == ALL_FEATURES and cell.paper is not None:
            words = f"all features, the paper: about {cell.paper:g}"
            levels.append(Level(cell.key.row, cell.paper, words, "paper"))
        if cell.key.column == ALL_FEATURES and cell.ours is not None:
            words = f"all features, ours: {cell.ours:.1f}"
            levels.append(Level(cell.key.row, cell.ours, words, "ours"))
    return draw_lines(table, levels=levels)


EXPERIMENTS = [
    formula_experiment("losses", "figure4", LOSSES, tuple(float(z) for z in range(-3, 4))),
    experiment(
        f"margins of {MARGIN_CATEGORY}",
        run_margins,
        Fill("figure5", rows=MARGIN_METHODS),
        corpus=CORPUS,
        category=MARGIN_CATEGORY,
        width=BIN_WIDTH,
        recipes={method: load_recipe(RECIPES[method]) for method in MARGIN_METHODS},
    ),
    experiment(
        "number of features",
        run_features,
        Fill("figure7", rows=(LOGISTIC,)),
        corpus=CORPUS,
        recipe=load_recipe(RECIPES[LOGISTIC]),
        sizes=SIZES,
    ),
    experiment(
        "strength of regularization",
        run_strengths,
        Fill("figure8", rows=(LOGISTIC,)),
        corpus=CORPUS,
        recipe=load_recipe(RECIPES[LOGISTIC]),
        strengths=STRENGTHS,
    ),
    *(
        experiment(
            f"lambda to 0, {row}",
            partial(run_limit, row),
            Fill("figure8", (row,), (LIMIT,)),
            corpus=CORPUS,
            recipe=with_terms(load_recipe(name), terms),
            lam=NEARLY_ZERO,
        )
        for row, (name, terms) in LIMITS.items()
    ),
]
FIGURES: dict[str, Draw] = {
    "figure4": partial(draw_formulas, LOSSES, 3.0),
    "figure5": draw_histograms,
    "figure7": draw_features,
    "figure8": draw_lines,
}
