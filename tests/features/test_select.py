"""Selections against ranking all scores of all terms, and what a selection gives a solver."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.errors import UsageError
from postil.features.measures import MEASURES
from postil.features.select import product_blocks, select_terms, term_scores

EVERY_MEASURE = pytest.mark.parametrize("measure", MEASURES)
SHAPES = st.tuples(st.integers(1, 40), st.integers(1, 60), st.integers(1, 5))


def random_problem(shape, density, seed, values=(1.0, 2.0, 0.5)):
    documents, terms, categories = shape
    rng = np.random.default_rng(seed)
    # Zipf-like columns: some terms everywhere, most nearly nowhere, ids in no order.
    rates = np.minimum(1, density * (1.0 + rng.permutation(terms)) ** -0.7 * 8)
    x = rng.choice(values, (documents, terms)) * (rng.random((documents, terms)) < rates)
    y = rng.random((documents, categories)) < rng.uniform(0.1, 0.6, categories)
    return sp.csr_matrix(x.astype(np.float32)), sp.csr_matrix(y)


def ranked(x, y, measure, min_documents=1):
    """Each category's terms by falling score, ties by falling frequency, then id; and scores."""
    scores = term_scores(x, y, measure)
    frequency = np.asarray((x != 0).sum(axis=0)).ravel()
    allowed = np.flatnonzero(frequency >= max(min_documents, 1))
    sizes = np.asarray(y.sum(axis=0)).ravel()
    for row, size in zip(scores, sizes, strict=True):
        order = allowed[np.lexsort((allowed, -frequency[allowed], -row[allowed]))]
        yield (order, row) if 0 < size < x.shape[0] else (order[:0], row)


@EVERY_MEASURE
@settings(max_examples=60)
@given(
    shape=SHAPES,
    density=st.floats(0.01, 0.5),
    seed=st.integers(0, 10**6),
    k=st.integers(0, 70),
    min_documents=st.integers(0, 3),
)
def test_top_k_equals_ranking_everything(measure, *, shape, density, seed, k, min_documents):
    x, y = random_problem(shape, density, seed)
    selection = select_terms(x, y, measure=measure, k=k, min_documents=min_documents)
    assert len(selection) == y.shape[1]
    for kept, (order, scores) in zip(selection, ranked(x, y, measure, min_documents), strict=True):
        assert kept.dtype == np.int32
        assert len(kept) == min(k, len(order))
        if measure == "pearson":
            # Equal correlations of other columns may differ in the last bit: compare scores.
            best = np.sort(scores[order[:k]])
            np.testing.assert_allclose(np.sort(scores[kept]), best, rtol=1e-9, atol=1e-12)
        else:
            assert kept.tolist() == sorted(order[:k].tolist())


@EVERY_MEASURE
@settings(max_examples=60)
@given(shape=SHAPES, density=st.floats(0.01, 0.5), seed=st.integers(0, 10**6), data=st.data())
def test_threshold_keeps_exactly_the_scores_that_reach_it(measure, shape, density, seed, data):
    x, y = random_problem(shape, density, seed, values=(1.0, -1.0, 0.5))
    levels = np.unique(term_scores(x, y, measure))
    threshold = float(data.draw(st.sampled_from(levels.tolist()))) + data.draw(
        st.sampled_from([-1e-6, 1e-6])
    )
    selection = select_terms(x, y, measure=measure, threshold=threshold)
    for kept, (order, scores) in zip(selection, ranked(x, y, measure), strict=True):
        assert kept.tolist() == sorted(order[scores[order] >= threshold].tolist())


@EVERY_MEASURE
@pytest.mark.parametrize("stretch", [1, 3])
def test_threshold_walks_long_orders_in_stretches(measure, stretch, monkeypatch):
    monkeypatch.setattr("postil.features.select.FIRST_STRETCH", stretch)
    x, y = random_problem((60, 200, 6), 0.1, 7)
    for threshold in np.quantile(term_scores(x, y, measure), [0.1, 0.5, 0.9, 0.99]) + 1e-9:
        selection = select_terms(x, y, measure=measure, threshold=threshold)
        for kept, (order, scores) in zip(selection, ranked(x, y, measure), strict=True):
            assert kept.tolist() == sorted(order[scores[order] >= threshold].tolist())


