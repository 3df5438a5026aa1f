"""Every legal method on every shape: certified, at the same minimum, and stopped in time."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from postil import _native
from postil.errors import UsageError
from postil.learn.job import Design, Job
from postil.learn.losses import LOSSES
from postil.learn.solvers import SOLVERS
from postil.learn.strength import Strengths

from ..samples import (
    ALL_METHODS,
    EVERY,
    EVERY_METHOD,
    LAM,
    PROBLEMS,
    SHAPES,
    assignment_of,
    design_of,
    each,
    labels_of,
    method_of,
    one_of_each_solver,
    problem_of,
    sample,
    theta_of,
)

KINDS = {
    _native.Certificate.duality_gap: "duality gap",
    _native.Certificate.kkt_residual: "KKT residual",
}
RESTED = "a term at rest halves its reach every sweep until it is 0, and never moves again"


def all_solvers(problem):
    """Methods that solve the same problem by different solvers."""
    return [parts for parts in EVERY if (parts[0], parts[1], parts[3]) == problem]


@cache
def fitted(parts, shape):
    """One fit for all tests that look at it."""
    _, _, design, labels = sample(shape)
    return method_of(parts).fit(Job(design, labels, threads=1))


def problems(parts, shape):
    x, truth, _, _ = sample(shape)
    return [problem_of(x, members, method_of(parts)) for members in truth.T]


def test_there_are_methods_to_test():
    assert {solver for _, _, solver, _ in EVERY} >= {"primal-coordinate", "dual-coordinate", "smo"}


@ALL_METHODS
def test_every_method_is_certified_and_its_objective_is_the_reference_s(parts):
    for shape in SHAPES:
        check_objective(parts, shape)


def check_objective(parts, shape):
    x, truth, _, _ = sample(shape)
    found = fitted(parts, shape)
    assert found.weights.shape == (truth.shape[1], x.shape[1])
    assert np.isfinite(found.weights.data).all()
    assert np.isfinite(found.intercepts).all()
    for category, problem in enumerate(problems(parts, shape)):
        report = found.reports[category]
        assert report.stopped == "certified"
        assert 0 <= report.certificate <= 1e-6
        assert report.iterations >= (1 if theta_of(problem, found, category).any() else 0)
        assert report.lam == LAM
        assert report.members == truth[:, category].sum()
        assert report.nonzeros == found.weights[[category]].nnz
        assert report.note == ""
        assert report.seconds >= 0
        objective = problem.objective(theta_of(problem, found, category))
        assert report.objective == pytest.approx(objective, rel=1e-6)


def duals_of(problem, fits, category, theta):
    """The dual variables a of a native fit: its own, from its factors, or -s f' of the margins."""
    duals, factors = fits.duals(category), fits.factors(category)
    if len(duals):
        return duals, 1.0
    if len(factors):  # w = Σ factorᵢ xᵢ and factorᵢ = cᵢ aᵢ yᵢ/2λn
        return factors * problem.y * 2 * problem.lam * problem.n / problem.c, 1.0
    return problem.duals_at(theta)


def foresees(parts):
    """Return True if the solver measures the gap at its own duals, not at those of the weights."""
    return parts[2] == "newton-coordinate" and parts[0] == "logistic"


@ALL_METHODS
def test_the_certificate_is_the_reference_s(parts):
    shapes = ("many documents", "many terms", "duplicates", "one member")
    for shape, tolerance in product(shapes, (1e-1, 1e-4)):
        check_certificates(parts, shape, tolerance)


def check_certificates(parts, shape, tolerance):
    _, _, design, labels = sample(shape)
    method = method_of(parts, tolerance=tolerance)
    options = method.to_native()
    options.keep_duals = True
    fits = _native.train(design.native, None, assignment_of(labels, method, LAM), options, 1, None)
    for category, problem in enumerate(problems(parts, shape)):
        weights = np.zeros(design.terms)
        weights[fits.places(category)] = fits.weights(category)
        theta = problem.theta(weights, fits.intercept(category))
        certificate = fits.certificate(category)
        assert certificate <= tolerance
        if KINDS[fits.kind(category)] == "KKT residual":
            expected = problem.kkt_residual(theta)
        else:
            foreseen = fits.gap_duals(category)
            if len(foreseen):
                share = problem.paid.feasible_share(problem.pulls(foreseen))
                expected = problem.relative_gap(theta, share * foreseen)
                # A bound of the gap that is hardly more.
                assert expected * (1 - 1e-4) - 1e-9 <= certificate <= expected * 1.1 + 1e-9
                continue
            duals, share = duals_of(problem, fits, category, theta)
            expected = problem.relative_gap(theta, duals)
            if parts[2] == "newton-coordinate" and (share < 1 or problem.intercept == "free"):
                # A bound of the gap is enough where it is small already.
                assert certificate >= expected * (1 - 1e-4) - 1e-9
                continue
        assert certificate == pytest.approx(expected, rel=1e-4, abs=1e-9)


