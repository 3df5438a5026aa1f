"""Tests of two runs against direct formulas and scipy."""

from __future__ import annotations

import math
from math import comb

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from postil.errors import UsageError
from postil.evaluate.comparisons import (
    Discordance,
    discordant_decisions,
    discordant_documents,
    holm,
    mcnemar,
    micro_sign_test,
    wilcoxon,
)

from .samples import FEW, SOME, runs

VALUES = [0.0, 0.25, 0.5, 1.0, math.nan]
TALLIES = st.integers(0, 40)


@st.composite
def two_runs(draw):
    truth, left = draw(runs(max_documents=10, max_categories=4))
    right = draw(st.sampled_from([left, ~left, truth, truth & left, truth | left]))
    return truth, left, right


@SOME
@given(two_runs())
def test_discordant_cases_are_those_of_the_dense_matrices(problem):
    truth, left, right = problem
    sparse = [sp.csr_matrix(each) for each in problem]
    right_left, right_right = left == truth, right == truth
    got = discordant_decisions(*sparse)
    assert got == Discordance(
        int((right_left & ~right_right).sum()), int((~right_left & right_right).sum()), truth.size
    )
    got = discordant_documents(*sparse)
    all_left, all_right = right_left.all(axis=1), right_right.all(axis=1)
    assert got == Discordance(
        int((all_left & ~all_right).sum()), int((~all_left & all_right).sum()), len(truth)
    )


@SOME
@given(TALLIES, TALLIES)
def test_mcnemar_equals_its_equations(b, c):
    exact = mcnemar(Discordance(b, c, 100), exact=True)
    tail = sum(comb(b + c, k) for k in range(min(b, c) + 1)) / 2 ** (b + c)
    assert exact.p_value == pytest.approx(min(1.0, 2 * tail))
    assert exact.p_value == pytest.approx(stats.binomtest(b, b + c).pvalue if b + c else 1.0)
    assert (exact.left_better, exact.right_better, exact.equal) == (b, c, 100 - b - c)
    assert exact.statistic == min(b, c)
    chi = mcnemar(Discordance(b, c, 100), exact=False)
    statistic = max(abs(b - c) - 1, 0) ** 2 / (b + c) if b + c else 0.0
    assert chi.statistic == pytest.approx(statistic)
    assert chi.p_value == pytest.approx(math.erfc(math.sqrt(statistic / 2)))
    chosen = mcnemar(Discordance(b, c, 100))
    assert chosen == (exact if b + c < 25 else chi)


@SOME
@given(two_runs())
def test_the_micro_sign_test_is_binomial_over_all_decisions(problem):
    truth, left, right = (sp.csr_matrix(each) for each in problem)
    discordance = discordant_decisions(truth, left, right)
    k, other, _ = discordance
    n = k + other
    test = micro_sign_test(discordance)
    assert test.p_value == pytest.approx(mcnemar(discordance, exact=True).p_value)
    if n:
        assert test.statistic == pytest.approx((k - n / 2) / (0.5 * math.sqrt(n)))
    else:
        assert math.isnan(test.statistic)
    assert test.equal == truth.shape[0] * truth.shape[1] - n


def test_swapping_the_runs_swaps_the_sides():
    truth, left, right = (
        sp.csr_matrix(np.array(each, bool))
        for each in ([[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 1], [1, 1]], [[0, 1], [1, 1], [0, 1]])
    )
    one = micro_sign_test(discordant_decisions(truth, left, right))
    other = micro_sign_test(discordant_decisions(truth, right, left))
    assert (one.left_better, one.right_better) == (2, 1)
    assert (other.left_better, other.right_better) == (1, 2)
    assert one.p_value == other.p_value
    assert one.statistic == -other.statistic


def test_wilcoxon_is_scipys_with_zeros_dropped_and_undefined_pairs_left_out():
    rng = np.random.default_rng(1)
    left, right = rng.random(30), rng.random(30)
    right[:4] = left[:4]
    left[4] = math.nan
    right[5] = math.nan
    got = wilcoxon(left, right)
    kept = (left - right)[6:]
    assert got.undefined == 2
    assert got.equal == 4
    assert got.left_better == (kept > 0).sum()
    assert got.right_better == (kept < 0).sum()
    expected = stats.wilcoxon(kept, method="exact")
    assert got.p_value == pytest.approx(expected.pvalue)
    assert got.statistic == expected.statistic
    for ours, theirs in (("pratt", "pratt"), ("split", "zsplit")):
        gains = np.concatenate([np.zeros(4), kept])
        scipys = stats.wilcoxon(gains, zero_method=theirs)
        assert wilcoxon(left, right, zeros=ours).p_value == pytest.approx(scipys.pvalue)


@FEW
@given(
    st.lists(st.tuples(st.sampled_from(VALUES), st.sampled_from(VALUES)), max_size=8),
    st.sampled_from(["drop", "pratt", "split"]),
)
def test_wilcoxon_is_defined_for_few_categories_full_of_ties(pairs, zeros):
    left, right = np.array(pairs, float).reshape(-1, 2).T
    got, turned = wilcoxon(left, right, zeros=zeros), wilcoxon(right, left, zeros=zeros)
    assert 0 <= got.p_value <= 1
    assert got.p_value == pytest.approx(turned.p_value)
    assert (got.left_better, got.right_better) == (turned.right_better, turned.left_better)
    assert got.left_better + got.right_better + got.equal + got.undefined == len(pairs)


def test_wilcoxon_by_hand():
    """Ranks 1 to 5, all but the smallest for the left: of 32 signings 2 reach a sum of 0 or 1."""
    got = wilcoxon(np.array([0.0, 2.0, 3.0, 4.0, 5.0]), np.array([1.0, 0, 0, 0, 0]))
    assert (got.left_better, got.right_better, got.statistic) == (4, 1, 1.0)
    assert got.p_value == pytest.approx(4 / 32)
    errors = wilcoxon(
        np.array([0.0, 2.0, 3.0, 4.0, 5.0]), np.array([1.0, 0, 0, 0, 0]), more_is_better=False
    )
    assert (errors.left_better, errors.right_better) == (1, 4)
    assert errors.p_value == got.p_value


@pytest.mark.parametrize("values", [[], [0.5, 0.5], [math.nan]])
@pytest.mark.parametrize("zeros", ["drop", "pratt", "split"])
def test_no_difference_is_no_evidence(values, zeros):
    got = wilcoxon(np.array(values), np.array(values), zeros=zeros)
    assert (got.p_value, got.statistic) == (1.0, 0.0)
    assert got.equal + got.undefined == len(values)


def test_what_cannot_be_paired_is_refused():
    with pytest.raises(UsageError, match="left has 2 values and right 3"):
        wilcoxon(np.zeros(2), np.zeros(3))
    with pytest.raises(UsageError, match="allowed: drop, pratt, split"):
        wilcoxon(np.zeros(2), np.zeros(2), zeros="keep")
    with pytest.raises(UsageError, match="decisions of the right run"):
        discordant_decisions(*(sp.csr_matrix((rows, 1), dtype=bool) for rows in (2, 2, 3)))


def test_holm_multiplies_step_by_step():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.001, math.nan]) == pytest.approx([0.9, 0.002, math.nan], nan_ok=True)
    assert holm([0.7, 0.8]) == [1, 1]
