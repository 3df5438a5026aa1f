"""Section 5.2: how many distinct terms the texts of a collection have.

These counts are what tells whether texts are cut as the paper's were, before anything is learned.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, cast

from postil.corpus.document import Document
from postil.recipes.recipe import Recipe
from postil.text.analyzer import Analyzer
from postil_papers.experiment import CellValues, Experiment, Fill, Settings
from postil_papers.genkin_lewis_madigan_2004.collections import COLLECTIONS, corpus_of
from postil_papers.genkin_lewis_madigan_2004.methods import RECIPES, Load
from postil_papers.genkin_lewis_madigan_2004.plugging import experiment

TABLE = "terms"
TRAINING, ALL = "in training documents", "in all"


def run_terms(collection: str, settings: Settings) -> CellValues:
    """Count the terms of a collection; every method reads it alike, so that one tells."""
    recipes = cast("dict[str, dict[str, Any]]", settings["recipes"])
    recipe = Recipe.from_dict(recipes["SVM"])
    training, every = distinct(corpus_of(settings), recipe)
    return {
        (TABLE, collection, TRAINING): float(len(training)),
        (TABLE, collection, ALL): float(len(every)),
    }


def distinct(documents: Iterable[Document], recipe: Recipe) -> tuple[set[str], set[str]]:
    """The terms of documents not marked test, and of all; one pass, memory for the terms alone."""
    analyzer = Analyzer(recipe.representation.analyzer)
    training: set[str] = set()
    testing: set[str] = set()
    for document in documents:
        terms = testing if document.split == "test" else training
        for field in recipe.representation.fields:
            terms.update(analyzer.tokens(document.fields.get(field, "")))
    return training, training | testing


def experiments(load: Load) -> list[Experiment]:
    """One for each collection."""
    recipes = {"SVM": load(RECIPES["SVM"])}
    return [
        experiment(
            "terms",
            collection,
            recipes,
            partial(run_terms, collection.name),
            (Fill(TABLE, (collection.name,), (TRAINING, ALL)),),
            __name__,
        )
        for collection in COLLECTIONS
    ]
