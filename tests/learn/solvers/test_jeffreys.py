"""The Jeffreys prior by expectation maximisation: local optima, and how they are reached."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from postil.errors import UsageError
from postil.features.selection import Selection
from postil.learn.job import Job, SampleWeights
from postil.learn.method import Method
from postil.learn.one_vs_rest import fit_path
from postil.learn.strength import Regularization, Strengths
from postil.learn.term_priors.priors import TermPrior, TermPriors

from ..reference import loss_slope, loss_value
from ..samples import EVERY_SHAPE, LEGAL, design_of, each, labels_of, method_of, sample

EM = [parts for parts in LEGAL if parts[1] == "jeffreys"]
LINKS = ["logistic", "probit"]
LEAST = 1e-6  # the default of least_weight


def em(loss="logistic", intercept="none", **options):
    return method_of((loss, "jeffreys", "em", intercept), **options)


def learn(x, y, method, start=None, **given):
    """One category's weights, with the constant's last unless there is none, and its report."""
    x, y = np.asarray(x, float), np.asarray(y)
    starts = () if start is None else (np.asarray(start, float),)
    found = method.fit(
        Job(design_of(x), labels_of(y.reshape(-1, 1) > 0), warm_starts=starts, **given)
    )
    weights = found.weights.toarray().ravel()
    if method.intercept != "none":
        weights = np.append(weights, found.intercepts[0] / method.constant)
    return weights, found.reports[0]


def with_constant(x, method):
    x = np.asarray(x, np.float32).astype(float)
    return (
        x if method.intercept == "none" else np.column_stack([x, np.full(len(x), method.constant)])
    )


def objective(x, y, weights, method, paying=None):
    """The average loss and (1/n) Σ ln|w| over the weights that are not 0 and not free."""
    if paying is None:
        paying = weights != 0
        if method.intercept == "free":
            paying[-1] = False
    losses = loss_value(method.loss, y * (with_constant(x, method) @ weights))
    return (losses.sum() + np.log(np.abs(weights[paying])).sum()) / len(y)


def residuals(x, y, weights, method):
    """1 + n w g of the weights that are not 0; of a free constant its slope over their sum."""
    features = with_constant(x, method)
    by_document = y * loss_slope(method.loss, y * (features @ weights))
    slopes = features.T @ by_document / len(y)
    found = np.where(weights == 0, 0.0, 1 + len(y) * weights * slopes)
    if method.intercept == "free":
        sizes = np.abs(loss_slope(method.loss, np.zeros(1)))[0] * method.constant
        found[-1] = slopes[-1] / sizes
    return np.abs(found)


def noisy(rng, documents=120, terms=12, useful=3):
    """Dense documents, and labels that lean on the first terms."""
    x = rng.normal(size=(documents, terms)).astype(np.float32).astype(float)
    scores = x[:, :useful] @ np.array([2.0, -1.5, 1.0])[:useful]
    return x, np.where(scores + rng.logistic(size=documents) > 0, 1.0, -1.0)


class TestByHand:
    def test_equal_documents(self):
        # n copies of x = 1 with m members: m - n σ(w) = 1/w, from a start above the largest root.
        y = np.array([1.0] * 30 + [-1.0] * 10)
        (weight,), report = learn(np.ones((40, 1)), y, em(), start=[3.0])
        root = scipy.optimize.brentq(lambda w: 30 - 40 * expit(w) - 1 / w, 0.5, 5)
        assert weight == pytest.approx(root, rel=1e-5)
        assert report.stopped == "certified"
        # Less than without a prior, ln 3, as the prior pulls.
        assert 0.9 < weight < np.log(3)

    def test_too_little_evidence_ends_at_0(self):
        # Of 11 and 9, m - n σ(w) = 1/w has no root above 0: no weight can stay.
        y = np.array([1.0] * 11 + [-1.0] * 9)
        assert all(11 - 20 * expit(w) < 1 / w for w in np.linspace(1e-3, 5, 999))
        (weight,), report = learn(np.ones((20, 1)), y, em(), start=[3.0])
        assert weight == 0
        assert (report.nonzeros, report.certificate, report.stopped) == (0, 0.0, "certified")
        assert report.objective == pytest.approx(np.log(2))

    def test_the_smaller_root_repels(self):
        # The condition has a second root, a maximum of the objective: from just below it a
        # weight goes to 0, from just above it to the larger root.
        y = np.array([1.0] * 30 + [-1.0] * 10)
        low = scipy.optimize.brentq(lambda w: 30 - 40 * expit(w) - 1 / w, 1e-3, 0.5)
        (below,), _ = learn(np.ones((40, 1)), y, em(), start=[0.95 * low])
        (above,), _ = learn(np.ones((40, 1)), y, em(), start=[1.05 * low])
        assert below == 0
        assert above > 0.9

    def test_a_step_is_ridge_with_the_square_of_the_weight_for_a_variance(self):
        x, y = noisy(np.random.default_rng(3), terms=1, useful=1)
        method = em(tolerance=0.0, iterations=1)
        (weight,), _ = learn(x, y, method, start=[0.7], quiet=True)
        ridge = Method(
            "logistic",
            "gaussian",
            "newton-coordinate",
            Regularization(prior_variance=0.7**2),
            "none",
            options={"tolerance": 1e-12},
        )
        (expected,), _ = learn(x, y, ridge)
        # The step is as exact as a tenth of the certificate.
        assert weight == pytest.approx(expected, rel=0.05)


@each(EM)
@EVERY_SHAPE
def test_ends_are_stationary_and_reports_are_true(parts, shape):
    x, truth, design, labels = sample(shape)
    method = method_of(parts)
    found = method.fit(Job(design, labels))
    for category, report in enumerate(found.reports):
        y = np.where(truth[:, category], 1.0, -1.0)
        weights = found.weights[[category]].toarray().ravel()
        if method.intercept != "none":
            weights = np.append(weights, found.intercepts[category])
        assert report.stopped == "certified"
        assert report.kind == "KKT residual"
        assert report.lam == 0
        assert report.nonzeros == found.weights[[category]].nnz
        assert report.objective == pytest.approx(objective(x, y, weights, method), abs=1e-9)
        largest = residuals(x, y, weights, method).max(initial=0.0)
        assert report.certificate == pytest.approx(largest, abs=1e-8)
        assert report.certificate <= 1e-6
    assert (np.abs(found.weights.data) >= LEAST).all()


@each(EM)
def test_no_step_raises_the_objective(parts):
    x, y = noisy(np.random.default_rng(5))
    before, lost = None, 0
    for iterations in range(1, 12):
        method = method_of(parts, iterations=iterations, tolerance=0.0)
        weights, report = learn(x, y, method, quiet=True)
        assert report.iterations <= iterations
        if before is not None:
            # What has left took its ln|w| along: what stays is compared. A step may pay half a unit
            # for each that leaves, which is more than it won by leaving.
            paying = weights != 0
            if method.intercept == "free":
                paying[-1] = False
            left = ((before != 0) & (weights == 0)).sum()
            lost += left
            now, then = (objective(x, y, w, method, paying) for w in (weights, before))
            assert now <= then + left / (2 * len(y)) + 1e-12
            if not left:
                assert now <= then + 1e-12
        before = weights
    assert lost > 0


@pytest.mark.parametrize("loss", LINKS)
def test_what_matters_is_found_and_little_else(loss):
    x, y = noisy(np.random.default_rng(0), documents=400, terms=60)
    weights, _ = learn(x, y, em(loss, start_variance=100.0))
    assert (weights[:3] != 0).all()
    assert np.count_nonzero(weights) <= 20
    ridge, _ = learn(x, y, Method(loss, "gaussian", "newton-coordinate", intercept="none"))
    assert np.count_nonzero(ridge) == 60


class TestStarts:
    def test_equal_terms_the_one_that_is_ahead_stays(self):
        x, y = noisy(np.random.default_rng(1), terms=1, useful=1)
        twice = np.column_stack([x, x])
        first, one = learn(twice, y, em(), start=[1.0, 0.5])
        second, other = learn(twice, y, em(), start=[0.5, 1.0])
        assert (first != 0).tolist() == [True, False]
        np.testing.assert_allclose(first, second[::-1], rtol=1e-6)
        assert one.objective == pytest.approx(other.objective)

    def test_optima_may_differ_in_worth(self):
        # A term of half the news: from where only it is, the better one is never found.
        rng = np.random.default_rng(2)
        x, y = noisy(rng, documents=300, terms=1, useful=1)
        both = np.column_stack([x, x + 1.5 * rng.normal(size=x.shape)])
        good, better = learn(both, y, em(), start=[1.0, 0.0])
        poor, worse = learn(both, y, em(), start=[0.0, 1.0])
        assert (good != 0).tolist() == [True, False]
        assert (poor != 0).tolist() == [False, True]
        assert better.objective < worse.objective - 0.05

    def test_zero_stays_zero(self):
        x, y = noisy(np.random.default_rng(1))
        weights, report = learn(x, y, em(), start=np.zeros(12))
        assert not weights.any()
        assert report.iterations == 0

    def test_the_end_is_a_start_that_ends_at_once(self):
        x, y = noisy(np.random.default_rng(4))
        design, labels = design_of(x), labels_of(y.reshape(-1, 1) > 0)
        method = em(intercept="penalised", tolerance=1e-5)
        cold = method.fit(Job(design, labels, keep_starts=True))
        warm = method.fit(Job(design, labels, warm_starts=cold.starts))
        assert warm.reports[0].iterations == 0
        np.testing.assert_array_equal(warm.weights.toarray(), cold.weights.toarray())

    def test_without_a_start_it_is_the_ridge_solution(self):
        x, y = noisy(np.random.default_rng(4))
        ridge = Method(
            "logistic",
            "gaussian",
            "newton-coordinate",
            Regularization(prior_variance=30.0),
            "penalised",
            options={"tolerance": 1e-9},
        )
        start, _ = learn(x, y, ridge)
        plain, _ = learn(x, y, em(intercept="penalised", start_variance=30.0))
        told, _ = learn(x, y, em(intercept="penalised"), start=start)
        np.testing.assert_allclose(plain, told, rtol=1e-4, atol=1e-9)

    def test_a_narrow_start_leaves_less(self):
        x, y = noisy(np.random.default_rng(4), documents=60, terms=40)
        kept = [learn(x, y, em(start_variance=v))[1].nonzeros for v in (1e-4, 1.0, 1e3)]
        assert kept[0] == 0
        assert kept[0] < kept[1] <= kept[2]


def figueiredo(x, y, weights, iterations=20_000):
    """His EM for the probit link (2003, section 4): latent scores and variances are both missing.

    E-step: sᵢ = xᵢ·w + yᵢ φ(zᵢ)/Φ(zᵢ), U = diag|w|. M-step: w = U (1 + U XᵀX U)⁻¹ U Xᵀ s.
    """
    for _ in range(iterations):
        latent = x @ weights - y * loss_slope("probit", y * (x @ weights))
        sizes = np.diag(np.abs(weights))
        inner = np.eye(len(weights)) + sizes @ x.T @ x @ sizes
        following = sizes @ np.linalg.solve(inner, sizes @ (x.T @ latent))
        if np.abs(following - weights).max() < 1e-13:
            break
        weights = following
    return weights


def plain_em(x, y, weights, iterations=2000):
    """EM for the logistic link: the M-step by Newton's method, dense."""
    for _ in range(iterations):
        precisions = 1 / np.maximum(weights**2, 1e-24)
        following = weights.copy()
        for _ in range(50):
            p = expit(x @ following)
            slope = x.T @ (p - (y > 0)) + precisions * following
            curvature = (x.T * (p * (1 - p))) @ x + np.diag(precisions)
            following = following - np.linalg.solve(curvature, slope)
        if np.abs(following - weights).max() < 1e-13:
            break
        weights = following
    return weights


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("loss", "reference"), [("probit", figueiredo), ("logistic", plain_em)])
def test_the_same_end_as_the_plain_algorithm(loss, reference, seed):
    x, y = noisy(np.random.default_rng(seed), documents=150, terms=6)
    start = np.full(6, 0.5) * np.array([1, -1, 1, 1, -1, 1])
    expected = reference(x, y, start)
    weights, report = learn(x, y, em(loss), start=start)
    assert report.stopped == "certified"
    np.testing.assert_allclose(weights, np.where(np.abs(expected) < LEAST, 0, expected), atol=1e-4)
    assert 0 < np.count_nonzero(weights) < 6


