"""The probit loss in numbers, far into both tails, and what goes with it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_ndtr, ndtr
from scipy.stats import norm

from postil import _native
from postil.decide.calibration import calibration_from_parts, calibration_to_parts, fit_calibration
from postil.errors import PostilError
from postil.learn.job import Job
from postil.learn.method import Method
from postil.recipes.recipe import Recipe

from .samples import design_of, labels_of

NATIVE = Method("probit", "gaussian", "newton-coordinate").to_native()
FAR = np.array([-1e8, -1e5, -1e3, -200.0, -40.0, -12.0, -5.0 - 1e-9, -5.0 + 1e-9, -4.0])


def at(margins):
    return _native.loss_at(NATIVE, np.ascontiguousarray(margins, float))


@given(st.floats(-1e6, 37))
def test_values_are_those_of_the_normal_distribution(z):
    (value,), (slope,), (curvature,) = at([z])
    assert value == pytest.approx(-log_ndtr(z), rel=1e-10)
    inverse_mills = np.exp(norm.logpdf(z) - log_ndtr(z)) if z > -1e3 else -z - 1 / z
    assert slope == pytest.approx(-inverse_mills, rel=1e-8)
    assert 0 < curvature <= 1


def test_both_roads_meet_where_they_part():
    for column in at([-5.0 - 1e-13, -5.0 + 1e-13]):
        assert column[0] == pytest.approx(column[1], rel=1e-11)


def test_far_below_0_the_curvature_is_that_of_the_series():
    # f'' = h (h + z) = 1 - 1/z² + 6/z⁴ - 50/z⁶ + ..., as h = x + 1/x - 2/x³ + 10/x⁵ - ..., x = -z.
    far = FAR[FAR <= -40]
    _, _, curvatures = at(far)
    series = 1 - far**-2.0 + 6 * far**-4.0 - 50 * far**-6.0
    np.testing.assert_allclose(curvatures, series, rtol=0, atol=1e-9)
    assert (curvatures[far < -1e3] <= 1).all()


def test_nothing_overflows_and_slopes_fall_on_the_way_down():
    values, slopes, curvatures = at(np.concatenate([FAR, [40.0, 1e3, 1e8]]))
    for column in (values, slopes, curvatures):
        assert np.isfinite(column).all()
    assert (np.diff(values) <= 0).all()
    assert (np.diff(slopes) >= 0).all()
    assert (np.diff(curvatures) <= 1e-15).all()


def test_the_bound_of_an_endless_reach_is_1():
    assert _native.loss_bound(NATIVE, 3.0, np.inf) == 1.0
    assert _native.loss_bound(NATIVE, 3.0, 1e9) == 1.0


@given(st.floats(1e-300, 1e6))
def test_the_conjugate_and_its_margin_belong_together(dual):
    # k(-a) = -u a - f(u) where h(u) = a: its derivative by a is -u.
    step = 1e-6 * dual
    left, right = (_native.loss_conjugate(NATIVE, dual + by) for by in (-step, step))
    margin = -(right - left) / (2 * step)
    _, (slope,), _ = at([margin])
    if dual > 1e-250:
        assert -slope == pytest.approx(dual, rel=1e-3)


def test_one_document_of_each_kind_by_hand():
    # Equal documents: the best constant is Φ⁻¹ of the members' share.
    truth = np.arange(10).reshape(-1, 1) < 3
    method = Method(
        "probit", "gaussian", "newton-coordinate", intercept="free", options={"tolerance": 1e-9}
    )
    found = method.fit(Job(design_of(np.zeros((10, 1))), labels_of(truth)))
    assert found.intercepts[0] == pytest.approx(norm.ppf(0.3), abs=1e-6)


class TestProbabilities:
    def test_the_calibration_is_the_normal_distribution(self):
        scores = np.array([[-40.0, -1.0], [0.0, 2.5]])
        truth = np.array([[False, True], [True, False]])
        calibration = fit_calibration("probit", None, labels_of(truth).members)
        np.testing.assert_allclose(calibration.probabilities(scores), ndtr(scores), rtol=1e-12)
        again = calibration_from_parts(*calibration_to_parts(calibration))
        assert again == calibration

    @pytest.mark.parametrize("loss", ["logistic", "modified-squared"])
    def test_it_is_refused_with_other_losses(self, loss):
        learn = {"loss": loss, "solver": "primal-coordinate"}
        with pytest.raises(PostilError, match='"probit" needs scores of the probit loss'):
            Recipe.from_dict({"name": "x", "learn": learn, "decide": {"calibration": "probit"}})

    def test_it_goes_with_its_own(self):
        table = {"name": "x", "learn": {"loss": "probit"}, "decide": {"calibration": "probit"}}
        assert Recipe.from_dict(table).decide.calibration == "probit"

    def test_its_scores_are_no_log_odds(self):
        assert not Method("probit").gives_probabilities
        table = {"name": "x", "learn": {"loss": "probit"}, "decide": {"calibration": "logistic"}}
        with pytest.raises(PostilError, match="logarithms of odds"):
            Recipe.from_dict(table)
