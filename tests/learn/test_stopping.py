"""When solvers stop: neither before they are there, nor long after, nor without saying why."""

from __future__ import annotations

import numpy as np
import pytest

from postil.learn.job import Job

from .samples import EVERY, design_of, each, labels_of, method_of, sample

RESTED = "a term at rest halves its reach every sweep until it is 0, and never moves again"


@pytest.mark.parametrize(
    "trust_region",
    ["doubled", pytest.param("halved")],
)
def test_a_term_that_rested_long_moves_again(trust_region):
    # The second document's margin is above 1 for some 900 sweeps: only then its term has a slope.
    x = [[0, 0, 0, 1], [0, 0, 1, -1], [1, 0, 0, 0], [1, 0, 0, 0]]
    parts = ("modified-squared", "gaussian", "primal-coordinate", "free")
    method = method_of(parts, lam=1e-3, iterations=100_000, trust_region=trust_region)
    labels = labels_of([[True], [False], [False], [False]])
    (report,) = method.fit(Job(design_of(x), labels, quiet=True)).reports
    assert report.stopped == "certified"


@each(EVERY)
def test_certified_means_within_the_tolerance(parts):
    # A tiny λ: the gap is of the size that rounding has in a threshold of 0.9.
    labels = labels_of([[True], [False]])
    method = method_of(parts, lam=1e-9, iterations=1000)
    (report,) = method.fit(Job(design_of([[-1.0], [20.0]]), labels, quiet=True)).reports
    assert report.stopped != "certified" or report.certificate <= 1e-6


# Solvers that say so where no step lowers the objective any more.
PRECISE = ("newton-coordinate", "conjugate-gradient")


# SMO ends sooner where no pair of documents is left that it could improve.
@each([parts for parts in EVERY if parts[2] != "smo"])
def test_without_a_tolerance_the_iterations_are_the_end(parts):
    _, _, design, labels = sample("two documents")
    found = method_of(parts, tolerance=0.0, iterations=7).fit(Job(design, labels, quiet=True))
    (report,) = found.reports
    if parts[2] in PRECISE and report.stopped == "precision":
        # No step lowered the objective any more: nothing is left to do.
        assert report.iterations <= 7
        assert report.certificate <= 1e-6
        return
    assert (report.stopped, report.iterations) == ("iterations", 7)


def test_careful_newton_steps_count_for_the_work_they_are():
    # Columns so different that steps are made ever more careful: each of 51 steps would be one
    # iteration, however many passes over the columns it takes.
    x = np.random.default_rng(0).normal(size=(60, 40)) * 10.0 ** np.linspace(-8, 8, 40)
    parts = ("logistic", "gaussian", "newton-coordinate", "penalised")
    method = method_of(parts, lam=1e-8, tolerance=1e-12, iterations=100)
    labels = labels_of((np.arange(60) % 3 == 0)[:, None])
    (report,) = method.fit(Job(design_of(x), labels, quiet=True)).reports
    assert (report.stopped, report.iterations) == ("iterations", 100)


@each([parts for parts in EVERY if parts[2] == "smo"])
def test_smo_says_where_rounding_ended_it(parts):
    _, _, design, labels = sample()
    method = method_of(parts, tolerance=1e-17, iterations=100_000)
    report = method.fit(Job(design, labels)).reports[0]
    assert report.stopped == "precision"
    assert report.iterations < 100_000
