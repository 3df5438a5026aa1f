"""Data and methods for tests of searches for λ."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np

from postil.learn.job import Job, SampleWeights
from postil.learn.method import BaseMethod
from postil.learn.strength import Strengths

from ..samples import design_of, labels_of, planted, sparse_values

HINGE = ("hinge", "gaussian", "dual-coordinate", "penalised")
LOGISTIC = ("logistic", "gaussian", "dual-coordinate", "penalised")
SQUARED = ("squared", "gaussian", "dual-coordinate", "penalised")
PRIMAL = ("logistic", "gaussian", "primal-coordinate", "penalised")
LASSO = ("logistic", "laplace", "primal-coordinate", "penalised")
NET = ("logistic", "elastic-net", "primal-coordinate", "penalised")
GRID = (1e-3, 1.0, 1e-1)


def searched_data():
    rng = np.random.default_rng(5)
    x = sparse_values(rng, 80, 30)
    truth = planted(rng, x, categories=3, noise=2.0)
    return SimpleNamespace(x=x, truth=truth, design=design_of(x), labels=labels_of(truth))


def held_out_scores(data, method, lam, part, documents=None, selection_of=None):
    """Cold fits on copies of the training rows."""
    scores = np.full(data.truth.shape, np.nan)
    for fold in range(part.max() + 1):
        held = part == fold
        rows = np.flatnonzero((part >= 0) & ~held)
        weights = None if documents is None else documents[rows]
        result = method.fit(
            Job(
                design_of(data.x[rows]),
                labels_of(data.truth[rows]),
                selection=None if selection_of is None else selection_of(rows),
                strengths=Strengths("lam", np.full(data.truth.shape[1], lam)),
                sample_weights=SampleWeights(weights),
            )
        )
        scores[held] = result.scores(data.design.rows[np.flatnonzero(held)])
    return scores


@dataclass(frozen=True, eq=False)
class Searched:
    """A method and the job that its strengths are searched for."""

    method: BaseMethod
    job: Job

    def but(self, **changes) -> Searched:
        return Searched(self.method, replace(self.job, **changes))

    def strongest(self, way="lam"):
        return self.method.strongest(self.job, way)

    def cold(self, way, values):
        return self.method.fit(replace(self.job, strengths=Strengths(way, values), quiet=True))
