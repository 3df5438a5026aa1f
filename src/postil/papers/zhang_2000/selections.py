"""A study of table 1: what its 10000 features may have been.

Not in the paper. The 10000 terms of highest gain leave a small category with every word it has and
with all frequent words besides: with them it is as good as with all terms. The paper's own tables
show a selection that does much for small categories and nothing for large ones. Each row is
another reading of its words, with the C that table 1's run has found, beside table 1's
micro-average over all categories:

- all terms, as in table 2, and the 10000 best for each category, as in table 1;
- one list for all categories, by the sum of their gains, as Yang and Pedersen's criterion is;
- title and body joined, rare words kept;
- no stop words;
- one gain for all categories, that after the largest category's 10000 best terms: a category keeps
  the terms whose gain is above it.

Which of them is good is no matter of test documents: for the methods without C a remark tells the
same break-even point by five folds of the training documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from statistics import fmean
from typing import Any, TypeAlias, cast

import numpy as np
import scipy.sparse as sp

from postil.corpus.opening import open_corpus
from postil.decide import make_folds
from postil.features.evidence import Counts
from postil.features.inputs import Csr, Floats
from postil.features.measures import gini_gain
from postil.features.selection import Selection
from postil.learn.design import Design
from postil.papers.cells import Measured
from postil.papers.experiment import CellValues, Experiment, Fill, Settings
from postil.papers.fits import counted_not_warned
from postil.papers.watching import tell
from postil.papers.zhang_2000.methods import RECIPES, Load, with_selection
from postil.papers.zhang_2000.runs import experiment, facts_of
from postil.papers.zhang_oles_2001.problem import Problem, problem_of
from postil.recipes.recipe import Recipe

STUDY = "table1-selection"
FOLDS = 5
SEED = 0
METHODS = ("Perceptron", "SVM", "UWin", "LM-UWin")

Select: TypeAlias = "Callable[[Problem, int], Selection | None]"


def every(problem: Problem, terms: int) -> Selection | None:  # noqa: ARG001 - as the others
    """All terms."""
    return None


def for_each(problem: Problem, terms: int) -> Selection:
    """Each category's best terms."""
    return problem.selection(terms)


def one_list(problem: Problem, terms: int) -> Selection:
    """The same terms for all categories: those whose gains add up to most."""
    ranked = np.argsort(-gains_of(problem).sum(axis=1), kind="stable")
    kept = np.sort(ranked[:terms]).astype(np.int32)
    return Selection.of([kept] * len(problem.labels), problem.design.terms)


def one_gain(problem: Problem, terms: int) -> Selection:
    """The terms of each category whose gain is above the largest category's after so many."""
    gains = gains_of(problem)
    largest = np.sort(gains[:, int(np.argmax(problem.labels.sizes()))])[::-1]
    bar = largest[terms] if terms < len(largest) else 0.0
    return Selection.of(
        [np.flatnonzero(column > bar).astype(np.int32) for column in gains.T],
        problem.design.terms,
    )


def gains_of(problem: Problem) -> Floats:
    """The Gini gain of every term for every category; memory is terms × categories."""
    rows = sp.csr_matrix(problem.design.rows, dtype=np.float64)
    present: Csr = rows.sign()
    members = sp.csr_matrix(problem.labels.members, dtype=np.float64)
    both = np.asarray((present.T @ members).todense())
    term = np.asarray(present.sum(axis=0), dtype=np.float64).reshape(-1, 1)
    category = np.asarray(members.sum(axis=0), dtype=np.float64).reshape(1, -1)
    found: Floats = np.abs(gini_gain(Counts(float(rows.shape[0]), category, term, both)))
    return found


# What a reading says in [representation], and how it selects.
READINGS: Mapping[str, tuple[Mapping[str, Any], Select]] = {
    "all terms": ({"min_occurrences": 1}, every),
    "10000 for each category": ({}, for_each),
    "one list for all categories": ({}, one_list),
    "title and body joined": ({"apart": False, "min_occurrences": 1}, for_each),
    "no stop words": ({"analyzer": "letters lower stop(smart) stem(porter)"}, for_each),
    "one gain for all categories": ({}, one_gain),
}


def run_reading(reading: str, settings: Settings) -> CellValues:
    """One row: the methods on the features of one reading."""
    changed, select = READINGS[reading]
    recipes = cast("Mapping[str, dict[str, Any]]", settings["recipes"])
    methods = {method: Recipe.from_dict(recipes[method]) for method in METHODS}
    (representation,) = {recipe.representation for recipe in methods.values()}
    corpus = open_corpus(str(settings["corpus"]))
    problem = problem_of(corpus, replace(representation, **changed))
    found = {}
    for method, recipe in methods.items():
        given = with_strength(recipe, facts_of(settings, method).C)
        step = f"{reading}, {method}"
        value = break_even(problem, given, select, step)
        remark = ""
        if recipe.search is None:
            folded = [break_even(part, given, select, step) for part in parts_of(problem)]
            remark = f"on training documents, {FOLDS} folds: {fmean(folded):.1f}"
        found[STUDY, reading, method] = Measured(value, remark=remark)
    return found


def break_even(problem: Problem, recipe: Recipe, select: Select, step: str) -> float:
    """Micro-averaged break-even point of a recipe on the terms that are selected, in percent."""
    with counted_not_warned():
        fit = recipe.learner().learn(
            problem.design,
            problem.labels,
            selection=select(problem, cast("int", recipe.selection.terms)),
            progress=partial(tell, step),
        )
    return problem.break_even(fit)


def with_strength(recipe: Recipe, strength: float | None) -> Recipe:
    """The recipe with this C in place of its search, or as it is without one."""
    if strength is None:
        return recipe
    return replace(recipe, search=None, learn={**recipe.learn, "C": strength})


def parts_of(problem: Problem) -> Iterator[Problem]:
    """Each fold of the training documents as unseen, the others as learned from."""
    rows, labels = problem.design.rows, problem.labels
    for learned, unseen in make_folds(labels.members, FOLDS, SEED):
        yield Problem(
            Design(rows[learned]),
            labels.of_documents(learned),
            sp.csr_matrix(rows[unseen]),
            labels.of_documents(unseen).members,
        )


def experiments(load: Load) -> list[Experiment]:
    """A reading each."""
    recipes = {method: with_selection(load(RECIPES[method])) for method in METHODS}
    return [
        experiment(
            f"selection, {reading}",
            recipes,
            partial(run_reading, reading),
            (Fill(STUDY, (reading,), METHODS),),
            __name__,
        )
        for reading in READINGS
    ]
