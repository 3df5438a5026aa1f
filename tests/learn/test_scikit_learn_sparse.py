"""Agreement with LIBLINEAR's L1 logistic regression and with SAGA where they minimise the same.

LIBLINEAR minimises ‖w‖₁ + C Σ f(zᵢ) and pays for the constant feature; over nC it is ours with
``C``. SAGA leaves the intercept free, and its elastic net is C Σ f(zᵢ) + r‖w‖₁ + (1-r)/2 ‖w‖²,
which is ours with ``mix`` = r and the same C.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from postil.learn.job import Job
from postil.learn.method import Method
from postil.learn.strength import Regularization

from .samples import TIGHT, problem_of, sample

SOLVER = pytest.mark.parametrize("solver", ["primal-coordinate", "newton-coordinate"])
SHAPE = pytest.mark.parametrize("shape", ["many documents", "many terms", "empty documents"])
STRENGTH = pytest.mark.parametrize("strength", [0.3, 5.0])
CONSTANT = 2.0
SEED = 0


def ours(prior, solver, intercept, shape, strength, mix=None):
    _, _, design, labels = sample(shape)
    options = TIGHT | {"iterations": 20_000}
    method = Method(
        "logistic", prior, solver, Regularization(C=strength), intercept, CONSTANT, options, mix
    )
    found = method.fit(Job(design, labels, quiet=True))
    return method, found.weights[[0]].toarray().ravel(), found.intercepts[0]


def theirs(shape, strength, **settings):
    x, truth, _, _ = sample(shape)
    model = LogisticRegression(C=strength, **settings)
    # On sparse data SAGA moves the intercept by small steps, and stops before it is there.
    model.fit(
        x if settings["solver"] == "saga" else sp.csr_matrix(x), np.where(truth[:, 0], 1.0, -1.0)
    )
    return model.coef_.ravel(), np.ravel(model.intercept_)[0] if model.fit_intercept else 0.0


def assert_same(found, expected, shape, atol):
    method, weights, intercept = found
    x, truth, _, _ = sample(shape)
    problem = problem_of(x, truth[:, 0], method)
    mine = problem.objective(problem.theta(weights, intercept))
    other = problem.objective(problem.theta(expected[0], expected[1]))
    # They stop by other rules: we are never above, nor far below.
    assert mine <= other * (1 + 1e-10)
    assert mine == pytest.approx(other, rel=1e-7)
    np.testing.assert_allclose(weights, expected[0], atol=atol)
    np.testing.assert_allclose(intercept, expected[1], atol=atol)
    large = np.abs(weights) > atol
    np.testing.assert_array_equal(large, np.abs(expected[0]) > atol)
    return large


@SOLVER
@SHAPE
@STRENGTH
def test_lasso_is_liblinear(solver, shape, strength):
    expected = theirs(
        shape,
        strength,
        solver="liblinear",
        l1_ratio=1.0,
        intercept_scaling=CONSTANT,
        tol=1e-12,
        max_iter=10**5,
        random_state=SEED,
    )
    found = ours("laplace", solver, "penalised", shape, strength)
    assert_same(found, expected, shape, 1e-4)


@SOLVER
@SHAPE
def test_lasso_without_intercept_is_liblinear(solver, shape):
    expected = theirs(
        shape,
        1.0,
        solver="liblinear",
        l1_ratio=1.0,
        fit_intercept=False,
        tol=1e-12,
        max_iter=10**5,
        random_state=SEED,
    )
    assert_same(ours("laplace", solver, "none", shape, 1.0), expected, shape, 1e-4)


@SOLVER
@SHAPE
@pytest.mark.parametrize("strength", [1.0, 3.0])
def test_lasso_with_a_free_intercept_is_saga(solver, shape, strength):
    expected = theirs(
        shape, strength, solver="saga", l1_ratio=1.0, tol=1e-8, max_iter=10**5, random_state=SEED
    )
    assert_same(ours("laplace", solver, "free", shape, strength), expected, shape, 1e-3)


@SOLVER
@SHAPE
@pytest.mark.parametrize("mix", [0.2, 0.8])
@pytest.mark.parametrize("intercept", ["none", "free"])
def test_elastic_net_is_saga(solver, shape, mix, intercept):
    expected = theirs(
        shape,
        1.0,
        solver="saga",
        l1_ratio=mix,
        fit_intercept=intercept == "free",
        tol=1e-8,
        max_iter=10**5,
        random_state=SEED,
    )
    assert_same(ours("elastic-net", solver, intercept, shape, 1.0, mix), expected, shape, 1e-3)
