"""CLG and CLG-lasso of genkin-lewis-madigan-2004 as printed, step by step, against the solver.

The paper maximises Σ ln p(yᵢ | xᵢ) + Σ ln p(βⱼ): its sums are not averaged. τ is the Gaussian's
variance σ², λ = √2/σ the Laplace's hyperparameter; the ridge terms are β/τ and 1/τ (equations 15,
21 and 26 print twice that), and f'(r) = -1/(1 + exp(r)). Equation 24 prints exp(|δ| - r) for
exp(-r - |δ|): as printed it bounds nothing for r < 0.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from postil.learn.job import Job, SampleWeights
from postil.learn.method import Method
from postil.learn.strength import Regularization

from ..samples import problem_of, sample, theta_of

AS_PRINTED = {
    "shuffle": False,
    "constant_visits": 1,
    "least_reach": 0.0,
    "tolerance": 0.0,
}
PRIORS = ("gaussian", "laplace", "elastic-net")
INTERCEPTS = ("none", "penalised", "free")
VARIANCES = (0.2, 0.5, 30.0)
SHAPES = ("many documents", "many terms", "empty documents", "one member")


def bound(r, delta, is_exact):
    """F(r, δ) of equation 25, or Zhang and Oles' of equation 24."""
    delta = np.abs(delta)
    if not is_exact:
        wide = 2 * np.exp(-delta) + np.exp(r - delta) + np.exp(-r - delta)
        return np.minimum(0.25, 1 / wide)
    far = np.abs(r) - delta
    return np.where(far <= 0, 0.25, 1 / (2 + np.exp(far) + np.exp(-far)))


def clg_step(slope, curvature, beta, tau):
    """Equation 26."""
    if curvature + 1 / tau == 0:
        return 0.0
    return -(slope + beta / tau) / (curvature + 1 / tau)


def lasso_step(slope, curvature, beta, lam, tau=np.inf):
    """Figure 5 with equation 28; a finite τ adds the elastic net's ridge."""

    def tentative(sign):
        return -(slope + beta / tau + lam * sign) / (curvature + 1 / tau)

    if curvature + 1 / tau == 0:
        return -beta
    if beta == 0:
        step = tentative(1)
        if step <= 0:
            step = tentative(-1)
            if step >= 0:
                step = 0.0
        return step
    sign = beta / abs(beta)
    step = tentative(sign)
    return -beta if sign * (beta + step) < 0 else step


def printed(x, y, step_of, passes, *, is_exact=True, is_halved=True):
    """Figure 4. Gives β after each pass, with Σ|Δr|, net and of all steps, and Σ|r|."""
    beta, reach = np.zeros(x.shape[1]), np.ones(x.shape[1])
    r, story = np.zeros(len(y)), []
    for _ in range(passes):
        before, steps = r, 0.0
        for j in range(x.shape[1]):
            slope = (-x[:, j] * y / (1 + np.exp(r))).sum()
            curvature = (x[:, j] ** 2 * bound(r, reach[j] * x[:, j], is_exact)).sum()
            step = np.clip(step_of(j, slope, curvature, beta[j]), -reach[j], reach[j])
            change = step * x[:, j] * y
            r = r + change
            steps += np.abs(change).sum()
            beta[j] += step
            reach[j] = max(2 * abs(step), reach[j] / 2) if is_halved else 2 * abs(step) + 0.1
        moved = {"sweep": np.abs(r - before).sum(), "steps": steps}
        story.append((beta.copy(), moved, np.abs(r).sum()))
    return story


def steps_for(prior, intercept, variance, terms, mix=0.5):
    """Δv of the paper for each coordinate; a free constant pays nothing."""
    share = {"gaussian": 0.0, "laplace": 1.0, "elastic-net": mix}[prior]
    lam = share * np.sqrt(2 / variance)
    tau = variance / (1 - share) if share < 1 else np.inf

    def step_of(j, slope, curvature, beta):
        if j == terms and intercept == "free":
            return clg_step(slope, curvature, beta, np.inf)
        if share == 0:
            return clg_step(slope, curvature, beta, tau)
        return lasso_step(slope, curvature, beta, lam, tau)

    return step_of


def ours(prior, intercept, variance, shape="many documents", weights=None, **options):
    _, _, design, labels = sample(shape)
    method = Method(
        "logistic",
        prior,
        "primal-coordinate",
        Regularization(prior_variance=variance),
        intercept,
        options=AS_PRINTED | options,
    )
    job = Job(design, labels, sample_weights=SampleWeights(weights), quiet=True)
    return method, method.fit(job)


