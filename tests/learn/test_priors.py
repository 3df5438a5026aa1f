"""The entropy prior: values, slopes and conjugates, numerically."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given
from hypothesis import strategies as st

from postil.errors import UsageError
from postil.learn.method import Method
from postil.learn.priors import EntropyOptions, NormalisedEntropyOptions
from postil.learn.strength import Regularization

SIGNS = pytest.mark.parametrize("signs", ["balanced", "positive"])
MU = st.floats(1e-4, 10)
THETA = st.floats(-6, 6)


def prior(signs, mu):
    return EntropyOptions(mu=mu, signs=signs).native()


@SIGNS
@given(mu=MU, theta=THETA)
def test_the_slope_is_the_derivative_of_the_value(signs, *, mu, theta):
    entropy = prior(signs, mu)
    weight = entropy.weight(theta)
    step = 1e-6 * max(abs(weight), mu)
    rise = entropy.value(weight + step) - entropy.value(weight - step)
    assert rise / (2 * step) == pytest.approx(entropy.slope(weight), rel=1e-5, abs=1e-5)
    assert entropy.slope(weight) == pytest.approx(theta, rel=1e-9, abs=1e-9)


@SIGNS
@given(mu=MU, theta=THETA)
def test_the_conjugate_is_the_supremum(signs, *, mu, theta):
    entropy = prior(signs, mu)
    reach = 5 * mu * np.exp(abs(theta)) + 5 * mu
    found = scipy.optimize.minimize_scalar(
        lambda w: entropy.value(w) - theta * w,
        bounds=(0 if signs == "positive" else -reach, reach),
        method="bounded",
        options={"xatol": 1e-12 * reach},
    )
    assert -found.fun == pytest.approx(entropy.conjugate(theta), rel=1e-6, abs=1e-9 * mu)


@SIGNS
@given(mu=MU, theta=THETA)
def test_the_weight_is_the_slope_of_the_conjugate(signs, *, mu, theta):
    entropy = prior(signs, mu)
    rise = entropy.conjugate(theta + 1e-5) - entropy.conjugate(theta - 1e-5)
    assert rise / 2e-5 == pytest.approx(entropy.weight(theta), rel=1e-5, abs=1e-8 * mu)


@given(mu=MU, weight=st.floats(-20, 20))
def test_a_balanced_weight_costs_its_cheapest_pair(mu, weight):
    def pair(less):  # w⁺ = w⁻ + weight
        parts = np.array([less + max(weight, 0.0), less + max(-weight, 0.0)])
        return float((parts * np.log(parts / mu) - parts + mu).sum())

    found = scipy.optimize.minimize_scalar(
        lambda log: pair(np.exp(log)), bounds=(-40, 5), method="bounded", options={"xatol": 1e-10}
    )
    assert prior("balanced", mu).value(weight) == pytest.approx(found.fun, rel=1e-6, abs=1e-7)


@SIGNS
def test_nothing_is_paid_at_the_start(signs):
    entropy = prior(signs, 0.3)
    assert entropy.value(entropy.weight(0.0)) == pytest.approx(0.0, abs=1e-15)
    assert entropy.conjugate(0.0) == 0.0


@pytest.mark.parametrize("bad", [{"mu": 0.0}, {"signs": "negative"}, {"threshold": np.nan}])
def test_options_that_mean_nothing_are_refused(bad):
    with pytest.raises(UsageError):
        EntropyOptions(**bad)
    with pytest.raises(UsageError):
        NormalisedEntropyOptions(total=-1.0)


def test_a_variance_of_an_entropy_is_refused_with_the_way_out():
    with pytest.raises(UsageError, match="lam or C"):
        Method("hinge", "entropy", "dual-gradient", Regularization(prior_variance=1.0))


def test_options_of_another_prior_are_refused():
    with pytest.raises(UsageError, match="no option 'mu'"):
        Method(prior_options={"mu": 1.0})
