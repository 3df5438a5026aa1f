"""Labels against sets of names."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.errors import UsageError
from postil.learn.job import Labels

NAMES = st.text(max_size=3) | st.sampled_from(
    ["earn", "acq", "Earn", " earn", "é", "e\u0301", "油"]
)
DOCUMENTS = st.lists(st.lists(NAMES, max_size=5), max_size=12)


def back(labels):
    """The label set of each document."""
    dense = labels.members.toarray()
    return [{labels.names[c] for c in np.flatnonzero(row)} for row in dense]


@settings(max_examples=25)
@given(DOCUMENTS)
def test_labels_hold_the_sets_they_were_made_of(documents):
    labels = Labels.of(documents)
    assert labels.names == tuple(sorted({name for document in documents for name in document}))
    assert back(labels) == [set(document) for document in documents]
    assert labels.documents == len(documents)
    assert len(labels) == len(labels.names)
    assert labels.members.shape == (len(documents), len(labels))


@settings(max_examples=25)
@given(DOCUMENTS)
def test_one_stored_true_for_each_membership(documents):
    members = Labels.of(documents).members
    assert members.dtype == bool
    assert members.data.all()
    assert members.has_canonical_format
    assert members.nnz == sum(len(set(document)) for document in documents)


@settings(max_examples=25)
@given(DOCUMENTS, st.lists(NAMES, unique=True, max_size=6))
def test_given_names_keep_their_order_and_leave_others_out(documents, names):
    labels = Labels.of(documents, names)
    assert labels.names == tuple(names)
    assert back(labels) == [set(document) & set(names) for document in documents]


@settings(max_examples=25)
@given(DOCUMENTS)
def test_sizes_count_members(documents):
    labels = Labels.of(documents)
    sizes = [sum(name in document for document in documents) for name in labels.names]
    assert labels.sizes().tolist() == sizes
    assert labels.sizes().dtype == np.int64


@settings(max_examples=25)
@given(DOCUMENTS)
def test_by_category_holds_the_same_memberships(documents):
    labels = Labels.of(documents)
    columns = labels.by_category()
    assert columns.format == "csc"
    np.testing.assert_array_equal(columns.toarray(), labels.members.toarray())


@settings(max_examples=25)
@given(DOCUMENTS, st.data())
def test_labels_of_some_documents(documents, data):
    labels = Labels.of(documents)
    places = st.integers(0, max(len(documents) - 1, 0))
    chosen = data.draw(st.lists(places, max_size=6)) if documents else []
    some = labels.of_documents(np.array(chosen, dtype=int))
    assert some.names == labels.names
    assert back(some) == [set(documents[place]) for place in chosen]


@settings(max_examples=25)
@given(DOCUMENTS)
def test_any_iterables_will_do(documents):
    lazy = Labels.of(iter(document) for document in documents)
    assert back(lazy) == back(Labels.of([frozenset(document) for document in documents]))


def test_a_name_that_stands_twice_is_refused():
    with pytest.raises(UsageError, match="one is given twice"):
        Labels(("a", "a"), sp.csr_matrix((3, 2), dtype=bool))
    with pytest.raises(UsageError):
        Labels.of([["a"]], names=["a", "a"])


def test_names_and_columns_must_agree():
    with pytest.raises(UsageError, match="1 category names, and have 2 columns"):
        Labels(("a",), sp.csr_matrix((3, 2), dtype=bool))
