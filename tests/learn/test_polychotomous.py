"""Polychotomous logistic regression: against scikit-learn, SciPy and its own formulas."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from postil.errors import UsageError
from postil.features.selection import Selection
from postil.learn.all_classes import PolychotomousMethod
from postil.learn.fit import NotConvergedWarning
from postil.learn.job import Job, SampleWeights
from postil.learn.method import Method
from postil.learn.strength import Regularization, Strengths
from postil.learn.term_priors.priors import TermPrior, TermPriors

from .multinomial import (
    TIGHT,
    Multinomial,
    design_of,
    labels_of,
    learned,
    method_of,
    sample,
    whole,
)


@pytest.mark.parametrize(
    ("prior", "saga"), [("gaussian", {}), ("laplace", {"solver": "saga", "l1_ratio": 1})]
)
@pytest.mark.parametrize("intercept", ["none", "penalised"])
def test_it_finds_the_weights_of_scikit_learn(prior, saga, intercept):
    # With an even number of classes the median, and so the lasso, is not unique.
    x, y = sample(0, documents=80, classes=5)
    c = 0.7
    method = PolychotomousMethod(prior, Regularization(C=c), intercept, constant=2.0, options=TIGHT)
    fit = learned(x, y, 5, method)
    constant = 2.0 if intercept == "penalised" else None
    columns = x if constant is None else np.column_stack([x, np.full(len(x), constant)])
    theirs = LogisticRegression(C=c, fit_intercept=False, tol=1e-10, max_iter=20_000, **saga)
    theirs.fit(columns, y)
    np.testing.assert_allclose(whole(fit, constant), theirs.coef_, atol=2e-6)
    assert {report.kind for report in fit.reports} == {"duality gap"}


def test_a_free_intercept_is_that_of_scikit_learn():
    x, y = sample(1, documents=80, classes=3)
    fit = learned(x, y, 3, method_of(lam=1e-2, intercept="free"))
    theirs = LogisticRegression(C=1 / (2 * 1e-2 * len(y)), tol=1e-10, max_iter=20_000).fit(x, y)
    np.testing.assert_allclose(fit.weights.toarray(), theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(fit.intercepts, theirs.intercept_, atol=1e-6)
    assert fit.intercepts.sum() == pytest.approx(0.0, abs=1e-12)
    assert {report.kind for report in fit.reports} == {"duality gap"}


@pytest.mark.parametrize("prior", ["gaussian", "laplace", "elastic-net"])
@pytest.mark.parametrize("shape", [(60, 8), (15, 40)])
def test_the_certificate_is_that_of_the_formulas(prior, shape):
    x, y = sample(2, *shape, classes=3)
    options = {"tolerance": 1e-4}
    fit = learned(x, y, 3, method_of(prior, options=options))
    mix = {"gaussian": 0.0, "laplace": 1.0, "elastic-net": 0.5}[prior]
    problem = Multinomial.of(x, y, 3, absolute=1e-2 * mix, squared=1e-2 * (1 - mix), constant=1.0)
    w = whole(fit, 1.0)
    (report, *_) = fit.reports
    assert report.objective == pytest.approx(problem.objective(w), rel=1e-9)
    gap = problem.gap(w) / problem.objective(w)
    assert 0 <= gap <= report.certificate + 1e-12
    assert report.certificate <= 1e-4
    least = problem.objective(problem.minimum())
    assert report.objective - least <= report.certificate * report.objective + 1e-12


def test_the_certificate_of_a_few_steps_is_exactly_that_of_the_formulas():
    x, y = sample(3, classes=4)
    for prior, mix in (("laplace", 1.0), ("elastic-net", 0.5)):
        method = method_of(prior, lam=3e-3, options={"iterations": 2})
        with pytest.warns(NotConvergedWarning, match="4 of 4 categories ran out"):
            fit = learned(x, y, 4, method)
        problem = Multinomial.of(x, y, 4, absolute=3e-3 * mix, squared=3e-3 * (1 - mix), constant=1)
        w = whole(fit, 1.0)
        assert fit.reports[0].certificate == pytest.approx(problem.gap(w) / problem.objective(w))


@pytest.mark.parametrize("prior", ["gaussian", "laplace"])
@pytest.mark.parametrize("scale", [1.0, 2e4])
def test_the_gap_of_free_intercepts_bounds_the_distance_to_the_minimum(prior, scale):
    # However large a column is beside the others.
    x, y = sample(4, classes=3)
    x[:, 0] = scale
    mix = 1.0 if prior == "laplace" else 0.0
    held = np.array([*[1e-2] * 8, 0.0])
    problem = Multinomial.of(x, y, 3, absolute=held * mix, squared=held * (1 - mix), constant=1.0)
    least = np.inf
    for iterations in (1000, 20, 5, 2, 1):
        options = {"iterations": iterations, "tolerance": 1e-6}
        fit = learned(x, y, 3, method_of(prior, intercept="free", options=options), quiet=True)
        report = fit.reports[0]
        least = min(least, report.objective)
        assert report.kind == "duality gap"
        assert report.objective == pytest.approx(problem.objective(whole(fit, 1.0)), rel=1e-9)
        assert report.objective * (1 - report.certificate) <= least * (1 + 1e-9)
    weights = problem.minimum()
    assert least <= problem.objective(weights) * (1 + 1e-5)


@pytest.mark.parametrize("mix", [0.0, 0.4, 1.0])
def test_priors_of_classes_and_terms_against_scipy(mix):
    x, y = sample(5, documents=50, terms=6, classes=3)
    priors = TermPriors(
        6,
        every={0: TermPrior(low=0.0), 3: TermPrior(mean=0.5, factor=4.0)},
        own={
            0: {1: TermPrior(variance=2.0), 2: TermPrior(mean=-1.0, high=0.0)},
            2: {
                0: TermPrior(high=0.0),
                4: TermPrior(variance=0.0, mean=0.25),
                6: TermPrior(factor=9.0),
            },
        },
    )
    strengths = Strengths("lam", np.array([1e-2, 2e-2, 5e-3]))
    method = PolychotomousMethod("elastic-net", mix=mix, options=TIGHT)
    fit = learned(x, y, 3, method, term_priors=priors, strengths=strengths)
    absolute, squared = (np.repeat(strengths.values[:, None], 7, axis=1) for _ in range(2))
    absolute, squared = mix * absolute, (1 - mix) * squared
    mean, low, high = np.zeros((3, 7)), np.full((3, 7), -np.inf), np.full((3, 7), np.inf)
    low[:, 0], mean[:, 3] = 0.0, 0.5
    absolute[:, 3] /= 2.0
    squared[:, 3] /= 4.0
    n = len(y)
    absolute[0, 1], squared[0, 1] = mix * np.sqrt(2 / 2.0) / n, (1 - mix) / (2 * n * 2.0)
    mean[0, 2], high[0, 2] = -1.0, 0.0
    low[2, 0], high[2, 0] = -np.inf, 0.0
    mean[2, 4] = low[2, 4] = high[2, 4] = 0.25
    absolute[2, 6] /= 3.0
    squared[2, 6] /= 9.0
    problem = Multinomial.of(x, y, 3, absolute=absolute, squared=squared, mean=mean, constant=1.0)
    expected = problem.minimum(low, high)
    w = whole(fit, 1.0)
    assert problem.objective(w) <= problem.objective(expected) + 1e-9
    np.testing.assert_allclose(w, expected, atol=5e-4)
    assert ((w >= low) & (w <= high)).all()
    assert w[2, 4] == 0.25


def test_a_weight_without_a_prior_needs_a_reference_to_be_settled():
    x, y = sample(6, documents=200, terms=3, classes=3)
    free = {term: TermPrior(variance=np.inf) for term in range(4)}
    method = method_of(reference="b")
    fit = learned(x, y, 3, method, term_priors=TermPriors(3, every=free))
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=20_000).fit(x, y)
    ours = whole(fit, 1.0)
    expected = np.column_stack([theirs.coef_, theirs.intercept_])
    np.testing.assert_allclose(ours, expected - expected[1], atol=1e-4)
    assert fit.reports[0].kind == "KKT residual"
    assert fit.reports[0].stopped == "certified"


@pytest.mark.parametrize("prior", ["gaussian", "laplace"])
@pytest.mark.parametrize("intercept", ["penalised", "free", "none"])
def test_two_classes_with_a_reference_are_binary_logistic_regression(prior, intercept):
    x, y = sample(7, classes=2)
    fit_of_two = learned(x, y, 2, method_of(prior, intercept=intercept, reference="a"))
    binary = Method(
        "logistic", prior, "primal-coordinate", Regularization(lam=1e-2), intercept,
        options={"tolerance": 1e-10, "iterations": 100_000},
    )  # fmt: skip
    one = binary.fit(Job(design_of(x), labels_of(y, 2)))
    assert fit_of_two.weights[[0]].nnz == 0
    assert fit_of_two.intercepts[0] == 0.0
    np.testing.assert_allclose(
        fit_of_two.weights[[1]].toarray(), one.weights[[1]].toarray(), atol=1e-5
    )
    assert fit_of_two.intercepts[1] == pytest.approx(one.intercepts[1], abs=1e-5)
    assert fit_of_two.reports[1].objective == pytest.approx(one.reports[1].objective, rel=1e-8)


def test_two_classes_without_a_reference_share_the_weights_of_half_the_strength():
    # λ(w² + w²) with w = v/2 is (λ/2) v².
    x, y = sample(8, classes=2)
    both = learned(x, y, 2, method_of(lam=2e-2))
    one = learned(x, y, 2, method_of(lam=1e-2, reference="a"))
    w = whole(both, 1.0)
    np.testing.assert_allclose(w[0], -w[1], atol=1e-7)
    np.testing.assert_allclose(w[1] - w[0], whole(one, 1.0)[1], atol=1e-6)


@pytest.mark.parametrize("prior", ["gaussian", "laplace"])
def test_the_reference_is_an_optimum_of_the_others(prior):
    x, y = sample(9, classes=4)
    fit = learned(x, y, 4, method_of(prior, reference="c"))
    mix = float(prior == "laplace")
    problem = Multinomial.of(x, y, 4, absolute=1e-2 * mix, squared=1e-2 * (1 - mix), constant=1.0)
    low, high = np.full((4, 9), -np.inf), np.full((4, 9), np.inf)
    low[2] = high[2] = 0.0
    expected = problem.objective(problem.minimum(low, high))
    assert fit.reports[0].objective == pytest.approx(expected, rel=1e-8)
    assert not whole(fit, 1.0)[2].any()


def test_documents_weigh_what_they_are_said_to():
    x, y = sample(10)
    weights = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    weights[:3] = 1.0
    one = learned(x, y, 3, method_of("laplace"), sample_weights=SampleWeights(weights))
    again = np.repeat(np.arange(len(y)), weights.astype(int))
    other = learned(x[again], y[again], 3, method_of("laplace"))
    np.testing.assert_allclose(whole(one, 1.0), whole(other, 1.0), atol=1e-6)


def test_balanced_classes_weigh_the_same():
    x, y = sample(11)
    each = len(y) / (3 * np.bincount(y))
    one = learned(x, y, 3, method_of(), sample_weights=SampleWeights(classes="balanced"))
    problem = Multinomial.of(x, y, 3, squared=1e-2, constant=1.0, weights=each[y])
    np.testing.assert_allclose(whole(one, 1.0), problem.minimum(), atol=1e-5)
    with pytest.raises(UsageError, match="class weights must be 'balanced' or None"):
        learned(x, y, 3, method_of(), sample_weights=SampleWeights(classes=(2.0, 1.0)))


def test_a_class_uses_the_terms_that_were_selected_for_it():
    x, y = sample(12)
    kept = [[0, 1, 2], [2, 3], [5]]
    selection = Selection.of([np.array(k, dtype=np.int32) for k in kept], 8)
    fit = learned(x, y, 3, method_of(), selection=selection)
    low, high = np.zeros((3, 9)), np.zeros((3, 9))
    for k, terms in enumerate(kept):
        low[k, [*terms, 8]], high[k, [*terms, 8]] = -np.inf, np.inf
    problem = Multinomial.of(x, y, 3, squared=1e-2, constant=1.0)
    np.testing.assert_allclose(whole(fit, 1.0), problem.minimum(low, high), atol=1e-5)
