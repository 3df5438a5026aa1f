"""Counts against a count by hand, and everything that is refused at the door."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from sklearn.metrics import multilabel_confusion_matrix

from postil.errors import InputError, UsageError
from postil.evaluate.counts import (
    checked_names,
    checked_per_category,
    checked_probabilities,
    checked_scores,
    count,
)

from .samples import FEW, SOME, runs


@SOME
@given(runs())
def test_counts_are_those_of_the_dense_matrices(run):
    truth, decisions = run
    counts = count(sp.csr_matrix(truth), sp.csr_matrix(decisions))
    np.testing.assert_array_equal(counts.true_positives, (truth & decisions).sum(axis=0))
    np.testing.assert_array_equal(counts.false_positives, (~truth & decisions).sum(axis=0))
    np.testing.assert_array_equal(counts.false_negatives, (truth & ~decisions).sum(axis=0))
    np.testing.assert_array_equal(counts.true_negatives, (~truth & ~decisions).sum(axis=0))
    np.testing.assert_array_equal(counts.members, truth.sum(axis=0))
    np.testing.assert_array_equal(counts.accepted, decisions.sum(axis=0))
    assert counts.cases == len(truth)


@SOME
@given(runs())
def test_pooled_counts_are_sums_over_categories(run):
    truth, decisions = run
    counts = count(sp.csr_matrix(truth), sp.csr_matrix(decisions))
    pooled = counts.pooled()
    assert pooled.true_positives == (truth & decisions).sum()
    assert pooled.true_negatives == counts.true_negatives.sum()
    assert pooled.cases == truth.size


@FEW
@given(runs(min_documents=1, min_categories=2))
def test_counts_agree_with_scikit_learn(run):
    truth, decisions = run
    counts = count(sp.csr_matrix(truth), sp.csr_matrix(decisions))
    expected = multilabel_confusion_matrix(truth.astype(int), decisions.astype(int))
    np.testing.assert_array_equal(counts.true_negatives, expected[:, 0, 0])
    np.testing.assert_array_equal(counts.false_positives, expected[:, 0, 1])
    np.testing.assert_array_equal(counts.false_negatives, expected[:, 1, 0])
    np.testing.assert_array_equal(counts.true_positives, expected[:, 1, 1])


def test_some_categories():
    truth = sp.csr_matrix(np.array([[1, 0, 1], [1, 1, 0]], bool))
    counts = count(truth, truth).of(np.array([2, 0]))
    assert counts.true_positives.tolist() == [1, 2]
    assert counts.cases == 2


def test_formats_stored_zeros_and_duplicates_change_nothing():
    truth = np.array([[1, 0], [0, 1], [1, 1]])
    decisions = np.array([[1, 1], [0, 0], [0, 1]])
    plain = count(sp.csr_matrix(truth), sp.csr_matrix(decisions))
    untidy = sp.csr_array(
        (np.array([1, 0, 1, 0, 0, 1, 1]), [0, 1, 0, 0, 1, 1, 1], [0, 3, 5, 7]), shape=(3, 2)
    )
    assert count(sp.csc_matrix(truth), sp.coo_array(decisions)).true_positives.tolist() == [1, 1]
    assert count(untidy, sp.csr_matrix(truth)).true_positives.tolist() == [1, 1]
    assert plain.false_positives.tolist() == [0, 1]
    assert untidy.nnz == 7


def test_what_does_not_fit_is_refused():
    truth = sp.csr_matrix((3, 2), dtype=bool)
    with pytest.raises(UsageError, match=r"truth is 3 × 2 and decisions are 2 × 2"):
        count(truth, sp.csr_matrix((2, 2), dtype=bool))
    with pytest.raises(UsageError, match="decisions must be a scipy sparse indicator"):
        count(truth, np.zeros((3, 2), bool))
    with pytest.raises(UsageError, match="truth must hold 0 and 1"):
        count(sp.csr_matrix(-np.ones((3, 2))), truth)


def test_scores_that_cannot_be_ranked_are_refused_with_their_place():
    scores = np.array([[0.0, 1.0], [np.inf, np.nan]])
    with pytest.raises(InputError, match="scores, document 1, category 1: received nan"):
        checked_scores(scores, (2, 2))
    with pytest.raises(UsageError, match=r"scores are 2 × 2 and truth is 3 × 2"):
        checked_scores(scores, (3, 2))
    with pytest.raises(InputError, match=r"probabilities, document 1, category 0: received 1.5"):
        checked_probabilities(np.array([[0.5], [1.5]]), (2, 1))


def test_names_and_sizes_stand_for_columns():
    assert checked_names(None, 2) == ("0", "1")
    assert checked_names(["a", "b"], 2) == ("a", "b")
    with pytest.raises(UsageError, match="1 names for 2 columns"):
        checked_names(["a"], 2)
    assert checked_per_category([3, 4], 2, "sizes").tolist() == [3, 4]
    with pytest.raises(UsageError, match="for 3 categories"):
        checked_per_category([3, 4], 3, "sizes")
