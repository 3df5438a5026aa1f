"""The run harness of the papers: read a corpus, make vectors, learn by a recipe, measure.

A paper declares its collections, its recipes and its cells; this module does the work in between.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from postil.common.progress import StepProgress
from postil.common.types import Indices
from postil.corpus.document import Document
from postil.errors import UsageError
from postil.evaluate import Options, break_even_points
from postil.features.inputs import Csr
from postil.features.selection import Selection
from postil.learn.fit import LinearFit, NotConvergedWarning
from postil.learn.job import Design, Job, Labels
from postil.learn.strength import Regularization
from postil.model.model import Model
from postil.recipes.parts import Representation
from postil.recipes.recipe import Recipe
from postil.train.assess import Assessment, CategorySet, assessment
from postil.train.train import train
from postil.vectors.rows import RowFacts, chunks_of
from postil.vectors.vectorizer import Vectorizer
from postil_papers.experiment import Measured

CHUNK = 4096  # documents that are made into vectors at a time
TOP_TEN = (
    "earn",
    "acq",
    "money-fx",
    "grain",
    "crude",
    "trade",
    "interest",
    "ship",
    "wheat",
    "corn",
)
"""The ten categories of Reuters with the most training documents, as tables print them."""

_PROGRESS: ContextVar[StepProgress | None] = ContextVar("progress", default=None)


def report(step: str, done: int, total: int | None) -> None:
    """Report the progress of an experiment's step; it is no setting, because it changes nothing."""
    progress = _PROGRESS.get()
    if progress is not None:
        progress(step, done, total)


def reporting(title: str) -> StepProgress:
    """Return a progress function that puts a title before every step."""
    return lambda step, done, total: report(f"{title}, {step}", done, total)


@contextmanager
def progress_to(progress: StepProgress) -> Iterator[None]:
    """Send what experiments report in this block to a progress function."""
    token = _PROGRESS.set(progress)
    try:
        yield
    finally:
        _PROGRESS.reset(token)


@contextmanager
def quiet_fits() -> Iterator[None]:
    """Ignore warnings of fits that stop early: a remark of the experiment counts them instead."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        yield


def trained(
    documents: Iterable[Document],
    recipe: Recipe,
    *,
    corpus: str = "",
    seed: int = 0,
    title: str = "",
    categories: CategorySet = "all",
    options: Options | None = None,
) -> tuple[Model, Assessment]:
    """Train a recipe on the training documents and assess it on the test documents.

    Parameters
    ----------
    documents:
        Documents of both splits; they are walked twice.
    recipe:
        The recipe to train.
    corpus:
        Name for messages and for the model's report.
    seed:
        Seed of the folds of the recipe's search.
    title:
        Text before every step of the reported progress.
    categories, options:
        Passed on to ``assessment``.
    """
    progress = reporting(title) if title else report
    with quiet_fits():
        model = train(documents, recipe, corpus=corpus, seed=seed, progress=progress)
    return model, assessment(
        model,
        (document for document in documents if document.split == "test"),
        corpus=corpus,
        categories=categories,
        options=options,
        progress=progress,
    )


def stopped_early(reports: Sequence[Any]) -> int:
    """Return the number of fits that ended before they had converged."""
    return sum(
        (each.get("stopped") if isinstance(each, Mapping) else each.stopped) == "iterations"
        for each in reports
    )


def with_strength(recipe: Recipe, **strength: Any) -> Recipe:  # noqa: ANN401 - lam, C, …
    """Return a recipe with this strength of regularization, or none, instead of its own."""
    names = {each.name for each in fields(Regularization)}
    learn = {name: value for name, value in recipe.learn.items() if name not in names}
    return replace(recipe, learn={**learn, **strength}, search=None)


@dataclass(frozen=True, eq=False)
class Problem:
    """Training documents to learn from and test documents to measure on, as vectors.

    ``truth`` holds the memberships of the test documents in the categories of all documents.
    """

    design: Design
    labels: Labels
    unseen: Csr
    truth: Csr

    def only(self, category: str) -> Problem:
        """Return the problem of one category; documents of the others are all outside it."""
        if category not in self.labels.names:
            raise UsageError(f"no document is in {category}")
        place = self.labels.names.index(category)
        members = sp.csr_matrix(self.labels.members[:, [place]], dtype=bool)
        truth = sp.csr_matrix(self.truth[:, [place]], dtype=bool)
        return replace(self, labels=Labels((category,), members), truth=truth)

    def part(self, learned: Indices, unseen: Indices) -> Problem:
        """Return a problem within the training documents: some to learn from, some to test on."""
        rows = self.design.rows
        return Problem(
            Design(rows[learned]),
            self.labels.of_documents(learned),
            sp.csr_matrix(rows[unseen]),
            self.labels.of_documents(unseen).members,
        )

    def selection(self, recipe: Recipe) -> Selection | None:
        """Return the terms that the recipe selects on the training documents; None for all."""
        return recipe.selection.chosen(self.design.rows, self.labels.members)

    def learn(
        self,
        recipe: Recipe,
        selection: Selection | None = None,
        **options: Any,  # noqa: ANN401 - fields of the job
    ) -> LinearFit:
        """Learn from the training documents as the recipe's ``[learn]`` says."""
        with quiet_fits():
            return recipe.method().fit(Job(self.design, self.labels, selection, **options))

    def break_even(self, fit: LinearFit) -> float:
        """Return the micro-averaged break-even point on the test documents, in percent."""
        return 100 * break_even_points(self.truth, fit.scores(self.unseen)).micro


