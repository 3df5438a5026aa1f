"""LinearClassifier among scikit-learn's tools, and what it refuses."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from joblib import parallel_config
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import postil
from postil.errors import UsageError
from postil.estimators.linear_classifier import LinearClassifier
from postil.learn.term_priors.priors import TermPrior, TermPriors


def test_clones_and_pickles(digits, many_labels):
    settings = {"loss": "logistic", "C": 0.3, "solver_options": {"shrink": False}}
    model = LinearClassifier(**settings)
    assert clone(model).get_params() == model.get_params()
    for x, y in (digits, many_labels, (many_labels[0], sp.csr_matrix(many_labels[1]))):
        fitted = clone(model).fit(x, y)
        copy = pickle.loads(pickle.dumps(fitted))
        np.testing.assert_array_equal(copy.predict_proba(x), fitted.predict_proba(x))
        assert (copy.predict(x) != fitted.predict(x)).sum() == 0
        assert copy.reports_ == fitted.reports_


def test_grid_search_over_parts_and_strengths(digits):
    grid = {
        "linearclassifier__loss": ["modified-squared", "logistic"],
        "linearclassifier__C": np.array([0.01, 1.0]),
        "linearclassifier__max_iter": np.array([2000]),
    }
    search = GridSearchCV(make_pipeline(StandardScaler(), LinearClassifier()), grid, cv=3)
    search.fit(*digits)
    assert search.best_score_ > 0.85
    assert search.cv_results_["mean_test_score"].shape == (4,)


def test_illegal_parts_in_a_grid_are_failed_fits(two_digits):
    search = GridSearchCV(
        LinearClassifier(loss="hinge"),
        {"solver": ["dual-coordinate", "primal-coordinate"]},
        cv=2,
        error_score=0.0,
    )
    with pytest.warns(match="primal-coordinate needs a"):
        search.fit(*two_digits)
    assert search.best_params_ == {"solver": "dual-coordinate"}


def test_cross_validation_in_threads():
    x, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), LinearClassifier(n_jobs=1))
    alone = cross_val_score(pipeline, x, y, cv=3)
    assert alone.min() > 0.8
    with parallel_config("threading", n_jobs=2):
        np.testing.assert_array_equal(cross_val_score(pipeline, x, y, cv=3), alone)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibration(digits, method):
    x, y = digits
    calibrated = CalibratedClassifierCV(LinearClassifier(C=0.1), method=method, cv=3).fit(x, y)
    probabilities = calibrated.predict_proba(x)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert calibrated.score(x, y) > 0.95


def test_texts_to_labels_in_a_pipeline():
    texts = ["the harbour wall", "a wall of stone", "ice on the road", "ice and snow"] * 3
    labels = sp.csr_matrix([[1, 0], [1, 0], [0, 1], [0, 1]] * 3)
    pipeline = make_pipeline(postil.TextVectorizer(), LinearClassifier(loss="logistic"))
    assert (pipeline.fit(texts, labels).predict(texts) != labels).nnz == 0
    assert pipeline.predict_proba(["a road of snow"]).shape == (1, 2)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"loss": "hinj"}, "no loss 'hinj'"),
        ({"loss": "hinge", "solver": "primal-coordinate"}, "works with dual-coordinate or smo"),
        ({"loss": "hinge", "solver": "smo"}, "it takes free"),
        ({"lam": 0.1, "C": 1.0}, "give one of them"),
        ({"C": -1.0}, "C must be a finite number above 0"),
        ({"constant": 0.0}, "constant must be a finite number above 0, not 0.0"),
        ({"constant": "one"}, "constant must be a finite number above 0, not 'one'"),
        ({"tol": "small"}, "tol must be a number of at least 0 and under 1, not 'small'"),
        ({"tol": 1.0}, "tol must be a number"),
        ({"max_iter": 0}, "max_iter must be a whole number of at least 1, not 0"),
        ({"max_iter": 10.5}, "max_iter must be a whole number"),
        ({"solver_options": {"tolerance": 1e-3}}, "give it as tol"),
        ({"solver_options": {"iterations": 3}}, "give it as max_iter"),
        ({"solver_options": {"seed": 3}}, "give it as random_state"),
        ({"solver_options": {"shrimp": True}}, "no option 'shrimp'"),
        ({"class_weight": "heavy"}, "not 'heavy'"),
        ({"class_weight": 3.0}, "a mapping of classes to weights, not 3.0"),
        ({"class_weight": {"three": -1.0, "eight": 1.0}}, "class weights must be finite"),
        ({"n_jobs": 0}, "n_jobs must be None or a whole number"),
    ],
    ids=str,
)
def test_settings_that_mean_nothing_are_refused(two_digits, settings, message):
    with pytest.raises(UsageError, match=message):
        LinearClassifier(**settings).fit(*two_digits)


def test_targets_that_mean_nothing_are_refused(two_digits):
    x, y = two_digits
    half = len(y) // 2
    two_columns = np.arange(2 * len(y)).reshape(-1, 2) % 3
    for bad, message in [
        (np.full(len(y), "three"), "one class, .*'three'"),
        (two_columns, "Unknown label type: y is multiclass-multioutput"),
        (sp.csr_matrix([[1.0]] * half + [[0.0]] * (len(y) - half)), "at least two labels"),
        (np.array([[1, -1]] * half + [[-1, 1]] * (len(y) - half)), r"turn ±1 into \(y > 0\)"),
    ]:
        with pytest.raises(UsageError, match=message):
            LinearClassifier().fit(x, bad)
    with pytest.raises(ValueError, match="Unknown label type"):
        LinearClassifier().fit(x, np.linspace(0, 1, len(y)))


def test_a_column_of_classes_is_taken_with_a_warning(two_digits):
    x, y = two_digits
    with pytest.warns(DataConversionWarning):
        model = LinearClassifier().fit(x, y.reshape(-1, 1))
    assert model.predict(x).shape == y.shape


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
def test_values_that_float32_cannot_hold_are_refused(two_digits):
    x, y = two_digits
    x = x.copy()
    x[3, 4] = 1e300
    for rows in (x, sp.csr_matrix(x)):
        with pytest.raises(ValueError, match="too large for dtype"):
            LinearClassifier().fit(rows, y)


@pytest.mark.parametrize("weights", [-1.0, 0.0, np.nan])
def test_sample_weights_that_mean_nothing_are_refused(two_digits, weights):
    x, y = two_digits
    with pytest.raises(ValueError, match="weight"):
        LinearClassifier().fit(x, y, sample_weight=np.full(len(y), weights))


def test_lasso_elastic_net_and_norm_based_variance():
    x, y = make_classification(120, 30, n_informative=5, random_state=0)
    settings = {"loss": "logistic", "solver": "newton-coordinate", "tol": 1e-6}
    lasso = LinearClassifier(prior="laplace", C=0.1, **settings).fit(x, y)
    assert 0 < np.count_nonzero(lasso.coef_) < 20
    near = LinearClassifier(prior="elastic-net", mix=0.999, C=0.1, **settings).fit(x, y)
    np.testing.assert_allclose(near.coef_, lasso.coef_, atol=0.01)
    normed = LinearClassifier(prior="gaussian", prior_variance="norm", **settings).fit(x, y)
    variance = 31 / np.mean((x.astype(np.float32) ** 2).sum(axis=1))
    said = LinearClassifier(prior="gaussian", prior_variance=variance, **settings).fit(x, y)
    np.testing.assert_allclose(normed.coef_, said.coef_, rtol=1e-4, atol=1e-6)


def test_priors_of_single_columns():
    x, y = make_classification(120, 6, n_informative=5, n_redundant=0, random_state=0)
    bounds = TermPriors(6, every={column: TermPrior(low=0.0) for column in range(6)})
    settings = {"loss": "logistic", "solver": "newton-coordinate", "prior": "laplace"}
    free = LinearClassifier(**settings).fit(x, y)
    bound = clone(LinearClassifier(**settings, term_priors=bounds)).fit(x, y)
    assert (free.coef_ < 0).any()
    assert (bound.coef_ >= 0).all()
    assert (bound.coef_ > 0).any()


@pytest.mark.parametrize("mix", [-0.1, 1.1, "half", np.nan])
def test_a_mix_that_means_nothing_is_refused(mix):
    with pytest.raises(UsageError, match="mix must be a number from 0 to 1"):
        LinearClassifier(prior="elastic-net", solver="newton-coordinate", mix=mix).fit(
            [[0.0], [1.0]], [0, 1]
        )
