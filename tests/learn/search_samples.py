"""Data and methods that searches for λ are tested with."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

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
