"""Every loss: formula, derivatives, curvature bound, conjugate and dual step, numerically."""

from __future__ import annotations

from dataclasses import fields
from typing import get_args, get_type_hints

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_ndtr, ndtr
from scipy.stats import norm

from postil import _native
from postil.decide.calibration import calibration_from_parts, calibration_to_parts, fit_calibration
from postil.errors import PostilError, UsageError
from postil.learn.job import Job
from postil.learn.losses import LOSSES
from postil.learn.method import Method
from postil.learn.solvers import SOLVERS
from postil.learn.strength import Regularization
from postil.recipes.recipe import Recipe

from . import reference
from .reference import GAMMA, _smoothed_hinge, read_formula
from .samples import EVERY, LAM, LEGAL, design_of, labels_of, method_of, sample

EXTREMES = np.array([-1e8, -1e3, -1.0, -1e-8, 0.0, 1e-8, 1.0, 1.0 + 1e-12, 2.0, 1e3, 1e8])
MARGINS = np.sort(np.concatenate([np.linspace(-30, 30, 241), [1 - 1e-9, 1 + 1e-9]]))
GAMMAS = [1e-4, 0.1, 1.0, GAMMA, 200.0, 1e4, 1e6]
HINGE_EXTREMES = np.array([-1e8, -1e3, -1.0, 0.0, 1 - 1e-9, 1.0, 1 + 1e-9, 2.0, 1e3, 1e8])
EVERY_GAMMA = pytest.mark.parametrize("gamma", GAMMAS)
PROBIT = Method("probit", "gaussian", "newton-coordinate").to_native()
FAR = np.array([-1e8, -1e5, -1e3, -200.0, -40.0, -12.0, -5.0 - 1e-9, -5.0 + 1e-9, -4.0])


def _bounds(solver):
    """The curvature bounds that a solver can be told to use."""
    options = SOLVERS[solver].options
    if "bound" not in {f.name for f in fields(options)}:
        return []
    return list(get_args(get_type_hints(options)["bound"]))


NATIVE = {loss: method_of(next(p for p in LEGAL if p[0] == loss)).to_native() for loss in LOSSES}
BOUNDED = {
    (loss, bound): method_of((loss, prior, solver, kind), bound=bound).to_native()
    for loss, prior, solver, kind in EVERY
    for bound in _bounds(solver)
}
EVERY_LOSS = pytest.mark.parametrize("loss", LOSSES)
WITH_CONJUGATE = pytest.mark.parametrize(
    "loss", [name for name, loss in LOSSES.items() if "conjugate" in loss.provides]
)
EVERY_BOUND = pytest.mark.parametrize(("loss", "bound"), BOUNDED)
MARGIN = st.floats(-40, 40)


def at(loss, margins):
    return _native.loss_at(NATIVE[loss], np.ascontiguousarray(margins, float))


def duals(loss, count=41):
    """Dual variables from one end of the loss's slopes to the other."""
    _, slopes, _ = at(loss, np.array([-40.0, 40.0]))
    return np.linspace(-slopes[1], -slopes[0], count)


def test_every_loss_has_a_legal_method():
    assert {parts[0] for parts in LEGAL} == set(LOSSES)


@EVERY_LOSS
def test_values_are_those_of_the_formula(loss):
    values, _, _ = at(loss, MARGINS)
    np.testing.assert_allclose(values, reference.loss_value(loss, MARGINS), rtol=1e-12, atol=1e-15)


@EVERY_LOSS
def test_slopes_are_derivatives_of_the_values(loss):
    step = 1e-5
    values, slopes, _ = at(loss, MARGINS)
    left = (values - at(loss, MARGINS - step)[0]) / step
    right = (at(loss, MARGINS + step)[0] - values) / step
    slack = 1e-9 + 1e-9 * np.abs(values) / step
    assert (slopes >= left - slack).all()
    assert (slopes <= right + slack).all()
    if "slope" in LOSSES[loss].provides:
        np.testing.assert_allclose(slopes, reference.loss_slope(loss, MARGINS), rtol=1e-9)


@EVERY_LOSS
def test_curvatures_are_derivatives_of_the_slopes(loss):
    _, slopes, curvatures = at(loss, MARGINS)
    if "curvature bound" not in LOSSES[loss].provides:
        assert len(curvatures) == 0
        return
    step = 1e-5
    left = (slopes - at(loss, MARGINS - step)[1]) / step
    right = (at(loss, MARGINS + step)[1] - slopes) / step
    # Where the curvature jumps it is that of one of the sides.
    assert (curvatures >= np.minimum(left, right) - 1e-6).all()
    assert (curvatures <= np.maximum(left, right) + 1e-6).all()


