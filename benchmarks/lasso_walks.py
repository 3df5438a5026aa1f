"""Regularization paths of single categories, with folds: what a search for a strength walks.

Held-out documents count for nothing in postil's fits; the peers get the matrix without them. The
objective, ‖w‖₁ + |b| + C Σ loss over the documents of a fold, is the same for all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.lasso_peers import LassoPeer
from benchmarks.learning import Aim, Floats, Lesson, weights_of
from postil.learn.fit import LinearFit
from postil.learn.job import Design, Job, Labels, SampleWeights
from postil.learn.method import Method
from postil.learn.one_vs_rest import fit_path
from postil.learn.search.folds import make_parts
from postil.learn.strength import Strengths

FOLDS = 5
POINTS = 20
LEAST = 2.0
"""A path is at least so long: C at its end over C at its beginning."""
SEED = 1


@dataclass(frozen=True)
class Walks:
    """The paths of a lesson's categories: one cut into folds, and Cs of points × categories.

    A path goes from the category's strongest useful strength to C = ``last``, evenly by
    logarithms. The cold fit is at the aim's C.
    """

    lesson: Lesson
    design: Design
    aim: Aim
    method: Method
    last: float

    @cached_property
    def costs(self) -> Floats:
        """C at each point of each category."""
        first = self.method.strongest(Job(self.design, self.lesson.labels, threads=1), "C")
        # Of a category of few members, all terms may still rest at the last C.
        return np.geomspace(first, np.maximum(self.last, LEAST * first), POINTS)

    @cached_property
    def folds(self) -> list[NDArray[np.bool_]]:
        """The documents that each fold trains on."""
        part = make_parts(self.lesson.labels, FOLDS, SEED)
        return [part != number for number in range(FOLDS)]

    def of(self, category: int) -> CategoryWalks:
        """The walks of one category."""
        names, members = self.lesson.labels.names, self.lesson.labels.members
        labels = Labels((names[category],), members[:, [category]])
        return CategoryWalks(self, labels, self.costs[:, category])


@dataclass(frozen=True)
class CategoryWalks:
    """One category: its cold fit, its path by postil and by the peers, and their objectives."""

    walks: Walks
    labels: Labels
    costs: Floats

    def cold(self) -> LinearFit:
        """One fit of all documents at the aim's C, from nothing."""
        job = Job(self.walks.design, self.labels, threads=1, quiet=True)
        return self.walks.method.fit(job)

    def path(self, method: Method | None = None) -> list[tuple[LinearFit, ...]]:
        """The path of every fold, by postil."""
        strengths = Strengths("C", self.costs[:, None])
        return [
            fit_path(
                Job(
                    self.walks.design,
                    self.labels,
                    sample_weights=SampleWeights(documents=fold.astype(np.float64)),
                    strengths=strengths,
                    threads=1,
                ),
                method or self.walks.method,
            )
            for fold in self.walks.folds
        ]

    def path_of(self, peer: LassoPeer) -> Callable[[float], Floats]:
        """The same by a peer, for a tolerance; its matrices are made here."""
        signs = self.signs
        data: list[tuple[Any, Floats]] = [
            (peer.matrix(self.walks.lesson.matrix[fold]), signs[fold]) for fold in self.walks.folds
        ]
        costs = self.costs
        return lambda tolerance: np.stack(
            [peer.walk(matrix, own, costs, tolerance) for matrix, own in data]
        )

    @cached_property
    def signs(self) -> Floats:
        """+1 for a member, else -1."""
        return np.where(self.labels.members.toarray()[:, 0], 1.0, -1.0)

    def objectives(self, weights: Floats) -> Floats:
        """Folds × points, for weights of folds × points × terms, the intercept last."""
        matrix = self.walks.lesson.matrix.astype(np.float64)
        found = np.empty(weights.shape[:2])
        for fold, documents in enumerate(self.walks.folds):
            scores = matrix[documents] @ weights[fold, :, :-1].T + weights[fold, :, -1]
            margins = (self.signs[documents, None] * scores).T
            for point, cost in enumerate(self.costs):
                aim = replace(self.walks.aim, C=float(cost))
                found[fold, point] = aim.objectives(margins[point], weights[fold, point])
        return found


def stacked(path: list[tuple[LinearFit, ...]]) -> Floats:
    """Weights of folds × points × terms, the intercept last, of one category."""
    return np.stack([[weights_of(point)[0] for point in fold] for fold in path])
