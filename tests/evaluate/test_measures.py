"""Measures against their equations and against scikit-learn, and how 0/0 appears."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support

from postil.errors import UsageError
from postil.evaluate.counts import Counts, count, plain, ratio, shown
from postil.evaluate.measures import MEASURES, f_beta, f_beta_measure, micro_statistic

from .samples import FEW, SOME, runs

CELLS = st.integers(0, 30)


def counts_of(tp, fp, fn, cases):
    return Counts(np.array([tp]), np.array([fp]), np.array([fn]), cases)


# Numerator and denominator of each measure.
EQUATIONS = {
    "precision": lambda cells: (cells["tp"], cells["tp"] + cells["fp"]),
    "recall": lambda cells: (cells["tp"], cells["tp"] + cells["fn"]),
    "f1": lambda cells: (2 * cells["tp"], 2 * cells["tp"] + cells["fp"] + cells["fn"]),
    "error": lambda cells: (cells["fp"] + cells["fn"], sum(cells.values())),
}


def test_registry_and_equations_name_the_same_measures():
    assert set(MEASURES) == set(EQUATIONS)
    assert [name for name, each in MEASURES.items() if not each.more_is_better] == ["error"]
    with pytest.raises(UsageError, match="allowed: precision"):
        micro_statistic("no-such")


@pytest.mark.parametrize("measure", MEASURES)
@SOME
@given(CELLS, CELLS, CELLS, CELLS)
def test_measures_equal_their_equations(measure, tp, fp, fn, tn):
    got = MEASURES[measure].formula(counts_of(tp, fp, fn, tp + fp + fn + tn))
    above, below = EQUATIONS[measure]({"tp": tp, "fp": fp, "fn": fn, "tn": tn})
    np.testing.assert_allclose(got, [above / below if below else math.nan], rtol=1e-15)


@SOME
@given(st.integers(1, 30), CELLS, CELLS, st.floats(0, 5))
def test_f_beta_is_the_weighted_harmonic_mean(tp, fp, fn, beta):
    p, r = tp / (tp + fp), tp / (tp + fn)
    expected = (1 + beta**2) * p * r / (beta**2 * p + r)
    assert f_beta(counts_of(tp, fp, fn, 99), beta)[0] == pytest.approx(expected)


def test_f_beta_at_its_ends():
    nothing_accepted = counts_of(0, 0, 3, 5)
    assert f_beta(nothing_accepted, 1.0)[0] == 0
    assert math.isnan(f_beta(nothing_accepted, 0.0)[0])
    assert math.isnan(f_beta(counts_of(0, 0, 0, 5), 1.0)[0])
    assert f_beta_measure(0.5).name == "f0.5"
    assert f_beta_measure(2).formula(counts_of(1, 1, 0, 3))[0] == pytest.approx(5 / 6)
    for beta in (-1.0, math.inf, math.nan):
        with pytest.raises(UsageError, match="beta"):
            f_beta(nothing_accepted, beta)


@FEW
@given(runs(min_documents=1, min_categories=2), st.sampled_from([0.5, 1.0, 2.0]))
def test_measures_agree_with_scikit_learn_where_both_define_a_number(run, beta):
    truth, decisions = run
    counts = count(sp.csr_matrix(truth), sp.csr_matrix(decisions))
    expected = precision_recall_fscore_support(
        truth.astype(int), decisions.astype(int), beta=beta, zero_division=np.nan
    )
    got = (MEASURES["precision"].formula(counts), MEASURES["recall"].formula(counts))
    for ours, theirs in zip((*got, f_beta(counts, beta)), expected[:3], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_undefined_is_nan_inside_a_dash_in_print_and_null_in_json():
    value = float(ratio(0, 0))
    assert math.isnan(value)
    assert shown(value) == shown(None) == "–"
    assert json.dumps(plain(value)) == "null"
    assert shown(0.8687) == "86.9"
    assert shown(0.25, 4, 1) == "0.2500"


def test_plain_values_are_what_json_holds():
    value = {
        "a": np.array([1.0, np.nan]),
        "b": (np.int64(3), np.float64(np.inf)),
        "c": {"d": None, "e": "word", "f": True},
    }
    expected = {"a": [1.0, None], "b": [3, None], "c": {"d": None, "e": "word", "f": True}}
    assert plain(value) == expected
    assert json.loads(json.dumps(plain(value), allow_nan=False)) == expected
