"""Corpora to learn from and to be examined on: vectors of both sides, and what was learned."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.common.progress import no_progress
from postil.corpus.document import Document
from postil.corpus.opening import open_corpus
from postil.decide import fit_rule, parse_rule
from postil.decide.scores import Needs
from postil.evaluate.counts import count
from postil.evaluate.measures import Aimed, aimed
from postil.learn.job import Design, Labels
from postil.learn.merit.naming import figure_named
from postil.recipes.recipe import Recipe, load_recipe
from postil.train.choice import Standing, standing
from postil.train.reading import read_training
from postil.train.run import LearningSpace, TrainingRun
from postil.vectors.vectorizer import Vectorizer

BASE = "default"


@dataclass(frozen=True, eq=False)
class Exam:
    """Training documents as vectors of the recipe ``default``, and test documents as the same."""

    recipe: Recipe
    design: Design
    labels: Labels
    test: sp.csr_matrix[Any]
    truth: sp.csr_matrix[Any]

    @classmethod
    def of(cls, name: str, documents: int | None) -> Exam:
        """Read at most so many documents of each side of a corpus."""
        corpus = open_corpus(name)
        train, test = (islice(corpus.only(side), documents) for side in ("train", "test"))
        recipe, vectors = read_training(train, load_recipe(BASE), corpus=name)
        matrix, truth = _vectors_of(list(test), vectors.vectorizer, vectors.labels)
        return cls(recipe, Design(vectors.matrix), vectors.labels, matrix, truth)

    @cached_property
    def shared(self) -> NDArray[Any]:
        """The categories that have test documents, too: those that are measured."""
        return np.flatnonzero(np.asarray(self.truth.sum(axis=0)).ravel())

    def measured(self, accepted: NDArray[Any], measure: str) -> Aimed:
        """Return the measure of test decisions, as ``postil evaluate`` reports it."""
        return aimed(count(self.truth, sp.csr_matrix(accepted)).of(self.shared), measure)

    def rule(self, measure: str) -> str:
        """The rule that ``postil train --for`` tunes."""
        return self.recipe.aimed_at(measure).decide.rule


def _vectors_of(
    documents: list[Document], vectorizer: Vectorizer, labels: Labels
) -> tuple[sp.csr_matrix[Any], sp.csr_matrix[Any]]:
    place = {name: column for column, name in enumerate(labels.names)}
    truth = np.zeros((len(documents), len(place)), dtype=bool)
    for row, document in enumerate(documents):
        truth[row, [place[label] for label in document.labels if label in place]] = True
    columns = vectorizer.fields.columns_of(documents)
    return vectorizer.transform_columns(columns), sp.csr_matrix(truth)


class Learned:
    """One learner on an exam: its scores of test documents, and its scores out of fold.

    Each is learned when it is first asked for, and what that took is noted.
    """

    def __init__(self, exam: Exam, learn: Mapping[str, Any]) -> None:
        decide = replace(exam.recipe.decide, calibration=None)
        recipe = replace(exam.recipe, learn=dict(learn), search=None, decide=decide)
        self.exam = exam
        self.run = TrainingRun(
            recipe, LearningSpace(exam.design), exam.labels, None, 0, no_progress
        )
        self.seconds: dict[str, float] = {}

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """Scores of the test documents by a fit to all training documents."""
        with self._noted("all"):
            return self.run.learn().scores(self.exam.test)

    def accepted(self, rule: str) -> NDArray[np.bool_]:
        """Decisions on the test documents; what is tuned is tuned on training documents."""
        evidence = None
        if parse_rule(rule).needs is Needs.OUT_OF_FOLD:
            self._learn_folds()
            evidence = self.run.out_of_fold()
        return fit_rule(rule, evidence, self.exam.labels.members).accept(self.scores)

    def standing(self, measure: str) -> Standing:
        """Return the held-out values of ``postil train --for``."""
        self._learn_folds()
        decide = replace(self.run.recipe.decide, rule=self.exam.rule(measure))
        self.run.recipe = replace(self.run.recipe, decide=decide)
        return standing(self.run, figure_named(measure))

    def _learn_folds(self) -> None:
        if "folds" not in self.seconds:
            with self._noted("folds"):
                self.run.out_of_fold()

    @contextmanager
    def _noted(self, what: str) -> Iterator[None]:
        begun = time.perf_counter()
        yield
        self.seconds[what] = time.perf_counter() - begun


class Learners:
    """Train on an exam with a ``[learn]`` table."""

    def __init__(self, exam: Exam) -> None:
        self.exam = exam
        self._known: dict[str, Learned] = {}

    def __getitem__(self, learn: Mapping[str, Any]) -> Learned:
        key = repr(sorted(learn.items()))
        if key not in self._known:
            self._known[key] = Learned(self.exam, learn)
        return self._known[key]