class TestTheConstant:
    def test_penalised_it_may_leave(self):
        x, y = noisy(np.random.default_rng(0))
        weights, _ = learn(x, y, em(intercept="penalised"))
        assert weights[-1] == 0
        none, _ = learn(x, y, em(intercept="none"))
        np.testing.assert_allclose(weights[:-1], none, atol=1e-3)

    def test_penalised_it_may_stay(self):
        y = np.array([1.0] * 30 + [-1.0] * 10)
        (constant,), _ = learn(np.zeros((40, 0)), y, em(intercept="penalised", start_variance=9.0))
        root = scipy.optimize.brentq(lambda w: 30 - 40 * expit(w) - 1 / w, 0.5, 5)
        assert constant == pytest.approx(root, rel=1e-5)

    @pytest.mark.parametrize("loss", LINKS)
    def test_free_it_is_never_pulled(self, loss):
        y = np.array([1.0] * 21 + [-1.0] * 19)
        x = np.random.default_rng(0).normal(size=(40, 2))
        weights, _ = learn(x, y, em(loss, "free", start_variance=1e-3))
        assert weights[:2].tolist() == [0.0, 0.0]
        shares = {"logistic": np.log(21 / 19), "probit": 0.0627067779}
        assert weights[2] == pytest.approx(shares[loss], rel=1e-3)

    def test_its_value_changes_nothing_but_the_start(self):
        # ln|b/A| is ln|b| and a number: the prior does not know in what units a weight is told.
        x, y = noisy(np.random.default_rng(7), documents=80)
        y[:20] = 1.0
        start = np.full(13, 0.5)
        one, _ = learn(x, y, em(intercept="penalised"), start=start)
        scaled = np.append(start[:-1], 0.05)
        method = method_of(("logistic", "jeffreys", "em", "penalised"), constant=10.0)
        ten, _ = learn(x, y, method, start=scaled)
        assert one[-1] != 0
        np.testing.assert_allclose(ten * np.append(np.ones(12), 10.0), one, rtol=1e-4)


