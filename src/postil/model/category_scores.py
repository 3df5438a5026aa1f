"""From what the terms of documents add up to, to scores of categories."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from postil.common.types import Floats
from postil.model.model import Model


def rows_of_sums(model: Model, sums: Floats, factors: Floats | None) -> Floats:
    """The score of each row of weights: ``factor(x) (w·x) + b``; factors where there are any."""
    if factors is None:
        return sums + model.intercepts
    return sums * factors[:, np.newaxis] + model.intercepts


def factors_of(model: Model, vectors: sp.csr_matrix[Any]) -> Floats | None:
    """The factor of each document; None where the model has no projection."""
    return None if model.projection is None else model.projection.factors(vectors)


def vector_rows(model: Model, vectors: sp.csr_matrix[Any]) -> Floats:
    """The scores of rows for vectors: documents × rows; linear in the weights they meet."""
    weights = model.weights.T.astype(np.float64)
    sums: Floats = (vectors.astype(np.float64) @ weights).toarray()
    return rows_of_sums(model, sums, factors_of(model, vectors))


def categories_of(model: Model, rows: Floats) -> Floats:
    """Documents × categories, of documents × rows."""
    return rows if model.combination is None else model.combination.combined(rows)
