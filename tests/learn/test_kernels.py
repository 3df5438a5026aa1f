"""Kernel forms: the linear kernel is the linear fit, and others are LIBSVM's."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from postil import _native
from postil.learn.job import Job, SampleWeights
from postil.learn.strength import Regularization

from .reference import Paid, Problem
from .samples import (
    EVERY,
    LAM,
    assignment_of,
    design_of,
    each,
    labels_of,
    lambda_of,
    method_of,
    planted,
    providing,
    sample,
    sparse_values,
    with_option,
)

WITH_KERNELS = each(providing("kernels"))
SHAPE = pytest.mark.parametrize("shape", ["many documents", "many terms", "duplicates"])


def by_kernel(gram, labels, method, *, lam=LAM, sample_weights=None, threads=1):
    gram = np.ascontiguousarray(gram, float)
    assignment = assignment_of(labels, method, lam, sample_weights)
    return _native.train_by_kernel(gram, assignment, method.to_native(), threads, None)


@WITH_KERNELS
@SHAPE
def test_the_linear_kernel_is_the_linear_fit(parts, shape):
    x, _, design, labels = sample(shape)
    method = method_of(parts, tolerance=1e-10, constant=1.5)
    linear = method.fit(Job(design, labels))
    kernel = by_kernel(x @ x.T, labels, method)
    for category, report in enumerate(linear.reports):
        assert kernel.stop(category) == _native.Stop.certified
        assert kernel.objective(category) == pytest.approx(report.objective, rel=1e-8)
        # w = Σ factorᵢ xᵢ
        weights = kernel.factors(category) @ x
        expected = linear.weights[[category]].toarray().ravel()
        np.testing.assert_allclose(weights, expected, atol=1e-4)
        assert kernel.intercept(category) == pytest.approx(linear.intercepts[category], abs=1e-4)


@WITH_KERNELS
def test_another_kernel_is_a_linear_fit_in_its_own_space(parts):
    # K = L Lᵀ: the rows of L are documents with that kernel.
    x, truth, _, labels = sample("many terms")
    gram = rbf_kernel(x, gamma=0.1)
    method = method_of(parts, tolerance=1e-7)
    kernel = by_kernel(gram, labels, method)
    for category, members in enumerate(truth.T):
        problem = Problem(
            x=np.linalg.cholesky(gram),
            y=np.where(members, 1.0, -1.0),
            c=np.ones(len(x)),
            n=len(x),
            terms_pay=Paid.alike(0.0, LAM, len(x) + 1),
            loss=method.loss,
            prior=method.prior,
            intercept=method.intercept,
        )
        factors = kernel.factors(category)
        theta = problem.theta(problem.x.T @ factors, kernel.intercept(category))
        assert kernel.objective(category) == pytest.approx(problem.objective(theta), rel=1e-6)
        duals = factors * problem.y * 2 * LAM * len(x)
        assert kernel.certificate(category) == pytest.approx(
            problem.relative_gap(theta, duals), rel=1e-3, abs=1e-9
        )
        if problem.is_smooth:
            assert kernel.objective(category) == pytest.approx(problem.minimum(), rel=1e-5)
        elif problem.intercept != "free":
            assert kernel.objective(category) == pytest.approx(problem.dual_maximum(), rel=1e-5)


@pytest.mark.parametrize("strength", [0.3, 10.0])
@pytest.mark.parametrize("gamma", [0.05, 1.0])
@SHAPE
def test_smo_with_any_kernel_is_libsvm(shape, strength, gamma):
    # LIBSVM's dual coefficients are αᵢ yᵢ, our factors, with C = 1/(2λn).
    x, truth, _, labels = sample(shape)
    gram = rbf_kernel(x, gamma=gamma)
    lam = lambda_of(Regularization(C=strength), len(x))
    method = method_of(("hinge", "gaussian", "smo", "free"), lam=lam, tolerance=1e-10)
    kernel = by_kernel(gram, labels, method, lam=lam)
    for category, members in enumerate(truth.T):
        model = SVC(kernel="precomputed", C=strength, tol=1e-10).fit(gram, members)
        ours = gram @ kernel.factors(category) + kernel.intercept(category)
        np.testing.assert_allclose(ours, model.decision_function(gram), atol=1e-4)


@each(with_option("shrink"))
def test_shrinking_changes_the_way_and_not_the_end(parts):
    _, _, design, labels = sample()
    on, off = (
        method_of(parts, tolerance=1e-8, shrink=shrink).fit(Job(design, labels))
        for shrink in (True, False)
    )
    for a, b in zip(on.reports, off.reports, strict=True):
        assert a.objective == pytest.approx(b.objective, rel=1e-7)
    np.testing.assert_allclose(on.weights.toarray(), off.weights.toarray(), atol=1e-3)


@each(with_option("shrink"))
def test_nobody_is_left_alone_for_good_without_a_tolerance(parts):
    rng = np.random.default_rng(9)
    x = sparse_values(rng, 300, 60)
    design, labels = design_of(x), labels_of(planted(rng, x, categories=1))
    iterations = 900_000 if parts[2] == "smo" else 3000
    on, off = (
        method_of(parts, lam=1e-5, tolerance=0.0, iterations=iterations, shrink=shrink)
        .fit(Job(design, labels, quiet=True))
        .reports[0]
        for shrink in (True, False)
    )
    assert on.objective == pytest.approx(off.objective, rel=1e-2)


@each([p for p in providing("kernels") if p in with_option("shrink")])
def test_shrinking_with_a_kernel(parts):
    x, _, _, labels = sample()
    gram = rbf_kernel(x, gamma=0.3)
    on, off = (
        by_kernel(gram, labels, method_of(parts, tolerance=1e-8, shrink=shrink))
        for shrink in (True, False)
    )
    for category in range(len(labels)):
        assert on.objective(category) == pytest.approx(off.objective(category), rel=1e-7)


@each(with_option("cache_megabytes"))
def test_a_cache_of_two_rows_is_enough(parts):
    _, _, design, labels = sample()
    small, large = (
        method_of(parts, cache_megabytes=size, tolerance=1e-8).fit(Job(design, labels))
        for size in (0, 100)
    )
    np.testing.assert_array_equal(small.weights.toarray(), large.weights.toarray())


@WITH_KERNELS
def test_threads_change_no_bit(parts):
    x, _, _, labels = sample()
    gram = rbf_kernel(x, gamma=0.3)
    one, three = (by_kernel(gram, labels, method_of(parts), threads=t) for t in (1, 3))
    for category in range(len(labels)):
        np.testing.assert_array_equal(one.factors(category), three.factors(category))


@WITH_KERNELS
def test_a_document_of_weight_zero_is_absent(parts):
    x, _, _, labels = sample()
    weights = np.where(np.arange(50) % 5 == 2, 0.0, 1.0)
    gram = rbf_kernel(x, gamma=0.3)
    method = method_of(parts, tolerance=1e-10)
    weighted = by_kernel(gram, labels, method, sample_weights=SampleWeights(weights))
    rows = np.flatnonzero(weights)
    alone = by_kernel(gram[np.ix_(rows, rows)], labels.of_documents(rows), method)
    for category in range(len(labels)):
        assert weighted.objective(category) == pytest.approx(alone.objective(category), rel=1e-8)
        assert not weighted.factors(category)[weights == 0].any()


@each([p for p in EVERY if p not in providing("kernels")])
def test_solvers_without_a_kernel_form_say_so(parts):
    x, _, _, labels = sample()
    with pytest.raises(ValueError, match="no kernel form"):
        by_kernel(x @ x.T, labels, method_of(parts))


def test_a_kernel_matrix_that_is_not_square_is_refused():
    x, _, _, labels = sample()
    with pytest.raises(ValueError, match="square"):
        by_kernel(x, labels, method_of(("hinge", "gaussian", "smo", "free")))
