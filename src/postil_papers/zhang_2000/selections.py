"""A study of table 1: what its 10000 features may have been.

Not in the paper, which says no more than that 10000 features are selected. Each row is another
reading of its words, with the C that table 1's run has found, beside table 1's micro-average over
all categories:

- one gain for all categories, as in table 1: each keeps the terms above a bar that is as low as it
  can be with no category keeping more than 10000 (:mod:`postil.features.scopes`);
- the same with a bar above which there are 10000 terms in all, whatever the category;
- the 10000 best for each category: hardly a selection where there are 12000 terms, and a small
  category is left with every word it has and all frequent ones besides;
- one list for all categories, by the sum of their gains, as Yang and Pedersen's criterion is;
- all terms, rare ones included, as in table 2;
- as in table 1, with title and body joined and rare words kept;
- as in table 1, without stop words.

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

from postil.common.types import Floats
from postil.corpus.opening import open_corpus
from postil.decide import make_folds
from postil.features.select import term_scores
from postil.features.selection import Selection
from postil.learn.job import Design, Job
from postil.recipes.parts import TermSelection
from postil.recipes.recipe import Recipe
from postil_papers.cells import Measured
from postil_papers.experiment import (
    CellValues,
    Experiment,
    Fill,
    Settings,
    counted_not_warned,
    tell,
)
from postil_papers.zhang_2000.methods import RECIPES, Load, with_selection
from postil_papers.zhang_2000.runs import experiment, facts_of
from postil_papers.zhang_oles_2001.problem import Problem, problem_of

STUDY = "table1-selection"
FOLDS = 5
SEED = 0
METHODS = ("Perceptron", "SVM", "UWin", "LM-UWin")

Select: TypeAlias = "Callable[[Problem, TermSelection], Selection | None]"


def every(problem: Problem, said: TermSelection) -> Selection | None:  # noqa: ARG001 - as the others
    """All terms."""
    return None


def as_said(problem: Problem, said: TermSelection) -> Selection | None:
    """As the recipe says."""
    return said.chosen(problem.design.rows, problem.labels.members)


def for_each(problem: Problem, said: TermSelection) -> Selection | None:
    """Each category's best terms."""
    return as_said(problem, replace(said, scope="category"))


def in_all(problem: Problem, said: TermSelection) -> Selection | None:
    """The terms of each category above a gain that so many terms have for one category or more."""
    highest = np.sort(gains_of(problem, said).max(axis=0))[::-1]
    terms = cast("int", said.terms)
    bar = highest[terms] if terms < len(highest) else -np.inf
    over = float(np.nextafter(bar, np.inf))
    return as_said(problem, replace(said, terms=None, threshold=over, scope="category"))


def one_list(problem: Problem, said: TermSelection) -> Selection:
    """The same terms for all categories: those whose gains add up to most."""
    ranked = np.argsort(-gains_of(problem, said).sum(axis=0), kind="stable")
    kept = np.sort(ranked[: said.terms]).astype(np.int32)
    return Selection.of([kept] * len(problem.labels), problem.design.terms)


def gains_of(problem: Problem, said: TermSelection) -> Floats:
    """The gain of every term for every category; memory is categories × terms."""
    members = sp.csr_matrix(problem.labels.members, dtype=np.float32)
    return term_scores(problem.design.rows, members, cast("str", said.measure))


# What a reading says in [representation], and how it selects.
READINGS: Mapping[str, tuple[Mapping[str, Any], Select]] = {
    "one gain for all categories": ({}, as_said),
    "one gain, 10000 terms in all": ({}, in_all),
    "10000 for each category": ({}, for_each),
    "one list for all categories": ({}, one_list),
    "all terms": ({"min_occurrences": 1}, every),
    "title and body joined": ({"apart": False, "min_occurrences": 1}, as_said),
    "no stop words": ({"analyzer": "letters lower stop(smart) stem(porter)"}, as_said),
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
        job = Job(
            problem.design,
            problem.labels,
            selection=select(problem, recipe.selection),
            progress=partial(tell, step),
        )
        fit = recipe.method().fit(job)
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
