"""MLR-CG (zhang-jin-yang-hauptmann-2003, algorithm 1): the SVM as the limit of smooth problems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.errors import UsageError
from postil.features.selection import Selection
from postil.learn.job import Job, SampleWeights
from postil.learn.method import Method
from postil.learn.one_vs_rest import fit_path
from postil.learn.strength import Regularization, Strengths
from postil_papers.zhang_jin_yang_hauptmann_2003.figures import trace_objective

from ..reference import _smoothed_hinge
from ..samples import (
    EVERY_SHAPE,
    LAM,
    design_of,
    labels_of,
    planted,
    problem_of,
    sample,
    sparse_values,
    theta_of,
)

INTERCEPTS = pytest.mark.parametrize("intercept", ["none", "penalised", "free"])
ALL_STEPS = {"tolerance": 0.0}
NEAR = {"tolerance": 1e-3, "iterations": 20_000}
CATEGORIES = 11


def svm(intercept="free", lam=LAM, constant=1.0, **options):
    return Method(
        "hinge",
        "gaussian",
        "smoothed-conjugate-gradient",
        Regularization(lam=lam),
        intercept,
        constant,
        options,
    )


def optimum(design, labels, intercept="free", lam=LAM, **settings):
    """The SVM's by a solver of its dual."""
    solver = "smo" if intercept == "free" else "dual-coordinate"
    options = {"tolerance": 1e-8, "iterations": 10_000_000}
    given = Method("hinge", "gaussian", solver, Regularization(lam=lam), intercept, 1.0, options)
    return [report.objective for report in given.fit(Job(design, labels, **settings)).reports]


@INTERCEPTS
@EVERY_SHAPE
def test_it_comes_as_near_to_the_svm_as_is_asked(intercept, shape):
    x, truth, design, labels = sample(shape)
    found = svm(intercept, **NEAR).fit(Job(design, labels))
    best = optimum(design, labels, intercept)
    for category, report in enumerate(found.reports):
        problem = problem_of(x, truth[:, category], svm(intercept))
        objective = problem.objective(theta_of(problem, found, category))
        assert report.objective == pytest.approx(objective, rel=1e-9)
        assert report.stopped == "certified"
        assert report.kind == "duality gap"
        assert (report.objective - best[category]) / report.objective <= 1e-3
        assert 0 <= report.certificate <= 1e-3


@INTERCEPTS
@pytest.mark.parametrize("iterations", [1, 7, 10, 35, 200])
def test_the_certificate_is_a_lower_bound(intercept, iterations):
    rng = np.random.default_rng(2)
    x = sparse_values(rng, 80, 30, 0.15)
    truth = planted(rng, x, CATEGORIES, 1.5)
    sample_weights = SampleWeights(rng.integers(0, 3, 80).astype(float), (2.0, 0.5))
    given = design_of(x), labels_of(truth)
    best = optimum(*given, intercept, 1e-3, sample_weights=sample_weights)
    method = svm(intercept, 1e-3, tolerance=0.0, iterations=iterations)
    for report, minimum in zip(
        method.fit(Job(*given, sample_weights=sample_weights)).reports, best, strict=True
    ):
        assert (report.stopped, report.iterations) == ("iterations", iterations)
        assert report.objective >= minimum * (1 - 1e-7)
        assert report.objective * (1 - report.certificate) <= minimum * (1 + 1e-7)


def test_a_free_intercept_s_gap_closes():
    rng = np.random.default_rng(2)
    x = sparse_values(rng, 80, 30, 0.15)
    given = design_of(x), labels_of(planted(rng, x, 3, 1.5))
    few = svm(lam=1e-3, **ALL_STEPS).fit(Job(*given)).reports
    many = svm(lam=1e-3, tolerance=0.0, iterations=3000).fit(Job(*given)).reports
    for a, b in zip(few, many, strict=True):
        assert b.certificate < 0.3 * a.certificate


@settings(max_examples=25)
@given(seed=st.integers(0, 1000), gamma=st.sampled_from([1.0, 5.0, 50.0, 200.0]))
def test_minima_are_ln2_over_gamma_apart_at_most(seed, gamma):
    # Proposition 1 and theorem 2: O_svm(w̄) <= O_γ(ŵ) <= O_svm(w̄) + ln2/γ.
    rng = np.random.default_rng(seed)
    x = sparse_values(rng, 15, 6)
    given = design_of(x), labels_of(planted(rng, x, 1))
    smooth = Method(
        "smoothed-hinge",
        "gaussian",
        "conjugate-gradient",
        Regularization(lam=LAM),
        "penalised",
        1.0,
        {"tolerance": 1e-6, "iterations": 100_000},
        None,
        {"gamma": gamma},
    )
    (report,) = smooth.fit(Job(*given, quiet=True)).reports
    (best,) = optimum(*given, "penalised")
    assert best * (1 - 1e-6) <= report.objective <= best * (1 + 1e-6) + np.log(2) / gamma


