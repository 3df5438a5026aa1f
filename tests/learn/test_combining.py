"""Combinations against their formulas."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from postil.errors import InputError, UsageError
from postil.learn.combining import COMBINATIONS, JUST_BELOW, LEAF, Rivals, Trees
from postil.learn.fit import LinearFit

SCORE = st.floats(-4, 4).map(lambda value: round(value, 3))


def bars_of(scores, sharpness):
    """Eq. 4.13, one by one."""
    found = np.empty_like(scores)
    for row, own in enumerate(scores):
        for column in range(len(own)):
            others = np.exp(sharpness * np.delete(own, column))
            found[row, column] = np.log(others.mean()) / sharpness
    return found


@given(
    st.lists(st.lists(SCORE, min_size=3, max_size=3), min_size=1, max_size=4),
    st.floats(0.1, 20.0),
    st.booleans(),
)
def test_rivals_are_those_of_the_formula(scores, sharpness, capped):
    given_scores = np.array(scores)
    rivals = Rivals(3, sharpness, capped)
    bars = bars_of(given_scores, sharpness)
    if capped:
        bars = -np.logaddexp(0, -sharpness * bars) / sharpness
        assert (bars <= 0).all()
    np.testing.assert_allclose(rivals.combined(given_scores), given_scores - bars, atol=1e-9)
    np.testing.assert_allclose(rivals.bars(given_scores), bars, atol=1e-9)


@given(st.lists(SCORE, min_size=2, max_size=6), st.floats(0.1, 1000.0), st.data())
def test_shares_of_a_bar_sum_to_one(scores, sharpness, data):
    category = data.draw(st.integers(0, len(scores) - 1))
    shares = Rivals(len(scores), sharpness).shares(category, np.array(scores))
    assert shares[category] == 0
    assert shares.sum() == pytest.approx(1.0)
    others = np.delete(np.arange(len(scores)), category)
    assert shares[others].argmax() == np.array(scores)[others].argmax()


@st.composite
def forests(draw):
    """Trees grown at random: a new node hangs at a free place of an earlier one, or is a root."""
    count = draw(st.integers(1, 12))
    yes, no, roots = [LEAF], [LEAF], [0]
    for node in range(1, count):
        free = [(p, way) for p in range(node) for way in (yes, no) if way[p] == LEAF]
        place = draw(st.integers(-1, len(free) - 1))
        if place < 0:
            roots.append(node)
        else:
            parent, way = free[place]
            way[parent] = node
        yes.append(LEAF)
        no.append(LEAF)
    return Trees(roots, yes, no)


@given(forests(), st.integers(0, 1000))
def test_trees_give_the_score_of_the_last_node(trees, seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-2, 3, (5, trees.rows)).astype(float)
    combined = trees.combined(scores)
    for row, own in enumerate(scores):
        for category in range(trees.categories):
            node = int(trees.roots[category])
            while True:
                following = int((trees.yes if own[node] > 0 else trees.no)[node])
                if following == LEAF:
                    break
                node = following
            leaf_is_yes = own[node] > 0
            assert combined[row, category] == (own[node] or JUST_BELOW)
            assert (combined[row, category] >= 0) == leaf_is_yes
            path = trees.path(category, own)
            assert path[-1].row == node
            assert path[-1].accepted == leaf_is_yes
    named = {}
    for category in range(trees.categories):
        names = trees.node_names(category)
        assert list(names) == trees.nodes_of(category)
        assert len(set(names.values())) == len(names)
        named |= names
    assert sorted(named) == list(range(trees.rows))


@given(forests())
def test_parts_round_trip(trees):
    settings_, arrays = trees.to_parts()
    restored = COMBINATIONS["trees"](settings_, arrays)
    for name in ("roots", "yes", "no"):
        np.testing.assert_array_equal(getattr(restored, name), getattr(trees, name))
    rivals = Rivals(3, 2.0, capped=True)
    assert COMBINATIONS["rivals"](*rivals.to_parts()) == rivals


@pytest.mark.parametrize(
    ("roots", "yes", "no"),
    [
        ([0], [0], [-1]),  # its own child
        ([0], [1, 0], [-1, -1]),  # back to the parent
        ([0], [1, -1], [1, -1]),  # twice a child
        ([0, 0], [-1], [-1]),  # twice a root
        ([0], [-1, -1], [-1, -1]),  # nobody's
        ([0], [2, -1], [-1, -1]),  # beyond the end
        ([0], [-2], [-1]),
        ([0], [-1, -1], [1]),
    ],
)
def test_what_is_no_forest_is_refused(roots, yes, no):
    with pytest.raises(InputError, match="do not form trees"):
        Trees(roots, yes, no)


def test_rivals_that_are_none_are_refused():
    with pytest.raises(UsageError, match="two categories or more"):
        Rivals(1, 1.0)
    for sharpness in (0.0, -1.0, 1e-9, 1e9, np.inf, np.nan):
        with pytest.raises(UsageError, match="from 1e-06 to 1e\\+06"):
            Rivals(3, sharpness)


@pytest.mark.parametrize("sharpness", [1e-6, 1e6])
@pytest.mark.parametrize("capped", [True, False])
def test_extremes_are_finite(sharpness, capped):
    scores = np.array([[1.0, -1.0, 3.0], [1e38, -1e38, 0.0], [0.0, 0.0, 0.0]])
    rivals = Rivals(3, sharpness, capped)
    assert np.isfinite(rivals.combined(scores)).all()
    assert np.isfinite([rivals.shares(0, row) for row in scores]).all()


def test_a_fit_combines_its_scores():
    weights = sp.csr_matrix(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    trees = Trees([0, 1], [2, -1, -1], [-1, -1, -1])
    fit = LinearFit(("a", "b"), weights, np.array([0.0, -1.0, -2.5]), (), combination=trees)
    matrix = sp.csr_matrix(np.array([[1.0, 1.0], [-1.0, 2.0], [1.0, 3.0]]))
    np.testing.assert_array_equal(fit.scores(matrix), [[-0.5, JUST_BELOW], [-1.0, 1.0], [1.5, 2.0]])