@EVERY_LOSS
def test_extremes_are_finite_and_convex(loss):
    values, slopes, curvatures = at(loss, EXTREMES)
    for column in (values, slopes, curvatures):
        assert np.isfinite(column).all()
    assert (values >= 0).all()
    assert (np.diff(slopes) >= 0).all()
    assert (curvatures >= 0).all()
    # No chord lies below the loss, no tangent above it.
    between = (EXTREMES[:, None] + EXTREMES) / 2
    middle = at(loss, between.ravel())[0].reshape(between.shape)
    assert (middle <= (values[:, None] + values) / 2 * (1 + 1e-12) + 1e-300).all()
    tangents = values[:, None] + slopes[:, None] * (EXTREMES - EXTREMES[:, None])
    assert (tangents <= values + 1e-12 * np.abs(tangents) + 1e-12 * values[:, None]).all()


@EVERY_BOUND
@settings(max_examples=60)
@given(margin=MARGIN, distance=st.floats(0, 40), share=st.floats(-1, 1))
def test_the_bound_bounds_the_curvature_within_reach(loss, bound, *, margin, distance, share):
    most = _native.loss_bound(BOUNDED[loss, bound], margin, distance)
    _, _, curvatures = at(loss, np.array([margin, margin + share * distance]))
    assert (curvatures <= most * (1 + 1e-9) + 1e-300).all()


@EVERY_BOUND
def test_the_bound_without_reach_is_the_curvature(loss, bound):
    _, _, curvatures = at(loss, MARGINS)
    bounds = [_native.loss_bound(BOUNDED[loss, bound], float(z), 0.0) for z in MARGINS]
    np.testing.assert_allclose(bounds, curvatures, rtol=1e-12)


@pytest.mark.parametrize("loss", sorted({loss for loss, bound in BOUNDED if bound == "exact"}))
@settings(max_examples=60)
@given(margin=MARGIN, distance=st.floats(0, 40))
def test_the_exact_bound_is_the_largest_curvature_within_reach(loss, margin, distance):
    nearest = np.clip([0.0, 1.0, -1.0], margin - distance, margin + distance)
    within = np.concatenate([np.linspace(margin - distance, margin + distance, 101), nearest])
    most = _native.loss_bound(BOUNDED[loss, "exact"], margin, distance)
    assert most == pytest.approx(at(loss, within)[2].max(), rel=1e-6, abs=1e-300)


@pytest.mark.parametrize("margin", [-100.0, -3.0, -0.5, 0.0, 0.5, 3.0, 100.0])
@pytest.mark.parametrize("distance", [0.0, 0.1, 1.0, 50.0])
def test_the_printed_logistic_bound_is_the_paper_s(margin, distance):
    # F(x, y) = min(0.25, exp|y| / (2 + exp(x) + exp(-x))): zhang-oles-2001, algorithm 4.
    printed = min(0.25, np.exp(distance) / (2 + np.exp(margin) + np.exp(-margin)))
    found = _native.loss_bound(BOUNDED["logistic", "printed"], margin, distance)
    assert found == pytest.approx(printed, rel=1e-9)


@pytest.mark.parametrize(("loss", "bound"), list(BOUNDED))
def test_bounds_of_extreme_margins_and_reaches_are_finite_and_bound(loss, bound):
    for margin in EXTREMES:
        for distance in (0.0, 1e-8, 1.0, 1e3, 1e8):
            most = _native.loss_bound(BOUNDED[loss, bound], float(margin), distance)
            within = np.clip([0.0, 1.0, margin], margin - distance, margin + distance)
            assert np.isfinite(most)
            assert (at(loss, within)[2] <= most + 1e-15).all()


@EVERY_LOSS
def test_without_curvature_the_bound_is_infinite(loss):
    if "curvature bound" not in LOSSES[loss].provides:
        assert _native.loss_bound(NATIVE[loss], 0.5, 1.0) == np.inf


@WITH_CONJUGATE
def test_the_conjugate_is_the_supremum(loss):
    dual = duals(loss)
    found = [_native.loss_conjugate(NATIVE[loss], float(a)) for a in dual]
    np.testing.assert_allclose(found, reference.loss_conjugate(loss, dual), rtol=1e-9, atol=1e-9)