@ALL_METHODS
def test_a_gap_bounds_the_distance_to_the_minimum(parts):
    # Whatever the duals are, no certificate may promise more than the truth.
    _, _, design, labels = sample()
    best = fitted(parts, "many documents")
    for iterations in (1, 3, 10):
        method = method_of(parts, iterations=iterations)
        early = method.fit(Job(design, labels, quiet=True))
        for report, finished in zip(early.reports, best.reports, strict=True):
            if report.kind == "duality gap":
                excess = (report.objective - finished.objective) / report.objective
                assert report.certificate >= excess - 1e-6


@pytest.mark.parametrize("problem", PROBLEMS, ids="/".join)
def test_all_solvers_and_the_reference_find_the_same_minimum(problem):
    for shape in SHAPES:
        check_minimum(problem, shape)


def check_minimum(problem, shape):
    solvers = all_solvers(problem)
    for category, reference_problem in enumerate(problems(solvers[0], shape)):
        found = [fitted(parts, shape).reports[category].objective for parts in solvers]
        if reference_problem.is_smooth:
            found.append(reference_problem.minimum())
        elif "box dual" in LOSSES[problem[0]].provides and problem[2] != "free":
            found.append(reference_problem.dual_maximum())
        assert found == pytest.approx([found[0]] * len(found), rel=1e-5)


@ALL_METHODS
def test_other_strengths_are_certified_too(parts):
    for lam in (1e-5, 1.0, 100.0):
        check_strength(parts, lam)


def check_strength(parts, lam):
    x, truth, design, labels = sample("empty documents")
    method = method_of(parts, lam=lam)
    found = method.fit(Job(design, labels))
    for category, report in enumerate(found.reports):
        assert report.stopped == "certified"
        problem = problem_of(x, truth[:, category], method)
        assert report.objective == pytest.approx(
            problem.objective(theta_of(problem, found, category)), rel=1e-6
        )


@each([parts for parts in EVERY if parts[3] != "none"])
@pytest.mark.parametrize("constant", [0.1, 10.0])
def test_the_constant_feature_may_have_any_value(parts, constant):
    x, truth, design, labels = sample("many terms")
    method = method_of(parts, constant=constant)
    found = method.fit(Job(design, labels))
    for category, report in enumerate(found.reports):
        problem = problem_of(x, truth[:, category], method)
        theta = theta_of(problem, found, category)
        assert report.objective == pytest.approx(problem.objective(theta), rel=1e-6)
        if problem.is_smooth:
            assert report.objective == pytest.approx(problem.minimum(), rel=1e-5)


@each(one_of_each_solver(EVERY))
def test_lambdas_by_category(parts):
    _, _, design, labels = sample()
    together = method_of(parts).fit(
        Job(design, labels, strengths=Strengths("lam", np.array([1e-1, 1e-3])))
    )
    for category, lam in enumerate((1e-1, 1e-3)):
        alone = method_of(parts, lam=lam).fit(Job(design, labels)).reports[category]
        assert together.reports[category].lam == lam
        assert together.reports[category].objective == pytest.approx(alone.objective, rel=2e-6)


@pytest.mark.parametrize("lambdas", [[1e-2], [1e-2] * 3])
def test_lambdas_of_other_categories_are_refused(lambdas):
    _, _, design, labels = sample()
    with pytest.raises(
        UsageError, match=f"one number for each of 2 categories, and has {len(lambdas)}"
    ):
        method_of(EVERY[0]).fit(Job(design, labels, strengths=Strengths("lam", np.array(lambdas))))


@pytest.mark.parametrize("lam", [1e-300, 1e300])
def test_a_lambda_beyond_double_precision_is_refused(lam):
    _, _, design, labels = sample()
    with pytest.raises(UsageError, match="λ must be from 1e-100 to 1e\\+100, not"):
        method_of(EVERY[0], lam=lam).fit(Job(design, labels))


