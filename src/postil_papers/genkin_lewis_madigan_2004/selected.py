"""Section 6.3: lasso and the SVM with selected terms, and what the paper says of them in words.

The paper prints no number of these runs. It says that no selection improved lasso, that some
improved the SVM with default thresholds and none with tuned ones, that ridge with selected terms
never beat lasso, and that lasso never left the constant out. ``selected`` has our numbers, each
beside the printed one with all features; ``claims`` says whether each sentence holds.

The SVM's C is SVM_Light's default, 1/(mean norm)² of the training documents: 1 for whole vectors,
and more for what a selection leaves of them. Each category has its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import scipy.sparse as sp

from postil.common.types import Floats
from postil.decide import fit_rule, parse_rule
from postil.decide.decision import Thresholds
from postil.decide.scores import TrainingScores
from postil.evaluate.counts import count
from postil.evaluate.measures import f1, macro
from postil.features.selection import Selection
from postil.learn.job import Design
from postil.learn.strength import Strengths
from postil.recipes.parts import TermSelection
from postil.recipes.recipe import Recipe, load_recipe
from postil_papers.experiment import CellValues, Experiment, Fill, Measured
from postil_papers.genkin_lewis_madigan_2004.runs import (
    HYPERPARAMETERS,
    MODAPTE,
    RECIPES,
    THRESHOLDS,
    TUNED,
    UNDEFINED,
    Collection,
    by_hyperparameter,
    on,
    run_of,
)
from postil_papers.genkin_lewis_madigan_2004.tables import BY_MEASURE, MEASURES, SIZES
from postil_papers.harness import vectors_of, with_strength
from postil_papers.results import remember

SELECTED, CLAIMS = "selected", "claims"
WHOLE = "all features"  # the run that selections are compared with
SELECTIONS = {
    f"{measure}, {terms}": TermSelection(name, terms)
    for terms in SIZES
    for measure, name in MEASURES.items()
}


def run_claim(
    claim: str,
    column: str | None,
    threshold: str,
    collection: Collection,
    recipes: Mapping[str, Recipe],
) -> CellValues:
    """Fill whether any selection is better than all features, and a column of F1 if it has one."""
    reached = {row: f1_of(collection, recipe, threshold) for row, recipe in recipes.items()}
    bar = reached.pop(WHOLE)
    better = [row for row, value in reached.items() if value > bar]
    remark = f"{claim}: {'; '.join(better)}" if better else ""
    found = {(CLAIMS, claim, collection.name): Measured(float(bool(better)), remark=remark)}
    if column is not None:
        found |= {(SELECTED, row, column): Measured(value) for row, value in reached.items()}
    return found


def run_constant(claim: str, collection: Collection, recipes: Mapping[str, Recipe]) -> CellValues:
    """Fill whether a fit leaves the constant out, in any category that was learned."""
    run = run_of(collection, recipes[WHOLE])
    rows = zip(run.positives, run.features, run.parameters, strict=True)
    left_out = any(known and every == terms for known, terms, every in rows)
    return {(CLAIMS, claim, collection.name): float(left_out)}


def f1_of(collection: Collection, recipe: Recipe, threshold: str) -> float:
    """Return macro-averaged F1 in percent; the SVM on selected terms has a C of its own."""
    if recipe.learn["loss"] != "hinge" or recipe.selection.measure is None:
        return run_of(collection, recipe).macro_f1(threshold)
    return remember(
        "genkin-lewis-madigan-2004: the SVM on selected terms",
        svm_f1,
        collection=collection,
        recipe=recipe,
    )[threshold]


def svm_f1(collection: Collection, recipe: Recipe) -> dict[str, float]:
    """Return macro-averaged F1 of the SVM on selected terms at each threshold, in percent."""
    problem = vectors_of(collection.documents(), recipe.representation).problem()
    selection = problem.selection(recipe)
    assert selection is not None
    strengths = Strengths("C", default_c(problem.design, selection))
    fit = problem.learn(with_strength(recipe), selection, strengths=strengths)
    scores, truth = fit.scores(problem.unseen), problem.truth
    learned = TrainingScores(fit.scores(problem.design.rows))
    decided = {
        "default": Thresholds(np.zeros(len(problem.labels))).accept(scores),
        "tuned": fit_rule(parse_rule(TUNED), learned, problem.labels.members).accept(scores),
    }
    shared = (problem.labels.sizes() > 0) & (np.asarray(truth.sum(axis=0)).ravel() > 0)
    return {
        each: 100 * macro(f1(count(truth, sp.csr_matrix(accepted)))[shared], UNDEFINED).value
        for each, accepted in decided.items()
    }


def default_c(design: Design, selection: Selection) -> Floats:
    """Return SVM_Light's default C of each category: 1/(mean norm)² of its documents."""
    found = []
    for terms in selection:
        columns = design.columns[:, terms]
        squares = np.bincount(columns.indices, columns.data**2, minlength=design.documents)
        mean = np.sqrt(squares).mean()
        found.append(1 / mean**2 if mean > 0 else 1.0)
    return np.array(found)


def _improves(column: str, recipe: Recipe, threshold: str) -> Experiment:
    claim = f"selection improves {column}"
    selected = {row: replace(recipe, selection=each) for row, each in SELECTIONS.items()}
    return on(
        MODAPTE,
        f"{column}, selected terms",
        partial(run_claim, claim, column, threshold),
        Fill(CLAIMS, (claim,), (MODAPTE.name,)),
        Fill(SELECTED, tuple(SELECTIONS), (column,)),
        recipes={WHOLE: recipe, **selected},
    )


def _ridge_beats(choice: str, recipe: Recipe) -> Experiment:
    claim = f"selected ridge beats lasso, {choice}"
    ridge = {row: by_hyperparameter(load_recipe(each))[choice] for row, each in BY_MEASURE.items()}
    return on(
        MODAPTE,
        claim,
        partial(run_claim, claim, None, "default"),
        Fill(CLAIMS, (claim,), (MODAPTE.name,)),
        recipes={WHOLE: recipe, **ridge},
    )


def _constant(choice: str, recipe: Recipe) -> Experiment:
    claim = f"lasso leaves the constant out, {choice}"
    return on(
        MODAPTE,
        claim,
        partial(run_constant, claim),
        Fill(CLAIMS, (claim,), (MODAPTE.name,)),
        recipes={WHOLE: recipe},
    )


_LASSO = by_hyperparameter(load_recipe(RECIPES["lasso"]))
EXPERIMENTS = [
    *(_improves(f"lasso, {choice}", _LASSO[choice], "default") for choice in HYPERPARAMETERS),
    *(_improves(f"SVM, {each}", load_recipe(RECIPES["SVM"]), each) for each in THRESHOLDS),
    *(_ridge_beats(choice, _LASSO[choice]) for choice in HYPERPARAMETERS),
    *(_constant(choice, _LASSO[choice]) for choice in HYPERPARAMETERS),
]
