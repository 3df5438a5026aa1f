"""LIBLINEAR itself, called as its own Python package calls it, without that package's detours."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from benchmarks.learning import Floats, Lesson

PACKAGE = "liblinear-official"
ALGORITHMS: Mapping[tuple[str, str], int] = {
    ("modified-squared", "dual"): 1,
    ("modified-squared", "primal"): 2,
    ("hinge", "dual"): 3,
    ("logistic", "dual"): 7,
    ("logistic", "primal"): 0,
}
"""LIBLINEAR's number (``-s``) for a loss and a kind of solver, with a Gaussian prior."""
LASSO = 6
"""Its number for the logistic loss with a Laplace prior."""


def is_installed() -> bool:
    """Return True if LIBLINEAR is installed."""
    return find_spec("liblinear") is not None


class Liblinear:
    """A matrix in LIBLINEAR's own form, made once for all categories.

    Making one is what we call conversion: the values become float64, in an array of 16 bytes for
    each non-zero.
    """

    def __init__(self, matrix: csr_matrix[Any]) -> None:
        from liblinear.liblinear import problem

        targets = np.ones(matrix.shape[0])
        self._problem = problem(targets, csr_matrix(matrix, dtype=np.float64), bias=1.0)
        self._targets = np.ctypeslib.as_array(self._problem.y, (matrix.shape[0],))

    def learn(
        self, signs: Floats, algorithm: int, cost: float = 1.0, tolerance: float | None = None
    ) -> Floats:
        """Train each category; categories × terms and 1. The tolerance is LIBLINEAR's unless given.

        For each category the labels are written in place and ``train`` is called: nothing else
        is left of the Python package.
        """
        from liblinear.liblinear import liblinear, parameter, toPyModel

        stop = "" if tolerance is None else f" -e {tolerance}"
        options = parameter(f"-s {algorithm} -c {cost} -q{stop}")
        _restart_random_numbers()
        weights = np.empty((len(signs), self._problem.n))
        for category, own in enumerate(signs):
            self._targets[:] = own
            model = toPyModel(liblinear.train(self._problem, options))
            weights[category] = np.ctypeslib.as_array(model.w, (self._problem.n,))
            # Labels of +1 and -1 are ordered by LIBLINEAR so that weights speak for +1.
        return weights


def learn_lesson(lesson: Lesson, algorithm: int) -> Floats:
    """Convert and train."""
    return Liblinear(lesson.matrix).learn(lesson.signs(), algorithm)


def _restart_random_numbers() -> None:
    # LIBLINEAR visits documents in an order drawn by the C library: the same in every round.
    ctypes.CDLL(None).srand(1)
