"""LinearClassifier passes scikit-learn's checks and finds what LIBLINEAR finds."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import (
    check_class_weight_balanced_linear_classifier,
    parametrize_with_checks,
)
from tests.estimators.linear_samples import (
    CHECKED,
    EVERY,
    EVERY_OPTIMUM,
    TIGHT,
)

import postil
from postil.estimators.linear_classifier import LinearClassifier
from postil.estimators.targets import threads_of
from postil.estimators.text_vectorizer import TextVectorizer
from postil.learn.fit import NotConvergedWarning
from postil.learn.losses import LOSSES


def expected_to_fail(estimator):
    """Mistake-driven weights depend on the order of rows: a row twice is not a row of weight 2."""
    if estimator.solver != "mistake-driven":
        return {}
    return {
        f"check_sample_weight_equivalence_on_{kind}_data": "the order of rows matters"
        for kind in ("dense", "sparse")
    }


@pytest.mark.parametrize("prior", ["gaussian", "laplace"])
@pytest.mark.parametrize("loss", ["logistic", "modified-squared"])
def test_hardly_any_prior_ends_soon(loss, prior):
    """Without a prior, separable rows have no optimum, and the steps towards it no end."""
    rows = sp.random(200, 1000, 0.02, format="csr", random_state=0)
    classes = np.arange(200) % 3
    model = LinearClassifier(loss, prior, "newton-coordinate", C=1e30)
    with pytest.warns(ConvergenceWarning, match=r"end of double precision.*: regularize more"):
        model.fit(rows, classes)
    assert model.n_iter_ < 200
    assert {report.stopped for report in model.reports_} == {"precision"}
    assert model.score(rows, classes) > 0.98


def test_pairs_end_at_the_limit_of_precision():
    """The multipliers of a hard margin are large, and so are the errors of sums of them."""
    rows = sp.random(100, 60, 0.5, format="csr", random_state=0)
    model = LinearClassifier("hinge", solver="smo", C=1e30, intercept="free", max_iter=5000)
    with pytest.warns(ConvergenceWarning, match="end of double precision"):
        model.fit(rows, np.arange(100) % 3)
    assert {report.stopped for report in model.reports_} == {"precision"}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [
        LinearClassifier(),
        *(LinearClassifier(**settings, tol=0.0, max_iter=500, n_jobs=1) for settings in CHECKED),
    ],
    expected_failed_checks=expected_to_fail,
)
def test_estimator_checks(estimator, check):
    check(estimator)


def test_rows_in_any_order_and_repeated_give_the_same_bits(digits):
    x, y = digits
    counts = np.random.default_rng(0).integers(0, 3, len(y))
    repeated = np.random.default_rng(1).permutation(np.arange(len(y)).repeat(counts))
    model = LinearClassifier(tol=1e-2)
    weighted = clone(model).fit(x, y, sample_weight=counts)
    for container in (np.asarray, sp.csr_matrix):
        fitted = clone(model).fit(container(x[repeated]), y[repeated])
        np.testing.assert_array_equal(fitted.coef_, weighted.coef_)
        assert [r.members for r in fitted.reports_] == np.bincount(y[repeated]).tolist()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@EVERY
def test_balanced_classes_are_weighed_as_scikit_learn_weighs_them(settings):
    model = LinearClassifier(**settings, n_jobs=1)
    check_class_weight_balanced_linear_classifier("LinearClassifier", model)


def test_it_is_a_public_name():
    assert postil.LinearClassifier is LinearClassifier
    assert "LinearClassifier" in postil.__all__


def assert_same_weights(ours, theirs, atol=2e-4):
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=atol)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=atol)


@pytest.mark.parametrize("solver", ["dual-coordinate", "primal-coordinate"])
@pytest.mark.parametrize("strength", [0.05, 2.0])
def test_squared_hinge_is_linear_svc(digits, solver, strength):
    ours = LinearClassifier(solver=solver, C=strength, **TIGHT).fit(*digits)
    theirs = LinearSVC(C=strength, dual=False, tol=1e-10, max_iter=100_000).fit(*digits)
    assert_same_weights(ours, theirs)
    np.testing.assert_array_equal(ours.predict(digits[0]), theirs.predict(digits[0]))


def test_hinge_is_linear_svc(digits):
    ours = LinearClassifier(loss="hinge", C=0.1, **TIGHT).fit(*digits)
    theirs = LinearSVC(loss="hinge", C=0.1, tol=1e-9, max_iter=1_000_000, random_state=0)
    assert_same_weights(ours, theirs.fit(*digits))


def test_smo_is_svc(two_digits):
    ours = LinearClassifier(loss="hinge", solver="smo", intercept="free", C=0.5, **TIGHT)
    theirs = SVC(kernel="linear", C=0.5, tol=1e-9).fit(*two_digits)
    assert_same_weights(ours.fit(*two_digits), theirs)


@pytest.mark.parametrize(
    ("settings", "solver"),
    [
        ({"solver": "dual-coordinate"}, "liblinear"),
        ({"solver": "primal-coordinate", "intercept": "free"}, "lbfgs"),
    ],
)
def test_logistic_is_logistic_regression(two_digits, settings, solver):
    x, y = two_digits
    ours = LinearClassifier(loss="logistic", **settings, **TIGHT).fit(x, y)
    theirs = LogisticRegression(solver=solver, tol=1e-10, max_iter=100_000).fit(x, y)
    assert_same_weights(ours, theirs)
    np.testing.assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=1e-4)


def test_many_classes_of_logistic_are_one_vs_rest(digits):
    x, y = digits
    ours = LinearClassifier(loss="logistic", **TIGHT).fit(x, y)
    one = LogisticRegression(solver="liblinear", tol=1e-10, max_iter=100_000)
    theirs = OneVsRestClassifier(one).fit(x, y)
    np.testing.assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=1e-4)
    assert ours.decision_function(x).shape == (300, 10)


def test_three_ways_to_say_how_strongly(two_digits):
    x, y = two_digits
    ways = [{"C": 0.5}, {"prior_variance": 0.5}, {"lam": 1 / len(y)}]
    first, *others = [LinearClassifier(**way, **TIGHT).fit(x, y).coef_ for way in ways]
    for other in others:
        np.testing.assert_allclose(other, first, atol=1e-7)


def test_class_weights_are_those_of_linear_svc(digits):
    x, y = digits
    weights = {3: 5.0, 8: 0.2}
    ours = LinearClassifier(class_weight=weights, C=0.1, **TIGHT).fit(x, y)
    theirs = LinearSVC(class_weight=weights, C=0.1, dual=False, tol=1e-10, max_iter=100_000)
    assert_same_weights(ours, theirs.fit(x, y))


def test_class_weights_of_two_classes_are_those_of_linear_svc(two_digits):
    x, y = two_digits
    weights = {"three": 5.0, "eight": 0.2}
    ours = LinearClassifier(class_weight=weights, **TIGHT).fit(x, y)
    theirs = LinearSVC(class_weight=weights, dual=False, tol=1e-10, max_iter=100_000)
    assert_same_weights(ours, theirs.fit(x, y))


def test_balanced_makes_both_sides_of_every_class_equal(digits):
    x, y = digits
    ours = LinearClassifier(class_weight="balanced", C=0.1, **TIGHT).fit(x, y)
    one = LinearSVC(class_weight="balanced", C=0.1, dual=False, tol=1e-10, max_iter=100_000)
    theirs = OneVsRestClassifier(one).fit(x, y)
    expected = np.vstack([model.coef_ for model in theirs.estimators_])
    np.testing.assert_allclose(ours.coef_, expected, atol=2e-4)


def test_labels_are_learned_one_by_one(many_labels):
    x, y = many_labels
    one = LinearSVC(C=0.01, dual=False, tol=1e-10, max_iter=100_000)
    theirs = OneVsRestClassifier(one).fit(x, y)
    ours = LinearClassifier(C=0.01, **TIGHT).fit(x, y)
    expected = theirs.decision_function(x)
    np.testing.assert_allclose(ours.decision_function(x), expected, atol=1e-3)
    np.testing.assert_array_equal(ours.classes_, np.arange(4))
    assert ours.predict(x).shape == y.shape


@pytest.mark.parametrize("container", [sp.csr_matrix, sp.csc_matrix, sp.csr_array])
def test_a_sparse_indicator_is_answered_by_one(many_labels, container):
    x, y = many_labels
    settings = {"loss": "logistic", "C": 0.01}
    dense = LinearClassifier(**settings).fit(x, y)
    sparse = LinearClassifier(**settings).fit(x, container(y))
    np.testing.assert_array_equal(sparse.coef_, dense.coef_)
    answers = sparse.predict(x)
    assert sp.issparse(answers)
    np.testing.assert_array_equal(answers.toarray(), dense.predict(x))
    probabilities = dense.predict_proba(x)
    assert probabilities.shape == y.shape
    np.testing.assert_array_equal(probabilities > 0.5, dense.predict(x) == 1)


def test_labels_of_all_rows_and_of_none(many_labels):
    x, y = many_labels
    y = y.copy()
    y[:, 1], y[:, 2] = 1, 0
    model = LinearClassifier(C=0.01).fit(x, y)
    constant = [report.stopped == "constant" for report in model.reports_]
    assert constant == [False, True, True, False]
    assert (model.predict(x)[:, 1] == 1).all()
    assert (model.predict(x)[:, 2] == 0).all()


@pytest.mark.parametrize(
    "container", [sp.csr_matrix, sp.csc_matrix, sp.csr_array, sp.csc_array, np.asfortranarray]
)
def test_every_kind_of_matrix_gives_the_same_bits(digits, container):
    x, y = digits
    expected = LinearClassifier().fit(x, y)
    model = LinearClassifier().fit(container(x), y)
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    scores = model.decision_function(container(x))
    np.testing.assert_allclose(scores, expected.decision_function(x), atol=1e-12)


@pytest.mark.parametrize("n_jobs", [1, 2, 3, -1])
def test_threads_change_nothing(digits, n_jobs):
    expected = LinearClassifier(n_jobs=None).fit(*digits)
    model = LinearClassifier(n_jobs=n_jobs).fit(*digits)
    np.testing.assert_array_equal(model.coef_, expected.coef_)


def test_random_states(digits):
    def weights(random_state):
        return LinearClassifier(random_state=random_state, tol=1e-2).fit(*digits).coef_

    np.testing.assert_array_equal(weights(None), weights(0))
    np.testing.assert_array_equal(weights(np.int64(7)), weights(7))
    drawn = [weights(np.random.RandomState(7)) for _ in range(2)]
    np.testing.assert_array_equal(*drawn)
    assert (weights(1) != weights(0)).any()
    with pytest.raises(ValueError, match="seed"):
        weights("seven")


@EVERY_OPTIMUM
def test_sample_weights_are_repetitions(two_digits, settings):
    x, y = two_digits
    counts = np.random.default_rng(0).integers(0, 4, len(y))
    # λ as such: it is n, the sum of the weights, that the loss is divided by.
    model = LinearClassifier(**settings, lam=1e-2, **TIGHT)
    weighted = clone(model).fit(x, y, sample_weight=counts)
    repeated = clone(model).fit(x.repeat(counts, axis=0), y.repeat(counts))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-5)
    np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, atol=1e-5)


@pytest.mark.parametrize("loss", ["logistic", "modified-squared"])
@pytest.mark.parametrize("by", ["sample_weight", "class_weight"])
def test_a_class_that_weighs_nothing_is_never_chosen(digits, loss, by):
    x, y = digits
    model = LinearClassifier(loss=loss, C=100.0, tol=1e-2)
    if by == "sample_weight":
        model.fit(x, y, sample_weight=(y != 4).astype(float))
    else:
        model.set_params(class_weight={4: 0.0}).fit(x, y)
    assert 4 in model.classes_
    # Documents that no class wants are the danger: all scores are low, but this is the lowest.
    strange = np.vstack([x, -100 * x, np.zeros_like(x[:1])])
    assert 4 not in model.predict(strange)
    assert np.isfinite(model.decision_function(strange)).all()
    if loss == "logistic":
        assert (model.predict_proba(strange)[:, 4] == 0).all()


@pytest.mark.parametrize("nothing", ["three", "eight"])
def test_one_of_two_classes_that_weighs_nothing_is_never_chosen(two_digits, nothing):
    x, y = two_digits
    model = LinearClassifier(class_weight={"three": 1.0, "eight": 1.0} | {nothing: 0.0}).fit(x, y)
    assert set(model.predict(x)) == {"three", "eight"} - {nothing}


def test_probabilities_of_rows_that_no_class_wants():
    x = np.eye(3).repeat(5, axis=0)
    y = np.arange(3).repeat(5)
    model = LinearClassifier(loss="logistic", C=1e4).fit(x, y)
    probabilities = model.predict_proba(-1e5 * np.ones((1, 3)))
    assert np.isfinite(probabilities).all()
    assert probabilities.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("loss", LOSSES)
def test_probabilities_are_there_for_losses_that_have_them(loss):
    assert hasattr(LinearClassifier(loss=loss), "predict_proba") == (loss == "logistic")
    assert not hasattr(LinearClassifier(loss="no such loss"), "predict_proba")


def test_what_a_fit_says_of_itself(digits):
    model = LinearClassifier().fit(*digits)
    assert [report.category for report in model.reports_] == [str(digit) for digit in range(10)]
    assert all(report.certificate <= model.tol for report in model.reports_)
    assert model.n_iter_ == max(report.iterations for report in model.reports_)
    assert model.coef_.shape == (10, 64)
    assert model.intercept_.shape == (10,)
    assert model.n_features_in_ == 64


def test_passes_of_smo_are_of_all_documents(two_digits):
    x, y = two_digits
    model = LinearClassifier(loss="hinge", solver="smo", intercept="free").fit(x, y)
    pairs = model.reports_[0].iterations
    assert model.n_iter_ == int(np.ceil(pairs / len(y)))
    with pytest.warns(ConvergenceWarning):
        model.set_params(max_iter=1, tol=1e-9, C=100.0).fit(x, y)
    assert 1 < model.reports_[0].iterations <= len(y)
    assert model.n_iter_ == 1


def test_one_warning_of_unfinished_fits(digits):
    with pytest.warns(ConvergenceWarning, match="10 of 10 categories") as caught:
        LinearClassifier(max_iter=1, tol=1e-9).fit(*digits)
    assert len(caught) == 1
    assert issubclass(caught[0].category, NotConvergedWarning)
    assert caught[0].filename == __file__


def test_without_an_intercept(two_digits):
    assert (LinearClassifier(intercept="none").fit(*two_digits).intercept_ == 0).all()


def test_names_of_features_are_kept(two_digits):
    x, y = two_digits
    names = [f"pixel {place}" for place in range(x.shape[1])]
    table = pa.table(dict(zip(names, x.T, strict=True)))
    model = LinearClassifier().fit(table, y)
    assert list(model.feature_names_in_) == names
    np.testing.assert_array_equal(model.predict(table), LinearClassifier().fit(x, y).predict(x))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table.rename_columns([*names[1:], "another"]))
    assert not hasattr(LinearClassifier().fit(x, y), "feature_names_in_")


def test_sparse_weights_score_alike(digits):
    x, y = digits
    model = LinearClassifier().fit(x, y)
    expected = model.decision_function(x)
    assert sp.issparse(model.sparsify().coef_)
    for rows in (x, sp.csr_matrix(x)):
        np.testing.assert_allclose(model.decision_function(rows), expected, atol=1e-12)
    assert isinstance(model.densify().coef_, np.ndarray)
    np.testing.assert_array_equal(model.densify().decision_function(x), expected)


@pytest.mark.parametrize("name", ["lam", "C", "prior_variance"])
def test_a_strength_that_is_no_number_is_named(name):
    also = ", or 'norm'" if name == "prior_variance" else ""
    with pytest.raises(ValueError, match=f"{name} must be a finite number above 0{also}, not '1'"):
        LinearClassifier(**{name: "1"}).fit(np.eye(4), [0, 1, 0, 1])


def test_the_one_word_for_a_variance_is_named():
    with pytest.raises(ValueError, match="above 0, or 'norm', not 'nrom'"):
        LinearClassifier(prior_variance="nrom").fit(np.eye(4), [0, 1, 0, 1])


@pytest.mark.parametrize(
    ("name", "here"), [("lasso", "laplace"), ("L1", "laplace"), ("ridge", "gaussian")]
)
def test_a_prior_by_its_other_name_is_told_its_name_here(name, here):
    with pytest.raises(ValueError, match=f"no prior '{name}'; did you mean '{here}'\\?"):
        LinearClassifier(prior=name).fit(np.eye(4), [0, 1, 0, 1])


LISTED = [["a"], ["a", "b"], [], ["b"]]


@pytest.mark.parametrize(
    "y",
    [
        LISTED,
        tuple(map(set, LISTED)),
        [["a"], ["b"], ["a"], ["b"]],
        [[1], [1, 2], [], [2]],
        np.array([*LISTED, None], dtype=object)[:4],
    ],
)
def test_lists_of_labels_are_to_be_made_an_indicator(y):
    with pytest.raises(ValueError, match="MultiLabelBinarizer"):
        LinearClassifier().fit(np.eye(4), y)


def test_an_indicator_may_be_a_list():
    model = LinearClassifier().fit(np.eye(4), [[1, 0], [1, 1], [0, 0], [0, 1]])
    assert model.coef_.shape == (2, 4)


@pytest.mark.parametrize(("n_jobs", "threads"), [(None, None), (3, 3), (-1, 8), (-2, 7), (-20, 1)])
def test_jobs_mean_what_they_mean_in_scikit_learn(monkeypatch, n_jobs, threads):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert threads_of(n_jobs) == threads


@pytest.mark.parametrize("n_jobs", [0, 2.0, "2", True])
def test_jobs_that_are_no_number_of_threads(n_jobs):
    x, y = np.eye(4), [0, 1, 0, 1]
    for make in (LinearClassifier(n_jobs=n_jobs), TextVectorizer(n_jobs=n_jobs)):
        with pytest.raises(ValueError, match="n_jobs must be None or a whole number"):
            make.fit(x if isinstance(make, LinearClassifier) else ["a text"], y)
