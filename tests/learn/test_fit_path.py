"""One strength after the other: every point is what a fit from nothing finds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from postil.errors import UsageError
from postil.features.selection import Selection
from postil.learn.job import Job, SampleWeights
from postil.learn.one_vs_rest import fit_path
from postil.learn.solvers import SOLVERS
from postil.learn.strength import Strengths
from postil.learn.term_priors.priors import TermPrior, TermPriors

from .samples import (
    EVERY,
    EVERY_METHOD,
    each,
    labels_of,
    method_of,
    one_of_each_solver,
    problem_of,
    sample,
    theta_of,
)

LAMBDAS = np.array([1.0, 0.1, 0.03, 1e-2, 1e-3])
UP_AND_DOWN = np.array([1e-2, 1.0, 1e-3, 0.1])
LOGISTIC = [p for p in EVERY if p[0] == "logistic" and p[3] == "penalised"]


def path_of(lambdas, categories=2):
    return Strengths("lam", np.tile(lambdas[:, None], (1, categories)))


@EVERY_METHOD
@pytest.mark.parametrize("lambdas", [LAMBDAS, UP_AND_DOWN], ids=["down", "up and down"])
def test_each_point_is_a_cold_fit(parts, lambdas):
    x, truth, design, labels = sample()
    method = method_of(parts)
    path = fit_path(Job(design, labels, strengths=path_of(lambdas)), method)
    assert len(path) == len(lambdas)
    for lam, found in zip(lambdas, path, strict=True):
        cold = method_of(parts, lam=lam).fit(Job(design, labels))
        for category, (a, b) in enumerate(zip(found.reports, cold.reports, strict=True)):
            assert (a.stopped, a.lam) == ("certified", lam)
            assert a.certificate <= 1e-6
            assert a.objective == pytest.approx(b.objective, rel=3e-6)
            problem = problem_of(x, truth[:, category], method_of(parts, lam=lam))
            theta = theta_of(problem, found, category)
            assert a.objective == pytest.approx(problem.objective(theta), rel=1e-6)


@each(LOGISTIC)
@pytest.mark.parametrize("shape", ["many terms", "empty terms", "one member", "no terms"])
def test_other_shapes(parts, shape):
    _, truth, design, labels = sample(shape)
    path = fit_path(
        Job(design, labels, strengths=path_of(LAMBDAS, truth.shape[1])), method_of(parts)
    )
    for lam, found in zip(LAMBDAS, path, strict=True):
        cold = method_of(parts, lam=lam).fit(Job(design, labels))
        for a, b in zip(found.reports, cold.reports, strict=True):
            assert a.objective == pytest.approx(b.objective, rel=3e-6)


@each(LOGISTIC)
def test_categories_may_walk_differently_and_some_are_constant(parts):
    _, truth, design, _ = sample()
    labels = labels_of(np.column_stack([truth[:, 0], np.zeros(50, bool), truth[:, 1]]))
    lambdas = np.array([[1.0, 1.0, 0.5], [0.1, 0.1, 1e-2]])
    path = fit_path(Job(design, labels, strengths=Strengths("lam", lambdas)), method_of(parts))
    for row, found in zip(lambdas, path, strict=True):
        assert [report.lam for report in found.reports] == row.tolist()
        assert found.reports[1].stopped == "constant"
        cold = method_of(parts).fit(Job(design, labels, strengths=Strengths("lam", row)))
        for a, b in zip(found.reports, cold.reports, strict=True):
            assert a.objective == pytest.approx(b.objective, rel=3e-6)
            assert a.members == b.members


@each(one_of_each_solver(EVERY))
def test_threads_change_no_bit(parts):
    _, _, design, labels = sample()
    one, three = (
        fit_path(Job(design, labels, strengths=path_of(LAMBDAS), threads=threads), method_of(parts))
        for threads in (1, 3)
    )
    for a, b in zip(one, three, strict=True):
        np.testing.assert_array_equal(a.weights.toarray(), b.weights.toarray())
        np.testing.assert_array_equal(a.intercepts, b.intercepts)
        assert [replace(r, seconds=0.0) for r in a.reports] == [
            replace(r, seconds=0.0) for r in b.reports
        ]


@each([p for p in LOGISTIC if "term priors" in SOLVERS[p[2]].provides])
def test_with_selection_sample_weights_and_priors(parts):
    _, _, design, labels = sample()
    settings = {
        "selection": Selection.of([np.arange(0, 8, 2, dtype=np.int32)] * 2, 8),
        "sample_weights": SampleWeights(np.linspace(0.0, 2.0, 50), (2.0, 1.0)),
        "term_priors": TermPriors(8, every={2: TermPrior(1.0), 4: TermPrior(low=0.0)}),
    }
    path = fit_path(Job(design, labels, strengths=path_of(LAMBDAS), **settings), method_of(parts))
    for lam, found in zip(LAMBDAS, path, strict=True):
        cold = method_of(parts, lam=lam).fit(Job(design, labels, **settings))
        for a, b in zip(found.reports, cold.reports, strict=True):
            assert a.objective == pytest.approx(b.objective, rel=3e-6)


@each([p for p in LOGISTIC if p[1] == "laplace"])
def test_the_path_of_the_lasso_begins_with_nothing_and_grows(parts):
    # Above the largest slope at zero weights no term is in.
    x, truth, design, labels = sample("many terms")
    method = method_of(("logistic", "laplace", parts[2], "none"))
    y = np.where(truth, 1.0, -1.0)
    most = np.abs(x.T @ y / (2 * len(x))).max(axis=0)
    shares = np.array([1.001, 0.9, 0.5, 0.1, 0.01])
    path = fit_path(Job(design, labels, strengths=Strengths("lam", shares[:, None] * most)), method)
    counts = np.array([[report.nonzeros for report in found.reports] for found in path])
    assert (counts[0] == 0).all()
    assert (counts[1] >= 1).all()
    assert (counts[1] <= 3).all()
    assert (counts[-1] > counts[1]).all()
    objectives = [[report.objective for report in found.reports] for found in path]
    np.testing.assert_allclose(objectives[0], np.log(2))
    assert (np.diff(objectives, axis=0) < 0).all()


def test_a_path_of_other_categories_is_refused():
    _, _, design, labels = sample()
    with pytest.raises(UsageError, match="one number for each of 2 categories, and has 3"):
        fit_path(Job(design, labels, strengths=path_of(LAMBDAS, 3)), method_of(LOGISTIC[0]))
    with pytest.raises(UsageError):
        fit_path(
            Job(design, labels, strengths=Strengths("lam", np.ones((1, 1, 2)))),
            method_of(LOGISTIC[0]),
        )
