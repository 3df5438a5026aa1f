"""Figures 2 and 3: eight parameters as the variance of their prior varies.

The paper does not tell its data set. Here it is one category of ModApte, with the eight terms
that chi-square ranks first for it; test documents have no part in any of it. The recipes of ridge
and lasso say how texts become vectors and what is minimised; the prior variance is the figure's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.corpus.document import Document
from postil.features.select import select_terms
from postil.features.selection import Selection
from postil.learn.job import Design, Job, Labels
from postil.model.description import column_name
from postil.recipes.parts import Representation
from postil.recipes.recipe import Recipe
from postil.vectors.rows import RowFacts, chunks_of
from postil_papers.cells import Json
from postil_papers.experiment import (
    CellValues,
    Experiment,
    Fill,
    Settings,
    corpus_fingerprint,
    counted_not_warned,
    tell,
)
from postil_papers.genkin_lewis_madigan_2004.collections import MODAPTE, corpus_of
from postil_papers.genkin_lewis_madigan_2004.methods import EXACT, Load, code_of, with_variance
from postil_papers.paper import axis_column

CATEGORY = "grain"
TERMS = 8
MEASURE = "chi-square"
CHUNK = 4096
# A quarter of a power of ten apart, with four digits: columns that can be read.
VARIANCES = tuple(float(f"{10 ** (place / 4):.4g}") for place in range(-16, 17))

# The figures, and the methods whose priors they draw.
FIGURES = {"figure2": "ridge", "figure3": "lasso"}


@dataclass(frozen=True, slots=True, eq=False)
class FewTerms:
    """Training documents, the members of one category, and the terms it is learned from."""

    design: Design
    labels: Labels
    selection: Selection
    terms: tuple[str, ...]


def run_path(figure: str, settings: Settings) -> CellValues:
    """The parameters of the terms at each variance."""
    recipe = Recipe.from_dict(cast("dict[str, Any]", settings["recipe"]))
    learned = (document for document in corpus_of(settings) if document.split != "test")
    problem = few_terms(learned, recipe.representation, str(settings["category"]))
    variances = cast("Sequence[float]", settings["variances"])
    weights = path(problem, recipe, variances)
    return {
        (figure, term, axis_column(variance)): float(weights[at, place])
        for at, variance in enumerate(variances)
        for place, term in enumerate(problem.terms)
    }


def few_terms(
    documents: Iterable[Document], representation: Representation, category: str
) -> FewTerms:
    """Make vectors of documents, and select the terms of the category; one pass over them."""
    vectorizer = representation.vectorizer()
    facts = RowFacts()
    chunks = chunks_of(_only(documents, category), vectorizer.fields, CHUNK, facts)
    matrix = vectorizer.fit_transform_chunks(chunks)
    labels = Labels(tuple(facts.categories), facts.indicator().astype(bool))
    members = sp.csr_matrix(labels.members, dtype=np.float32)
    selection = select_terms(matrix, members, measure=MEASURE, k=TERMS)
    terms = tuple(column_name(vectorizer, int(term)) for term in selection[0])
    return FewTerms(Design(matrix), labels, selection, terms)


def path(problem: FewTerms, recipe: Recipe, variances: Sequence[float]) -> NDArray[np.float64]:
    """Weights at each variance, variances × terms; a fit of the few terms for each variance."""
    found = []
    for at, variance in enumerate(variances):
        method = with_variance(recipe, variance).method()
        with counted_not_warned():
            fit = method.fit(Job(problem.design, problem.labels, problem.selection))
        found.append(fit.weights[0, problem.selection[0]].toarray()[0])
        tell("path", at + 1, len(variances))
    return np.array(found)


def _only(documents: Iterable[Document], category: str) -> Iterator[Document]:
    """Documents with no other label than this."""
    for document in documents:
        yield replace(document, labels=tuple(x for x in document.labels if x == category))


def experiments(load: Load) -> list[Experiment]:
    """A path for each prior."""
    return [
        Experiment(
            name=f"{MODAPTE.name}, path of {method}",
            run=partial(run_path, figure),
            fills=(Fill(figure),),
            code=code_of(__name__),
            settings=_settings(load(EXACT[method])),
            data=partial(corpus_fingerprint, MODAPTE.corpus),
        )
        for figure, method in FIGURES.items()
    ]


def _settings(recipe: Recipe) -> dict[str, Json]:
    return {
        "corpus": MODAPTE.corpus,
        "choices": dict(MODAPTE.choices),
        "category": CATEGORY,
        "variances": list(VARIANCES),
        "recipe": replace(MODAPTE.read_by(recipe), expect=()).to_dict(),
    }
