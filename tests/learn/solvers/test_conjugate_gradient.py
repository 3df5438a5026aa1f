"""Conjugate gradients: directions, restarts, lock step, and what they report.

That they find the minimum of every smooth loss is in the tests of all methods.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from postil.errors import UsageError
from postil.features.selection import Selection
from postil.learn.job import Job, SampleWeights
from postil.learn.method import Method
from postil.learn.one_vs_rest import fit_path
from postil.learn.strength import Regularization, Strengths
from postil_papers.zhang_jin_yang_hauptmann_2003.figures import trace_objective

from ..samples import (
    design_of,
    labels_of,
    method_of,
    planted,
    problem_of,
    sample,
    sparse_values,
    theta_of,
)

DIRECTIONS = ["hestenes-stiefel", "polak-ribiere", "fletcher-reeves"]
INTERCEPTS = ["none", "penalised", "free"]
CATEGORIES = 19  # two blocks of eight, and three more


def parts_of(intercept="penalised", loss="logistic"):
    return (loss, "gaussian", "conjugate-gradient", intercept)


@pytest.fixture(scope="module")
def many():
    rng = np.random.default_rng(8)
    x = sparse_values(rng, 60, 25)
    return x, planted(rng, x, CATEGORIES)


def assert_same(one, other, category=0, of=0):
    np.testing.assert_array_equal(one.weights[[category]].toarray(), other.weights[[of]].toarray())
    assert one.intercepts[category] == other.intercepts[of]
    assert replace(one.reports[category], seconds=0.0) == replace(other.reports[of], seconds=0.0)


@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("loss", ["logistic", "smoothed-hinge"])
def test_lock_step_is_each_alone_bit_for_bit(many, intercept, loss):
    x, truth = many
    method = method_of(parts_of(intercept, loss), tolerance=1e-4)
    together = method.fit(Job(design_of(x), labels_of(truth)))
    for category in range(CATEGORIES):
        alone = method.fit(Job(design_of(x), labels_of(truth[:, [category]])))
        report = replace(alone.reports[0], category=f"c{category}")
        assert_same(together, replace(alone, reports=(report,)), category)


def test_equal_selections_go_together_and_others_alone(many):
    x, truth = many
    method = method_of(parts_of(), tolerance=1e-4)
    lists = [np.arange(0, 25, 1 + category % 3, dtype=np.int32) for category in range(CATEGORIES)]
    together = method.fit(
        Job(design_of(x), labels_of(truth), selection=Selection.of(lists, 25), threads=2)
    )
    for category, terms in enumerate(lists):
        names = labels_of(truth[:, [category]])
        alone = method.fit(Job(design_of(x), names, selection=Selection.of([terms], 25)))
        copied = method.fit(Job(design_of(x[:, terms]), names))
        weights = together.weights[[category]].toarray().ravel()
        np.testing.assert_array_equal(weights, alone.weights.toarray().ravel())
        np.testing.assert_array_equal(weights[terms], copied.weights.toarray().ravel())
        assert together.intercepts[category] == copied.intercepts[0]


def test_paths_in_lock_step_are_those_of_each_alone(many):
    x, truth = many
    method = method_of(parts_of("free"))
    values = np.geomspace(1.0, 1e-3, 4)[:, None] * np.linspace(1.0, 2.0, CATEGORIES)
    path = fit_path(Job(design_of(x), labels_of(truth), strengths=Strengths("lam", values)), method)
    for category in (0, 9, 18):
        strengths = Strengths("lam", values[:, [category]])
        alone = fit_path(
            Job(design_of(x), labels_of(truth[:, [category]]), strengths=strengths), method
        )
        for point, of in zip(path, alone, strict=True):
            np.testing.assert_array_equal(point.weights[[category]].toarray(), of.weights.toarray())


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("scaling", ["diagonal", "none"])
def test_every_direction_finds_the_minimum(direction, intercept, scaling):
    x, truth, design, labels = sample()
    method = method_of(parts_of(intercept), direction=direction, scaling=scaling)
    found = method.fit(Job(design, labels))
    for category, report in enumerate(found.reports):
        problem = problem_of(x, truth[:, category], method)
        assert report.stopped == "certified"
        assert report.objective == pytest.approx(problem.minimum(), rel=1e-6)


@pytest.mark.parametrize("options", [{"restart": 1}, {"restart": 5}, {"powell": 0.2}])
def test_restarts_lead_to_the_same_minimum(options):
    _, _, design, labels = sample("many terms")
    plain = method_of(parts_of()).fit(Job(design, labels))
    found = method_of(parts_of(), **options).fit(Job(design, labels))
    for a, b in zip(found.reports, plain.reports, strict=True):
        assert a.stopped == "certified"
        assert a.objective == pytest.approx(b.objective, rel=2e-6)


def test_steepest_descent_is_slower():
    # Restarting every step forgets the directions: else nothing would be gained by them.
    _, _, design, labels = sample("many terms")
    plain = method_of(parts_of(), lam=1e-4).fit(Job(design, labels))
    slow = method_of(parts_of(), lam=1e-4, restart=1).fit(Job(design, labels))
    for a, b in zip(plain.reports, slow.reports, strict=True):
        assert a.iterations < b.iterations


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_least_squares_end_after_as_many_steps_as_there_are_weights(direction):
    # Linear conjugate gradients, whose line searches are exact: one step for each weight.
    x, _, design, labels = sample()
    method = method_of(
        parts_of("none", "squared"), tolerance=1e-10, direction=direction, slope_share=1e-6
    )
    for report in method.fit(Job(design, labels)).reports:
        assert report.iterations <= x.shape[1]


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("scaling", ["diagonal", "none"])
def test_the_first_steps_are_the_formulas(direction, scaling):
    # Dense and obvious, with a line search to the end.
    x, truth, design, labels = sample()
    method = method_of(parts_of("penalised"), direction=direction, scaling=scaling)
    problem = problem_of(x, truth[:, 0], method)
    expected = _by_formulas(problem, direction, scaling, steps=3)
    for steps, theta in enumerate(expected, start=1):
        options = {"tolerance": 0.0, "iterations": steps, "slope_share": 1e-6}
        found = method_of(
            parts_of("penalised"), direction=direction, scaling=scaling, **options
        ).fit(Job(design, labels, quiet=True))
        np.testing.assert_allclose(theta_of(problem, found, 0), theta, rtol=1e-4, atol=1e-6)


def _by_formulas(problem, direction, scaling, steps):
    from scipy.optimize import minimize_scalar

    features = problem.features
    # The mean of the logistic curvature between -1 and 1.
    typical = 0.5 * (1 / (1 + np.exp(-1)) - 1 / (1 + np.exp(1)))
    scale = 1 / (2 * problem.lam + typical * problem.c @ features**2 / problem.n)
    if scaling == "none":
        scale = np.ones_like(scale)
    theta = np.zeros(features.shape[1])
    ends, p, before = [], None, None
    for _ in range(steps):
        g = problem.slopes(theta) + 2 * problem.lam * theta
        if p is None:
            p = -scale * g
        else:
            y = g - before
            beta = {
                "hestenes-stiefel": (scale * g) @ y / (p @ y),
                "polak-ribiere": max(0.0, (scale * g) @ y / ((scale * before) @ before)),
                "fletcher-reeves": (scale * g) @ g / ((scale * before) @ before),
            }[direction]
            p = beta * p - scale * g
        line = minimize_scalar(
            lambda t, at=theta, p=p: problem.objective(at + t * p),
            bounds=(0, 100 if scaling == "none" else 10),
            method="bounded",
            options={"xatol": 1e-10},
        )
        theta = theta + line.x * p
        before = g
        ends.append(theta)
    return ends


def test_where_no_step_goes_down_it_says_so():
    _, _, design, labels = sample("two documents")
    method = method_of(parts_of(), tolerance=0.0, iterations=1_000_000)
    (report,) = method.fit(Job(design, labels)).reports
    assert report.stopped == "precision"
    assert report.certificate <= 1e-12


def test_emphasis_counts(many):
    x, truth = many
    sample_weights = SampleWeights(np.linspace(0.0, 2.0, 60), (3.0, 1.0))
    method = method_of(parts_of("free"))
    found = method.fit(Job(design_of(x), labels_of(truth[:, :3]), sample_weights=sample_weights))
    for category, report in enumerate(found.reports):
        problem = problem_of(x, truth[:, category], method, sample_weights=sample_weights)
        assert report.objective == pytest.approx(problem.minimum(), rel=1e-6)


def test_a_trace_falls_to_the_objective():
    _, _, design, labels = sample()
    method = method_of(parts_of())
    found = method.fit(Job(design, labels))
    for trace, report in zip(
        trace_objective(Job(design, labels), method), found.reports, strict=True
    ):
        assert trace.category == report.category
        assert len(trace.objectives) == len(trace.seconds) == report.iterations
        assert trace.objectives[-1] == report.objective
        assert (np.diff(trace.objectives) <= 1e-12).all()
        assert (np.diff(trace.seconds) >= 0).all()


def test_a_trace_of_nothing_and_of_other_solvers():
    _, _, design, _ = sample()
    never = labels_of(np.zeros((50, 1), bool))
    (trace,) = trace_objective(Job(design, never), method_of(parts_of()))
    assert len(trace.objectives) == 0
    with pytest.raises(UsageError, match="keeps no trace: use conjugate-gradient or"):
        trace_objective(Job(design, never), Method())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"direction": "newton"}, "direction must be 'hestenes-stiefel' or"),
        ({"restart": -1}, "restart must be a whole number of at least 0"),
        ({"powell": 2.0}, "powell must be from 0 to 1"),
        ({"slope_share": 0.0}, "slope_share must be from 1e-6 to 0.9"),
        ({"scaling": "full"}, "scaling must be 'diagonal' or 'none'"),
    ],
)
def test_options_that_are_none_are_refused(options, words):
    with pytest.raises(UsageError, match=words):
        Method("logistic", solver="conjugate-gradient", options=options)


def test_other_priors_and_losses_are_refused():
    with pytest.raises(UsageError, match="conjugate-gradient needs a ridge"):
        Method("logistic", "laplace", "conjugate-gradient")
    with pytest.raises(UsageError, match="conjugate-gradient needs a slope"):
        Method("hinge", "gaussian", "conjugate-gradient", Regularization(lam=1.0))


@pytest.mark.parametrize("members", [1, 8, 16])
def test_a_first_step_where_the_loss_is_straight_goes_not_too_far(members):
    x = np.zeros((17, 1))  # the intercept alone counts
    truth = (np.arange(17) < members)[:, np.newaxis]
    gamma = 200.0
    method = replace(method_of(parts_of("free", "smoothed-hinge")), loss_options={"gamma": gamma})
    found = method.fit(Job(design_of(x), labels_of(truth)))
    assert abs(found.intercepts[0]) < 10
    margins = np.where(truth, 1, -1) * found.intercepts[0]
    own = np.logaddexp(0.0, -gamma * (margins - 1.0)).mean() / gamma
    assert found.reports[0].objective == pytest.approx(own)
