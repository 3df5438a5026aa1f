"""Learning with kernels: specs, feature maps, the linear fit, LIBSVM, and refused input."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.svm import SVC

from postil import _native
from postil.errors import InputError, SpecError, UsageError
from postil.learn.fit import NotConvergedWarning
from postil.learn.job import Job, SampleWeights
from postil.learn.kernel import BLOCK, fit_kernel, gram_matrix
from postil.learn.kernel_functions import (
    KERNELS,
    Linear,
    Polynomial,
    Precomputed,
    Rbf,
    kernel_from,
)
from postil.learn.kernel_functions import kernel_name as name_of
from postil.learn.strength import Regularization, Strengths
from postil.learn.tasks import ALWAYS, NEVER

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
    one_of_each_solver,
    planted,
    providing,
    sample,
    sparse_values,
    with_option,
)

WITH_KERNELS = each(providing("kernels"))
WITHOUT_KERNELS = one_of_each_solver([p for p in EVERY if p not in providing("kernels")])
SQUARED = ("squared", "gaussian", "dual-coordinate", "none")
HINGE = ("hinge", "gaussian", "dual-coordinate", "penalised")
SVM = ("hinge", "gaussian", "smo", "free")
PLACES = [sp.csr_matrix, sp.csc_matrix, np.asarray]
SHAPE = pytest.mark.parametrize("shape", ["many documents", "many terms", "duplicates"])


@pytest.fixture(scope="module")
def new():
    return np.random.default_rng(8).choice([0.0, 1.0, -0.5], (7, 8))


class TestKernels:
    @pytest.mark.parametrize(
        ("spec", "kernel"),
        [
            ("linear", Linear()),
            (" linear ( ) ", Linear()),
            ("polynomial", Polynomial()),
            ("polynomial(2)", Polynomial(2)),
            ("polynomial(2, 0.5, 3)", Polynomial(2, 0.5, 3.0)),
            ("polynomial(scale=2, degree=4)", Polynomial(4, 1.0, 2.0)),
            ("polynomial(2, scale=1e-1)", Polynomial(2, 1.0, 0.1)),
            ("rbf(0.5)", Rbf(0.5)),
            ("rbf( gamma = 2 )", Rbf(2.0)),
            ("precomputed", Precomputed()),
        ],
    )
    def test_specs(self, spec, kernel):
        assert kernel_from(spec) == kernel
        assert kernel_from(name_of(kernel)) == kernel

    @pytest.mark.parametrize(
        ("spec", "message"),
        [
            ("rfb", "no kernel 'rfb'.*did you mean 'rbf'"),
            ("rbf(", "does not parse"),
            ("rbf(1)(2)", "does not parse"),
            ("", "does not parse"),
            ("rbf(x)", "gamma must be a number, got 'x'"),
            ("rbf(1, 2)", "takes 1 numbers, got 2"),
            ("rbf(width=1)", "'width' is not known"),
            ("polynomial(2, degree=3)", "'degree' is given twice"),
            ("rbf(0)", "gamma must be a finite number above 0"),
            ("rbf(inf)", "gamma must be a finite number above 0"),
            ("polynomial(1.5)", "degree must be a whole number"),
            ("polynomial(0)", "degree must be a whole number"),
            ("polynomial(nan)", "degree must be a whole number"),
            ("polynomial(offset=-1)", "offset must be a finite number of at least 0"),
            ("polynomial(scale=0)", "scale must be a finite number above 0"),
        ],
    )
    def test_specs_that_do_not_parse(self, spec, message):
        with pytest.raises(SpecError, match=message):
            kernel_from(spec)

    @given(st.floats(1e-9, 1e9))
    def test_a_name_says_everything(self, gamma):
        assert kernel_from(name_of(Rbf(gamma))) == Rbf(gamma)

    def test_every_kernel_has_a_formula(self):
        for name, kind in KERNELS.items():
            assert kind.name == name
            assert kind.formula

    @pytest.mark.parametrize("place", PLACES)
    def test_formulas(self, place):
        rng = np.random.default_rng(0)
        x, y = rng.normal(size=(5, 4)), rng.normal(size=(3, 4))
        a, b = place(x), place(y)
        np.testing.assert_allclose(Linear()(a, b), x @ y.T)
        np.testing.assert_allclose(Rbf(0.3)(a, b), rbf_kernel(x, y, gamma=0.3))
        expected = polynomial_kernel(x, y, degree=3, gamma=2.0, coef0=0.5)
        np.testing.assert_allclose(Polynomial(3, 0.5, 2.0)(a, b), expected)

    def test_a_distance_is_never_below_zero(self):
        x = np.full((3, 3), 1e4) + 1e-5 * np.arange(3)[:, None]
        assert (Rbf(1.0)(x, x) <= 1).all()

    def test_a_matrix_of_more_than_one_block(self):
        x = np.random.default_rng(0).normal(size=(BLOCK + 40, 3))
        rows = np.arange(5, BLOCK + 30)
        gram = gram_matrix(sp.csr_matrix(x), Rbf(0.5), rows)
        np.testing.assert_allclose(gram, rbf_kernel(x[rows], gamma=0.5), atol=1e-12)


class TestFits:
    @WITH_KERNELS
    def test_the_linear_kernel_is_the_linear_fit(self, parts, new):
        x, _, design, labels = sample()
        method = method_of(parts, tolerance=1e-10, constant=1.5)
        linear = method.fit(Job(design, labels))
        kernel = fit_kernel(design.rows, labels, method, "linear")
        for a, b in zip(kernel.reports, linear.reports, strict=True):
            assert a.objective == pytest.approx(b.objective, rel=1e-8)
            assert (a.category, a.members, a.lam) == (b.category, b.members, b.lam)
            assert (a.kind, a.stopped) == (b.kind, "certified")
        for documents in (x, new):
            matrix = sp.csr_matrix(documents)
            np.testing.assert_allclose(kernel.scores(matrix), linear.scores(matrix), atol=1e-3)

    @WITH_KERNELS
    @pytest.mark.parametrize("offset", [0.0, 0.7])
    def test_a_polynomial_is_its_feature_map(self, parts, offset, new):
        x, _, _, labels = sample()

        def mapped(z):
            # (x·y + r)² = Σ xᵢxⱼ yᵢyⱼ + Σ √(2r)xᵢ √(2r)yᵢ + r²
            products = (z[:, :, None] * z[:, None, :]).reshape(len(z), -1)
            return np.hstack([products, np.sqrt(2 * offset) * z, np.full((len(z), 1), offset)])

        method = method_of(parts, tolerance=1e-9)
        kernel = fit_kernel(sp.csr_matrix(x), labels, method, Polynomial(2, offset))
        linear = method.fit(Job(design_of(mapped(x)), labels))
        for a, b in zip(kernel.reports, linear.reports, strict=True):
            assert a.objective == pytest.approx(b.objective, rel=1e-5)
        expected = linear.scores(sp.csr_matrix(mapped(new)))
        np.testing.assert_allclose(kernel.scores(new), expected, atol=5e-3)

    @pytest.mark.parametrize("gamma", [0.1, 1.0])
    def test_squared_loss_has_a_closed_form(self, gamma, new):
        # (1/n) Σ (yᵢ - f(xᵢ))² + λ‖f‖²: f = Σ αᵢ K(xᵢ, ·) with (K + λn I) α = y.
        x, truth, _, labels = sample()
        method = method_of(SQUARED, tolerance=1e-12)
        kernel = fit_kernel(sp.csr_matrix(x), labels, method, f"rbf({gamma})")
        y = np.where(truth, 1.0, -1.0)
        gram = rbf_kernel(x, gamma=gamma)
        alpha = np.linalg.solve(gram + LAM * len(x) * np.eye(len(x)), y)
        np.testing.assert_allclose(kernel.factors.toarray().T, alpha, atol=1e-4)
        ridge = KernelRidge(alpha=LAM * len(x), kernel="rbf", gamma=gamma).fit(x, y)
        np.testing.assert_allclose(kernel.scores(new), ridge.predict(new), atol=1e-4)

    @pytest.mark.parametrize("strength", [0.3, 10.0])
    def test_the_svm_is_libsvm(self, strength, new):
        x, truth, _, labels = sample()
        lam = lambda_of(Regularization(C=strength), len(x))
        kernel = fit_kernel(
            sp.csr_matrix(x), labels, method_of(SVM, lam=lam, tolerance=1e-10), "rbf(0.3)"
        )
        for c, members in enumerate(truth.T):
            model = SVC(kernel="rbf", gamma=0.3, C=strength, tol=1e-10).fit(x, members)
            expected = model.decision_function(new)
            np.testing.assert_allclose(kernel.scores(new)[:, c], expected, atol=1e-4)
            # Of two equal documents either may be the support: so the documents are compared.
            used = x[kernel.support_rows[kernel.factors[[c]].indices]]
            assert {tuple(row) for row in used} == {tuple(row) for row in x[model.support_]}

    @WITH_KERNELS
    def test_a_function_and_a_given_matrix_are_the_named_kernel(self, parts, new):
        x, _, _, labels = sample()
        method = method_of(parts, tolerance=1e-6)
        named = fit_kernel(x, labels, method, "rbf(0.3)")
        asked = fit_kernel(x, labels, method, lambda a, b: sp.csr_matrix(Rbf(0.3)(a, b)))
        given_ = fit_kernel(Rbf(0.3)(x, x), labels, method, "precomputed")
        np.testing.assert_array_equal(asked.scores(new), named.scores(new))
        products = Rbf(0.3)(new, x)
        np.testing.assert_allclose(given_.scores(products), named.scores(new), atol=1e-12)
        assert given_.support is None

    def test_only_support_documents_are_kept(self, new):
        x, _, _, labels = sample()
        method = method_of(("hinge", "gaussian", "dual-coordinate", "penalised"), lam=1e-3)
        kernel = fit_kernel(sp.csr_matrix(x), labels, method, "rbf(0.1)")
        assert kernel.support.shape[0] == len(kernel.support_rows) < len(x)
        assert (np.diff(kernel.factors.tocsc().indptr) > 0).all()
        np.testing.assert_array_equal(kernel.support.toarray(), x[kernel.support_rows])
        assert [r.nonzeros for r in kernel.reports] == np.diff(kernel.factors.indptr).tolist()
        expected = Rbf(0.1)(new, x[kernel.support_rows]) @ kernel.factors.T + kernel.intercepts
        np.testing.assert_allclose(kernel.scores(new), expected)

    @WITH_KERNELS
    def test_a_document_of_weight_zero_is_absent(self, parts, new):
        x, _, _, labels = sample()
        weights = np.where(np.arange(50) % 5 == 2, 0.0, 1.0)
        rows = np.flatnonzero(weights)
        method = method_of(parts)
        weighted = fit_kernel(x, labels, method, "rbf(0.3)", sample_weights=SampleWeights(weights))
        alone = fit_kernel(x[rows], labels.of_documents(rows), method, "rbf(0.3)")
        np.testing.assert_array_equal(weighted.scores(new), alone.scores(new))
        np.testing.assert_array_equal(weighted.support_rows, rows[alone.support_rows])
        gram = Rbf(0.3)(x, x)
        given_ = fit_kernel(
            gram, labels, method, "precomputed", sample_weights=SampleWeights(weights)
        )
        np.testing.assert_allclose(given_.scores(Rbf(0.3)(new, x)), alone.scores(new), atol=1e-12)

    @WITH_KERNELS
    def test_class_weights_and_lambdas(self, parts, new):
        _, _, design, labels = sample()
        method = method_of(parts, tolerance=1e-9)
        settings = {
            "sample_weights": SampleWeights(np.linspace(0.5, 2, 50), "balanced"),
            "strengths": Strengths("lam", np.array([1e-2, 1e-1])),
        }
        kernel = fit_kernel(design.rows, labels, method, **settings)
        linear = method.fit(Job(design, labels, **settings))
        np.testing.assert_allclose(kernel.scores(new), linear.scores(sp.csr_matrix(new)), atol=1e-3)
        assert [report.lam for report in kernel.reports] == [1e-2, 1e-1]

    @WITH_KERNELS
    def test_threads_change_no_bit(self, parts, new):
        x, _, _, labels = sample()
        one, two = (fit_kernel(x, labels, method_of(parts), "rbf(0.3)", threads=t) for t in (1, 2))
        np.testing.assert_array_equal(one.scores(new), two.scores(new))

    @WITH_KERNELS
    def test_from_its_own_end_it_is_no_longer(self, parts):
        x, _, _, labels = sample()
        weights = np.where(np.arange(50) % 7 == 2, 0.0, 1.0)
        cold = fit_kernel(
            x, labels, method_of(parts), "rbf(0.3)", sample_weights=SampleWeights(weights)
        )
        warm = fit_kernel(
            x,
            labels,
            method_of(parts),
            "rbf(0.3)",
            sample_weights=SampleWeights(weights),
            starts=cold.starts,
        )
        for a, b in zip(warm.reports, cold.reports, strict=True):
            assert a.iterations <= b.iterations
            assert a.objective == pytest.approx(b.objective, rel=1e-5)

    def test_categories_with_nothing_to_learn(self, new):
        x, truth, _, _ = sample()
        labels = labels_of(np.column_stack([np.zeros(50), truth[:, 0], np.ones(50)]))
        kernel = fit_kernel(x, labels, method_of(HINGE), "rbf(0.3)")
        scores = kernel.scores(new)
        assert (scores[:, 0] == NEVER).all()
        assert (scores[:, 2] == ALWAYS).all()
        assert [r.stopped for r in kernel.reports] == ["constant", "certified", "constant"]
        assert "never chosen" in kernel.reports[0].note
        alone = fit_kernel(x, labels_of(truth[:, [0]]), method_of(HINGE), "rbf(0.3)")
        np.testing.assert_array_equal(scores[:, [1]], alone.scores(new))

    @pytest.mark.parametrize("classes", [(0.0, 1.0), (1.0, 0.0)])
    def test_classes_of_weight_zero_are_as_in_the_linear_form(self, classes, new):
        x, _, design, labels = sample()
        sample_weights = SampleWeights(None, classes)
        kernel = fit_kernel(x, labels, method_of(HINGE), sample_weights=sample_weights)
        linear = method_of(HINGE).fit(Job(design, labels, sample_weights=sample_weights))
        np.testing.assert_array_equal(kernel.scores(new), linear.scores(sp.csr_matrix(new)))
        assert [r.note for r in kernel.reports] == [r.note for r in linear.reports]

    def test_nothing_to_learn_at_all(self, new):
        x, _, _, _ = sample()
        kernel = fit_kernel(x, labels_of(np.zeros((50, 2))), method_of(HINGE), "rbf(0.3)")
        assert (kernel.scores(new) == NEVER).all()
        assert kernel.scores(new[:0]).shape == (0, 2)
        none = fit_kernel(x, labels_of(np.zeros((50, 0))), method_of(HINGE))
        assert none.scores(new).shape == (7, 0)

    def test_progress_and_the_warning(self):
        x, _, _, labels = sample()
        told = []
        fit_kernel(x, labels, method_of(HINGE), progress=lambda *step: told.append(step))
        assert told[-1] == (2, 2)
        hasty = method_of(HINGE, iterations=1, tolerance=1e-9)
        with pytest.warns(NotConvergedWarning, match="2 of 2 categories"):
            fit_kernel(x, labels, hasty)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            fit_kernel(x, labels, hasty, quiet=True)


class TestRefusals:
    def refused(self, message, matrix, kernel="linear", error=UsageError, **more):
        _, _, _, labels = sample()
        with pytest.raises(error, match=message):
            fit_kernel(matrix, labels, method_of(HINGE), kernel, **more)

    @each(WITHOUT_KERNELS)
    def test_solvers_without_a_kernel_form(self, parts):
        x, _, _, labels = sample()
        with pytest.raises(UsageError, match="no kernel form: use dual-coordinate or smo"):
            fit_kernel(x, labels, method_of(parts))

    def test_memory_above_the_limit(self):
        x, _, _, _ = sample()
        self.refused("kernel matrix of 50 documents needs", x, most_bytes=50 * 50 * 8 - 1)
        weights = np.append(np.ones(49), 0.0)
        _, _, _, labels = sample()
        fit_kernel(
            x,
            labels,
            method_of(HINGE),
            sample_weights=SampleWeights(weights),
            most_bytes=49 * 49 * 8,
        )

    def test_the_limit_comes_before_any_product(self):
        count = 20_000
        empty = sp.csr_matrix((count, 3))
        labels = labels_of(np.arange(count)[:, None] < 5)
        with pytest.raises(UsageError, match=r"20000 documents needs 3\.0 GiB, above .* 2 GiB"):
            fit_kernel(empty, labels, method_of(HINGE))

    def test_matrices_that_are_no_kernel(self):
        x, _, _, _ = sample()
        gram = x @ x.T
        lame = gram.copy()
        lame[3, 4] += 1.0
        self.refused("not symmetric", lame, "precomputed", InputError)
        self.refused("square", x, "precomputed")
        self.refused("not finite", np.where(gram > 2, np.nan, gram), "precomputed", InputError)
        self.refused("not positive semi-definite", -gram, "precomputed", InputError)
        self.refused(r"shape \(50, 8\) for 50 and 50", x, lambda first, _: first)

    def test_shapes(self, new):
        x, _, _, labels = sample()
        self.refused("labels of 50", x[:49])
        self.refused("1 dimensions", x[:, 0])
        self.refused(
            "one number for each of 2 categories, and has 3",
            x,
            strengths=Strengths("lam", np.ones(3)),
        )
        self.refused("2 categories and 1 starts", x, starts=[np.ones(50)])
        self.refused("a dual variable for each", x, starts=[np.ones(3), np.ones(3)])
        gram = fit_kernel(x @ x.T, labels, method_of(HINGE), "precomputed")
        with pytest.raises(UsageError, match="all 50 training documents"):
            gram.scores(new)
        with pytest.raises(UsageError, match="cannot make products"):
            Precomputed()(x, x)


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


@each(WITHOUT_KERNELS)
def test_solvers_without_a_kernel_form_say_so(parts):
    x, _, _, labels = sample()
    with pytest.raises(ValueError, match="no kernel form"):
        by_kernel(x @ x.T, labels, method_of(parts))


def test_a_kernel_matrix_that_is_not_square_is_refused():
    x, _, _, labels = sample()
    with pytest.raises(ValueError, match="square"):
        by_kernel(x, labels, method_of(("hinge", "gaussian", "smo", "free")))