def test_weights_that_leave_the_range_of_numbers_are_a_users_error(monkeypatch):
    def overflow(*_):
        raise OverflowError("with λ = 1e-100 weights leave the range")

    _, _, design, labels = sample()
    monkeypatch.setattr(_native, "train", overflow)
    with pytest.raises(UsageError, match="with λ = 1e-100 weights leave the range"):
        method_of(EVERY[0]).fit(Job(design, labels))


@each(one_of_each_solver(EVERY))
def test_stored_zeros_and_double_precision_change_nothing(parts):
    x, _, _, labels = sample()
    rows, columns = np.indices(x.shape).reshape(2, -1)
    stored = sp.csr_matrix((x.ravel(), (rows, columns)), shape=x.shape)
    assert stored.nnz == x.size > np.count_nonzero(x)
    found = method_of(parts).fit(Job(Design(stored), labels))
    for report, plain in zip(found.reports, fitted(parts, "many documents").reports, strict=True):
        assert report.objective == pytest.approx(plain.objective, rel=2e-6)


@ALL_METHODS
@settings(max_examples=10)
@given(data=st.data())
def test_any_small_problem_is_certified(parts, data):
    documents, terms = data.draw(st.integers(2, 8)), data.draw(st.integers(0, 5))
    value = st.sampled_from([0.0, 0.0, 0.0, 1.0, 1.0, -1.0, 0.5, 3.0])
    row = st.lists(value, min_size=terms, max_size=terms)
    x = np.array(data.draw(st.lists(row, min_size=documents, max_size=documents)))
    x = x.reshape(documents, terms)
    members = data.draw(st.lists(st.booleans(), min_size=documents, max_size=documents))
    truth = np.array([[True], [False], *([m] for m in members[2:])])
    lam = data.draw(st.sampled_from([1e-3, 1e-2, 1.0]))
    method = method_of(parts, lam=lam)
    found = method.fit(Job(design_of(x), labels_of(truth), threads=1, quiet=True))
    problem = problem_of(x, truth[:, 0], method)
    (report,) = found.reports
    if report.stopped == "iterations":
        # One weight at a time creeps along a valley: it must then be at its bottom.
        assert parts[2] == "primal-coordinate"
        assert report.objective <= problem.minimum() * (1 + 1e-6)
        return
    assert report.stopped == "certified"
    objective = problem.objective(theta_of(problem, found, 0))
    assert report.objective == pytest.approx(objective, rel=1e-6)
    if foresees(parts):
        tight = method_of(parts, lam=lam, tolerance=1e-11)
        (best,) = tight.fit(Job(design_of(x), labels_of(truth), threads=1, quiet=True)).reports
        assert report.objective * (1 - report.certificate) <= best.objective * (1 + 1e-9)
        return
    is_primal = "duals" not in SOLVERS[parts[2]].provides
    if is_primal and problem.is_smooth:
        theta = theta_of(problem, found, 0)
        assert problem.relative_gap(theta, problem.duals_at(theta)[0]) <= 1e-6 * (1 + 1e-3)


@EVERY_METHOD
def test_classes_that_are_alike_are_certified(parts):
    # Zero is the optimum but for the intercept, and what is violated there is rounding alone.
    x = np.array([[1.0, 0.5], [0.0, 3.0], [0.5, 0.0], [0.0, 3.0], [0.5, 0.0], [1.0, 0.5]])
    truth = np.array([True, True, True, False, False, False])[:, None]
    for documents in (6, 4):  # one class larger than the other, too
        design, labels = design_of(x[:documents]), labels_of(truth[:documents])
        (report,) = method_of(parts, lam=1e-3).fit(Job(design, labels, threads=1)).reports
        assert report.stopped == "certified"
        assert report.certificate <= 1e-6


@each(one_of_each_solver(EVERY))
def test_scores_are_those_of_the_weights(parts):
    x, _, design, _ = sample("empty documents")
    found = fitted(parts, "empty documents")
    expected = x @ found.weights.toarray().T + found.intercepts
    np.testing.assert_allclose(found.scores(design.rows), expected, atol=1e-6)
    assert found.scores(design.rows[:0]).shape == (0, 2)


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


@ALL_METHODS
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
