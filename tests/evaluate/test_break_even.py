"""Break-even points against their definitions, and against what zhang-2000 prints."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from postil.errors import UsageError
from postil.evaluate import DEFINITIONS, break_even_points, cuts_of
from postil.evaluate.break_even import BreakEvenPoints

from .samples import SOME, rankings

EVERY_DEFINITION = pytest.mark.parametrize("definition", DEFINITIONS)


def points_of(truth, scores, definition):
    return break_even_points(sp.csr_matrix(truth), np.asarray(scores, float), definition)


def value_of(members, scores, definition):
    column = np.array(members, bool)[:, None]
    return float(points_of(column, np.array(scores, float)[:, None], definition).values[0])


def achievable(members, scores):
    """(threshold, accepted, TP) of every threshold, by trying them all."""
    thresholds = [math.inf, *sorted(set(scores.tolist()), reverse=True)]
    return [(t, int((scores >= t).sum()), int((members & (scores >= t)).sum())) for t in thresholds]


@SOME
@given(rankings())
def test_exact_is_where_some_threshold_makes_precision_equal_recall(problem):
    truth, scores = problem
    points = points_of(truth, scores, "exact")
    for category, value in enumerate(points.values):
        members = truth[:, category]
        p = members.sum()
        equal = [
            tp / p
            for _, accepted, tp in achievable(members, scores[:, category])
            if p and tp and tp / accepted == tp / p
        ]
        assert len(equal) <= 1
        if equal:
            assert value == pytest.approx(equal[0])
        elif p and any(a == p for _, a, _ in achievable(members, scores[:, category])):
            assert value == 0
        else:
            assert math.isnan(value)


@SOME
@given(rankings())
def test_nearest_is_the_mean_at_the_cut_nearest_to_the_members(problem):
    truth, scores = problem
    points = points_of(truth, scores, "nearest")
    for category in range(truth.shape[1]):
        members, column = truth[:, category], scores[:, category]
        p = int(members.sum())
        _, accepted, tp = min(achievable(members, column), key=lambda c: (abs(c[1] - p), -c[1]))
        decided = column >= points.thresholds[category]
        assert decided.sum() == accepted
        assert points.true_positives[category] == tp
        assert points.false_positives[category] == accepted - tp
        assert points.false_negatives[category] == p - tp
        if p == 0:
            assert math.isnan(points.values[category])
            assert accepted == 0
        else:
            precision = tp / accepted if accepted else 0.0
            assert points.values[category] == pytest.approx((precision + tp / p) / 2)


@SOME
@given(
    arrays(np.bool_, 9),
    st.permutations(range(9)),
)
def test_without_ties_every_definition_but_the_ceiling_agrees(members, order):
    values = {name: value_of(members, order, name) for name in DEFINITIONS}
    if not members.any():
        assert all(math.isnan(value) for value in values.values())
        return
    ranked = members[np.argsort(-np.array(order))]
    at_members = ranked[: members.sum()].mean()
    for name in ("exact", "nearest", "interpolated", "expected"):
        assert values[name] == pytest.approx(at_members)
    best = max(ranked[:k].mean() for k in range(members.sum(), 10))
    assert values["ceiling"] == pytest.approx(best)


@SOME
@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 1.0, 2.0])), min_size=1, max_size=6))
def test_expected_is_the_mean_over_all_orders_of_the_ties(pairs):
    members, scores = map(np.array, zip(*pairs, strict=True))
    p = int(members.sum())
    if p == 0:
        return
    values = []
    for order in permutations(range(len(members))):
        ranked = sorted(order, key=lambda i: -scores[i])
        values.append(members[ranked[:p]].mean())
    assert value_of(members, scores, "expected") == pytest.approx(np.mean(values))


@SOME
@given(rankings(min_documents=1))
def test_interpolated_lies_on_the_line_between_the_cuts_around_it(problem):
    truth, scores = problem
    points = points_of(truth, scores, "interpolated")
    for category, value in enumerate(points.values):
        p = int(truth[:, category].sum())
        if p == 0:
            assert math.isnan(value)
            continue
        table = achievable(truth[:, category], scores[:, category])
        low = max((c for c in table if c[1] <= p), key=lambda c: c[1])
        high = min((c for c in table if c[1] >= p), key=lambda c: c[1])
        right = (high[2] / p, high[2] / high[1])
        left = (low[2] / p, low[2] / low[1]) if low[2] else (0.0, right[1])
        area = (right[0] - left[0]) * (value - left[1]) - (right[1] - left[1]) * (value - left[0])
        assert area == pytest.approx(0, abs=1e-12)
        assert left[0] - 1e-12 <= value <= right[0] + 1e-12


@EVERY_DEFINITION
@SOME
@given(rankings())
def test_bounds_counts_and_micro_average(definition, problem):
    truth, scores = problem
    points = points_of(truth, scores, definition)
    members = truth.sum(axis=0)
    defined = ~np.isnan(points.values)
    assert not defined[members == 0].any()
    assert points.macro().undefined == (~defined).sum()
    assert ((points.values[defined] >= 0) & (points.values[defined] <= 1)).all()
    assert not points.true_positives[~defined].any()
    total = points.true_positives + points.false_negatives
    np.testing.assert_allclose(total, np.where(defined, members, 0))
    if definition != "nearest":
        np.testing.assert_allclose(points.false_positives, points.false_negatives)
        weights = members * defined
        if weights.sum():
            expected = np.average(np.nan_to_num(points.values), weights=weights)
            assert points.micro == pytest.approx(expected)
            assert points.precision == pytest.approx(points.recall)
    if not defined.any():
        assert math.isnan(points.micro)


@EVERY_DEFINITION
def test_categories_without_members_are_in_no_micro_average(definition):
    truth = np.array([[1, 0], [0, 0], [1, 0]], bool)
    scores = np.array([[3.0, 1.0], [2.0, 2.0], [1.0, 3.0]])
    points = points_of(truth, scores, definition)
    alone = points_of(truth[:, :1], scores[:, :1], definition)
    assert math.isnan(points.values[1])
    assert points.micro == alone.micro
    assert points.macro("skip").value == alone.macro().value
    assert points.macro().undefined == 1


def test_a_category_of_constant_scores_is_rejected_whole_by_nearest():
    """One member among a thousand equal scores must not pour 999 errors into the pool."""
    truth = np.zeros((1000, 1), bool)
    truth[7] = True
    points = points_of(truth, np.zeros((1000, 1)), "nearest")
    assert (points.values[0], points.thresholds[0]) == (0.0, math.inf)
    assert (points.false_positives[0], points.false_negatives[0]) == (0, 1)
    assert points.micro == 0.0
    assert value_of(truth[:, 0], np.zeros(1000), "exact") != 0
    assert value_of(truth[:, 0], np.zeros(1000), "interpolated") == pytest.approx(1 / 1000)
    assert value_of(truth[:, 0], np.zeros(1000), "expected") == pytest.approx(1 / 1000)


def test_a_category_of_all_documents_breaks_even_at_one():
    for definition in DEFINITIONS:
        assert value_of([1, 1, 1], [0, 0, 5], definition) == 1.0


def test_constant_decisions_by_infinite_scores():
    assert value_of([1, 0, 1], [np.inf, -np.inf, np.inf], "exact") == 1.0
    cuts = cuts_of(np.array([np.inf, -np.inf, 0.5]), np.array([True, False, False]))
    assert [cuts.threshold(cut) for cut in range(4)] == [np.inf, np.inf, 0.5, -np.inf]


def test_thresholds_lie_between_scores():
    points = points_of(np.array([[1], [0], [1]], bool), [[3.0], [1.0], [2.0]], "exact")
    assert points.thresholds[0] == 1.5
    neighbour = np.nextafter(1.0, 2.0)
    cuts = cuts_of(np.array([neighbour, 1.0]), np.array([True, False]))
    assert cuts.threshold(1) == neighbour


def test_an_unknown_definition_is_refused():
    with pytest.raises(UsageError, match="allowed: exact, nearest, interpolated"):
        points_of(np.ones((1, 1), bool), [[0.0]], "no-such")


def test_no_document_and_no_category():
    assert math.isnan(points_of(np.ones((0, 1), bool), np.ones((0, 1)), "nearest").values[0])
    assert math.isnan(points_of(np.ones((2, 0), bool), np.ones((2, 0)), "nearest").micro)


# zhang-2000, tables 1 and 2: break-even points of the ten largest categories of Reuters, the
# micro-average of these ten last; beside them the members of the ten categories in the test.
MEMBERS = np.array([1087, 719, 179, 149, 189, 117, 131, 89, 71, 56])
PRINTED = {
    "table 1, Perceptron": [98.3, 94.0, 71.7, 87.9, 83.4, 70.1, 68.4, 75.6, 82.3, 81.1, 89.8],
    "table 1, SVM": [98.3, 95.4, 73.7, 90.6, 83.6, 73.5, 77.1, 85.4, 85.9, 85.7, 91.5],
    "table 1, UWin": [98.6, 93.8, 71.3, 88.6, 80.7, 72.6, 69.5, 76.4, 85.9, 82.1, 90.0],
    "table 1, LM-UWin": [98.4, 95.0, 74.3, 92.6, 83.6, 71.8, 75.6, 84.3, 87.3, 83.9, 91.5],
    "table 1, LM-NWin": [98.6, 95.2, 75.4, 92.6, 83.6, 73.5, 77.1, 84.3, 87.3, 85.7, 91.8],
    "table 2, Perceptron": [98.3, 93.4, 72.6, 84.5, 84.7, 73.5, 66.9, 77.0, 77.5, 74.3, 89.5],
    "table 2, SVM": [98.3, 95.3, 73.7, 87.9, 85.2, 76.1, 71.8, 82.0, 85.9, 87.5, 91.2],
    "table 2, UWin": [98.4, 94.0, 69.3, 85.4, 82.5, 72.6, 64.4, 69.4, 83.7, 76.8, 89.2],
    "table 2, LM-UWin": [98.3, 95.1, 74.9, 91.9, 85.7, 75.2, 72.5, 87.6, 85.9, 89.3, 91.8],
    "table 2, LM-NWin": [98.4, 95.3, 74.3, 91.9, 85.7, 76.1, 72.5, 87.6, 85.9, 89.3, 91.9],
}


@pytest.mark.parametrize("column", PRINTED)
def test_our_micro_average_of_the_printed_points_is_the_printed_micro_average(column):
    *values, average = PRINTED[column]
    found = np.array(values) / 100 * MEMBERS
    missed = MEMBERS - found
    points = BreakEvenPoints("exact", found / MEMBERS, missed * np.nan, found, missed, missed)
    assert points.micro * 100 == pytest.approx(average, abs=0.1)


@pytest.mark.parametrize("column", [name for name in PRINTED if "SVM" in name or "LM-U" in name])
def test_printed_points_without_ties_are_multiples_of_one_over_the_members(column):
    values = np.array(PRINTED[column][:-1])
    multiples = np.round(values / 100 * MEMBERS) / MEMBERS * 100
    np.testing.assert_allclose(multiples, values, atol=0.0501)


def test_the_largest_categories_alone():
    truth = np.array([[1, 0], [0, 1], [1, 1]], bool)
    scores = np.array([[3.0, 1.0], [2.0, 2.0], [1.0, 3.0]])
    points = points_of(truth, scores, "exact")
    assert points.of(np.array([1])).micro == points.values[1]
    assert points.of(np.array([1])).definition == "exact"
