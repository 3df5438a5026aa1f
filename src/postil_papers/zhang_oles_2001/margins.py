"""Figure 5: margins y(w·x) of the training documents, for the largest category of Reuters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from postil.corpus.document import Document
from postil.corpus.opening import open_corpus
from postil.learn.job import Job
from postil.recipes.recipe import Recipe, load_recipe
from postil_papers.experiment import (
    CellValues,
    Experiment,
    Fill,
    Settings,
    by_name,
    corpus_fingerprint,
)
from postil_papers.plotting import histogram_cells
from postil_papers.zhang_oles_2001.methods import RECIPES, code_of
from postil_papers.zhang_oles_2001.problem import problem_of

CORPUS = "reuters-modapte"
CATEGORY = "earn"
METHODS = ("Lin Reg", "Mod Least Squares")
WIDTH = 0.1  # of a bin


def run_margins(settings: Settings) -> CellValues:
    """Learn the category by both methods, as the recipes say, and count the margins."""
    corpus, category = str(settings["corpus"]), str(settings["category"])
    recipes = cast("dict[str, dict[str, Any]]", settings["recipes"])
    samples = {
        method: margins(open_corpus(corpus), Recipe.from_dict(recipe), category)
        for method, recipe in recipes.items()
    }
    return histogram_cells("figure5", samples, cast("float", settings["width"]))


def margins(documents: Iterable[Document], recipe: Recipe, category: str) -> NDArray[np.float64]:
    """y(w·x + b) of every training document, y = 1 in the category and -1 elsewhere."""
    learned = (document for document in documents if document.split != "test")
    problem = problem_of(_only(learned, category), recipe.representation)
    terms = recipe.selection.terms
    selection = None if terms is None else problem.selection(terms)
    fit = recipe.method().fit(Job(problem.design, problem.labels, selection))
    scores = fit.scores(problem.design.rows)[:, 0]
    inside = problem.labels.members.toarray()[:, 0]
    return np.where(inside, scores, -scores)


def _only(documents: Iterable[Document], category: str) -> Iterator[Document]:
    """Documents with no other label than this."""
    for document in documents:
        yield replace(document, labels=tuple(x for x in document.labels if x == category))


EXPERIMENTS = by_name(
    Experiment(
        name=f"margins of {CATEGORY}",
        run=run_margins,
        fills=(Fill("figure5", rows=METHODS),),
        code=code_of(__name__),
        settings={
            "corpus": CORPUS,
            "category": CATEGORY,
            "width": WIDTH,
            "recipes": {
                method: replace(load_recipe(RECIPES[method]), expect=()).to_dict()
                for method in METHODS
            },
        },
        data=partial(corpus_fingerprint, CORPUS),
    )
)
