"""The smoothed hinge of zhang-jin-yang-hauptmann-2003: eq. 1 and proposition 1, for any γ."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil import _native
from postil.errors import UsageError
from postil.learn.job import Job
from postil.learn.losses import LOSSES
from postil.learn.method import Method
from postil.learn.strength import Regularization

from .reference import GAMMA, _smoothed_hinge, read_formula
from .samples import LAM, sample

GAMMAS = [1e-4, 0.1, 1.0, GAMMA, 200.0, 1e4, 1e6]
EXTREMES = np.array([-1e8, -1e3, -1.0, 0.0, 1 - 1e-9, 1.0, 1 + 1e-9, 2.0, 1e3, 1e8])
EVERY_GAMMA = pytest.mark.parametrize("gamma", GAMMAS)


def native(gamma):
    method = Method("smoothed-hinge", solver="conjugate-gradient", loss_options={"gamma": gamma})
    return method.to_native()


def at(gamma, margins):
    return _native.loss_at(native(gamma), np.atleast_1d(np.asarray(margins, float)))


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
    values, slopes, curvatures = at(gamma, margins)
    np.testing.assert_allclose(values, _smoothed_hinge(margins, gamma), rtol=1e-9, atol=1e-15)
    expected = np.imag(_smoothed_hinge(margins + 1e-30j, gamma)) / 1e-30
    np.testing.assert_allclose(slopes, expected, rtol=1e-6, atol=1e-15)
    np.testing.assert_allclose(curvatures, gamma * -slopes * (1 + slopes), rtol=1e-6, atol=1e-9)


@EVERY_GAMMA
def test_extremes_are_finite(gamma):
    values, slopes, curvatures = at(gamma, EXTREMES)
    hinge = np.maximum(0, 1 - EXTREMES)
    np.testing.assert_allclose(values, hinge, atol=np.log(2) / gamma * (1 + 1e-9))
    assert ((slopes >= -1) & (slopes <= 0)).all()
    assert (np.diff(slopes) >= 0).all()
    assert np.isfinite(curvatures).all()
    assert (curvatures <= gamma / 4 * (1 + 1e-12)).all()


@settings(max_examples=200)
@given(margin=st.floats(-1e8, 1e8), gamma=st.floats(1e-3, 1e4), more=st.floats(1.0, 100.0))
def test_proposition_1(margin, gamma, more):
    hinge = max(0.0, 1 - margin)
    (value,), _, _ = at(gamma, margin)
    (nearer,), _, _ = at(gamma * more, margin)
    rounding = 1e-12 * (1 + hinge)
    assert hinge - rounding <= nearer <= value + rounding
    assert value - hinge <= np.log(2) / gamma + rounding


def test_proposition_1_is_tight():
    (value,), _, _ = at(GAMMA, 1.0)
    assert value == pytest.approx(np.log(2) / GAMMA, rel=1e-12)


@EVERY_GAMMA
@pytest.mark.parametrize("dual", [0.0, 1e-300, 1e-9, 0.3, 1 - 1e-9, 1.0])
def test_the_conjugate_is_minus_a_less_an_entropy(gamma, dual):
    entropy = -sum(p * np.log(p) for p in (dual, 1 - dual) if p > 0)
    found = _native.loss_conjugate(native(gamma), dual)
    assert found == pytest.approx(-dual - entropy / gamma, rel=1e-9, abs=1e-12)


@EVERY_GAMMA
def test_dual_steps_stay_within_their_range(gamma):
    options = native(gamma)
    for old in (0.0, 0.5, 1.0):
        for margin in EXTREMES:
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
