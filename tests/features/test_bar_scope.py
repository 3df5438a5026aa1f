"""One bar for all categories, against tables of all scores."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.errors import UsageError
from postil.features.measures import MEASURES
from postil.features.scopes import common_bar, select_above_bar
from postil.features.select import product_blocks, select_terms
from postil.recipes.parts import TermSelection

from .test_select import SHAPES, random_problem, ranked

# Equal correlations of other columns may differ in the last bit, which a bar tells apart.
EXACT = pytest.mark.parametrize("measure", [name for name in MEASURES if name != "pearson"])


@EXACT
@settings(max_examples=60)
@given(shape=SHAPES, density=st.floats(0.01, 0.5), seed=st.integers(0, 10**6), k=st.integers(0, 70))
def test_no_category_keeps_more_and_the_bar_is_no_higher_than_that(
    measure, *, shape, density, seed, k
):
    x, y = random_problem(shape, density, seed)
    tables = [scores[order] for order, scores in ranked(x, y, measure)]
    bar = max((scores[k] for scores in tables if len(scores) > k), default=-np.inf)
    assert common_bar(x, y, measure=measure, k=k) == pytest.approx(bar)
    selection = select_above_bar(x, y, measure=measure, k=k)
    assert len(selection) == y.shape[1]
    for kept, (order, scores) in zip(selection, ranked(x, y, measure), strict=True):
        assert kept.dtype == np.int32
        assert len(kept) <= k
        assert kept.tolist() == sorted(order[scores[order] > bar].tolist())


@settings(max_examples=40)
@given(shape=SHAPES, density=st.floats(0.01, 0.5), seed=st.integers(0, 10**6), k=st.integers(0, 70))
def test_above_the_bar_are_the_best_of_each_category(shape, density, seed, k):
    x, y = random_problem(shape, density, seed)
    own = select_terms(x, y, measure="gini", k=k)
    for kept, best in zip(select_above_bar(x, y, measure="gini", k=k), own, strict=True):
        assert set(kept.tolist()) <= set(best.tolist())


def test_a_small_category_keeps_fewer_terms():
    x, _ = random_problem((200, 80, 1), 0.3, 11)
    large = np.asarray(x[:, :3].sum(axis=1) > 0).ravel()
    small = large & (np.arange(200) % 20 == 0)
    y = sp.csr_matrix(np.stack([large, small], axis=1))
    selection = select_above_bar(x, y, measure="gini", k=30)
    assert 0 < len(selection[1]) < len(selection[0]) == 30


def test_where_all_may_be_kept_all_are():
    x, y = random_problem((40, 50, 5), 0.2, 3)
    assert common_bar(x, y, measure="gini", k=50) == -np.inf
    every = select_terms(x, y, measure="gini", k=50)
    assert select_above_bar(x, y, measure="gini", k=50).ids.tolist() == every.ids.tolist()


def test_a_threshold_is_a_bar_already():
    x, y = random_problem((40, 50, 5), 0.2, 3)
    wanted = select_terms(x, y, measure="gini", threshold=1e-3)
    found = select_above_bar(x, y, measure="gini", threshold=1e-3)
    assert found.ids.tolist() == wanted.ids.tolist()
    assert found.offsets.tolist() == wanted.offsets.tolist()


def test_blocks_of_categories_change_nothing(monkeypatch):
    x, y = random_problem((50, 30, 12), 0.2, 5)
    whole = select_above_bar(x, y, measure="gini", k=9)
    monkeypatch.setattr(
        "postil.features.select.product_blocks",
        partial(product_blocks, entries=1),
    )
    parts = select_above_bar(x, y, measure="gini", k=9)
    assert parts.ids.tolist() == whole.ids.tolist()
    assert parts.offsets.tolist() == whole.offsets.tolist()


def test_categories_that_nothing_can_tell_apart_set_no_bar():
    x, y = random_problem((40, 50, 2), 0.2, 3)
    trivial = sp.csr_matrix(np.stack([np.zeros(40, bool), np.ones(40, bool)], axis=1))
    both = sp.csr_matrix(sp.hstack([y, trivial]))
    alone, among = (select_above_bar(x, each, measure="gini", k=7) for each in (y, both))
    assert [among[place].tolist() for place in (0, 1)] == [ids.tolist() for ids in alone]
    assert [len(among[place]) for place in (2, 3)] == [0, 0]


def test_a_recipe_s_selection_has_a_bar():
    x, y = random_problem((40, 50, 5), 0.2, 3)
    chosen = TermSelection("gini", 7, scope="bar").chosen(x, y)
    assert chosen.ids.tolist() == select_above_bar(x, y, measure="gini", k=7).ids.tolist()
    with pytest.raises(UsageError, match="scope 'bar' is given without a measure"):
        TermSelection(scope="bar").check()


@pytest.mark.parametrize("said", [{}, {"k": 3, "threshold": 0.1}, {"k": -1}])
def test_exactly_one_number_is_wanted(said):
    x, y = random_problem((40, 50, 5), 0.2, 3)
    with pytest.raises(UsageError, match="k"):
        select_above_bar(x, y, **said)
    with pytest.raises(UsageError, match="k is the number of terms"):
        common_bar(x, y, k=-1)
