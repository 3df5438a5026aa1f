"""Rules of the prior variance: the factors, whom they count, and what becomes of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from postil.errors import UsageError
from postil.learn.job import Design, Job, Labels, SampleWeights
from postil.learn.method import Method
from postil.learn.methods import method_from
from postil.learn.search.search import LambdaSearch
from postil.learn.strength import Regularization
from postil.learn.term_priors.priors import VARIANCE_RULES, TermPrior, TermPriors, ruled_priors
from postil.recipes.recipe import Recipe

TIGHT = {"tolerance": 1e-10, "iterations": 100_000}
PRIMAL = Method("logistic", "laplace", "primal-coordinate", Regularization(lam=1e-2), options=TIGHT)


def small_design(documents=30, terms=6, seed=0) -> Design:
    rng = np.random.default_rng(seed)
    present = rng.random((documents, terms)) < np.linspace(0.1, 0.9, terms)
    return Design(sp.csr_matrix((rng.random((documents, terms)) * present).astype(np.float32)))


def small_labels(documents=30) -> Labels:
    return Labels.of([["a"] * (i % 3 == 0) + ["b"] * (i % 2) for i in range(documents)])


def expected_factors(rows: np.ndarray) -> np.ndarray:
    """By the formula, term by term."""
    squares = []
    for column in rows.T:
        held = sum(1 for value in column if value != 0)
        squares.append((np.log((len(rows) + 1) / (held + 1)) + 1) ** 2)
    return np.array(squares) / (sum(squares) / len(squares))


@given(
    st.integers(0, 1000), st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=30, max_size=30)
)
def test_factors_are_those_of_the_formula(seed, weights):
    design = small_design(seed=seed)
    weights = np.array(weights)
    if not weights.any():
        weights[0] = 1.0
    found = ruled_priors("idf", design, SampleWeights(weights), None)
    rows = design.rows.toarray()[weights > 0]
    assert found.factors == pytest.approx(expected_factors(rows))
    assert found.factors.mean() == pytest.approx(1.0)
    assert (found.factors > 0).all()


def test_rare_words_are_wider():
    factors = ruled_priors("idf", small_design(), None, None).factors
    held = np.diff(small_design().columns.indptr)
    assert (np.diff(factors[np.argsort(held)]) <= 0).all()


def test_equal_is_nothing_at_all():
    given_priors = TermPriors(6, every={0: TermPrior(1)})
    assert ruled_priors("equal", small_design(), None, None) is None
    assert ruled_priors("equal", small_design(), None, given_priors) is given_priors
    assert set(VARIANCE_RULES) == {"equal", "idf"}


def test_what_is_given_stands_in_place_of_the_rule():
    given_priors = TermPriors(6, every={0: TermPrior(factor=7)})
    found = ruled_priors("idf", small_design(), None, given_priors)
    assert found.every == given_priors.every
    assert found.factors is not None
    own = TermPriors(6, factors=np.full(6, 2.0))
    assert ruled_priors("idf", small_design(), None, own) is own


def test_a_rule_is_a_wider_column():
    """σ²f on a weight is σ² on that of the column times √f."""
    design, labels = small_design(), small_labels()
    fit = replace(PRIMAL, variance_rule="idf").fit(Job(design, labels))
    scale = np.sqrt(expected_factors(design.rows.toarray()))
    wide = PRIMAL.fit(Job(Design(sp.csr_matrix(design.rows @ sp.diags(scale))), labels))
    assert fit.weights.toarray() == pytest.approx(wide.weights.toarray() * scale, abs=1e-4)
    assert fit.intercepts == pytest.approx(wide.intercepts, abs=1e-4)
    assert abs(fit.weights - PRIMAL.fit(Job(design, labels)).weights).max() > 1e-2


def test_a_search_goes_by_the_rule_of_each_fold():
    design, labels = small_design(), small_labels()
    learner = method_from(
        {
            "loss": "logistic",
            "prior": "gaussian",
            "solver": "primal-coordinate",
            "variance_rule": "idf",
        }
    )
    search = LambdaSearch([1e-1, 1e-2], folds=3, measure="log-likelihood")
    ruled = search.run(Job(design, labels), learner)
    plain = search.run(Job(design, labels), replace(learner, variance_rule="equal"))
    assert not np.allclose(ruled.values, plain.values)


def test_a_recipe_has_a_rule_its_solver_can_follow():
    learn = {"loss": "logistic", "solver": "primal-coordinate", "variance_rule": "idf"}
    learner = Recipe("x", learn=learn).method(3)
    assert isinstance(learner, Method)
    assert learner.variance_rule == "idf"
    with pytest.raises(UsageError, match=r"\[learn\].*takes no per-term priors"):
        Recipe("x", learn={"variance_rule": "idf"})
    with pytest.raises(UsageError, match="variance_rule"):
        Recipe("x", learn={**learn, "variance_rule": "ifd"})
    with pytest.raises(UsageError, match="there is no variance rule 'x'"):
        replace(PRIMAL, variance_rule="x")
