"""Documents decided without an error."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score

from postil.evaluate.measures import exact_match, is_single_label

from .samples import FEW, runs


def one_hot(labels, categories):
    return sp.csr_matrix(np.eye(categories, dtype=bool)[labels])


@FEW
@given(runs(min_documents=1, min_categories=2))
def test_exact_match_agrees_with_scikit_learn(run):
    truth, decisions = run
    got = exact_match(sp.csr_matrix(truth), sp.csr_matrix(decisions))
    assert got == pytest.approx(accuracy_score(truth.astype(int), decisions.astype(int)))


@FEW
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1))
def test_accuracy_agrees_with_scikit_learn(pairs):
    truth, decided = np.array(pairs).T
    got = exact_match(one_hot(truth, 4), one_hot(decided, 4))
    assert got == pytest.approx(accuracy_score(truth, decided))


def test_no_decision_and_two_decisions_are_wrong():
    truth = one_hot([0, 1, 2], 3)
    decisions = sp.csr_matrix(np.array([[1, 0, 0], [0, 0, 0], [0, 1, 1]], bool))
    assert exact_match(truth, decisions) == pytest.approx(1 / 3)


def test_single_labels_are_told_from_others():
    assert is_single_label(one_hot([0, 1], 2))
    for other in ([[1, 1], [0, 1]], [[0, 0], [0, 1]]):
        truth = sp.csr_matrix(np.array(other, bool))
        assert not is_single_label(truth)


def test_no_document_is_undefined():
    empty = sp.csr_matrix((0, 3), dtype=bool)
    assert math.isnan(exact_match(empty, empty))
