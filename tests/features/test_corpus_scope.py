"""One set of terms for all categories, against tables of all scores and against entropies."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.errors import UsageError
from postil.features.measures import MEASURES
from postil.features.scopes import corpus_scores, select_for_all
from postil.features.select import product_blocks, term_scores
from postil.recipes.parts import TermSelection

from .test_select import SHAPES, random_problem

OTHERS = pytest.mark.parametrize("measure", [name for name in MEASURES if name[0] != "i"])


def entropy(shares):
    shares = np.asarray(shares, float)
    return float(-(shares[shares > 0] * np.log2(shares[shares > 0])).sum())


def gain(present, classes, count):
    """H(class) - P(t) H(class | t) - P(¬t) H(class | ¬t)."""
    everyone = np.bincount(classes, minlength=count) / len(classes)
    rest = 0.0
    for side in (present, ~present):
        if side.any():
            rest += side.mean() * entropy(np.bincount(classes[side], minlength=count) / side.sum())
    return entropy(everyone) - rest


@settings(max_examples=60)
@given(shape=SHAPES, density=st.floats(0.01, 0.5), seed=st.integers(0, 10**6))
def test_information_gain_of_classes_is_the_entropy_that_goes(shape, density, seed):
    x, _ = random_problem(shape, density, seed)
    classes = np.random.default_rng(seed).integers(0, shape[2], shape[0])
    y = sp.csr_matrix(np.eye(shape[2], dtype=bool)[classes])
    present = x.toarray() != 0
    expected = [gain(present[:, term], classes, shape[2]) for term in range(shape[1])]
    np.testing.assert_allclose(corpus_scores(x, y), expected, atol=1e-9)


@settings(max_examples=40)
@given(shape=SHAPES, density=st.floats(0.01, 0.5), seed=st.integers(0, 10**6))
def test_information_gain_of_several_labels_is_the_printed_sum(shape, density, seed):
    # Yang and Pedersen 1997: -Σ P(c) log P(c) + Σ_T P(T) Σ P(c | T) log P(c | T).
    x, y = random_problem(shape, density, seed)
    members, present = y.toarray().astype(float), x.toarray() != 0

    def plogp(shares):
        return np.where(shares > 0, shares * np.log2(np.where(shares > 0, shares, 1)), 0).sum()

    expected = []
    for term in present.T:
        sides = [side for side in (term, ~term) if side.any()]
        kept = sum(side.mean() * plogp(members[side].mean(axis=0)) for side in sides)
        expected.append(kept - plogp(members.mean(axis=0)))
    np.testing.assert_allclose(corpus_scores(x, y), expected, atol=1e-9)


@OTHERS
@settings(max_examples=30)
@given(shape=SHAPES, density=st.floats(0.01, 0.5), seed=st.integers(0, 10**6))
def test_other_measures_are_averaged_by_the_categories_shares(measure, shape, density, seed):
    x, y = random_problem(shape, density, seed)
    shares = np.asarray(y.mean(axis=0)).ravel()
    expected = shares @ term_scores(x, y, measure)
    np.testing.assert_allclose(corpus_scores(x, y, measure), expected, rtol=1e-9, atol=1e-9)


@settings(max_examples=40)
@given(
    shape=SHAPES,
    density=st.floats(0.01, 0.5),
    seed=st.integers(0, 10**6),
    k=st.integers(0, 70),
)
def test_all_categories_keep_the_best(shape, density, seed, k):
    x, y = random_problem(shape, density, seed)
    selection = select_for_all(x, y, measure="chi-square", k=k)
    scores = corpus_scores(x, y, "chi-square")
    frequency = np.asarray((x != 0).sum(axis=0)).ravel()
    allowed = np.flatnonzero(frequency)
    order = allowed[np.lexsort((allowed, -frequency[allowed], -scores[allowed]))]
    assert len(selection) == y.shape[1]
    for kept in selection:
        assert kept.tolist() == sorted(order[:k].tolist())


def test_a_threshold_and_blocks(monkeypatch):
    x, y = random_problem((40, 50, 5), 0.2, 3)
    scores = corpus_scores(x, y)
    with monkeypatch.context() as patch:
        patch.setattr("postil.features.select.product_blocks", partial(product_blocks, entries=1))
        np.testing.assert_allclose(corpus_scores(x, y), scores, rtol=1e-12, atol=1e-15)
    limit = float(np.median(scores))
    for kept in select_for_all(x, y, threshold=limit):
        assert set(kept.tolist()) == set(np.flatnonzero(scores >= limit).tolist())


def test_a_recipe_s_selection_has_a_scope():
    x, y = random_problem((40, 50, 5), 0.2, 3)
    own = TermSelection("information-gain", 7).chosen(x, y)
    shared = TermSelection("information-gain", 7, scope="corpus").chosen(x, y)
    assert len({tuple(terms.tolist()) for terms in own}) > 1
    assert len({tuple(terms.tolist()) for terms in shared}) == 1
    with pytest.raises(UsageError, match="scope 'corpus' is given without a measure"):
        TermSelection(scope="corpus").check()