@dataclass(frozen=True, eq=False)
class Vectors:
    """Documents as vectors over the terms of the training documents."""

    matrix: Csr
    labels: Labels
    learned: Indices
    tested: Indices
    vectorizer: Vectorizer

    def problem(self, matrix: Csr | None = None, learned: Indices | None = None) -> Problem:
        """Return the problem of all training documents or some, perhaps with other columns."""
        matrix = self.matrix if matrix is None else matrix
        learned = self.learned if learned is None else learned
        return Problem(
            Design(matrix[learned]),
            self.labels.of_documents(learned),
            matrix[self.tested],
            self.labels.of_documents(self.tested).members,
        )


def vectors_of(documents: Iterable[Document], representation: Representation) -> Vectors:
    """Make vectors of documents in one pass."""
    vectorizer = representation.vectorizer()
    facts = RowFacts()
    matrix = vectorizer.fit_transform_chunks(chunks_of(documents, vectorizer.fields, CHUNK, facts))
    labels = Labels(tuple(facts.categories), facts.indicator().astype(bool))
    tested = np.array([split == "test" for split in facts.splits], dtype=bool)
    return Vectors(matrix, labels, np.flatnonzero(~tested), np.flatnonzero(tested), vectorizer)


def training(documents: Iterable[Document], category: str | None = None) -> Iterator[Document]:
    """Yield the documents not marked test, with no other label than ``category`` if it is given."""
    for document in documents:
        if document.split != "test":
            own = (label for label in document.labels if category in (None, label))
            yield replace(document, labels=tuple(own))


def random_order(count: int, seed: int) -> list[int]:
    """Return the numbers below ``count`` in a random order that is the same in every Python."""
    chance = random.Random(seed)
    # Of a seeded generator only random() promises the same numbers in every Python.
    return [place for _, place in sorted((chance.random(), place) for place in range(count))]


def remarked(values: Mapping[tuple[str, str, str], float], *remarks: str) -> dict[Any, Measured]:
    """Return cells with the remarks of the runs behind them, each once."""
    remark = "; ".join(dict.fromkeys(filter(None, remarks)))
    return {key: Measured(float(value), remark=remark) for key, value in values.items()}


def grid_remark(measure: str, strength: str, values: Iterable[tuple[float, float | None]]) -> str:
    """Return the cross-validated values of a grid of strengths as a remark."""
    shown = ", ".join(
        f"{place:g}: {'undefined' if value is None else f'{100 * value:.1f}'}"
        for place, value in values
    )
    return f"cross-validated {measure} by {strength}: {shown}"
