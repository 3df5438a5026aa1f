"""Variances of weights, against second differences of the posterior."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp

from postil.errors import UsageError
from postil.learn.job import Design, Job, Labels, SampleWeights
from postil.learn.method import Method
from postil.learn.methods import method_from
from postil.learn.posterior import WIDEST, with_variances
from postil.learn.strength import Regularization, Strengths, norm_based
from postil.learn.term_priors.priors import TermPrior, TermPriors

from .samples import planted, sparse_values

PRIORS = {"gaussian": 0.0, "laplace": 1.0, "elastic-net": 0.4}
INTERCEPTS = ("penalised", "free", "none")
LAM = 4e-3
CONSTANT = 2.0
FIXED = None


def problem(seed=0, documents=60, terms=9):
    rng = np.random.default_rng(seed)
    x = sparse_values(rng, documents, terms).astype(np.float32)
    members = planted(rng, x, categories=2, noise=2.0)
    return Design(sp.csr_matrix(x)), Labels(("a", "b"), sp.csr_matrix(members))


def method_of(prior="gaussian", intercept="penalised", **given):
    regularization = given.pop("regularization", Regularization(lam=LAM))
    mix = 0.4 if prior == "elastic-net" else None
    options = {"tolerance": 1e-12, "iterations": 100_000}
    return Method(
        "logistic", prior, "newton-coordinate", regularization, intercept, CONSTANT, options, mix
    )


def learned(design, labels, method, **given):
    """The mode and its variances."""
    mode = method.fit(Job(design, labels, quiet=True, **given))
    return with_variances(mode, Job(design, labels, **given), method)


def negative_log_posterior(design, labels, category, counts, priors):
    """L of (w, u), u the constant's weight; the absolute value as the square that touches it.

    ``priors`` are, for each weight and the constant, (n a, n b, mean), or FIXED.
    """
    x = np.hstack([design.rows.toarray().astype(float), np.full((design.documents, 1), CONSTANT)])
    y = np.where(labels.members[:, [category]].toarray().ravel(), 1.0, -1.0)

    def value(at, mode):
        loss = counts @ np.logaddexp(0.0, -y * (x @ at))
        for place, prior in enumerate(priors):
            if prior is FIXED:
                continue
            absolute, squared, mean = prior
            away, touched = at[place] - mean, abs(mode[place] - mean)
            loss += squared * away**2
            if absolute and touched:  # at the corner nothing moves
                loss += absolute * (away**2 / (2 * touched) + touched / 2)
        return loss

    return value


def second_difference(value, mode, place, step=1e-3):
    moved = [mode.copy() for _ in range(2)]
    moved[0][place] += step
    moved[1][place] -= step
    return (value(moved[0], mode) - 2 * value(mode, mode) + value(moved[1], mode)) / step**2


def slope(value, mode, place, step=1e-5):
    up, down = mode.copy(), mode.copy()
    up[place] += step
    down[place] -= step
    return (value(up, mode) - value(down, mode)) / (2 * step)


def check(design, labels, found, priors_of, counts_of, intercept):
    """Every variance is one over the second difference, at a place where slopes are 0."""
    for category in range(len(labels)):
        value = negative_log_posterior(
            design, labels, category, counts_of(category), priors_of(category)
        )
        dense = found.weights[[category]].toarray().ravel()
        mode = np.append(dense, found.intercepts[category] / CONSTANT)
        variances = found.variances[[category]].toarray().ravel()
        for place in np.flatnonzero(dense):
            if priors_of(category)[place] is FIXED:
                assert variances[place] == 0
                continue
            assert abs(slope(value, mode, place)) < 1e-4
            curvature = second_difference(value, mode, place)
            assert variances[place] == pytest.approx(1 / curvature, rel=1e-4)
        constant = found.intercept_variances[category] / CONSTANT**2
        if intercept == "none":
            assert constant == 0
        else:
            assert abs(slope(value, mode, len(dense))) < 1e-4
            assert constant == pytest.approx(
                1 / second_difference(value, mode, len(dense)), rel=1e-4
            )


@pytest.mark.parametrize(("prior", "intercept"), [*product(PRIORS, INTERCEPTS)])
def test_variances_are_one_over_the_curvature(prior, intercept):
    design, labels = problem()
    found = learned(design, labels, method_of(prior, intercept))
    n, mix = design.documents, PRIORS[prior]
    each = (n * mix * LAM, n * (1 - mix) * LAM, 0.0)
    constant = (0.0, 0.0, 0.0) if intercept == "free" else each
    check(
        design,
        labels,
        found,
        lambda _: [each] * design.terms + [constant],
        lambda _: np.ones(n),
        intercept,
    )


def test_a_gaussian_prior_alone_gives_its_own_variance():
    x = sp.csr_matrix(([1e-3], ([0], [0])), shape=(4, 1), dtype=np.float32)
    labels = Labels(("a",), sp.csr_matrix(np.array([[1], [0], [1], [0]], dtype=bool)))
    method = method_of(regularization=Regularization(prior_variance=3.0))
    found = learned(Design(x), labels, method)
    assert found.variances.data == pytest.approx([3.0], rel=1e-6)


def test_documents_and_classes_count_as_they_weigh():
    design, labels = problem(1)
    weights = np.random.default_rng(3).choice([0.0, 1.0, 2.0], design.documents)
    sample_weights = SampleWeights(weights, classes=((3.0, 1.0), (1.0, 0.5)))
    found = learned(design, labels, method_of("elastic-net"), sample_weights=sample_weights)
    n = weights.sum()
    each = (n * 0.4 * LAM, n * 0.6 * LAM, 0.0)

    def counts(category):
        inside = labels.members[:, [category]].toarray().ravel()
        members, others = ((3.0, 1.0), (1.0, 0.5))[category]
        return weights * np.where(inside, members, others)

    check(design, labels, found, lambda _: [each] * 10, counts, "penalised")


@pytest.mark.parametrize("prior", ["gaussian", "laplace"])
def test_priors_of_single_terms_are_respected(prior):
    design, labels = problem(2)
    factors = np.linspace(0.5, 2.0, design.terms)
    priors = TermPriors(
        design.terms,
        factors,
        {1: TermPrior(mean=0.7, variance=0.5), design.terms: TermPrior(variance=2.0)},
        {1: {2: TermPrior(variance=5.0), 3: TermPrior(mean=0.3, variance=0.0)}},
    )
    found = learned(design, labels, method_of(prior), term_priors=priors)
    n, laplace = design.documents, prior == "laplace"

    def own(variance, mean=0.0):
        return (np.sqrt(2 / variance), 0.0, mean) if laplace else (0.0, 0.5 / variance, mean)

    def each(category):
        pairs = [
            (n * LAM / np.sqrt(f), 0.0, 0.0) if laplace else (0.0, n * LAM / f, 0.0)
            for f in factors
        ]
        pairs[1] = own(0.5, 0.7)
        if category == 1:
            pairs[2], pairs[3] = own(5.0), FIXED
        return [*pairs, own(2.0)]

    assert found.weights[1, 3] == pytest.approx(0.3)
    check(design, labels, found, each, lambda _: np.ones(n), "penalised")


def test_strengths_of_a_search_and_of_a_rule_are_those_of_the_fit():
    design, labels = problem(4)
    strengths = Strengths("prior_variance", np.array([0.5, 8.0]))
    found = learned(design, labels, method_of(), strengths=strengths)
    for category, variance in enumerate(strengths.values):
        method = method_of(regularization=Regularization(prior_variance=variance))
        alone = learned(design, labels, method)
        assert (found.variances != alone.variances)[category].nnz == 0
    ruled = method_of(regularization=Regularization(prior_variance="norm"))
    said = norm_based(Job(design, labels))
    by_rule, by_strength = (
        learned(design, labels, ruled),
        learned(design, labels, ruled, strengths=said),
    )
    assert (by_rule.variances != by_strength.variances).nnz == 0


def test_variances_have_the_entries_of_the_weights():
    design, labels = problem(5, documents=15, terms=30)
    found = learned(design, labels, method_of("laplace", regularization=Regularization(lam=0.03)))
    assert 0 < found.weights.nnz < 60
    assert (found.variances.indices == found.weights.indices).all()
    assert (found.variances.indptr == found.weights.indptr).all()
    assert (found.variances.data > 0).all()


def test_more_documents_are_more_certain():
    design, labels = problem(6)
    twice = Design(sp.vstack([design.rows, design.rows]).tocsr())
    both = Labels(labels.names, sp.vstack([labels.members, labels.members]).tocsr())
    method = method_of(intercept="free", regularization=Regularization(prior_variance=4.0))
    once, again = learned(design, labels, method), learned(twice, both, method)
    assert (again.variances.data < once.variances.data).all()
    assert (again.intercept_variances < once.intercept_variances).all()


def test_where_there_is_nothing_to_learn_nothing_is_uncertain():
    design, _ = problem(7)
    members = np.zeros((design.documents, 2), dtype=bool)
    members[:, 1] = True
    found = learned(design, Labels(("none", "all"), sp.csr_matrix(members)), method_of())
    assert found.variances.nnz == 0
    assert found.intercept_variances.tolist() == [0.0, 0.0]


def test_a_weight_nothing_is_known_of_is_as_wide_as_a_file_can_hold():
    x = sp.csr_matrix(np.array([[1.0, 0.0], [0.0, 0.0]]))
    labels = Labels(("a",), sp.csr_matrix(np.array([[1], [0]], dtype=bool)))
    free = TermPriors(2, None, {1: TermPrior(mean=1.0, variance=np.inf)})
    method = method_of()
    mode = method.fit(Job(Design(x), labels, quiet=True, term_priors=free))
    if mode.weights[0, 1] == 0:  # where it rests is the solver's; what is asked is how sure we are
        mode.weights[0, 1] = 1.0
    found = with_variances(mode, Job(Design(x), labels, term_priors=free), method)
    assert found.variances[0, 1] == WIDEST
    assert np.isfinite(np.float32(found.variances.data)).all()


def test_a_learner_gives_variances_where_it_is_asked():
    design, labels = problem(8)
    table = {"loss": "logistic", "solver": "newton-coordinate", "prior": "laplace", "C": 2.0}
    plain, sure = method_from(table), method_from(table | {"posterior": True})
    assert plain.calibrations == ("logistic",)
    assert sure.calibrations == ("moderated", "logistic")
    ridge = method_from(table | {"prior": "gaussian", "posterior": True})
    assert ridge.calibrations == ("logistic", "moderated")
    assert plain.fit(Job(design, labels)).variances is None
    found = sure.fit(Job(design, labels))
    assert found.variances.shape == found.weights.shape
    assert (found.weights != plain.fit(Job(design, labels)).weights).nnz == 0


@pytest.mark.parametrize("loss", ["squared", "modified-squared", "hinge"])
def test_losses_that_are_no_likelihood_are_refused(loss):
    with pytest.raises(UsageError, match=f"for the loss {loss}; write loss = 'logistic'"):
        method_from({"loss": loss, "posterior": True})
