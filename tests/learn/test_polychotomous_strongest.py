"""The strength at which the first weight of one model for all classes begins to move."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.features.select import select_terms
from postil.learn.all_classes import PolychotomousMethod
from postil.learn.job import Job, SampleWeights
from postil.learn.search.grids import WAYS, weaker
from postil.learn.search.search import LambdaSearch
from postil.learn.search.strongest import WORTH_HAVING
from postil.learn.strength import Strengths
from postil.learn.term_priors.priors import TermPriors

from .multinomial import design_of, labels_of, sample
from .search_samples import Searched

PRIORS = [("laplace", None), ("elastic-net", 0.4)]
TIGHT = {"tolerance": 1e-13, "iterations": 10_000}


def problems_of(prior="laplace", mix=None, *, seed=3, intercept="penalised", **rest):
    x, y = sample(seed, documents=60, terms=15, classes=4)
    y[::3] = 0  # classes of unequal size, so that constants have something to say
    method = PolychotomousMethod(
        prior, intercept=intercept, constant=2.0, mix=mix, options=TIGHT, **rest
    )
    return Searched(method, Job(design_of(x), labels_of(y, 4)))


def check(problems, way="lam"):
    found = problems.strongest(way)

    def terms_at(factor):
        strengths = weaker(found, factor, way, problems.method.share)
        return sum(report.nonzeros for report in problems.cold(way, strengths).reports)

    assert terms_at(1.0001) == 0
    assert terms_at(0.999) > 0


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("intercept", ["none", "penalised", "free"])
@pytest.mark.parametrize(("prior", "mix"), PRIORS)
def test_nothing_above_and_something_below(prior, mix, intercept, way):
    check(problems_of(prior, mix, intercept=intercept), way)


@pytest.mark.parametrize("intercept", ["none", "penalised", "free"])
def test_with_a_reference(intercept):
    check(problems_of(intercept=intercept, reference="a"))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(PRIORS), st.sampled_from(["penalised", "free"]))
def test_whatever_the_documents(seed, prior, intercept):
    check(problems_of(*prior, seed=seed, intercept=intercept))


@pytest.mark.parametrize("classes", [None, "balanced"])
def test_with_weights_of_documents_and_classes(classes):
    weights = np.random.default_rng(0).uniform(0.2, 3.0, 60)
    weights[::7] = 0.0
    check(problems_of().but(sample_weights=SampleWeights(weights, classes)))


def test_with_selected_terms():
    problems = problems_of()
    members = sp.csr_matrix(problems.job.labels.members, dtype=np.float32)
    selection = select_terms(problems.job.design.rows, members, measure="gini", k=4)
    check(problems.but(selection=selection))


def test_with_terms_of_different_width():
    factors = np.random.default_rng(1).uniform(0.1, 9.0, 15)
    wide = problems_of().but(term_priors=TermPriors(15, factors=factors))
    check(wide)
    assert wide.strongest("lam")[0] != problems_of().strongest("lam")[0]


def test_a_free_constant_by_hand():
    """With free constants, λ is the largest |mean of (p - y) x|, p the shares of the classes."""
    problems = problems_of(intercept="free")
    x, truth = problems.job.design.rows.toarray(), problems.job.labels.members.toarray()
    expected = np.abs((truth.mean(axis=0) - truth).T @ x).max() / len(x)
    np.testing.assert_allclose(problems.strongest("lam"), np.full(4, expected), rtol=1e-9)


def test_a_class_without_members_changes_nothing():
    problems = problems_of()
    truth = problems.job.labels.members.argmax(axis=1)
    more = problems.but(labels=labels_of(np.asarray(truth).ravel(), 5))
    np.testing.assert_allclose(more.strongest("lam"), np.full(5, problems.strongest("lam")[0]))


def test_where_there_is_nothing_to_learn_it_is_1():
    problems = problems_of()
    one = problems.but(labels=labels_of(np.zeros(60, dtype=int), 4))
    no_terms = problems.but(design=design_of(np.zeros((60, 15))))
    for nothing in (one, no_terms, replace(no_terms, method=PolychotomousMethod())):
        assert nothing.strongest("lam").tolist() == [1.0] * 4


@pytest.mark.parametrize("intercept", ["none", "free"])
@pytest.mark.parametrize("reference", [None, "b"])
def test_a_gaussian_path_begins_where_there_is_little_to_gain(intercept, reference):
    problems = problems_of("gaussian", intercept=intercept, reference=reference)
    found = problems.strongest("lam")
    best = problems.cold("lam", found).reports[0].objective
    alone = problems.cold("lam", np.full(4, 1e12)).reports[0].objective
    assert 0 < 1 - best / alone <= WORTH_HAVING
    np.testing.assert_allclose(
        Strengths("prior_variance", problems.strongest("prior_variance")).pairs(60.0, 0.0),
        Strengths("lam", found).pairs(60.0, 0.0),
    )


@pytest.mark.parametrize("prior", ["gaussian", "laplace"])
def test_a_search_goes_down_from_there(prior):
    problems = problems_of(prior)
    method = replace(problems.method, options={"tolerance": 1e-6})
    automatic = LambdaSearch("auto", folds=3, points=8, over="C")
    result = automatic.run(Job(problems.job.design, problems.job.labels), method)
    assert result.automatic
    assert result.grid[0] == pytest.approx(problems.strongest("C")[0])
    assert (np.diff(result.grid) > 0).all()
    assert (result.chosen == result.shared_strength).all()
    assert result.values[result.best] == np.nanmax(result.values)
    given_grid = LambdaSearch(tuple(result.grid), folds=3, over="C")
    same = given_grid.run(Job(problems.job.design, problems.job.labels), method)
    np.testing.assert_allclose(result.values, same.values, rtol=1e-6)
