"""A study of table 1: possible readings of its 10000 selected features.

The paper says no more than that 10000 features are selected. Each row is another reading, with the
C that table 1's run has found, beside table 1's micro-average over all categories:

- one gain for all categories, as in table 1: each keeps the terms above a bar that is as low as it
  can be with no category keeping more than 10000 (:mod:`postil.features.scopes`);
- the same with a bar above which there are 10000 terms in all, whatever the category;
- the 10000 best for each category: hardly a selection where there are 12000 terms, and a small
  category is left with every word it has and all frequent ones besides;
- one list for all categories, by the sum of their gains, as in Yang and Pedersen's criterion;
- all terms, rare ones included, as in table 2;
- as in table 1, with title and body joined and rare words kept;
- as in table 1, without stop words.

Test documents must not choose among them: for the methods without C a remark gives the same
break-even point by five folds of the training documents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from statistics import fmean
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from postil.common.types import Floats
from postil.corpus.opening import open_corpus
from postil.decide.folds import make_folds
from postil.features.select import term_scores
from postil.features.selection import Selection
from postil.recipes.recipe import Recipe
from postil_papers.experiment import CellValues, Fill, Measured, experiment
from postil_papers.harness import Problem, report, vectors_of, with_strength
from postil_papers.zhang_2000.runs import REUTERS, Collection, run_of, selected

STUDY = "table1-selection"
FOLDS = 5
METHODS = ("Perceptron", "SVM", "UWin", "LM-UWin")

Select: TypeAlias = "Callable[[Problem, Recipe], Selection | None]"


def all_terms(problem: Problem, recipe: Recipe) -> None:
    """Select all terms."""


def by_category(problem: Problem, recipe: Recipe) -> Selection | None:
    """Select each category's best terms."""
    own = replace(recipe, selection=replace(recipe.selection, scope="category"))
    return problem.selection(own)


def in_all(problem: Problem, recipe: Recipe) -> Selection | None:
    """Select the terms of each category above the gain of the last of all terms wanted."""
    highest = np.sort(gains(problem, recipe).max(axis=0))[::-1]
    terms = recipe.selection.terms
    bar = highest[terms] if terms is not None and terms < len(highest) else -np.inf
    above = float(np.nextafter(bar, np.inf))
    rule = replace(recipe.selection, terms=None, threshold=above, scope="category")
    return problem.selection(replace(recipe, selection=rule))


def one_list(problem: Problem, recipe: Recipe) -> Selection:
    """Select the same terms for all categories: those with the largest sums of gains."""
    ranked = np.argsort(-gains(problem, recipe).sum(axis=0), kind="stable")
    kept = np.sort(ranked[: recipe.selection.terms]).astype(np.int32)
    return Selection.of([kept] * len(problem.labels), problem.design.terms)


def gains(problem: Problem, recipe: Recipe) -> Floats:
    """Return the gain of every term for every category; memory is categories × terms."""
    members = sp.csr_matrix(problem.labels.members, dtype=np.float32)
    return term_scores(problem.design.rows, members, str(recipe.selection.measure))


# The changed entries of [representation], and the way to select.
READINGS: Mapping[str, tuple[Mapping[str, Any], Select]] = {
    "one gain for all categories": ({}, Problem.selection),
    "one gain, 10000 terms in all": ({}, in_all),
    "10000 for each category": ({}, by_category),
    "one list for all categories": ({}, one_list),
    "all terms": ({"min_occurrences": 1}, all_terms),
    "title and body joined": ({"apart": False, "min_occurrences": 1}, Problem.selection),
    "no stop words": ({"analyzer": "letters lower stop(smart) stem(porter)"}, Problem.selection),
}


def run_reading(reading: str, collection: Collection, recipes: Mapping[str, Recipe]) -> CellValues:
    """Fill one row: the methods on the features of one reading."""
    changed, select = READINGS[reading]
    (representation,) = {recipe.representation for recipe in recipes.values()}
    documents = open_corpus(collection.corpus)
    problem = vectors_of(documents, replace(representation, **changed)).problem()
    found = {}
    for method, recipe in recipes.items():
        strength = run_of(collection, recipe).C
        given = recipe if strength is None else with_strength(recipe, C=strength)
        measure = partial(break_even, given, select, f"{reading}, {method}")
        remark = ""
        if recipe.search is None:
            folds = make_folds(problem.labels.members, FOLDS, 0)
            folded = fmean(measure(problem.part(*fold)) for fold in folds)
            remark = f"on training documents, {FOLDS} folds: {folded:.1f}"
        found[STUDY, reading, method] = Measured(measure(problem), remark=remark)
    return found


def break_even(recipe: Recipe, select: Select, step: str, problem: Problem) -> float:
    """Return the micro-averaged break-even point of a recipe on selected terms, in percent."""
    selection = select(problem, recipe)
    return problem.break_even(problem.learn(recipe, selection, progress=partial(report, step)))


EXPERIMENTS = [
    experiment(
        f"selection, {reading}",
        partial(run_reading, reading),
        Fill(STUDY, (reading,), METHODS),
        collection=REUTERS,
        recipes={method: selected(method) for method in METHODS},
    )
    for reading in READINGS
]
