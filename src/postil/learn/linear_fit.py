"""What learning gives: the weights of all categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.learn.combining import Combination
from postil.learn.report import FitReport
from postil.vectors.matrices import check_indices

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class LinearFit:
    """Weights of all categories, and how they came to be.

    ``weights`` is categories × terms; a category's score for a document x is
    ``weights[c] @ x + intercepts[c]``. ``starts``, where they were to be kept, let a fit with
    another λ begin where this one ended. ``variances``, of the entries of ``weights``, and
    ``intercept_variances`` are there where the posterior was asked for
    (:mod:`postil.learn.posterior`). ``units``, one for each category, are those of weights learned
    by factors: w = unit (exp θ - exp -θ), or unit exp θ where weights are positive. Where there is
    a ``combination``, rows of ``weights`` and ``intercepts`` are its rows, and it makes the scores
    of categories of theirs.
    """

    names: tuple[str, ...]
    weights: sp.csr_matrix[Any]
    intercepts: Floats
    reports: tuple[FitReport, ...]
    starts: tuple[Floats, ...] = ()
    variances: sp.csr_matrix[Any] | None = None
    intercept_variances: Floats | None = None
    units: Floats | None = None
    combination: Combination | None = None

    def scores(self, matrix: Any) -> Floats:  # noqa: ANN401 - any scipy sparse matrix
        """Scores of documents: documents × categories."""
        check_indices(matrix, "documents")
        linear: Floats = np.asarray((matrix @ self.weights.T).todense()) + self.intercepts
        return linear if self.combination is None else self.combination.combined(linear)