@WITH_CONJUGATE
def test_a_margin_and_its_slope_close_the_gap(loss):
    # f(z) + k(f'(z)) = z f'(z): with a = -f'(z) there is no duality gap.
    values, slopes, _ = at(loss, MARGINS)
    conjugates = np.array([_native.loss_conjugate(NATIVE[loss], float(-s)) for s in slopes])
    gaps = values + conjugates - MARGINS * slopes
    np.testing.assert_allclose(gaps, 0.0, atol=1e-11 * (1 + np.abs(values).max()))


def dual_cost(loss, new, old, margin, steepness):
    """(**) of zhang-oles-2001: with a = -ζ, z = -v·x y/2λn and q = x²/2λn."""
    change = new - old
    return _native.loss_conjugate(NATIVE[loss], new) + margin * change + steepness / 2 * change**2


@WITH_CONJUGATE
@settings(max_examples=40)
@given(
    share=st.floats(0, 1),
    margin=st.floats(-20, 20),
    steepness=st.just(0.0) | st.floats(1e-6, 1e4),
)
def test_the_dual_step_minimises(loss, share, margin, steepness):
    low, high = duals(loss)[[0, -1]]
    old = low + share * (high - low)
    new = _native.loss_dual_step(NATIVE[loss], old, margin, steepness)
    assert low - 1e-9 <= new <= high + 1e-9
    best = scipy.optimize.minimize_scalar(
        lambda a: dual_cost(loss, a, old, margin, steepness),
        bounds=(low, high),
        method="bounded",
        options={"xatol": 1e-12},
    )
    cost = dual_cost(loss, new, old, margin, steepness)
    others = [dual_cost(loss, a, old, margin, steepness) for a in (best.x, old, low, high)]
    assert cost <= min(others) + 1e-10 * (1 + abs(cost))


@WITH_CONJUGATE
def test_extreme_dual_steps_are_finite_and_stay_where_the_conjugate_is(loss):
    _, slopes, _ = at(loss, EXTREMES)
    low, high = -slopes.max(), -slopes.min()
    for old in (0.0, 0.5, 1.0):
        for margin in EXTREMES:
            for steepness in (0.0, 1e-12, 1e-3, 1.0, 1e3, 1e8):
                new = _native.loss_dual_step(NATIVE[loss], old, float(margin), steepness)
                assert low <= new <= high
                assert np.isfinite(_native.loss_conjugate(NATIVE[loss], new))


@pytest.mark.parametrize("share", [1e-300, 1e-12, 1.0 - 1e-12])
@pytest.mark.parametrize("margin", [-700.0, -30.0, 0.0, 30.0, 700.0])
@pytest.mark.parametrize("steepness", [1e-6, 1.0, 1e6])
def test_the_logistic_dual_step_solves_its_equation_at_the_ends(share, margin, steepness):
    # ln((1 - a)/a) = z + q (a - a_old), as s = z + q (1/(1 + exp(s)) - a_old).
    new = _native.loss_dual_step(NATIVE["logistic"], share, margin, steepness)
    s = margin + steepness * (new - share)
    expected = np.exp(-np.logaddexp(0.0, s))
    # The equation amplifies the rounding of a by q.
    slack = 1e-9 + 1e-11 * steepness * np.maximum(new, 1e-16) + 1e-16 * steepness
    assert new == pytest.approx(expected, rel=max(1e-9, slack), abs=1e-300)


@pytest.mark.parametrize(
    ("loss", "gamma"), [("logistic", 1.0), ("smoothed-hinge", reference.GAMMA)]
)
def test_the_dual_step_finds_its_root_between_two_flat_ends(loss, gamma):
    # Newton's step from either end leads to the other.
    shares, margins = np.linspace(0.0, 1.0, 21), np.linspace(-8.0, 8.0, 81)
    for steepness in (3.0, 12.0, 50.0, 600.0):
        for share in shares:
            for margin in margins:
                new = _native.loss_dual_step(NATIVE[loss], share, margin, steepness)
                s = gamma * (margin + steepness * (new - share) - (loss == "smoothed-hinge"))
                amplified = 1e-11 * (1.0 + gamma * steepness)
                assert new == pytest.approx(np.exp(-np.logaddexp(0.0, s)), abs=amplified)


