"""Rows that come in several calls."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Perceptron

from postil.errors import UsageError
from postil.estimators.linear_classifier import LinearClassifier

ORDERED = {"shuffle": False}
PERCEPTRON = {"loss": "perceptron", "solver": "mistake-driven", "tol": 0.0}
WINNOW = {**PERCEPTRON, "prior": "entropy", "prior_options": {"mu": 0.01}}
POSITIVE = {
    **PERCEPTRON,
    "prior": "normalised-entropy",
    "prior_options": {"signs": "positive", "threshold": 0.1, "total": 5.0},
}
MARGINS = {"loss": "hinge", "solver": "dual-gradient", "tol": 0.0}
BY_MISTAKES = pytest.mark.parametrize("settings", [PERCEPTRON, WINNOW, POSITIVE])
EVERY = pytest.mark.parametrize("settings", [PERCEPTRON, WINNOW, POSITIVE, MARGINS])


def made(settings, **more):
    return LinearClassifier(**{**settings, "solver_options": ORDERED, "n_jobs": 1, **more})


def drawn(classes=3, rows=60, features=7, seed=0):
    rng = np.random.default_rng(seed)
    x = np.abs(rng.normal(size=(rows, features))).astype(np.float32)
    return x, np.argmax(x[:, :classes] + 0.3 * rng.random((rows, classes)), axis=1)


@BY_MISTAKES
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_matrix])
def test_parts_are_a_pass_over_the_whole(settings, classes, container):
    x, y = drawn(classes)
    whole = made(settings, max_iter=1).fit(x, y)
    parts = made(settings)
    for rows in np.split(np.arange(60), [1, 20, 21, 50]):  # a part may lack classes
        parts.partial_fit(container(x[rows]), y[rows], classes=np.arange(classes))
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(parts.intercept_, whole.intercept_, rtol=1e-6, atol=1e-9)
    assert (parts.predict(x) == whole.predict(x)).all()
    assert parts.n_iter_ == 1


def test_the_perceptron_is_scikit_learns():
    x, y = drawn(2)
    ours = made(PERCEPTRON, solver_options={"shuffle": False, "rate": 1.0})
    theirs = Perceptron(shuffle=False)
    # Theirs counts a score of 0 as a mistake of either class: from somewhere on there is none.
    theirs.coef_init, start = None, np.full((1, 7), 0.01)
    ours.partial_fit(x[:1], y[:1], classes=[0, 1])
    theirs.partial_fit(x[:1].astype(float), y[:1], classes=[0, 1])
    ours.coef_, ours.intercept_ = start.copy(), np.array([0.02])
    theirs.coef_, theirs.intercept_ = start.copy(), np.array([0.02])
    for rows in np.split(np.arange(1, 60), [20, 40]):
        ours.partial_fit(x[rows], y[rows])
        theirs.partial_fit(x[rows].astype(float), y[rows])
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)


@EVERY
def test_it_goes_on_after_fit(settings):
    x, y = drawn()
    model = made(settings, max_iter=3).fit(x[:30], y[:30])
    before = model.coef_.copy()
    model.partial_fit(x[30:], y[30:])
    assert model.coef_.shape == before.shape
    assert not np.array_equal(model.coef_, before)
    model.sparsify().partial_fit(x[:5], y[:5])
    assert model.score(x, y) > 0.5


@EVERY
def test_an_indicator_says_its_classes_itself(settings):
    x, y = drawn()
    indicator = (y[:, None] == np.arange(3)).astype(int)
    dense, sparse = made(settings), made(settings)
    for rows in (slice(0, 25), slice(25, 60)):
        dense.partial_fit(x[rows], indicator[rows])
        sparse.partial_fit(x[rows], sp.csr_matrix(indicator[rows]), classes=[0, 1, 2])
    assert (dense.coef_ == sparse.coef_).all()
    assert dense.predict(x).shape == (60, 3)
    assert sp.issparse(sparse.predict(x))


def test_a_label_without_rows_learns_once_it_has_some():
    x, y = drawn()
    nobody = np.column_stack([y == 0, np.zeros(60, dtype=int)]).astype(int)
    model = made(PERCEPTRON).fit(x, nobody)
    assert model.reports_[1].stopped == "constant"
    then = np.column_stack([y == 0, y == 1]).astype(int)
    model.partial_fit(x, then)
    fresh = made(PERCEPTRON).partial_fit(x, then)
    np.testing.assert_array_equal(model.coef_[1], fresh.coef_[1])
    assert model.intercept_[1] == fresh.intercept_[1]


@pytest.mark.parametrize("prior", ["gaussian", "entropy"])
def test_lambda_is_that_of_the_first_rows(prior):
    x, y = drawn()
    n = 20
    lam = 1e-2
    C = 1 / (lam * n) if prior == "entropy" else 1 / (2 * lam * n)  # noqa: N806
    settings = {**MARGINS, "prior": prior}
    by_lam, by_c = made(settings, lam=lam), made(settings, C=C)
    for rows in (slice(0, n), slice(n, 25), slice(25, 60)):
        for model in (by_lam, by_c):
            model.partial_fit(x[rows], y[rows], classes=[0, 1, 2])
    np.testing.assert_allclose(by_lam.coef_, by_c.coef_, rtol=1e-9, atol=1e-12)


def test_sample_weights_and_class_weights_count():
    x, y = drawn(2)
    plain = made(PERCEPTRON).partial_fit(x, y, classes=[0, 1])
    doubled = made(PERCEPTRON).partial_fit(x, y, classes=[0, 1], sample_weight=np.full(60, 2.0))
    np.testing.assert_allclose(doubled.coef_, 2 * plain.coef_, rtol=1e-6)
    one_sided = made(PERCEPTRON, class_weight={0: 1.0, 1: 10.0})
    one_sided.partial_fit(x, y, classes=[0, 1])
    assert (one_sided.predict(x) == 1).sum() > (plain.predict(x) == 1).sum()
    with pytest.raises(UsageError, match="'balanced' needs all rows at once"):
        made(PERCEPTRON, class_weight="balanced").partial_fit(x, y, classes=[0, 1])


def test_only_solvers_that_can_have_it():
    assert hasattr(LinearClassifier(**PERCEPTRON), "partial_fit")
    assert hasattr(LinearClassifier(**MARGINS), "partial_fit")
    assert not hasattr(LinearClassifier(), "partial_fit")
    assert not hasattr(LinearClassifier(solver="nonsense"), "partial_fit")


def test_what_does_not_fit_is_refused():
    x, y = drawn()
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        made(PERCEPTRON).partial_fit(x, y)
    with pytest.raises(UsageError, match="y has one class"):
        made(PERCEPTRON).partial_fit(x, y, classes=[1])
    with pytest.raises(UsageError, match="the class 2, which is not among those"):
        made(PERCEPTRON).partial_fit(x, y, classes=[0, 1])
    model = made(PERCEPTRON).partial_fit(x, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="is not the same as on last call"):
        model.partial_fit(x, y, classes=[0, 1])
    with pytest.raises(ValueError, match="5 features"):
        model.partial_fit(x[:, :5], y)
    with pytest.raises(UsageError, match="an indicator in all calls of partial_fit, or in none"):
        model.partial_fit(x, np.eye(3, dtype=int)[y])
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(np.full((1, 7), np.nan), [0])
    labels = made(PERCEPTRON).partial_fit(x, np.eye(3, dtype=int)[y])
    with pytest.raises(UsageError, match="y must have 3 columns as before, not 2"):
        labels.partial_fit(x, np.eye(3, dtype=int)[y][:, :2])
    with pytest.raises(UsageError, match="classes of an indicator are its columns, 0 to 2"):
        made(PERCEPTRON).partial_fit(x, np.eye(3, dtype=int)[y], classes=["a", "b", "c"])


def test_texts_may_be_classes():
    x, y = drawn()
    names = np.array(["wool", "boats", "snow"])[y]
    model = made(WINNOW).partial_fit(x[:9], names[:9], classes=["wool", "boats", "snow"])
    model.partial_fit(x[9:], names[9:])
    assert model.classes_.tolist() == ["boats", "snow", "wool"]
    assert set(model.predict(x)) <= set(names)