@pytest.mark.parametrize(
    ("options", "gamma"),
    [
        ({}, 191.0),  # 1, 11, ... for twenty times ten steps
        ({"iterations": 10}, 1.0),
        ({"iterations": 11}, 11.0),
        ({"iterations": 40, "steps_per_gamma": 20}, 11.0),
        ({"iterations": 30, "first_gamma": 2.0, "gamma_step": 3.0}, 8.0),
        ({"iterations": 30, "first_gamma": 2.0, "gamma_step": 1.0, "gamma_growth": 2.0}, 11.0),
    ],
)
def test_gamma_grows_as_printed(options, gamma):
    _, _, design, labels = sample()
    for report in svm(**ALL_STEPS | options).fit(Job(design, labels)).reports:
        assert report.iterations == options.get("iterations", 200)
        assert report.smoothing == pytest.approx(np.log(2) / gamma)
        assert report.to_dict()["smoothing"] == report.smoothing


def test_only_smoothed_fits_say_so():
    _, _, design, labels = sample()
    for report in Method(regularization=Regularization(lam=LAM)).fit(Job(design, labels)).reports:
        assert report.smoothing == 0.0
        assert "smoothing" not in report.to_dict()


def test_weights_of_classes_widen_the_bound():
    _, truth, design, labels = sample()
    found = svm(**ALL_STEPS).fit(
        Job(design, labels, sample_weights=SampleWeights(classes=(3.0, 1.0)))
    )
    for members, report in zip(truth.sum(axis=0), found.reports, strict=True):
        mass = (3 * members + (50 - members)) / 50
        assert report.smoothing == pytest.approx(mass * np.log(2) / 191)


@INTERCEPTS
def test_the_steps_are_algorithm_1(intercept):
    # Dense and obvious: Hestenes-Stiefel by formulas, with line searches to the end.
    x, truth, design, labels = sample()
    method = svm(intercept, slope_share=1e-6, tolerance=0.0, iterations=5, steps_per_gamma=3)
    found = method.fit(Job(design, labels))
    problem = problem_of(x, truth[:, 0], method)
    theta = _algorithm_1(problem, steps=5, steps_per_gamma=3)
    np.testing.assert_allclose(theta_of(problem, found, 0), theta, rtol=1e-4, atol=1e-5)


def _algorithm_1(problem, steps, steps_per_gamma):
    from scipy.optimize import minimize_scalar

    features, y = problem.features, problem.y
    held = problem.paid.squared

    def objective(theta, gamma):
        losses = _smoothed_hinge(y * (features @ theta), gamma)
        return losses.mean() + held @ theta**2

    def gradient(theta, gamma):
        slopes = -1 / (1 + np.exp(gamma * (y * (features @ theta) - 1)))
        return features.T @ (y * slopes) / len(y) + 2 * held * theta

    theta, gamma = np.zeros(features.shape[1]), 1.0
    p = g = None
    for step in range(steps):
        if step and step % steps_per_gamma == 0:
            gamma, p = gamma + 10, None
        new = gradient(theta, gamma)
        p = -new if p is None else new @ (new - g) / (p @ (new - g)) * p - new
        g = new
        line = minimize_scalar(
            lambda t, at=theta, p=p, gamma=gamma: objective(at + t * p, gamma),
            bounds=(0, 50),
            method="bounded",
            options={"xatol": 1e-11},
        )
        theta = theta + line.x * p
    return theta


def test_the_trace_is_of_the_svm_s_objective():
    x, truth, design, labels = sample()
    method = svm(**ALL_STEPS)
    found = method.fit(Job(design, labels))
    for category, trace in enumerate(trace_objective(Job(design, labels), method)):
        assert len(trace.objectives) == 200
        assert trace.objectives[-1] == pytest.approx(found.reports[category].objective, rel=1e-12)
        short = svm(tolerance=0.0, iterations=23).fit(Job(design, labels))
        problem = problem_of(x, truth[:, category], method)
        objective = problem.objective(theta_of(problem, short, category))
        assert trace.objectives[22] == pytest.approx(objective, rel=1e-9)


