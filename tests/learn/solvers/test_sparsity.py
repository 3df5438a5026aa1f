"""Zero weights depend on the problem, not on the solver, the seed or the order of work.

Where the slope of the loss is strictly less than what holds a term, its weight is 0 at the minimum,
and where it is away from 0 by far more than the tolerance it is not.
"""

from __future__ import annotations

import numpy as np
import pytest

from postil.learn.job import Job
from postil.learn.priors import PRIORS

from ..samples import (
    EVERY,
    TIGHT,
    design_of,
    each,
    labels_of,
    method_of,
    planted,
    problem_of,
    sparse_values,
    theta_of,
)

# The supports of squares are all that has documents.
SPARSE = [p for p in EVERY if (PRIORS[p[1]].mix or 0.5) > 0 and p[1] != "gaussian"]
LOGISTIC = [p for p in SPARSE if p[0] == "logistic"]
TERMS = 60


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(11)
    x = sparse_values(rng, 60, TERMS, density=0.15)
    return x, planted(rng, x, categories=3)


def learned(x, truth, parts, *, lam=2e-2, threads=1, **options):
    options = {"tolerance": 1e-9, "iterations": 20_000} | options
    method = method_of(parts, lam=lam, **options)
    return method, method.fit(Job(design_of(x), labels_of(truth), threads=threads, quiet=True))


def support(found):
    return found.weights.toarray() != 0


@each(SPARSE)
def test_zeros_are_where_the_optimality_conditions_have_them(parts, data):
    x, truth = data
    method, found = learned(x, truth, parts)
    assert 0 < support(found).sum() < 0.9 * support(found).size
    for category in range(truth.shape[1]):
        problem = problem_of(x, truth[:, category], method)
        theta = theta_of(problem, found, category)
        held = problem.paid.absolute - np.abs(problem.slopes(theta))
        at_zero = theta == 0
        # Nothing is 0 that would move, nothing away that would go back.
        assert (held[at_zero] >= -2e-5).all()
        pulled = problem.slopes(theta) + 2 * problem.paid.squared * theta
        paid = problem.is_paid & ~at_zero
        away = pulled[paid] + problem.paid.absolute[paid] * np.sign(theta[paid])
        # To a gap g slopes are known up to some √(λg).
        np.testing.assert_allclose(away, 0.0, atol=2e-5)
        assert not theta[(held > 1e-4) & problem.is_paid & ~paid].any()


# One solver alone takes the smoothed hinge with such a prior.
SEVERAL = sorted({(p[0], p[1], p[3]) for p in SPARSE if p[0] != "smoothed-hinge"})


@pytest.mark.parametrize("problem", SEVERAL, ids="/".join)
def test_all_solvers_find_the_same_support(problem, data):
    methods = [p for p in SPARSE if (p[0], p[1], p[3]) == problem]
    assert len(methods) > 1
    first, *others = [learned(*data, parts)[1] for parts in methods]
    for other in others:
        np.testing.assert_array_equal(support(first), support(other))
        np.testing.assert_allclose(first.weights.toarray(), other.weights.toarray(), atol=1e-4)


@each(LOGISTIC)
def test_seeds_threads_and_orders_keep_the_support(parts, data):
    x, truth = data
    plain = support(learned(x, truth, parts)[1])
    for threads in (2, 5):
        np.testing.assert_array_equal(plain, support(learned(x, truth, parts, threads=threads)[1]))
    np.testing.assert_array_equal(plain, support(learned(x, truth, parts, seed=99)[1]))
    terms = np.random.default_rng(0).permutation(TERMS)
    documents = np.random.default_rng(1).permutation(len(x))
    _, moved = learned(x[documents][:, terms], truth[documents], parts)
    np.testing.assert_array_equal(plain[:, terms], support(moved))


@each([p for p in LOGISTIC if p[2] == "newton-coordinate"])
def test_the_size_of_the_working_set_is_no_matter(parts, data):
    _, plain = learned(*data, parts)
    for options in ({"least_set": 1}, {"least_set": 2, "passes": 2}, {"passes": 200}):
        _, other = learned(*data, parts, **options)
        np.testing.assert_array_equal(support(plain), support(other))
        np.testing.assert_allclose(plain.weights.toarray(), other.weights.toarray(), atol=1e-4)


@each(LOGISTIC)
def test_float_noise_keeps_the_support(parts, data):
    x, truth = data
    noise = 1 + 1e-6 * np.random.default_rng(2).uniform(-1, 1, x.shape)
    _, plain = learned(x, truth, parts)
    _, noisy = learned(x * noise, truth, parts)
    np.testing.assert_array_equal(support(plain), support(noisy))
    np.testing.assert_allclose(plain.weights.toarray(), noisy.weights.toarray(), atol=1e-3)


@each(LOGISTIC)
def test_a_column_twice_shares_its_weight(parts, data):
    x, truth = data
    _, plain = learned(x, truth, parts)
    _, double = learned(np.hstack([x, x]), truth, parts)
    weights = double.weights.toarray()
    both = weights[:, :TERMS] + weights[:, TERMS:]
    if parts[1] == "laplace":
        # How it is shared is open, what they do together is not.
        np.testing.assert_allclose(both, plain.weights.toarray(), atol=1e-3)
        np.testing.assert_array_equal(both != 0, support(plain))
        assert (weights[:, :TERMS] * weights[:, TERMS:] >= 0).all()
    else:
        # A square shares evenly; to a gap g weights are known up to √(g/λ).
        np.testing.assert_allclose(weights[:, :TERMS], weights[:, TERMS:], atol=1e-3)
    for a, b in zip(plain.reports, double.reports, strict=True):
        assert b.objective <= a.objective * (1 + 1e-8)


@each(LOGISTIC)
def test_a_column_without_documents_or_of_weight_zero_stays_out(parts, data):
    x, truth = data
    wide = np.hstack([x, np.zeros((len(x), 3))])
    _, found = learned(wide, truth, parts)
    assert not found.weights.toarray()[:, TERMS:].any()
    _, plain = learned(x, truth, parts)
    np.testing.assert_array_equal(support(found)[:, :TERMS], support(plain))


@each([p for p in SPARSE if p[1] == "laplace" and p[3] == "none"])
def test_nothing_is_in_at_the_strength_that_holds_everything(parts, data):
    x, truth = data
    problems = [problem_of(x, members, method_of(parts)) for members in truth.T]
    slopes = [np.abs(problem.slopes(np.zeros(TERMS))).max() for problem in problems]
    most = max(slopes)
    assert not support(learned(x, truth, parts, lam=most * (1 + 1e-9))[1]).any()
    _, below = learned(x, truth, parts, lam=most * 0.99)
    (category,) = np.flatnonzero(support(below).any(axis=1))
    assert category == np.argmax(slopes)
    assert support(below)[category].sum() == 1


@each([p for p in LOGISTIC if p[3] == "penalised"])
def test_tight_fits_agree(parts, data):
    x, truth = data
    _, found = learned(x, truth, parts, **TIGHT)
    for category, report in enumerate(found.reports):
        problem = problem_of(x, truth[:, category], method_of(parts, lam=2e-2))
        theta = theta_of(problem, found, category)
        assert problem.violations(theta).max() <= 1e-7
        assert report.objective == pytest.approx(problem.minimum(), rel=1e-10)
