"""Probabilities: every kind through the same properties, each against its definition."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.isotonic import IsotonicRegression

from postil.decide import CALIBRATIONS
from postil.decide.calibration import (
    calibration_from_parts,
    calibration_needs,
    calibration_to_parts,
    fit_calibration,
)
from postil.errors import InputError, SpecError

from .samples import (
    ANY_SCORE,
    column,
    mixed_category,
    one_category,
    out_of_fold,
    random_problem,
    scores_for,
    truth_of,
)

EVERY_KIND = pytest.mark.parametrize("kind", CALIBRATIONS)
EACH_FOR_ITSELF = pytest.mark.parametrize(
    "kind", [kind for kind in CALIBRATIONS if kind not in ("softmax", "hierarchical", "joint")]
)
FITTED_KINDS = pytest.mark.parametrize("kind", ["platt", "isotonic"])
GENTLE = st.floats(-50, 50) | st.integers(-3, 3).map(float)
WEIGHT = st.floats(0.01, 100)


def fitted(kind, scores, inside, weights=None):
    return fit_calibration(kind, out_of_fold(column(scores)), truth_of(inside), weights)


@EVERY_KIND
@settings(max_examples=25, deadline=None)
@given(problem=one_category(least=2), asked=st.lists(ANY_SCORE, min_size=1, max_size=20))
def test_probabilities_are_monotone_and_from_0_to_1(kind, problem, asked):
    scores, inside, weights = problem
    calibration = fitted(kind, scores, inside, weights)
    everything = np.sort(np.concatenate([scores, asked]))
    p = calibration.probabilities(column(everything)).ravel()
    assert np.isfinite(p).all()
    assert ((p >= 0) & (p <= 1)).all()
    # The exponential of the library may be off by a unit in the last place.
    assert (np.diff(p) >= -1e-15).all()


@FITTED_KINDS
@settings(max_examples=25, deadline=None)
@given(problem=mixed_category(score=GENTLE))
def test_a_weight_is_so_many_copies(kind, problem):
    scores, inside, weights = problem
    copies = weights.astype(int)
    weighed = fitted(kind, scores, inside, weights).probabilities(column(scores))
    copied = fitted(kind, np.repeat(scores, copies), np.repeat(inside, copies))
    np.testing.assert_allclose(weighed, copied.probabilities(column(scores)), atol=1e-7)


@EACH_FOR_ITSELF
def test_categories_are_calibrated_each_for_itself(kind):
    scores, truth = random_problem()
    together = fit_calibration(kind, out_of_fold(scores), truth)
    assert together.categories == truth.shape[1]
    fresh, _ = random_problem(seed=1)
    p = together.probabilities(fresh)
    for category in range(truth.shape[1]):
        inside = truth[:, [category]].toarray().ravel()
        alone = fitted(kind, scores[:, category], inside)
        assert (p[:, [category]] == alone.probabilities(fresh[:, [category]])).all()


@EVERY_KIND
def test_round_trip(kind):
    scores, truth = random_problem()
    calibration = fit_calibration(kind, out_of_fold(scores), truth)
    settings_, arrays = calibration_to_parts(calibration)
    again = calibration_from_parts(json.loads(json.dumps(settings_)), arrays)
    fresh, _ = random_problem(seed=1)
    assert (again.probabilities(fresh) == calibration.probabilities(fresh)).all()


@EVERY_KIND
def test_a_calibration_cannot_be_changed(kind):
    scores, truth = random_problem()
    calibration = fit_calibration(kind, out_of_fold(scores), truth)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(calibration, dataclasses.fields(calibration)[0].name, 3)
    for array in calibration.to_arrays().values():
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@EVERY_KIND
def test_no_documents_and_no_categories(kind):
    needs = calibration_needs(kind)
    for documents, categories in ((2, 0), (2, 3)):
        scores = scores_for(needs, np.zeros((documents, categories)))
        truth = sp.csr_matrix((documents, categories), dtype=bool)
        weights = np.zeros(documents)
        calibration = fit_calibration(kind, scores, truth, weights)
        for asked in (0, 4):
            p = calibration.probabilities(np.ones((asked, categories)))
            assert p.shape == (asked, categories)
            assert ((p >= 0) & (p <= 1)).all()


def test_unknown_kinds_are_refused():
    scores, truth = random_problem()
    with pytest.raises(SpecError, match="no calibration is called 'plat'; did you mean 'platt'"):
        fit_calibration("plat", out_of_fold(scores), truth)
    for settings_ in ({}, {"kind": "magic", "categories": 1}, {"kind": ["platt"], "categories": 1}):
        with pytest.raises(InputError, match="known kinds: logistic, hierarchical"):
            calibration_from_parts(settings_, {})


def test_logistic_is_the_logistic_function():
    scores, truth = random_problem()
    p = fit_calibration("logistic", None, truth).probabilities(scores * 100)
    np.testing.assert_allclose(p, 1 / (1 + np.exp(-scores * 100)), rtol=1e-12)


class Given(ClassifierMixin, BaseEstimator):
    """A classifier whose scores are its input."""

    def fit(self, x, y, sample_weight=None):  # noqa: ARG002 - there is nothing to learn
        self.classes_ = np.array([0, 1])
        return self

    def decision_function(self, x):
        return x[:, 0]

    def predict(self, x):
        return (x[:, 0] >= 0).astype(int)


def scikit_learn(method, scores, inside, weights):
    """Calibrate all documents together, as scikit-learn does out of fold."""
    calibrated = CalibratedClassifierCV(Given(), method=method, ensemble=False, cv=2)
    return calibrated.fit(column(scores), inside.astype(int), sample_weight=weights)


class TestPlatt:
    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("weighed", [False, True])
    def test_agrees_with_scikit_learn(self, seed, weighed):
        scores, truth = random_problem(300, 1, seed)
        rng = np.random.default_rng(seed)
        scores, inside = scores.ravel() * 3, truth.toarray().ravel()
        weights = rng.uniform(0.5, 2, len(scores)) if weighed else np.ones(len(scores))
        ours = fitted("platt", scores, inside, weights).probabilities(column(scores)).ravel()
        theirs = scikit_learn("sigmoid", scores, inside, weights)
        np.testing.assert_allclose(ours, theirs.predict_proba(column(scores))[:, 1], atol=2e-4)

    @settings(max_examples=12, deadline=None)
    @given(problem=mixed_category(score=GENTLE, weight=WEIGHT))
    def test_is_the_maximum_of_the_likelihood(self, problem):
        scores, inside, weights = problem
        members, others = weights[inside].sum(), weights[~inside].sum()
        targets = np.where(inside, (members + 1) / (members + 2), 1 / (others + 2))

        def loss(z):
            return weights @ (np.logaddexp(0, z) - targets * z) / weights.sum()

        sigmoid = fitted("platt", scores, inside, weights)
        x = (scores - sigmoid.centre) / sigmoid.scale
        ours = loss(sigmoid.slope * x + sigmoid.intercept)
        centred = scores - scores.mean()
        theirs = minimize(
            lambda at: loss(at[0] * centred + at[1]),
            [0.0, 0.0],
            method="L-BFGS-B",
            bounds=[(0, None), (None, None)],
        )
        assert ours <= theirs.fun + 1e-9

    @pytest.mark.parametrize("factor", [1e-300, 1e-9, 1, 1e9, 1e300])
    def test_the_unit_of_the_scores_does_not_matter(self, factor):
        scores, truth = random_problem(200, 1, 1)
        inside = truth.toarray().ravel()
        plain = fitted("platt", scores.ravel(), inside).probabilities(scores)
        scaled = fitted("platt", scores.ravel() * factor, inside).probabilities(scores * factor)
        np.testing.assert_allclose(plain, scaled, atol=1e-9)

    def test_separable_scores_stay_short_of_certainty(self):
        scores = np.array([-1.0, -1.0, -1.0, 1.0, 1.0])
        p = fitted("platt", scores, scores > 0).probabilities(column([-1.0, 1.0])).ravel()
        np.testing.assert_allclose(p, [1 / 5, 3 / 4], atol=1e-8)

    def test_a_gap_far_from_the_other_scores_is_found(self):
        scores = np.concatenate([np.linspace(0, 1e-6, 50), [1e3]])
        inside = np.append(np.arange(50) >= 25, True)
        p = fitted("platt", scores, inside).probabilities(column(scores)).ravel()
        assert (np.diff(p) >= 0).all()
        assert p[-1] > 0.5

    def test_constant_categories_have_the_mean_target(self):
        scores = np.array([1.0, 2.0, 3.0])
        for inside, expected in ((np.zeros(3, bool), 1 / 5), (np.ones(3, bool), 4 / 5)):
            p = fitted("platt", scores, inside).probabilities(column([-100.0, 0.0, 1e308]))
            np.testing.assert_allclose(p, expected)

    def test_equal_scores_have_the_mean_target(self):
        inside = np.array([True, False, False, False])
        p = fitted("platt", np.zeros(4), inside).probabilities(column([-5.0, 5.0]))
        np.testing.assert_allclose(p, (2 / 3 + 3 / 5) / 4)

    def test_scores_that_point_the_wrong_way_tell_nothing(self):
        scores = np.arange(10.0)
        p = fitted("platt", scores, scores < 5).probabilities(column([-100.0, 100.0])).ravel()
        np.testing.assert_allclose(p, [0.5, 0.5])

    def test_enormous_weights(self):
        weights = np.full(4, 1e300)
        for inside in (np.ones(4, bool), np.array([0, 0, 1, 1], bool)):
            p = fitted("platt", np.arange(4.0), inside, weights).probabilities(column([0.0, 3.0]))
            assert np.isfinite(p).all()

    @pytest.mark.parametrize(
        "damage",
        [
            {"slope": np.array([-1.0])},
            {"scale": np.array([0.0])},
            {"centre": np.array([np.nan])},
            {"intercept": np.array([np.inf])},
            {"intercept": np.zeros(2)},
            {"slope": np.zeros(1, np.float32)},
            {"slope": np.zeros((1, 1))},
            {"slope": None},
        ],
    )
    def test_damaged_arrays_are_refused(self, damage):
        settings_, arrays = calibration_to_parts(fitted("platt", [0.0, 1.0], [False, True]))
        with pytest.raises(InputError):
            calibration_from_parts(settings_, arrays | damage)


class TestIsotonic:
    @settings(max_examples=25, deadline=None)
    @given(
        problem=mixed_category(score=GENTLE, weight=WEIGHT),
        asked=st.lists(st.floats(-60, 60), min_size=1, max_size=10),
    )
    def test_agrees_with_scikit_learn(self, problem, asked):
        scores, inside, weights = problem
        asked = np.concatenate([scores, asked])
        ours = fitted("isotonic", scores, inside, weights).probabilities(column(asked)).ravel()
        regression = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
        theirs = regression.fit(scores, inside.astype(float), weights).predict(asked)
        # Scores that differ in the last place are one to scikit-learn.
        if np.diff(np.unique(scores)).min(initial=1.0) > 1e-6:
            np.testing.assert_allclose(ours, theirs, atol=1e-9)

    @pytest.mark.parametrize("seed", range(3))
    def test_agrees_with_scikit_learns_calibration(self, seed):
        scores, truth = random_problem(300, 1, seed)
        inside = truth.toarray().ravel()
        weights = np.random.default_rng(seed).uniform(0.5, 2, len(scores))
        ours = fitted("isotonic", scores.ravel(), inside, weights).probabilities(scores).ravel()
        theirs = scikit_learn("isotonic", scores.ravel(), inside, weights)
        np.testing.assert_allclose(ours, theirs.predict_proba(scores)[:, 1], atol=1e-9)

    @settings(max_examples=25, deadline=None)
    @given(problem=mixed_category())
    def test_the_mean_is_kept(self, problem):
        scores, inside, weights = problem
        p = fitted("isotonic", scores, inside, weights).probabilities(column(scores)).ravel()
        np.testing.assert_allclose(weights @ p, weights @ inside, rtol=1e-9)

    def test_constant_categories(self):
        for member in (False, True):
            p = fitted("isotonic", np.arange(3.0), np.full(3, member)).probabilities(
                column([-9.0, 1.5, 9.0])
            )
            assert (p == float(member)).all()

    def test_equal_scores_have_the_prior(self):
        inside = np.array([True, False, False, False])
        p = fitted("isotonic", np.zeros(4), inside).probabilities(column([-5.0, 0.0, 5.0]))
        assert (p == 0.25).all()

    def test_extreme_scores(self):
        largest = np.finfo(float).max
        tiny = np.nextafter(0.0, 1.0)
        scores = np.array([-largest, 0.0, tiny, largest])
        inside = np.array([False, False, True, True])
        p = fitted("isotonic", scores, inside).probabilities(column(scores)).ravel()
        assert p.tolist() == [0.0, 0.0, 1.0, 1.0]

    def test_knots_are_few_where_the_scores_separate(self):
        scores = np.arange(1000.0)
        calibration = fitted("isotonic", scores, scores >= 500)
        assert calibration.scores.tolist() == [0.0, 499.0, 500.0, 999.0]

    @pytest.mark.parametrize(
        "damage",
        [
            {"offsets": np.array([0, 1, 9])},
            {"offsets": np.array([1, 2, 4])},
            {"offsets": np.array([0, 4, 4])},
            {"offsets": np.array([0, 4])},
            {"scores": np.array([0.0, 0.0, 0.0, 1.0])},
            {"scores": np.array([0.0, np.nan, 0.0, 1.0])},
            {"scores": np.array([0.0, np.inf, 0.0, 1.0])},
            {"values": np.array([0.0, 1.5, 0.0, 1.0])},
            {"values": np.array([1.0, 0.0, 0.0, 1.0])},
            {"values": np.array([0.0, np.nan, 0.0, 1.0])},
            {"values": np.zeros(3)},
            {"values": None},
        ],
    )
    def test_damaged_arrays_are_refused(self, damage):
        truth = sp.csr_matrix(np.array([[0, 0], [1, 1]], bool))
        scores = out_of_fold(np.array([[0.0, 0.0], [1.0, 1.0]]))
        settings_, arrays = calibration_to_parts(fit_calibration("isotonic", scores, truth))
        assert arrays["offsets"].tolist() == [0, 2, 4]
        with pytest.raises(InputError):
            calibration_from_parts(settings_, arrays | damage)


def test_calibrated_scores_are_better_than_raw_ones():
    """Fitted on one half, the squared error on the other half falls."""
    rng = np.random.default_rng(0)
    odds = rng.normal(-1, 2, 4000)
    inside = rng.random(4000) < expit(odds)
    scores = column(odds * 5 + 3)
    half = slice(0, 2000), slice(2000, 4000)
    errors = {}
    for kind in CALIBRATIONS:
        p = fitted(kind, scores[half[0]], inside[half[0]]).probabilities(scores[half[1]])
        errors[kind] = float(((p.ravel() - inside[half[1]]) ** 2).mean())
    ideal = float(((expit(odds[half[1]]) - inside[half[1]]) ** 2).mean())
    assert errors["platt"] < ideal + 0.003
    assert errors["isotonic"] < ideal + 0.01
    assert errors["logistic"] > ideal + 0.02


@settings(max_examples=50, deadline=None)
@given(
    rows=st.lists(st.lists(ANY_SCORE, min_size=3, max_size=3), min_size=1, max_size=8),
    shift=st.floats(-100, 100),
)
def test_softmax_is_one_category_for_each_document(rows, shift):
    scores = np.array(rows)
    softmax = fit_calibration("softmax", None, truth_of(np.eye(3, dtype=bool)))
    p = softmax.probabilities(scores)
    assert np.isfinite(p).all()
    assert ((p >= 0) & (p <= 1)).all()
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    gentle = np.clip(scores, -500, 500)
    powers = np.exp(gentle)
    np.testing.assert_allclose(
        softmax.probabilities(gentle), powers / powers.sum(axis=1, keepdims=True), atol=1e-12
    )
    moved = softmax.probabilities(gentle + shift)
    np.testing.assert_allclose(moved, softmax.probabilities(gentle), atol=1e-9)


def test_two_categories_of_softmax_are_the_logistic_of_their_difference():
    scores = np.array([[0.5, -1.0], [3.0, 3.0], [-2.0, 700.0]])
    p = fit_calibration("softmax", None, truth_of(np.eye(2, dtype=bool))).probabilities(scores)
    np.testing.assert_allclose(p[:, 0], expit(scores[:, 0] - scores[:, 1]))


def test_softmax_of_no_category_is_empty():
    settings, arrays = {"kind": "softmax", "categories": 0}, {}
    restored = calibration_from_parts(settings, arrays)
    assert restored.probabilities(np.empty((2, 0))).shape == (2, 0)