def story_of(
    prior, intercept, variance, shape="many documents", passes=8, kept=slice(None), **settings
):
    x, truth, _, _ = sample(shape)
    x, truth = x[kept], truth[kept]
    constant = np.ones((len(x), 0 if intercept == "none" else 1))
    step_of = steps_for(prior, intercept, variance, x.shape[1])
    y = np.where(truth[:, 0], 1.0, -1.0)
    return printed(np.hstack([x, constant]), y, step_of, passes, **settings)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize(
    ("trust_region", "bound"), list(product(["halved", "doubled"], ["exact", "printed"]))
)
def test_passes_are_the_paper_s(prior, intercept, trust_region, bound):
    x, truth, _, _ = sample()
    settings = {"is_exact": bound == "exact", "is_halved": trust_region == "halved"}
    story = story_of(prior, intercept, 0.5, **settings)
    for passes in (1, 2, 8):
        method, found = ours(
            prior, intercept, 0.5, iterations=passes, trust_region=trust_region, bound=bound
        )
        theta = theta_of(problem_of(x, truth[:, 0], method), found, 0)
        np.testing.assert_allclose(theta, story[passes - 1][0], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("variance", VARIANCES)
@pytest.mark.parametrize("shape", SHAPES)
def test_passes_with_other_variances_and_data(prior, variance, shape):
    x, truth, _, _ = sample(shape)
    story = story_of(prior, "penalised", variance, shape)
    method, found = ours(prior, "penalised", variance, shape, iterations=8)
    theta = theta_of(problem_of(x, truth[:, 0], method), found, 0)
    np.testing.assert_allclose(theta, story[-1][0], rtol=1e-9, atol=1e-12)
    if prior != "gaussian":
        # The same weights are 0, exactly.
        np.testing.assert_array_equal(theta == 0, story[-1][0] == 0)


def test_the_printed_steps_meet_all_that_figure_5_does():
    # Weights leave 0 both ways, cross it, and stay: else the tests above prove little.
    story = [beta for beta, _, _ in story_of("laplace", "penalised", 2.0, "many terms", 30)]
    path = np.array(story)
    assert (path[-1] > 0).any()
    assert (path[-1] < 0).any()
    assert (path == 0).all(axis=0).any()
    assert ((path[:-1] != 0) & (path[1:] == 0)).any()


def last_pass(story, of="sweep"):
    """The pass after which the rule of section 4.2 stops."""
    return 1 + [moved[of] <= 0.0005 * (1 + size) for _, moved, size in story].index(True)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("variance", VARIANCES)
def test_the_stopping_rule_is_the_paper_s(prior, intercept, variance):
    """Between the beginning and the end of a pass; the change of every step stops later."""
    story = story_of(prior, intercept, variance, passes=300)
    for of, options in {"sweep": {}, "steps": {"movement_of": "steps"}}.items():
        _, found = ours(prior, intercept, variance, movement=0.0005, iterations=300, **options)
        report = found.reports[0]
        assert report.stopped == "movement"
        assert report.iterations == last_pass(story, of)
    assert last_pass(story) <= last_pass(story, "steps")


def test_the_two_readings_of_the_rule_differ():
    # Else the test above could not tell one from the other.
    story = story_of("laplace", "penalised", 30.0, passes=300)
    assert last_pass(story) < last_pass(story, "steps")


@pytest.mark.parametrize("of", ["sweep", "steps"])
def test_documents_that_a_fold_holds_out_do_not_move(of):
    x, _, _, _ = sample()
    weights = np.where(np.arange(len(x)) % 3 == 0, 0.0, 1.0)
    story = story_of("laplace", "penalised", 30.0, passes=300, kept=weights > 0)
    options = {"movement": 0.0005, "movement_of": of, "iterations": 300}
    _, found = ours("laplace", "penalised", 30.0, weights=weights, **options)
    assert found.reports[0].iterations == last_pass(story, of)


@pytest.mark.parametrize("prior", PRIORS)
def test_the_rule_ends_near_the_minimum_and_the_certificate_says_how_near(prior):
    x, truth, _, _ = sample()
    method, found = ours(prior, "penalised", 0.5, movement=0.0005, iterations=1000)
    problem = problem_of(x, truth[:, 0], method)
    report = found.reports[0]
    excess = 1 - problem.minimum() / report.objective
    assert -1e-12 <= excess <= report.certificate + 1e-12
    assert 0 < report.certificate < 0.02
