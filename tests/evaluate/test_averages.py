"""Micro, both kinds of macro, the largest categories, and the rules for undefined values."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import precision_recall_fscore_support

from postil.errors import UsageError
from postil.evaluate.counts import RULES, Counts, count, plain
from postil.evaluate.measures import (
    MEASURES,
    macro,
    macro_f1_of_means,
    macro_over_top,
    macro_statistic,
    mean_over_categories,
    micro,
    micro_statistic,
    top_categories,
)

from .samples import FEW, SOME, runs

FILLINGS = {"zero": 0.0, "one": 1.0, "skip": np.nan}
VALUES = arrays(np.float64, st.integers(0, 8), elements=st.floats(0, 1) | st.just(math.nan))


def test_rules_are_the_stated_ones():
    assert list(RULES) == list(FILLINGS)
    with pytest.raises(UsageError, match="allowed: zero, one, skip"):
        macro(np.zeros(2), "two")


@pytest.mark.parametrize("rule", RULES)
@SOME
@given(VALUES)
def test_an_average_fills_or_skips_what_is_undefined_and_counts_it(rule, values):
    average = macro(values, rule)
    defined = values[~np.isnan(values)]
    filled = defined if rule == "skip" else np.where(np.isnan(values), FILLINGS[rule], values)
    assert average.categories == len(values)
    assert average.undefined == len(values) - len(defined)
    assert average.rule == rule
    if len(defined) == 0:
        assert math.isnan(average.value)
        assert plain(average)["value"] is None
    else:
        assert average.value == pytest.approx(filled.mean())


@pytest.mark.parametrize("rule", RULES)
@FEW
@given(runs(min_documents=1, min_categories=2))
def test_averages_agree_with_scikit_learn_where_both_define_a_number(rule, run):
    truth, decisions = run
    counts = count(sp.csr_matrix(truth), sp.csr_matrix(decisions))
    arguments = (truth.astype(int), decisions.astype(int))
    for averaging in ("macro", "micro"):
        expected = precision_recall_fscore_support(
            *arguments, average=averaging, zero_division=FILLINGS[rule]
        )
        for name, theirs in zip(("precision", "recall", "f1"), expected[:3], strict=True):
            if averaging == "macro":
                ours = macro(MEASURES[name].formula(counts), rule).value
            else:
                ours = micro(counts, name)
            if not math.isnan(ours):
                assert ours == pytest.approx(theirs, rel=1e-12)


@SOME
@given(runs(min_documents=1, min_categories=1))
def test_macro_f1_of_means_is_equation_6_1(run):
    counts = count(*map(sp.csr_matrix, run))
    precisions = np.nan_to_num(MEASURES["precision"].formula(counts))
    recalls = np.nan_to_num(MEASURES["recall"].formula(counts))
    above = 2 * recalls.sum() * precisions.sum()
    below = len(recalls) * (precisions.sum() + recalls.sum())
    got = macro_f1_of_means(counts)
    if math.isnan(got.value):
        assert counts.members.sum() == 0 or counts.accepted.sum() == 0
    else:
        assert got.value == pytest.approx(above / below if below else 0.0)
    assert got.undefined == int(((counts.members == 0) | (counts.accepted == 0)).sum())


def test_the_two_macro_f1s_differ():
    counts = Counts(np.array([1, 1]), np.array([0, 9]), np.array([9, 0]), 20)
    assert macro(MEASURES["f1"].formula(counts)).value == pytest.approx(2 / 11)
    assert macro_f1_of_means(counts).value == pytest.approx(0.55)


def test_nothing_found_is_zero_and_nothing_there_is_undefined():
    missed = Counts(np.array([0]), np.array([2]), np.array([3]), 9)
    assert macro_f1_of_means(missed).value == 0
    empty = Counts(np.array([0]), np.array([0]), np.array([0]), 9)
    assert math.isnan(macro_f1_of_means(empty, "one").value)
    assert math.isnan(micro(empty, "f1"))
    none = count(sp.csr_matrix((5, 0), dtype=bool), sp.csr_matrix((5, 0), dtype=bool))
    assert math.isnan(micro(none, "error"))
    assert math.isnan(macro(MEASURES["f1"].formula(none)).value)


def test_one_is_the_rule_of_genkin_lewis_madigan_2004():
    truth = sp.csr_matrix(np.array([[1, 0], [0, 0]], bool))
    f1 = MEASURES["f1"].formula(count(truth, truth))
    assert [macro(f1, rule).value for rule in ("zero", "one", "skip")] == [0.5, 1.0, 1.0]


def test_statistics_average_all_resamples_at_once():
    rng = np.random.default_rng(3)
    cells = [rng.integers(0, 3, (4, 6)) for _ in range(3)]
    together = Counts(*cells, 10)
    for name in MEASURES:
        pooled, averaged = micro_statistic(name), macro_statistic(name, "skip")
        for row in range(4):
            one = Counts(*(cell[row] for cell in cells), 10)
            np.testing.assert_allclose(pooled(together)[row], micro(one, name))
            np.testing.assert_allclose(
                averaged(together)[row], macro(MEASURES[name].formula(one), "skip").value
            )
    assert mean_over_categories(np.full((2, 3), np.nan)).shape == (2,)


def test_the_largest_categories_come_first_and_equal_ones_in_column_order():
    sizes = np.array([3, 9, 3, 10, 3])
    assert top_categories(sizes, 4).tolist() == [3, 1, 0, 2]
    values = np.array([0.1, 0.2, 0.3, np.nan, 0.5])
    assert macro_over_top(values, sizes, 1, "one").categories == 1
    assert macro_over_top(values, sizes, 2).value == pytest.approx(0.1)
    assert macro_over_top(values, sizes, 2, "skip").value == pytest.approx(0.2)
    assert macro_over_top(values, sizes, 5).undefined == 1
    for k in (0, 6):
        with pytest.raises(UsageError, match="from 1 to 5, the number of categories"):
            top_categories(sizes, k)