@settings(max_examples=15)
@given(st.sampled_from([1e-2, 0.5, 4.0, 100.0]), st.integers(0, 20), st.sampled_from(LINKS))
def test_units_of_terms_do_not_matter(scale, seed, loss):
    x, y = noisy(np.random.default_rng(seed), documents=60, terms=5)
    start = np.array([1.0, -1.0, 1.0, 0.3, -0.3])
    scales = np.array([scale, 1.0, 1.0, scale, 1.0])
    plain, _ = learn(x, y, em(loss, least_weight=1e-8), start=start)
    other, _ = learn(x * scales, y, em(loss, least_weight=1e-8), start=start / scales)
    np.testing.assert_allclose(other * scales, plain, rtol=1e-3, atol=1e-7)


def test_a_document_of_weight_two_counts_as_two():
    x, y = noisy(np.random.default_rng(1), documents=60)
    weights = np.where(np.arange(60) < 20, 2.0, 1.0)
    once, _ = learn(x, y, em(), sample_weights=SampleWeights(weights))
    twice, _ = learn(np.vstack([x, x[:20]]), np.append(y, y[:20]), em())
    np.testing.assert_allclose(once, twice, rtol=1e-4)


def test_a_selection_keeps_the_others_out():
    x, y = noisy(np.random.default_rng(1))
    chosen = np.array([1, 2, 7], np.int32)
    weights, _ = learn(x, y, em(), selection=Selection.of([chosen], 12))
    alone, _ = learn(x[:, chosen], y, em())
    np.testing.assert_array_equal(weights[chosen], alone)
    assert np.count_nonzero(weights) == np.count_nonzero(alone) > 0


