"""ROC and precision-recall curves against scikit-learn, and their micro-averages."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from sklearn import metrics

from postil.errors import UsageError
from postil.evaluate import break_even_points, cuts_of, precision_recall_curve, roc_curve
from postil.evaluate.curves import average_precision, cuts_of_categories, roc_area
from postil.evaluate.ranking import AVERAGINGS, micro_cuts

from .samples import FEW, SOME, random_run, rankings


def mixed(members):
    return members.any() and not members.all()


@FEW
@given(rankings(min_documents=2))
def test_curves_agree_with_scikit_learn_where_both_define_a_number(problem):
    truth, scores = problem
    for members, column in zip(truth.T, scores.T, strict=True):
        cuts = cuts_of(column, members)
        if not mixed(members):
            assert math.isnan(roc_area(cuts))
            continue
        roc = roc_curve(cuts)
        expected = metrics.roc_curve(members, column, drop_intermediate=False)
        np.testing.assert_allclose(roc.false_positive_rate, expected[0])
        np.testing.assert_allclose(roc.true_positive_rate, expected[1])
        np.testing.assert_allclose(roc.thresholds, expected[2])
        assert roc.area == pytest.approx(metrics.roc_auc_score(members, column))
        curve = precision_recall_curve(cuts)
        precision, recall, thresholds = metrics.precision_recall_curve(members, column)
        np.testing.assert_allclose(curve.precision, precision[:-1][::-1])
        np.testing.assert_allclose(curve.recall, recall[:-1][::-1])
        np.testing.assert_allclose(curve.thresholds, thresholds[::-1])
        expected_average = metrics.average_precision_score(members, column)
        assert curve.average_precision == pytest.approx(expected_average)


@SOME
@given(rankings(min_documents=1))
def test_roc_area_is_the_chance_that_a_member_outranks_a_non_member(problem):
    truth, scores = problem
    members, column = truth[:, 0], scores[:, 0]
    if not mixed(members):
        return
    gaps = column[members][:, None] - column[~members]
    assert roc_area(cuts_of(column, members)) == pytest.approx(((np.sign(gaps) + 1) / 2).mean())


def test_undefined_curves_appear_as_such():
    nobody = cuts_of(np.array([1.0, 2.0]), np.array([False, False]))
    everybody = cuts_of(np.array([1.0, 2.0]), np.array([True, True]))
    nothing = cuts_of(np.zeros(0), np.zeros(0, bool))
    assert math.isnan(average_precision(nobody))
    assert average_precision(everybody) == 1.0
    for cuts in (nobody, everybody, nothing):
        assert math.isnan(roc_area(cuts))
        described = [roc_curve(cuts).to_dict(5), precision_recall_curve(cuts).to_dict(5)]
        json.dumps(described, allow_nan=False)
        assert described[0]["area"] is None


@pytest.mark.parametrize("draw", [roc_curve, precision_recall_curve])
def test_a_thinned_curve_keeps_its_ends(draw):
    truth, _, scores, _ = random_run()
    curve = draw(micro_cuts(truth, scores))
    whole, thin = curve.to_dict(), curve.to_dict(20)
    for name, values in thin.items():
        if isinstance(values, list):
            assert len(values) <= 22 < len(whole[name])
            assert (values[0], values[-1]) == (whole[name][0], whole[name][-1])
            assert set(values) <= set(whole[name])


def test_pooled_curves_rank_all_pairs_together():
    truth, _, scores, _ = random_run()
    cuts = micro_cuts(truth, scores)
    dense = truth.toarray()
    assert average_precision(cuts) == pytest.approx(
        metrics.average_precision_score(dense, scores, average="micro")
    )
    assert roc_area(cuts) == pytest.approx(metrics.roc_auc_score(dense, scores, average="micro"))


@pytest.mark.parametrize("averaging", AVERAGINGS)
@SOME
@given(rankings())
def test_micro_curves_rise_from_nothing_to_all_members(averaging, problem):
    truth, scores = problem
    cuts = micro_cuts(sp.csr_matrix(truth), scores, averaging)
    assert (cuts.accepted[0], cuts.found[0]) == (0, 0)
    assert (np.diff(cuts.accepted) >= -1e-9).all()
    assert (np.diff(cuts.found) >= -1e-9).all()
    assert (cuts.found <= cuts.accepted + 1e-9).all()
    assert cuts.found[-1] == pytest.approx(truth.sum())
    assert cuts.members == truth.sum()


@SOME
@given(rankings())
def test_shifted_and_proportional_curves_pass_through_the_micro_break_even_point(problem):
    truth, scores = sp.csr_matrix(problem[0]), problem[1]
    nearest = break_even_points(truth, scores, "nearest")
    found = nearest.true_positives.sum()
    accepted = found + nearest.false_positives.sum()
    cuts = micro_cuts(truth, scores, "shifted")
    assert ((cuts.found == found) & (cuts.accepted == accepted)).any()
    expected = break_even_points(truth, scores, "expected")
    cuts = micro_cuts(truth, scores, "proportional")
    even = cuts.lowest == 1.0
    assert even.any()
    np.testing.assert_allclose(cuts.found[even], expected.true_positives.sum(), atol=1e-9)
    np.testing.assert_allclose(cuts.accepted[even], truth.sum(), atol=1e-9)


@pytest.mark.parametrize("averaging", ["shifted", "proportional"])
def test_shifting_or_scaling_the_scores_of_a_category_is_forgiven(averaging):
    truth, _, scores, _ = random_run(categories=5)
    moved = scores * 4.0 + 64.0 * np.arange(5)
    if averaging == "shifted":
        moved = scores + 64.0 * np.arange(5)
    plain, other = (micro_cuts(truth, each, averaging) for each in (scores, moved))
    assert average_precision(other) == pytest.approx(average_precision(plain))
    assert average_precision(micro_cuts(truth, moved)) < 0.9 * average_precision(plain)


def test_a_category_that_rejects_or_accepts_all_keeps_to_it_at_any_shift():
    truth = sp.csr_matrix(np.array([[1, 0, 1], [0, 0, 1]], bool))
    scores = np.array([[2.0, 9.0, -np.inf], [1.0, 9.0, -np.inf]])
    cuts = micro_cuts(truth, scores, "shifted")
    assert cuts.accepted.tolist() == [0, 2, 3, 4, 6]
    assert cuts.found.tolist() == [0, 2, 3, 3, 3]


def test_every_category_is_cut_by_itself():
    truth, _, scores, _ = random_run(documents=40, categories=4)
    dense = truth.toarray()
    for category, cuts in enumerate(cuts_of_categories(truth, scores)):
        alone = cuts_of(scores[:, category], dense[:, category])
        np.testing.assert_array_equal(cuts.found, alone.found)


def test_an_unknown_averaging_is_refused():
    with pytest.raises(UsageError, match="allowed: pooled, shifted, proportional"):
        micro_cuts(sp.csr_matrix((1, 1), dtype=bool), np.zeros((1, 1)), "no-such")
