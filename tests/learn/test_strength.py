"""Strength of regularization: three ways to give it, and the norm-based rule."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.errors import UsageError
from postil.features.selection import Selection
from postil.learn.job import Job, SampleWeights
from postil.learn.method import Method
from postil.learn.priors import PRIORS
from postil.learn.strength import Regularization, Strengths, norm_based

from .reference_priors import read_formula, strength_of
from .samples import design_of, labels_of, pair_of, problem_of, sample, theta_of

WAYS = ("lam", "C", "prior_variance")
MIXES = [("gaussian", None), ("laplace", None), ("elastic-net", 0.2), ("elastic-net", 0.9)]
POSITIVE = st.floats(1e-6, 1e6)
WEIGHTS = np.array([-3.0, -0.5, 0.0, 1e-3, 2.0])


def share_of(prior, mix):
    return PRIORS[prior].mix if mix is None else mix


@pytest.mark.parametrize(("prior", "mix"), MIXES)
@settings(max_examples=30)
@given(value=POSITIVE, documents=st.floats(1, 1e6))
def test_pairs_are_those_of_the_formulas(prior, mix, value, documents):
    share = share_of(prior, mix)
    for way in WAYS:
        found = Strengths(way, np.array([value])).pairs(documents, share)[0]
        expected = pair_of(prior, share, way, value, documents)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize(("prior", "mix"), MIXES)
def test_lambda_is_that_of_the_formula_shown(prior, mix):
    share = share_of(prior, mix)
    absolute, squared = strength_of(prior, 0.3, share)
    shown = read_formula(PRIORS[prior].formula, "λ", "w", "ρ")(0.3, WEIGHTS, share)
    np.testing.assert_allclose(absolute * np.abs(WEIGHTS) + squared * WEIGHTS**2, shown)


@settings(max_examples=30)
@given(value=POSITIVE, documents=st.floats(1, 1e6))
def test_variances_are_those_of_the_distributions(value, documents):
    # exp(-n prior(w)) is a density but for a factor: its variance is found by summing.
    w = np.linspace(-40, 40, 20001) * np.sqrt(value)
    for share, rel in ((0.0, 1e-6), (1.0, 1e-4)):
        given_pair = Strengths("prior_variance", np.array([value])).pairs(documents, share)[0]
        density = np.exp(-documents * (given_pair[0] * np.abs(w) + given_pair[1] * w**2))
        assert (density @ w**2) / density.sum() == pytest.approx(value, rel=rel)


@pytest.mark.parametrize(("prior", "mix"), MIXES)
@pytest.mark.parametrize("solver", ["primal-coordinate", "newton-coordinate"])
def test_fits_by_any_way_are_one(prior, mix, solver):
    x, truth, design, labels = sample()
    share, n = share_of(prior, mix), len(x)

    def learn(**said):
        options = {"tolerance": 1e-9, "iterations": 10_000}
        regularization = Regularization(**said)
        return method_of(regularization, options).fit(Job(design, labels))

    def method_of(regularization, options):
        return Method("logistic", prior, solver, regularization, options=options, mix=mix)

    # The same a and b, where one number can say both.
    said = [{"C": 0.5}, {"prior_variance": 0.5 if share == 0 else 2 * 0.5**2}]
    if mix is None:
        said.append({"lam": 1 / ((2 if share == 0 else 1) * n * 0.5)})
    else:
        said.pop()
    fits = [learn(**each) for each in said]
    for found in fits[1:]:
        np.testing.assert_allclose(
            found.weights.toarray(), fits[0].weights.toarray(), rtol=1e-9, atol=1e-12
        )
        assert found.reports[0].lam == pytest.approx(fits[0].reports[0].lam)
    for way in said:
        method = method_of(Regularization(**way), {})
        problem = problem_of(x, truth[:, 0], method)
        objective = problem.objective(theta_of(problem, fits[0], 0))
        assert objective == pytest.approx(problem.minimum(), rel=1e-8)


@pytest.mark.parametrize("mix", [0.0, 1.0])
def test_the_ends_of_the_elastic_net_are_ridge_and_lasso(mix):
    _, _, design, labels = sample("many terms")
    whole = {0.0: "gaussian", 1.0: "laplace"}[mix]

    def learn(prior, **settings):
        method = Method(
            "logistic", prior, "newton-coordinate", Regularization(C=2.0), "penalised", **settings
        )
        return method.fit(Job(design, labels))

    a, b = learn("elastic-net", mix=mix), learn(whole)
    np.testing.assert_array_equal(a.weights.toarray(), b.weights.toarray())
    np.testing.assert_array_equal(a.intercepts, b.intercepts)


@pytest.mark.parametrize("values", [[1e-2, 0.0], [-1.0, 1.0], [np.nan, 1.0], [np.inf, 1.0]])
@pytest.mark.parametrize("way", WAYS)
def test_strengths_that_mean_nothing_are_refused(way, values):
    with pytest.raises(
        UsageError, match=f"{way} must be a finite number above 0 for each category"
    ):
        Strengths(way, np.array(values))


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(
    ("way", "value"), [("lam", 1e-101), ("lam", 1e101), ("C", 1e200), ("prior_variance", 1e-250)]
)
def test_strengths_beyond_double_precision_are_refused(way, value, share):
    with pytest.raises(UsageError, match=r"λ must be from 1e-100 to 1e\+100, not"):
        Strengths(way, np.array([value])).pairs(10, share)


def test_without_documents_any_strength_will_do():
    assert np.isfinite(Strengths("C", np.ones(2)).pairs(0.0, 0.5)).all()


def job_of(x, categories, **given):
    return Job(design_of(x), labels_of(np.zeros((len(x), categories))), **given)


class TestNormBased:
    """σ² = d/u of equation 29."""

    def test_the_formula(self):
        x, _, _, _ = sample("empty documents")
        found = norm_based(job_of(x, 3))
        assert found.way == "prior_variance"
        squared_norm = np.mean([row @ row for row in x])
        np.testing.assert_allclose(found.values, np.full(3, (x.shape[1] + 1) / squared_norm))

    def test_after_selection(self):
        x, _, _, _ = sample()
        chosen = [
            np.array([0, 3, 5], np.int32),
            np.array([], np.int32),
            np.arange(8, dtype=np.int32),
        ]
        found = norm_based(job_of(x, 3, selection=Selection.of(chosen, 8)))
        for value, terms in zip(found.values, chosen, strict=True):
            squared_norm = np.mean([row @ row for row in x[:, terms]]) or 1.0
            assert value == pytest.approx((len(terms) + 1) / squared_norm)

    def test_documents_count_by_their_weights(self):
        x, _, _, _ = sample()
        weights = np.arange(len(x)) % 3.0
        rows = np.repeat(np.arange(len(x)), weights.astype(int))
        expected = (x.shape[1] + 1) / np.mean([row @ row for row in x[rows]])
        assert norm_based(
            job_of(x, 1, sample_weights=SampleWeights(weights))
        ).values == pytest.approx([expected])

    def test_cosine_normalised_documents_have_a_variance_of_their_terms(self):
        x, _, _, _ = sample()
        kept = np.abs(x).sum(axis=1) > 0
        x = x[kept] / np.linalg.norm(x[kept], axis=1, keepdims=True)
        found = norm_based(job_of(x, 1))
        assert found.values == pytest.approx([9.0], rel=1e-6)

    def test_no_terms_at_all(self):
        assert norm_based(job_of(np.zeros((9, 0)), 2)).values.tolist() == [1.0, 1.0]

    @pytest.mark.parametrize("prior", [p.name for p in PRIORS.values() if "variance" in p.provides])
    def test_a_fit_by_the_rule_is_a_fit_by_its_value(self, prior):
        x, _, design, labels = sample()
        chosen = [np.array([0, 3, 5], np.int32), np.arange(8, dtype=np.int32)]
        selection = Selection.of(chosen, 8)
        sample_weights = SampleWeights(np.linspace(0.5, 2, len(x)))
        given_values = norm_based(Job(design, labels, selection, sample_weights))

        def learn(variance, **settings):
            method = Method(
                "logistic",
                prior,
                "newton-coordinate",
                Regularization(prior_variance=variance),
                options={"tolerance": 1e-8},
            )
            return method.fit(
                Job(design, labels, selection=selection, sample_weights=sample_weights, **settings)
            )

        by_rule, by_value = learn("norm"), learn(1.0, strengths=given_values)
        np.testing.assert_array_equal(by_rule.weights.toarray(), by_value.weights.toarray())
        assert by_rule.reports[0].lam != by_rule.reports[1].lam