@pytest.fixture(scope="module")
def many():
    rng = np.random.default_rng(12)
    x = sparse_values(rng, 70, 20)
    return x, planted(rng, x, CATEGORIES)


@INTERCEPTS
def test_lock_step_is_each_alone_bit_for_bit(many, intercept):
    x, truth = many
    method = svm(intercept, tolerance=3e-3)
    together = method.fit(Job(design_of(x), labels_of(truth), threads=2, quiet=True))
    assert len({report.iterations for report in together.reports}) > 1
    for category in range(CATEGORIES):
        alone = method.fit(Job(design_of(x), labels_of(truth[:, [category]]), quiet=True))
        np.testing.assert_array_equal(
            together.weights[[category]].toarray(), alone.weights.toarray()
        )
        assert together.intercepts[category] == alone.intercepts[0]
        one, other = together.reports[category], alone.reports[0]
        assert replace(one, seconds=0.0) == replace(other, seconds=0.0, category=one.category)


def test_a_selection_is_the_copied_columns(many):
    x, truth = many
    terms = [np.arange(c % 4, 20, 2, dtype=np.int32) for c in range(CATEGORIES)]
    method = svm(**ALL_STEPS)
    found = method.fit(
        Job(design_of(x), labels_of(truth), selection=Selection.of(terms, 20), threads=3)
    )
    for category in (0, 5, 10):
        own = terms[category]
        alone = method.fit(Job(design_of(x[:, own]), labels_of(truth[:, [category]])))
        weights = found.weights[[category]].toarray().ravel()
        np.testing.assert_array_equal(weights[own], alone.weights.toarray().ravel())


def test_paths_and_starts(many):
    x, truth = many
    given = design_of(x), labels_of(truth)
    values = np.tile(np.array([[1e-1], [1e-2]]), (1, CATEGORIES))
    path = fit_path(Job(*given, strengths=Strengths("lam", values)), svm(**NEAR))
    first = svm(lam=1e-1, **NEAR).fit(Job(*given, keep_starts=True))
    second = svm(lam=1e-2, **NEAR).fit(Job(*given, warm_starts=first.starts))
    for point, cold in zip(path, (first, second), strict=True):
        for a, b in zip(point.reports, cold.reports, strict=True):
            assert a.stopped == "certified"
            assert a.objective == pytest.approx(b.objective, rel=2e-3)


def test_one_document_of_each_kind_and_nothing_to_learn():
    design = design_of([[1.0, 0.0], [0.0, 0.0]])
    truth = np.array([[True, True, False], [False, True, False]])
    found = svm(**NEAR).fit(Job(design, labels_of(truth)))
    assert [report.stopped for report in found.reports] == ["certified", "constant", "constant"]
    scores = found.scores(design.rows)[:, 0]
    assert scores[0] > scores[1]


@pytest.mark.parametrize("lam", [1e-100, 1e-12, 1e12, 1e100])
@INTERCEPTS
def test_any_strength_gives_finite_and_honest_numbers(intercept, lam):
    _, _, design, labels = sample()
    found = svm(intercept, lam=lam).fit(Job(design, labels, quiet=True))
    assert np.isfinite(found.weights.data).all()
    for report in found.reports:
        assert np.isfinite([report.objective, report.certificate]).all()
        assert 0 <= report.certificate <= 1


def test_out_of_steps_is_a_warning():
    _, _, design, labels = sample()
    with pytest.warns(UserWarning, match="ran out of iterations"):
        svm(tolerance=1e-9).fit(Job(design, labels))


def test_other_losses_are_refused():
    with pytest.raises(UsageError, match="needs a smoothing, which the loss logistic does not"):
        Method("logistic", "gaussian", "smoothed-conjugate-gradient")


def test_the_bound_holds_where_next_to_no_dual_is_left():
    # A γ that has run away: all margins are beyond it, and duals are down to their last digits.
    for seed in (7, 26, 64, 79, 89, 91, 95):
        rng = np.random.default_rng(seed)
        x = sparse_values(rng, 8, 10) * rng.choice([1, 30.0])
        truth = rng.random((8, 1)) < 0.4
        truth[0], truth[1] = True, False
        given = design_of(x), labels_of(truth)
        (best,) = optimum(*given, "penalised", 1e-3)
        for steps in range(1, 20):
            options = {"gamma_growth": 2.0, "steps_per_gamma": steps, "tolerance": 0.0}
            (report,) = svm("penalised", 1e-3, **options).fit(Job(*given)).reports
            assert report.objective * (1 - report.certificate) <= best * (1 + 1e-6)
