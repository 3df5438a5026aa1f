"""Warm starts: the same minimum, and no longer a way to it."""

from __future__ import annotations

import numpy as np
import pytest

from postil.errors import UsageError
from postil.learn.job import Job
from postil.learn.priors import PRIORS

from .samples import (
    EVERY,
    EVERY_METHOD,
    each,
    labels_of,
    method_of,
    problem_of,
    sample,
    theta_of,
)

WARM = each(EVERY)


@WARM
def test_from_its_own_end_a_fit_is_no_longer(parts):
    _, _, design, labels = sample()
    method = method_of(parts, iterations=10_000)
    cold = method.fit(Job(design, labels, keep_starts=True))
    warm = method.fit(Job(design, labels, warm_starts=cold.starts, quiet=True))
    for before, after in zip(cold.reports, warm.reports, strict=True):
        assert after.stopped == "certified"
        assert after.objective == pytest.approx(before.objective, rel=2e-6)
        assert after.iterations <= before.iterations


@each([p for p in EVERY if p[2] != "smo"])
def test_from_its_own_end_a_fit_is_there_almost_at_once(parts):
    _, _, design, labels = sample()
    cold = method_of(parts).fit(Job(design, labels, keep_starts=True))
    warm = method_of(parts).fit(Job(design, labels, warm_starts=cold.starts))
    # The gap of an absolute value is of first order in the slopes: one sweep or two more.
    most = 3 if "ridge" in PRIORS[parts[1]].provides else 5
    assert max(report.iterations for report in warm.reports) <= most


@EVERY_METHOD
def test_along_a_grid_of_strengths(parts):
    _, _, design, labels = sample()
    starts = ()
    for lam in (1.0, 1e-1, 1e-2, 1e-3):
        method = method_of(parts, lam=lam)
        warm = method.fit(Job(design, labels, warm_starts=starts, keep_starts=True))
        cold = method.fit(Job(design, labels))
        for a, b in zip(warm.reports, cold.reports, strict=True):
            assert a.stopped == "certified"
            assert a.objective == pytest.approx(b.objective, rel=5e-6)
        starts = warm.starts


@WARM
def test_the_certificate_does_not_depend_on_where_it_began(parts):
    x, truth, design, labels = sample()
    near = method_of(parts, tolerance=1e-3).fit(Job(design, labels, keep_starts=True))
    warm = method_of(parts, tolerance=0.0, iterations=1).fit(
        Job(design, labels, warm_starts=near.starts, quiet=True)
    )
    for category, report in enumerate(warm.reports):
        problem = problem_of(x, truth[:, category], method_of(parts))
        theta = theta_of(problem, warm, category)
        assert report.objective == pytest.approx(problem.objective(theta), rel=1e-6)
        if report.kind == "KKT residual":
            assert report.certificate == pytest.approx(problem.kkt_residual(theta), rel=1e-4)
        else:
            excess = 1 - method_of(parts).fit(Job(design, labels)).reports[category].objective / (
                report.objective
            )
            assert report.certificate >= excess - 1e-6


@EVERY_METHOD
def test_what_was_constant_starts_from_nothing(parts):
    _, truth, design, labels = sample()
    some = truth.copy()
    some[:, 0] = False
    first = method_of(parts).fit(Job(design, labels_of(some), keep_starts=True))
    assert len(first.starts) == 2
    assert len(first.starts[0]) == 0
    second = method_of(parts).fit(Job(design, labels, warm_starts=(first.starts[0], np.empty(0))))
    plain = method_of(parts).fit(Job(design, labels))
    assert plain.starts == ()  # nobody asked to keep any
    np.testing.assert_array_equal(second.weights.toarray(), plain.weights.toarray())


# Slices of longer arrays: even where nobody checks, nothing is read that is not ours.
@pytest.mark.parametrize("solver", ["primal-coordinate", "dual-coordinate"])
@pytest.mark.parametrize("length", [3, 60])
def test_starts_of_another_length_are_refused(solver, length):
    _, _, design, labels = sample()
    method = method_of(("logistic", "gaussian", solver, "penalised"))
    with pytest.raises(UsageError):
        method.fit(Job(design, labels, warm_starts=(np.zeros(200)[:length],) * 2))


def test_too_few_starts_are_refused():
    _, _, design, labels = sample()
    method = method_of(("logistic", "gaussian", "dual-coordinate", "penalised"))
    with pytest.raises(UsageError):
        method.fit(Job(design, labels, warm_starts=(np.zeros(50),)))
