"""Data and methods that searches for λ are tested with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np

from postil.learn.job import Job
from postil.learn.method import BaseMethod
from postil.learn.strength import Strengths

from .samples import design_of, labels_of, planted, sparse_values

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