class TestRefusals:
    @pytest.mark.parametrize("way", ["lam", "C", "prior_variance"])
    def test_there_is_nothing_to_set(self, way):
        with pytest.raises(UsageError, match=f"jeffreys has no strength: leave {way} out"):
            Method("logistic", "jeffreys", "em", Regularization(**{way: 1.0}))

    def test_nor_to_search_for(self):
        _, _, design, labels = sample()
        strengths = Strengths("lam", np.full(2, 0.1))
        for work in (
            lambda: em().fit(Job(design, labels, strengths=strengths)),
            lambda: fit_path(Job(design, labels, strengths=strengths), em()),
            lambda: em().check_searchable(),
        ):
            with pytest.raises(UsageError, match="the prior jeffreys has no strength"):
                work()

    def test_it_takes_no_priors_of_terms(self):
        _, _, design, labels = sample()
        with pytest.raises(UsageError, match="the solver em takes no per-term priors"):
            em().fit(Job(design, labels, term_priors=TermPriors(8, every={0: TermPrior(mean=1.0)})))

    @pytest.mark.parametrize(
        "options",
        [
            {"start_variance": 0.0},
            {"start_variance": float("inf")},
            {"least_weight": 0.0},
            {"least_weight": 2.0},
            {"passes": 0},
            {"iterations": 2**40},
        ],
        ids=str,
    )
    def test_options_that_mean_nothing(self, options):
        with pytest.raises(UsageError, match=next(iter(options))):
            em(**options)

    def test_the_hinge_has_no_slope(self):
        with pytest.raises(UsageError, match="the solver em needs a curvature"):
            Method("hinge", "jeffreys", "em")
