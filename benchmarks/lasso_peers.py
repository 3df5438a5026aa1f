"""Other solvers of logistic regression with a Laplace prior, on exactly the same problem.

They get a constant column in place of an intercept of their own, which most of them do not have or
do not penalise. The saga of scikit-learn is not among them: in the time of the slowest of these it
comes within a tenth of the least objective at best.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy.sparse import csc_matrix, csr_matrix, hstack

from benchmarks.learning import Floats

Walk = Callable[[Any, Floats, Floats, float], Floats]
"""Learn with one C after the other: matrix, signs, Cs, tolerance; Cs × columns, 1 thread."""


@dataclass(frozen=True, slots=True)
class LassoPeer:
    """A package, the form of matrix it works on, and how it learns one category."""

    package: str
    form: Callable[[Any], Any]
    walk: Walk

    def is_installed(self) -> bool:
        """Return True if it is installed."""
        return find_spec(self.package) is not None

    def warm_up(self) -> None:
        """Let it compile what it compiles, on four documents."""
        pattern: Any = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9]])
        matrix = self.matrix(csr_matrix(pattern, dtype=np.float32))
        self.walk(matrix, np.array([1.0, 1.0, -1.0, -1.0]), np.array([1.0, 10.0]), 1e-2)

    def matrix(self, matrix: csr_matrix[Any]) -> Any:
        """The matrix in float64 with a constant column, in the peer's own form."""
        constant = csr_matrix(np.ones((matrix.shape[0], 1)))
        return self.form(hstack([matrix.astype(np.float64), constant]))

    def learn(self, matrix: Any, signs: Floats, cost: float, tolerance: float) -> Floats:
        """Learn all categories with one C; categories × terms, the constant last."""
        costs = np.array([cost])
        return np.vstack([self.walk(matrix, own, costs, tolerance) for own in signs])


@contextmanager
def _without_warnings() -> Iterator[None]:
    # How near the optimum somebody comes is in the table.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _scikit_learn(matrix: Any, signs: Floats, costs: Floats, tolerance: float) -> Floats:
    from sklearn.linear_model import LogisticRegression

    found = []
    for cost in costs:
        estimator = LogisticRegression(
            C=cost,
            l1_ratio=1.0,
            solver="liblinear",
            tol=tolerance,
            fit_intercept=False,
            max_iter=1000,
            random_state=1,
        )
        with _without_warnings():
            found.append(estimator.fit(matrix, signs).coef_[0])
    return np.vstack(found)


def _celer(matrix: Any, signs: Floats, costs: Floats, tolerance: float) -> Floats:
    from celer import celer_path

    with _without_warnings():
        _, weights, _ = celer_path(
            matrix, signs, "logreg", alphas=1 / costs, tol=tolerance, max_iter=100, use_PN=True
        )
    found: Floats = np.asarray(weights).T
    return found


def _skglm(matrix: Any, signs: Floats, costs: Floats, tolerance: float) -> Floats:
    from skglm import SparseLogisticRegression

    estimator = SparseLogisticRegression(
        tol=tolerance, max_iter=100, fit_intercept=False, warm_start=True
    )
    found = []
    for cost in costs:
        estimator.alpha = 1 / (len(signs) * cost)
        with _without_warnings():
            found.append(np.array(estimator.fit(matrix, signs).coef_[0]))
    return np.vstack(found)


PEERS: Mapping[str, LassoPeer] = {
    "scikit-learn liblinear": LassoPeer("sklearn", csr_matrix, _scikit_learn),
    "celer": LassoPeer("celer", csc_matrix, _celer),
    "skglm": LassoPeer("skglm", csc_matrix, _skglm),
}


def absent() -> str:
    """A sentence on the peers that are not installed; empty if all are."""
    names = [name for name, peer in PEERS.items() if not peer.is_installed()]
    packages = " ".join(PEERS[name].package for name in names)
    return f"Absent: {' and '.join(names)} (pip install {packages})." if names else ""
