"""Agreement with scikit-learn, LIBLINEAR and LIBSVM where they minimise the same objective.

Ours is (1/n) Σ cᵢ f(zᵢ) + λ‖w‖²; over 2λ it is theirs, ½‖w‖² + C Σ cᵢ f(zᵢ), with C = 1/(2λn).
LIBLINEAR regularises the intercept as the weight of a feature of value ``intercept_scaling``, our
``constant``; the L-BFGS of scikit-learn and LIBSVM leave it free. Ridge minimises
‖y - Xw‖² + α‖w‖², n times ours, with α = λn, since (y - s)² = (1 - ys)² for y in {-1, +1}.

With L1, LIBLINEAR minimises ‖w‖₁ + C Σ f(zᵢ) and pays for the constant feature; over nC it is ours
with ``C``. SAGA leaves the intercept free, and its elastic net is
C Σ f(zᵢ) + r‖w‖₁ + (1-r)/2 ‖w‖², which is ours with ``mix`` = r and the same C.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.svm import SVC, LinearSVC

from postil.learn.job import Job, SampleWeights
from postil.learn.method import Method
from postil.learn.strength import Regularization

from .samples import EVERY, TIGHT, lambda_of, method_of, problem_of, sample

SHAPE = pytest.mark.parametrize("shape", ["many documents", "many terms", "duplicates"])
STRENGTH = pytest.mark.parametrize("strength", [0.1, 5.0])
CONSTANT = 2.0
CLASSES = (3.0, 0.5)
SOLVER = pytest.mark.parametrize("solver", ["primal-coordinate", "newton-coordinate"])
L1_SHAPE = pytest.mark.parametrize("shape", ["many documents", "many terms", "empty documents"])
L1_STRENGTH = pytest.mark.parametrize("strength", [0.3, 5.0])
SEED = 0


def solvers_of(loss, intercept):
    names = [p[2] for p in EVERY if (p[0], p[1], p[3]) == (loss, "gaussian", intercept)]
    assert names
    return pytest.mark.parametrize("solver", names)


def ours(loss, solver, intercept, shape, strength, sample_weights=None):
    """Weights and intercept of the first category, given C as scikit-learn is."""
    x, _, design, labels = sample(shape)
    lam = lambda_of(Regularization(C=strength), len(x))
    parts = (loss, "gaussian", solver, intercept)
    method = method_of(parts, lam=lam, constant=CONSTANT, **TIGHT)
    found = method.fit(Job(design, labels, sample_weights=sample_weights or SampleWeights()))
    return found.weights[[0]].toarray().ravel(), found.intercepts[0]


def theirs(model, shape, weights=None):
    x, truth, _, _ = sample(shape)
    y = np.where(truth[:, 0], 1.0, -1.0)
    model.fit(sp.csr_matrix(x), y, **({} if weights is None else {"sample_weight": weights}))
    weights = model.coef_.toarray() if sp.issparse(model.coef_) else model.coef_
    return np.ravel(weights), np.ravel(model.intercept_)[0] if model.intercept_ is not None else 0


def assert_same(found, expected, atol=1e-4):
    np.testing.assert_allclose(found[0], expected[0], atol=atol)
    np.testing.assert_allclose(found[1], expected[1], atol=atol)


@solvers_of("modified-squared", "penalised")
@SHAPE
@STRENGTH
def test_squared_hinge_is_linear_svc(solver, shape, strength):
    model = LinearSVC(
        loss="squared_hinge",
        dual=False,
        C=strength,
        intercept_scaling=CONSTANT,
        tol=1e-12,
        max_iter=10**6,
    )
    assert_same(
        ours("modified-squared", solver, "penalised", shape, strength), theirs(model, shape)
    )


@solvers_of("modified-squared", "none")
@SHAPE
def test_squared_hinge_without_intercept_is_linear_svc(solver, shape):
    model = LinearSVC(loss="squared_hinge", dual=False, fit_intercept=False, tol=1e-12)
    assert_same(ours("modified-squared", solver, "none", shape, 1.0), theirs(model, shape))


@solvers_of("hinge", "penalised")
@SHAPE
@STRENGTH
def test_hinge_is_linear_svc(solver, shape, strength):
    model = LinearSVC(
        loss="hinge",
        dual=True,
        C=strength,
        intercept_scaling=CONSTANT,
        tol=1e-10,
        max_iter=10**7,
        random_state=0,
    )
    assert_same(ours("hinge", solver, "penalised", shape, strength), theirs(model, shape))


@solvers_of("logistic", "penalised")
@SHAPE
@STRENGTH
def test_logistic_is_liblinear(solver, shape, strength):
    model = LogisticRegression(
        solver="liblinear", C=strength, intercept_scaling=CONSTANT, tol=1e-12, max_iter=10**5
    )
    assert_same(ours("logistic", solver, "penalised", shape, strength), theirs(model, shape))


@solvers_of("logistic", "free")
@SHAPE
@STRENGTH
def test_logistic_with_a_free_intercept_is_lbfgs(solver, shape, strength):
    model = LogisticRegression(solver="lbfgs", C=strength, tol=1e-10, max_iter=10**5)
    assert_same(ours("logistic", solver, "free", shape, strength), theirs(model, shape))


@solvers_of("squared", "none")
@SHAPE
@pytest.mark.parametrize("model", [Ridge, RidgeClassifier])
def test_squared_is_ridge(solver, shape, model):
    # α = λn = 1/2C.
    found = ours("squared", solver, "none", shape, 0.5)
    assert_same(found, theirs(model(alpha=1.0, fit_intercept=False, tol=1e-12), shape))


@solvers_of("squared", "free")
@SHAPE
def test_squared_with_a_free_intercept_is_ridge(solver, shape):
    # On sparse data with an intercept Ridge takes an iterative solver.
    model = Ridge(alpha=1.0, solver="sparse_cg", tol=1e-12)
    assert_same(ours("squared", solver, "free", shape, 0.5), theirs(model, shape))


@solvers_of("hinge", "free")
@SHAPE
@STRENGTH
def test_hinge_with_a_free_threshold_is_libsvm(solver, shape, strength):
    model = SVC(kernel="linear", C=strength, tol=1e-10)
    weights, threshold = ours("hinge", solver, "free", shape, strength)
    expected, their_threshold = theirs(model, shape)
    np.testing.assert_allclose(weights, expected, atol=1e-4)
    assert threshold == pytest.approx(their_threshold, abs=1e-4)


@pytest.mark.parametrize(
    ("parts", "model"),
    [
        (
            ("modified-squared", "dual-coordinate", "penalised"),
            LinearSVC(dual=False, intercept_scaling=CONSTANT, tol=1e-12, max_iter=10**6),
        ),
        (
            ("logistic", "primal-coordinate", "penalised"),
            LogisticRegression(
                solver="liblinear", intercept_scaling=CONSTANT, tol=1e-12, max_iter=10**5
            ),
        ),
        (("hinge", "smo", "free"), SVC(kernel="linear", tol=1e-10)),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else "",
)
def test_weights_of_classes_and_documents_are_scikit_learn_s(parts, model):
    x, _, _, _ = sample()
    documents = np.random.default_rng(3).uniform(0.5, 2.0, len(x))
    # Their C multiplies whole losses; ours is over n, the sum of the weights.
    strength = len(x) / documents.sum()
    model.set_params(class_weight={1.0: CLASSES[0], -1.0: CLASSES[1]}, C=1.0)
    found = ours(*parts, "many documents", 1.0, SampleWeights(documents * strength, CLASSES))
    assert_same(found, theirs(model, "many documents", documents * strength))


def fit_l1(prior, solver, intercept, shape, strength, mix=None):
    _, _, design, labels = sample(shape)
    options = TIGHT | {"iterations": 20_000}
    method = Method(
        "logistic", prior, solver, Regularization(C=strength), intercept, CONSTANT, options, mix
    )
    found = method.fit(Job(design, labels, quiet=True))
    return method, found.weights[[0]].toarray().ravel(), found.intercepts[0]


def scikit_learn_l1(shape, strength, **settings):
    x, truth, _, _ = sample(shape)
    model = LogisticRegression(C=strength, **settings)
    # On sparse data SAGA moves the intercept by small steps, and stops before it is there.
    model.fit(
        x if settings["solver"] == "saga" else sp.csr_matrix(x), np.where(truth[:, 0], 1.0, -1.0)
    )
    return model.coef_.ravel(), np.ravel(model.intercept_)[0] if model.fit_intercept else 0.0


def assert_same_l1(found, expected, shape, atol):
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
@L1_SHAPE
@L1_STRENGTH
def test_lasso_is_liblinear(solver, shape, strength):
    expected = scikit_learn_l1(
        shape,
        strength,
        solver="liblinear",
        l1_ratio=1.0,
        intercept_scaling=CONSTANT,
        tol=1e-12,
        max_iter=10**5,
        random_state=SEED,
    )
    found = fit_l1("laplace", solver, "penalised", shape, strength)
    assert_same_l1(found, expected, shape, 1e-4)


@SOLVER
@L1_SHAPE
def test_lasso_without_intercept_is_liblinear(solver, shape):
    expected = scikit_learn_l1(
        shape,
        1.0,
        solver="liblinear",
        l1_ratio=1.0,
        fit_intercept=False,
        tol=1e-12,
        max_iter=10**5,
        random_state=SEED,
    )
    assert_same_l1(fit_l1("laplace", solver, "none", shape, 1.0), expected, shape, 1e-4)


@SOLVER
@L1_SHAPE
@pytest.mark.parametrize("strength", [1.0, 3.0])
def test_lasso_with_a_free_intercept_is_saga(solver, shape, strength):
    expected = scikit_learn_l1(
        shape, strength, solver="saga", l1_ratio=1.0, tol=1e-8, max_iter=10**5, random_state=SEED
    )
    assert_same_l1(fit_l1("laplace", solver, "free", shape, strength), expected, shape, 1e-3)


@SOLVER
@L1_SHAPE
@pytest.mark.parametrize("mix", [0.2, 0.8])
@pytest.mark.parametrize("intercept", ["none", "free"])
def test_elastic_net_is_saga(solver, shape, mix, intercept):
    expected = scikit_learn_l1(
        shape,
        1.0,
        solver="saga",
        l1_ratio=mix,
        fit_intercept=intercept == "free",
        tol=1e-8,
        max_iter=10**5,
        random_state=SEED,
    )
    assert_same_l1(fit_l1("elastic-net", solver, intercept, shape, 1.0, mix), expected, shape, 1e-3)
