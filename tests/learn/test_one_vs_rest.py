"""One fit per category: paths, warm starts, selections, threads and seeds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from postil.errors import UsageError
from postil.features.selection import Selection
from postil.learn.job import Job, SampleWeights
from postil.learn.one_vs_rest import fit_path
from postil.learn.priors import PRIORS
from postil.learn.solvers import SOLVERS
from postil.learn.strength import Strengths
from postil.learn.term_priors.priors import TermPrior, TermPriors

from .samples import (
    ANY_METHOD,
    EVERY,
    EVERY_METHOD,
    REACHING_SOLVER,
    design_of,
    each,
    labels_of,
    method_of,
    one_of_each_solver,
    planted,
    problem_of,
    sample,
    sparse_values,
    theta_of,
    with_option,
)

LAMBDAS = np.array([1.0, 0.1, 0.03, 1e-2, 1e-3])
UP_AND_DOWN = np.array([1e-2, 1.0, 1e-3, 0.1])
LOGISTIC = [p for p in EVERY if p[0] == "logistic" and p[3] == "penalised"]
WARM = each(EVERY)
TERMS = 18


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
def test_threads_change_no_bit_of_a_path(parts):
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


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    x = sparse_values(rng, 30, TERMS)
    return x, planted(rng, x, categories=4)


@pytest.fixture(scope="module")
def selection():
    """Some terms, others, none, and all of them."""
    rng = np.random.default_rng(6)
    some = [np.sort(rng.permutation(TERMS)[:size]) for size in (7, 11, 0, TERMS)]
    return Selection.of([ids.astype(np.int32) for ids in some], TERMS)


@EVERY_METHOD
def test_a_selection_equals_the_copied_columns(parts, data, selection):
    x, truth = data
    method = method_of(parts)
    found = method.fit(Job(design_of(x), labels_of(truth), selection=selection))
    for category, terms in enumerate(selection):
        copied = method.fit(Job(design_of(x[:, terms]), labels_of(truth)))
        weights = found.weights[[category]].toarray().ravel()
        assert not np.delete(weights, terms).any()
        expected = copied.weights[[category]].toarray().ravel()
        np.testing.assert_allclose(weights[terms], expected, rtol=1e-9, atol=1e-12)
        assert found.intercepts[category] == pytest.approx(copied.intercepts[category], rel=1e-9)
        report, alone = found.reports[category], copied.reports[category]
        assert report.objective == pytest.approx(alone.objective, rel=1e-9)
        assert (report.iterations, report.nonzeros) == (alone.iterations, alone.nonzeros)


@EVERY_METHOD
def test_without_terms_only_the_intercept_is_learned(parts, data):
    x, truth = data
    nothing = Selection.of([np.empty(0, np.int32)] * truth.shape[1], TERMS)
    found = method_of(parts).fit(Job(design_of(x), labels_of(truth), selection=nothing))
    assert found.weights.nnz == 0
    for category, report in enumerate(found.reports):
        problem = problem_of(x[:, :0], truth[:, category], method_of(parts))
        theta = problem.theta(np.empty(0), found.intercepts[category])
        assert report.objective == pytest.approx(problem.objective(theta), rel=1e-6)


@EVERY_METHOD
def test_warm_starts_go_by_the_selection(parts, data, selection):
    x, truth = data
    method = method_of(parts, iterations=10_000)
    job = Job(design_of(x), labels_of(truth), selection)
    first = method.fit(replace(job, keep_starts=True))
    again = method.fit(replace(job, warm_starts=first.starts))
    for before, after in zip(first.reports, again.reports, strict=True):
        assert after.objective == pytest.approx(before.objective, rel=2e-6)


def test_a_selection_of_other_data_is_refused(data, selection):
    x, truth = data
    method = method_of(("logistic", "gaussian", "dual-coordinate", "none"))
    with pytest.raises(UsageError, match=r"4 categories and 18 terms.* have 4 and 10"):
        method.fit(Job(design_of(x[:, :10]), labels_of(truth), selection=selection))
    with pytest.raises(UsageError, match=r"4 categories and 18 terms.* have 3 and 18"):
        method.fit(Job(design_of(x), labels_of(truth[:, :3]), selection=selection))


def test_labels_of_other_documents_are_refused(data):
    x, truth = data
    method = method_of(("logistic", "gaussian", "dual-coordinate", "none"))
    with pytest.raises(UsageError, match="30 documents, and the labels have 29"):
        method.fit(Job(design_of(x), labels_of(truth[:-1])))
    assert sp.issparse(method.fit(Job(design_of(x), labels_of(truth))).weights)


@pytest.fixture(scope="module")
def many_categories():
    rng = np.random.default_rng(1)
    x = sparse_values(rng, 40, 30)
    return design_of(x), labels_of(planted(rng, x, categories=13))


def assert_bit_equal(a, b):
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(a.weights, name), getattr(b.weights, name))
    np.testing.assert_array_equal(a.intercepts, b.intercepts)
    assert [replace(r, seconds=0.0) for r in a.reports] == [
        replace(r, seconds=0.0) for r in b.reports
    ]
    for first, second in zip(a.starts, b.starts, strict=True):
        np.testing.assert_array_equal(first, second)


@ANY_METHOD
def test_threads_change_no_bit(parts, many_categories):
    method = method_of(parts, tolerance=1e-4)
    one = method.fit(Job(*many_categories, threads=1, keep_starts=True))
    for threads in (2, 5):
        assert_bit_equal(one, method.fit(Job(*many_categories, threads=threads, keep_starts=True)))


@ANY_METHOD
def test_the_same_seed_gives_the_same_bits(parts, many_categories):
    for seed in (0, 2**63):
        method = method_of(parts, tolerance=1e-3, seed=seed)
        job = Job(*many_categories, keep_starts=True)
        assert_bit_equal(method.fit(job), method.fit(job))


@REACHING_SOLVER
def test_a_category_is_learned_as_if_it_were_alone(parts, many_categories):
    design, labels = many_categories
    method = method_of(parts, tolerance=1e-3)
    among = method.fit(Job(design, labels, quiet=True))
    for category in (0, 4, 12):
        members = labels.members[:, [category]].toarray()
        alone = method.fit(Job(design, labels_of(members), quiet=True))
        np.testing.assert_array_equal(alone.weights.toarray()[0], among.weights.toarray()[category])
        assert alone.intercepts[0] == among.intercepts[category]


@ANY_METHOD
def test_another_seed_reaches_the_same_objective(parts, many_categories):
    first, second = (
        method_of(parts, tolerance=1e-7, seed=seed).fit(Job(*many_categories))
        for seed in (0, 12345)
    )
    for a, b in zip(first.reports, second.reports, strict=True):
        assert a.objective == pytest.approx(b.objective, rel=1e-6)


@each(with_option("shuffle"))
def test_the_seed_is_used_where_there_is_an_order_to_choose(parts, many_categories):
    def weights(**options):
        method = method_of(parts, tolerance=0.0, iterations=2, **options)
        return method.fit(Job(*many_categories, quiet=True)).weights.toarray()

    assert (weights(seed=0) != weights(seed=1)).any()
    np.testing.assert_array_equal(weights(seed=0, shuffle=False), weights(seed=1, shuffle=False))


@REACHING_SOLVER
def test_a_fit_changes_nothing_that_it_was_given(parts, many_categories):
    design, labels = many_categories
    before = design.rows.copy(), labels.members.copy()
    method_of(parts).fit(Job(design, labels))
    assert (design.rows != before[0]).nnz == 0
    assert (labels.members != before[1]).nnz == 0
