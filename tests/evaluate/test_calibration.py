"""Calibration against its equations and scikit-learn."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.calibration import calibration_curve

from postil.errors import InputError, UsageError
from postil.evaluate.calibration import (
    BINNINGS,
    calibration_of,
    calibration_of_run,
)

from .samples import FEW, PROBABILITIES, SOME, random_run, rankings

EVERY_BINNING = pytest.mark.parametrize("binning", BINNINGS)


@EVERY_BINNING
@SOME
@given(problem=rankings(PROBABILITIES, max_documents=30), bins=st.integers(1, 12))
def test_bins_hold_what_their_edges_say(binning, problem, bins):
    truth, probabilities = problem
    members, column = truth[:, 0], probabilities[:, 0]
    got = calibration_of(column, members, bins, binning)
    assert (got.edges[0], got.edges[-1]) == (0, 1)
    assert len(got.edges) <= bins + 1 or binning == "mass"
    assert got.cases.sum() == len(column)
    error, widest = 0.0, math.nan
    for b, (low, high) in enumerate(zip(got.edges[:-1], got.edges[1:], strict=True)):
        last = b == len(got.cases) - 1
        inside = (column >= low) & ((column < high) | last)
        assert got.cases[b] == inside.sum()
        if not inside.any():
            assert math.isnan(got.probability[b])
            continue
        assert got.probability[b] == pytest.approx(column[inside].mean())
        assert got.observed[b] == pytest.approx(members[inside].mean())
        gap = abs(column[inside].mean() - members[inside].mean())
        error += gap * inside.sum() / len(column)
        widest = np.fmax(widest, gap)
    np.testing.assert_allclose(got.maximum_error, widest, atol=1e-12)
    np.testing.assert_allclose(got.expected_error, error if len(column) else math.nan, atol=1e-12)


@FEW
@given(rankings(PROBABILITIES, min_documents=1, max_documents=30))
def test_scores_agree_with_scikit_learn(problem):
    truth, probabilities = problem
    members, column = truth[:, 0], probabilities[:, 0]
    got = calibration_of(column, members)
    assert got.brier == pytest.approx(metrics.brier_score_loss(members, column, pos_label=True))
    both = np.column_stack([1 - column, column])
    expected = metrics.log_loss(members, both, labels=[False, True])
    assert got.log_loss == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_bins_agree_with_scikit_learn():
    truth, _, _, probabilities = random_run()
    got, _ = calibration_of_run(truth, probabilities)
    observed, mean = calibration_curve(truth.toarray().ravel(), probabilities.ravel(), n_bins=10)
    np.testing.assert_allclose(got.observed[got.cases > 0], observed)
    np.testing.assert_allclose(got.probability[got.cases > 0], mean)
    even, _ = calibration_of_run(truth, probabilities, 7, "mass")
    assert np.ptp(even.cases) <= 1


def test_one_certain_mistake_costs_a_finite_amount():
    got = calibration_of(np.array([0.0, 1.0]), np.array([True, False]))
    assert got.log_loss == pytest.approx(-math.log(np.finfo(float).eps))
    assert got.brier == 1.0
    assert got.expected_error == got.maximum_error == 1.0


def test_honest_probabilities_are_calibrated():
    rng = np.random.default_rng(0)
    probabilities = rng.random(200_000)
    got = calibration_of(probabilities, rng.random(200_000) < probabilities)
    assert got.expected_error < 0.01
    assert got.brier == pytest.approx(1 / 6, abs=0.005)


def test_categories_by_themselves_and_pooled():
    truth, _, _, probabilities = random_run(categories=3)
    pooled, each = calibration_of_run(truth, probabilities)
    assert pooled.cases.sum() == 900
    np.testing.assert_array_equal(pooled.cases, sum(one.cases for one in each))
    assert pooled.brier == pytest.approx(np.mean([one.brier for one in each]))
    assert pooled.log_loss == pytest.approx(np.mean([one.log_loss for one in each]))


@EVERY_BINNING
def test_no_document_is_undefined(binning):
    nothing = sp.csr_matrix((0, 2), dtype=bool)
    empty, _ = calibration_of_run(nothing, np.zeros((0, 2)), 4, binning)
    described = empty.to_dict()
    json.dumps(described, allow_nan=False)
    assert {described[name] for name in empty.measures()} == {None}


def test_what_is_no_probability_is_refused():
    truth = sp.csr_matrix((1, 1), dtype=bool)
    with pytest.raises(InputError, match="calibrate the scores first"):
        calibration_of_run(truth, np.array([[1.1]]))
    with pytest.raises(UsageError, match="allowed: width, mass"):
        calibration_of_run(truth, np.array([[1.0]]), 10, "no-such")
    with pytest.raises(UsageError, match="at least 1"):
        calibration_of_run(truth, np.array([[1.0]]), 0)
