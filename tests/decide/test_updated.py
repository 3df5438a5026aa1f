"""Rules and calibrations of a model that was updated."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from postil.decide import fit_rule
from postil.decide.calibration import (
    Logistic,
    calibration_from_parts,
    calibration_to_parts,
    updated_calibration,
)
from postil.decide.decision import DecisionRule, State, Thresholds
from postil.decide.fitted_calibration import Isotonic, Platt
from postil.decide.rules import updated_rule

INF = np.inf
TUNED = DecisionRule(
    "f1 at-most(2)",
    Thresholds(np.array([0.5, -INF, 0.25, INF])),
    np.array([State.FITTED, State.ALL_MEMBERS, State.FALLBACK, State.NO_MEMBERS]),
    at_most=2,
)


def test_tuned_thresholds_stay_and_new_ones_are_0():
    updated = updated_rule(TUNED, np.array([3, 4, 1, 0, 2]), 10)
    assert updated.acceptance.values.tolist() == [0.5, 0.0, 0.25, INF, 0.0]
    assert updated.states.tolist() == [
        State.FITTED,
        State.UNTUNED,
        State.FALLBACK,
        State.NO_MEMBERS,
        State.UNTUNED,
    ]
    assert (updated.spec, updated.at_least, updated.at_most) == ("f1 at-most(2)", 0, 2)
    (note,) = [note for note in updated.notes("abcde") if note.startswith("e:")]
    assert "came with an update" in note


def test_a_category_that_all_documents_still_have_is_still_given():
    updated = updated_rule(TUNED, np.array([3, 10, 1, 2]), 10)
    assert updated.acceptance.values.tolist() == [0.5, -INF, 0.25, 0.0]
    assert updated.states[1] == State.ALL_MEMBERS


@pytest.mark.parametrize("spec", ["default", "default(0.5)", "best", "rank(2)", "proportional(2)"])
def test_rules_without_tuning_are_those_of_all_documents(spec):
    truth = sp.csr_matrix(np.array([[1, 0, 0, 1], [1, 1, 0, 1], [0, 1, 0, 1]], dtype=bool))
    old = fit_rule(spec, None, truth[:2, :2])
    updated = updated_rule(old, np.array([2, 2, 0, 3]), 3)
    expected = fit_rule(spec, None, truth)
    assert updated.acceptance.kind == expected.acceptance.kind
    assert updated.acceptance.values.tolist() == expected.acceptance.values.tolist()
    assert updated.states.tolist() == expected.states.tolist()
    assert (updated.at_least, updated.at_most) == (expected.at_least, expected.at_most)


@pytest.mark.parametrize(
    "calibration",
    [
        Platt(np.arange(4.0), np.full(4, 2.0), np.arange(4.0), np.arange(4.0) - 1),
        Isotonic(np.arange(0, 10, 2), np.tile([-1.0, 1.0], 4), np.tile([0.125, 0.75], 4)),
    ],
)
def test_unknown_categories_have_their_share_as_probability(calibration):
    members = np.array([3, 4, 1, 0, 2])
    assert TUNED.untuned(5).tolist() == [False, True, False, True, True]
    updated = updated_calibration(calibration, TUNED, members, 10)
    scores = np.random.default_rng(0).normal(size=(6, 5))
    found, before = updated.probabilities(scores), calibration.probabilities(scores[:, :4])
    for category in (0, 2):
        assert (found[:, category] == before[:, category]).all()
    for category in (1, 3, 4):
        np.testing.assert_allclose(found[:, category], members[category] / 10, atol=1e-14)
    restored = calibration_from_parts(*calibration_to_parts(updated))
    assert (restored.probabilities(scores) == found).all()


def test_calibrations_that_are_not_fitted_only_widen():
    updated = updated_calibration(Logistic(4), TUNED, np.array([3, 4, 1, 0, 2]), 10)
    assert updated.categories == 5
    assert updated.probabilities(np.zeros((1, 5))).tolist() == [[0.5] * 5]
