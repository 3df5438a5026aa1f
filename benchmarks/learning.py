"""The problems of the learning benchmarks, and the objectives of their solutions.

Everybody minimises, for every category, exactly

    penalty(w, b) + C Σᵢ loss(yᵢ (w·xᵢ + b))

over the same matrix, where the penalty is ½‖·‖² or ‖·‖₁ and b, the weight of a constant feature,
is in it too: postil's objective with the intercept penalised, times nC, and LIBLINEAR's with
``bias=1``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from benchmarks.categorized import categorized
from postil import TextVectorizer
from postil.learn.fit import LinearFit
from postil.learn.job import Design, Job, Labels
from postil.learn.method import Method
from postil.learn.strength import Regularization

Floats = NDArray[np.float64]

MOST_ITERATIONS = 100_000

LOSSES: Mapping[str, Callable[[Floats], Floats]] = {
    "modified-squared": lambda margins: np.maximum(0.0, 1.0 - margins) ** 2,
    "hinge": lambda margins: np.maximum(0.0, 1.0 - margins),
    "logistic": lambda margins: np.logaddexp(0.0, -margins),
}
PENALTIES: Mapping[str, Callable[[Floats], Floats]] = {
    "gaussian": lambda weights: 0.5 * (weights**2).sum(axis=-1),
    "laplace": lambda weights: np.abs(weights).sum(axis=-1),
}


@dataclass(frozen=True, slots=True)
class Aim:
    """The objective: a loss, a prior and the weight C of the loss."""

    loss: str
    prior: str = "gaussian"
    C: float = 1.0

    def method(self, solver: str, tolerance: float) -> Method:
        """Return the same objective as a method of postil."""
        options = {"tolerance": tolerance, "iterations": MOST_ITERATIONS}
        strength = Regularization(C=self.C)
        return Method(self.loss, self.prior, solver, strength, "penalised", options=options)

    def objectives(self, margins: Floats, weights: Floats) -> Floats:
        """The objective, from yᵢ times the scores and from weights, both on the last axis."""
        lost: Floats = LOSSES[self.loss](margins).sum(axis=-1)
        return PENALTIES[self.prior](weights) + self.C * lost


@dataclass(frozen=True)
class Lesson:
    """Documents as vectors, and which categories they belong to."""

    matrix: csr_matrix[Any]
    labels: Labels

    def signs(self) -> Floats:
        """Categories × documents: +1 for a member, else -1."""
        return np.where(self.labels.members.T.toarray(), 1.0, -1.0)

    def objectives(self, aim: Aim, weights: Floats) -> Floats:
        """The objective of each category; weights are categories × terms, the intercept last."""
        products = self.matrix.astype(np.float64) @ weights[:, :-1].T
        margins = self.signs() * (products + weights[:, -1]).T
        return aim.objectives(margins, weights)

    def of(self, documents: slice, categories: NDArray[Any]) -> Lesson:
        """Some of the documents and categories."""
        names = tuple(self.labels.names[category] for category in categories)
        members = self.labels.members[documents][:, categories]
        return Lesson(self.matrix[documents], Labels(names, csr_matrix(members)))


def reuters_lesson(documents: int | None) -> Lesson:
    """TFxIDF vectors of length 1 of the training documents, for the shared categories."""
    data = categorized(documents)
    matrix = csr_matrix(TextVectorizer().fit_transform(data.training), dtype=np.float32)
    matrix.sort_indices()
    return Lesson(matrix, Labels.of(data.labels, data.categories))


def learn(
    design: Design, labels: Labels, aim: Aim, solver: str, tolerance: float, threads: int = 1
) -> LinearFit:
    """Let postil learn."""
    job = Job(design, labels, threads=threads, quiet=True)
    return aim.method(solver, tolerance).fit(job)


def weights_of(found: LinearFit) -> Floats:
    """Categories × terms, the intercept last."""
    return np.column_stack((found.weights.toarray(), found.intercepts))