@EVERY_MEASURE
def test_positive_only_keeps_touched_terms_above_zero(measure):
    x, y = random_problem((50, 80, 4), 0.2, 3)
    signed = term_scores(x, y, measure, signed=True)
    touched = (y.T.astype(int) @ (x != 0).astype(int)).toarray() > 0
    selection = select_terms(x, y, measure=measure, k=80, positive_only=True)
    for kept, scores, used in zip(selection, signed, touched, strict=True):
        assert kept.tolist() == np.flatnonzero((scores > 0) & used).tolist()


@EVERY_MEASURE
def test_blocks_of_categories_change_nothing(measure, monkeypatch):
    x, y = random_problem((50, 30, 12), 0.2, 5)
    whole = select_terms(x, y, measure=measure, k=9)
    calls = []

    def tiny(by_category, matrix):
        calls.extend(product_blocks(by_category, matrix, entries=1))
        return iter(calls)

    monkeypatch.setattr("postil.features.select.product_blocks", tiny)
    parts = select_terms(x, y, measure=measure, k=9)
    assert len(calls) > 1
    assert parts.ids.tolist() == whole.ids.tolist()
    assert parts.offsets.tolist() == whole.offsets.tolist()


def test_ties_go_to_the_lower_id_where_ids_follow_frequency():
    x = sp.csr_matrix(np.tile(np.eye(2, dtype=np.float32), (3, 3)))
    y = sp.csr_matrix(np.array([[1], [0]] * 3, bool))
    assert select_terms(x, y, measure="chi-square", k=3)[0].tolist() == [0, 1, 2]


def test_empty_and_full_categories_keep_nothing():
    x, _ = random_problem((20, 10, 1), 0.4, 1)
    y = sp.csr_matrix(np.repeat([[False, True]], 20, axis=0))
    for measure in MEASURES:
        assert [len(kept) for kept in select_terms(x, y, measure=measure, k=5)] == [0, 0]


def test_no_documents_terms_or_categories():
    for shape in [(0, 5, 2), (5, 0, 2), (5, 5, 0)]:
        documents, terms, categories = shape
        x = sp.csr_matrix((documents, terms), dtype=np.float32)
        y = sp.csr_matrix((documents, categories), dtype=bool)
        for measure in MEASURES:
            selection = select_terms(x, y, measure=measure, k=3)
            assert len(selection) == categories
            assert selection.ids.size == 0


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({}, "exactly one"),
        ({"k": 1, "threshold": 0.5}, "exactly one"),
        ({"k": -1}, "0 or more, got -1"),
        ({"threshold": float("nan")}, "not a number"),
        ({"k": 1, "min_documents": -2}, "min_documents"),
        ({"k": 1, "measure": "luck"}, "'luck'"),
    ],
)
def test_bad_requests_are_refused(request_, message):
    x, y = random_problem((5, 5, 1), 0.4, 1)
    with pytest.raises(UsageError, match=message):
        select_terms(x, y, **request_)


def test_a_selection_has_the_categories_it_was_made_for():
    selection = select_terms(*random_problem((30, 25, 3), 0.3, 11), k=6)
    assert [kept.tolist() for kept in selection] == [selection[c].tolist() for c in range(3)]
    assert np.shares_memory(selection[1], selection.ids)
    for category in (-1, 3):
        with pytest.raises(IndexError, match="has 3"):
            selection[category]


def test_an_indicator_of_plus_and_minus_one_is_refused():
    weights = sp.csr_matrix(np.eye(4, dtype=np.float32))
    members = sp.csr_matrix(np.array([[1], [-1], [1], [-1]]))
    with pytest.raises(UsageError, match="0 and 1"):
        select_terms(weights, members, k=1)
