"""Coverage against precision, and confused categories."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from postil.errors import InputError, UsageError
from postil.evaluate import coverage_curve, measure_run
from postil.evaluate.confusion import Confused, confused_pairs

from .samples import FEW, PROBABILITIES, runs


def one_hot(labels, categories=3):
    return sp.csr_matrix(np.eye(categories, dtype=bool)[labels])


def test_a_curve_by_hand():
    truth, decisions = one_hot([0, 1, 2, 2]), one_hot([0, 1, 1, 2])
    probabilities = np.zeros((4, 3))
    probabilities[range(4), [0, 1, 1, 2]] = 0.9, 0.8, 0.8, 0.5
    curve = coverage_curve(truth, decisions, probabilities)
    assert curve.thresholds.tolist() == [0.9, 0.8, 0.5]
    assert curve.labels_given.tolist() == [1, 3, 4]
    assert curve.right.tolist() == [1, 2, 3]
    assert curve.precision.tolist() == [1, 2 / 3, 3 / 4]
    assert curve.coverage.tolist() == [0.25, 0.75, 1]
    assert (curve.at(0.7), curve.threshold_at(0.7)) == (1, 0.5)
    assert (curve.at(0.8), curve.threshold_at(0.8)) == (0.25, 0.9)
    wrong = coverage_curve(truth, one_hot([1, 0, 0, 0]), np.ones((4, 3)))
    assert wrong.at(0.9) is wrong.threshold_at(0.9) is None


@FEW
@given(st.data(), runs(min_categories=1))
def test_every_threshold_gives_what_it_says(data, run):
    truth, decisions = run
    probabilities = data.draw(arrays(np.float64, truth.shape, elements=PROBABILITIES))
    curve = coverage_curve(sp.csr_matrix(truth), sp.csr_matrix(decisions), probabilities)
    assert curve.thresholds.tolist() == sorted(set(probabilities[decisions]), reverse=True)
    for place, threshold in enumerate(curve.thresholds):
        given_labels = decisions & (probabilities >= threshold)
        assert curve.labels_given[place] == given_labels.sum()
        assert curve.right[place] == (given_labels & truth).sum()
        assert curve.coverage[place] == pytest.approx(given_labels.any(axis=1).mean())


def test_what_is_no_probability_is_refused():
    truth = one_hot([0, 1])
    with pytest.raises(InputError, match="from 0 to 1"):
        coverage_curve(truth, truth, np.full((2, 3), 2.0))
    with pytest.raises(UsageError, match="same documents"):
        coverage_curve(truth, truth, np.ones((3, 2)))


def test_confused_pairs_and_their_names():
    truth = sp.csr_matrix(np.array([[1, 1, 0], [1, 1, 0], [1, 0, 0], [1, 0, 0]], dtype=bool))
    decisions = sp.csr_matrix(np.array([[1, 0, 1], [1, 0, 1], [0, 0, 0], [1, 1, 0]], dtype=bool))
    assert confused_pairs(truth, decisions) == [Confused(1, 2, 2), Confused(0, None, 1)]
    told = measure_run(truth, decisions, categories=["a", "b", "c"]).to_dict()["confusion"]
    assert told == [
        {"true": "b", "given": "c", "documents": 2},
        {"true": "a", "given": None, "documents": 1},
    ]
