"""The strength at which weights begin to move: nothing above it, something just below."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.features.select import select_terms
from postil.learn.job import Job, SampleWeights
from postil.learn.losses import LOSSES
from postil.learn.method import Method
from postil.learn.search.grids import WAYS, weaker
from postil.learn.search.strongest import WORTH_HAVING
from postil.learn.strength import Strengths
from postil.learn.term_priors.priors import TermPriors

from ..samples import design_of, labels_of, planted, sparse_values
from .samples import Searched

PRIORS = [("laplace", None), ("elastic-net", 0.4)]
SMOOTH = [name for name, loss in LOSSES.items() if "curvature" in loss.provides]
TIGHT = {"tolerance": 1e-12, "iterations": 100_000}


def problems_of(prior="laplace", mix=None, *, seed=3, loss="logistic", intercept="penalised"):
    rng = np.random.default_rng(seed)
    x = sparse_values(rng, 60, 15)
    truth = planted(rng, x, 3)
    truth[:, 2] = np.arange(60) < 4
    method = Method(
        loss, prior, "primal-coordinate", intercept=intercept, constant=2.0, options=TIGHT, mix=mix
    )
    return Searched(method, Job(design_of(x), labels_of(truth)))


def terms_at(problems, way, strengths, factor):
    share = problems.method.share
    moved = weaker(strengths, factor, way, share)
    return [report.nonzeros for report in problems.cold(way, moved).reports]


def check(problems, way="lam"):
    found = problems.strongest(way)
    assert terms_at(problems, way, found, 1.0001) == [0, 0, 0]
    assert min(terms_at(problems, way, found, 0.999)) > 0


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("intercept", ["none", "penalised", "free"])
@pytest.mark.parametrize(("prior", "mix"), PRIORS)
def test_nothing_above_and_something_below(prior, mix, intercept, way):
    check(problems_of(prior, mix, intercept=intercept), way)


@pytest.mark.parametrize("loss", SMOOTH)
def test_by_every_loss(loss):
    check(problems_of(loss=loss))


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.sampled_from(PRIORS), st.sampled_from(["penalised", "free"]))
def test_whatever_the_documents(seed, prior, intercept):
    check(problems_of(*prior, seed=seed, intercept=intercept))


def test_with_weights_of_documents_and_classes():
    weights = np.random.default_rng(0).uniform(0.2, 3.0, 60)
    for classes in (None, (3.0, 1.0), "balanced"):
        check(problems_of().but(sample_weights=SampleWeights(weights, classes)))


def test_with_selected_terms():
    problems = problems_of()
    members = sp.csr_matrix(problems.job.labels.members, dtype=np.float32)
    selection = select_terms(problems.job.design.rows, members, measure="gini", k=4)
    check(problems.but(selection=selection))


def test_with_terms_of_different_width():
    factors = np.random.default_rng(1).uniform(0.1, 9.0, 15)
    problems = problems_of()
    wide = problems.but(term_priors=TermPriors(15, factors=factors))
    check(wide)
    assert (wide.strongest() != problems.strongest()).all()


def test_a_free_constant_by_hand():
    """With a free constant, λ is the largest |mean of (p - y) x|, p the share of members."""
    problems = problems_of(intercept="free")
    x, truth = problems.job.design.rows.toarray(), problems.job.labels.members.toarray()
    expected = np.abs((truth.mean(axis=0) - truth).T @ x).max(axis=1) / len(x)
    np.testing.assert_allclose(problems.strongest(), expected, rtol=1e-9)


def test_categories_without_anything_to_learn_take_the_strongest_other():
    problems = problems_of()
    truth = problems.job.labels.members.toarray()
    labels = labels_of(np.column_stack([truth, np.zeros(60), np.ones(60)]))
    found = problems.but(labels=labels).strongest()
    np.testing.assert_array_equal(found[:3], problems.strongest())
    assert found[3:].tolist() == [found.max(), found.max()]
    nothing = problems.but(labels=labels_of(np.zeros((60, 2))))
    assert nothing.strongest().tolist() == [1.0, 1.0]
    no_terms = problems.but(design=design_of(np.zeros((60, 0))))
    assert no_terms.strongest().tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("intercept", ["none", "free"])
def test_a_gaussian_path_begins_where_there_is_little_to_gain(intercept):
    problems = problems_of("gaussian", intercept=intercept)
    found = problems.strongest()
    best = problems.cold("lam", found).reports
    alone = problems.cold("lam", np.full(3, 1e12)).reports  # nothing but the constant
    for with_terms, without in zip(best, alone, strict=True):
        gain = 1 - with_terms.objective / without.objective
        assert 0 < gain <= WORTH_HAVING
    variances = problems.strongest("prior_variance")
    np.testing.assert_allclose(
        Strengths("prior_variance", variances).pairs(60.0, 0.0),
        Strengths("lam", found).pairs(60, 0),
    )