@pytest.mark.parametrize("rate", [0.1, 0.5, 1.0])
@settings(max_examples=40)
@given(old=st.floats(0, 1), margin=MARGIN, steepness=st.floats(1e-3, 1e3))
def test_the_hinge_s_dual_step_is_equation_18(rate, *, old, margin, steepness):
    options = method_of(("hinge", "gaussian", "dual-coordinate", "none"), rate=rate).to_native()
    # Δζ = -max(ζ, min(1 + ζ, η (2λn + v·x y)/x²)), where v·x y = -2λn z and q = x²/2λn.
    zeta = -old
    change = -max(zeta, min(1 + zeta, rate * (1 - margin) / steepness))
    new = _native.loss_dual_step(options, old, margin, steepness)
    assert new == pytest.approx(-(zeta + change), abs=1e-12)


@given(old=st.floats(0, 60), margin=MARGIN, lam_n=st.floats(1e-3, 1e3), square=st.floats(0, 100))
def test_the_modified_squared_dual_step_is_the_paper_s(old, margin, lam_n, square):
    # Δζ = min(-ζ, -((2 + ζ) λn + v·x y)/(λn + x²)), where v·x y = -2λn z.
    zeta = -old
    change = min(-zeta, -((2 + zeta) * lam_n - 2 * lam_n * margin) / (lam_n + square))
    new = _native.loss_dual_step(NATIVE["modified-squared"], old, margin, square / (2 * lam_n))
    assert new == pytest.approx(-(zeta + change), rel=1e-9, abs=1e-9)


def smoothed(gamma):
    method = Method("smoothed-hinge", solver="conjugate-gradient", loss_options={"gamma": gamma})
    return method.to_native()


def smoothed_at(gamma, margins):
    return _native.loss_at(smoothed(gamma), np.atleast_1d(np.asarray(margins, float)))


def test_the_stable_formula_is_the_one_for_people():
    formula = read_formula(LOSSES["smoothed-hinge"].formula, "z", "γ")
    margins = np.linspace(-3, 5, 101)
    for gamma in (0.5, GAMMA, 50.0):
        np.testing.assert_allclose(
            _smoothed_hinge(margins, gamma), formula(margins, gamma), rtol=1e-9, atol=1e-12
        )


@EVERY_GAMMA
def test_values_and_slopes_are_those_of_equation_1(gamma):
    margins = np.concatenate([np.linspace(-5, 7, 61), 1 + np.linspace(-30, 30, 61) / gamma])
    values, slopes, curvatures = smoothed_at(gamma, margins)
    np.testing.assert_allclose(values, _smoothed_hinge(margins, gamma), rtol=1e-9, atol=1e-15)
    expected = np.imag(_smoothed_hinge(margins + 1e-30j, gamma)) / 1e-30
    np.testing.assert_allclose(slopes, expected, rtol=1e-6, atol=1e-15)
    np.testing.assert_allclose(curvatures, gamma * -slopes * (1 + slopes), rtol=1e-6, atol=1e-9)


@EVERY_GAMMA
def test_extremes_are_finite(gamma):
    values, slopes, curvatures = smoothed_at(gamma, HINGE_EXTREMES)
    hinge = np.maximum(0, 1 - HINGE_EXTREMES)
    np.testing.assert_allclose(values, hinge, atol=np.log(2) / gamma * (1 + 1e-9))
    assert ((slopes >= -1) & (slopes <= 0)).all()
    assert (np.diff(slopes) >= 0).all()
    assert np.isfinite(curvatures).all()
    assert (curvatures <= gamma / 4 * (1 + 1e-12)).all()


@settings(max_examples=200)
@given(margin=st.floats(-1e8, 1e8), gamma=st.floats(1e-3, 1e4), more=st.floats(1.0, 100.0))
def test_proposition_1(margin, gamma, more):
    hinge = max(0.0, 1 - margin)
    (value,), _, _ = smoothed_at(gamma, margin)
    (nearer,), _, _ = smoothed_at(gamma * more, margin)
    rounding = 1e-12 * (1 + hinge)
    assert hinge - rounding <= nearer <= value + rounding
    assert value - hinge <= np.log(2) / gamma + rounding


def test_proposition_1_is_tight():
    (value,), _, _ = smoothed_at(GAMMA, 1.0)
    assert value == pytest.approx(np.log(2) / GAMMA, rel=1e-12)


@EVERY_GAMMA
@pytest.mark.parametrize("dual", [0.0, 1e-300, 1e-9, 0.3, 1 - 1e-9, 1.0])
def test_the_conjugate_is_minus_a_less_an_entropy(gamma, dual):
    entropy = -sum(p * np.log(p) for p in (dual, 1 - dual) if p > 0)
    found = _native.loss_conjugate(smoothed(gamma), dual)
    assert found == pytest.approx(-dual - entropy / gamma, rel=1e-9, abs=1e-12)


@EVERY_GAMMA
def test_dual_steps_stay_within_their_range(gamma):
    options = smoothed(gamma)
    for old in (0.0, 0.5, 1.0):
        for margin in HINGE_EXTREMES:
            for steepness in (0.0, 1e-9, 1.0, 1e9):
                new = _native.loss_dual_step(options, old, float(margin), steepness)
                assert 0 <= new <= 1


@pytest.mark.parametrize("gamma", [0.5, 20.0, 200.0])
@pytest.mark.parametrize("solver", ["dual-coordinate", "conjugate-gradient"])
def test_solvers_agree_for_other_gammas(gamma, solver):
    _, _, design, labels = sample()
    options = {"tolerance": 1e-7, "iterations": 200_000}
    method = Method(
        "smoothed-hinge",
        solver=solver,
        regularization=Regularization(lam=LAM),
        options=options,
        loss_options={"gamma": gamma},
    )
    found = method.fit(Job(design, labels))
    dear = Method(
        "smoothed-hinge",
        solver="primal-coordinate",
        regularization=Regularization(lam=LAM),
        options=options,
        loss_options={"gamma": gamma},
    )
    expected = dear.fit(Job(design, labels))
    for a, b in zip(found.reports, expected.reports, strict=True):
        assert a.stopped == "certified"
        assert a.objective == pytest.approx(b.objective, rel=1e-6)


@pytest.mark.parametrize("gamma", [0, -1.0, 1e7, "200", True])
def test_gammas_that_are_none_are_refused(gamma):
    with pytest.raises(UsageError, match="gamma must be from 1e-4 to 1e6, not"):
        Method("smoothed-hinge", solver="conjugate-gradient", loss_options={"gamma": gamma})


def probit_at(margins):
    return _native.loss_at(PROBIT, np.ascontiguousarray(margins, float))


@given(st.floats(-1e6, 37))
def test_values_are_those_of_the_normal_distribution(z):
    (value,), (slope,), (curvature,) = probit_at([z])
    assert value == pytest.approx(-log_ndtr(z), rel=1e-10)
    inverse_mills = np.exp(norm.logpdf(z) - log_ndtr(z)) if z > -1e3 else -z - 1 / z
    assert slope == pytest.approx(-inverse_mills, rel=1e-8)
    assert 0 < curvature <= 1


def test_both_roads_meet_where_they_part():
    for column in probit_at([-5.0 - 1e-13, -5.0 + 1e-13]):
        assert column[0] == pytest.approx(column[1], rel=1e-11)


def test_far_below_0_the_curvature_is_that_of_the_series():
    # f'' = h (h + z) = 1 - 1/z² + 6/z⁴ - 50/z⁶ + ..., as h = x + 1/x - 2/x³ + 10/x⁵ - ..., x = -z.
    far = FAR[FAR <= -40]
    _, _, curvatures = probit_at(far)
    series = 1 - far**-2.0 + 6 * far**-4.0 - 50 * far**-6.0
    np.testing.assert_allclose(curvatures, series, rtol=0, atol=1e-9)
    assert (curvatures[far < -1e3] <= 1).all()


def test_nothing_overflows_and_slopes_fall_on_the_way_down():
    values, slopes, curvatures = probit_at(np.concatenate([FAR, [40.0, 1e3, 1e8]]))
    for column in (values, slopes, curvatures):
        assert np.isfinite(column).all()
    assert (np.diff(values) <= 0).all()
    assert (np.diff(slopes) >= 0).all()
    assert (np.diff(curvatures) <= 1e-15).all()


def test_the_bound_of_an_endless_reach_is_1():
    assert _native.loss_bound(PROBIT, 3.0, np.inf) == 1.0
    assert _native.loss_bound(PROBIT, 3.0, 1e9) == 1.0


@given(st.floats(1e-300, 1e6))
def test_the_conjugate_and_its_margin_belong_together(dual):
    # k(-a) = -u a - f(u) where h(u) = a: its derivative by a is -u.
    step = 1e-6 * dual
    left, right = (_native.loss_conjugate(PROBIT, dual + by) for by in (-step, step))
    margin = -(right - left) / (2 * step)
    _, (slope,), _ = probit_at([margin])
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
