"""Floors of precision and recall, on simulated corpora whose true precision is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import beta, norm

from postil.decide import fit_rule
from postil.decide.decision import State
from postil.decide.floors import keep_precision, lower_bound

from .samples import out_of_fold, truth_of

CORPORA = 200
# The scores of all documents there are, and the chances of a member at each of them.
EVERY = norm.ppf((np.arange(20_000) + 0.5) / 20_000)
CHANCES = {
    "steep": lambda scores: expit(6 * (scores - 1)),
    "shallow": lambda scores: expit(2 * scores),
    # The hardest: half of all documents are just under the floor, however strict the threshold.
    "flat": lambda scores: np.where(scores > 0, 0.895, 0.02),
}


def corpora(chances, documents, categories=1):
    rng = np.random.default_rng(7)
    for _ in range(CORPORA):
        scores = rng.normal(size=(documents, categories))
        yield scores, rng.random(scores.shape) < chances(scores)


def true_values(chances, thresholds):
    """Precision and recall of thresholds over all categories, which are alike."""
    found = given = members = 0.0
    for threshold in thresholds:
        accepted = threshold <= EVERY
        found += chances(EVERY)[accepted].sum()
        given += accepted.sum()
        members += chances(EVERY).sum()
    return (found / given if given else 1.0), found / members


@pytest.mark.parametrize(("kind", "most"), [("steep", 0.05), ("shallow", 0.05), ("flat", 0.1)])
def test_a_floor_of_precision_fails_seldom_in_truth(kind, most):
    chances, failed, given = CHANCES[kind], 0, 0
    for scores, inside in corpora(chances, 1500):
        rule = fit_rule("sure-precision(0.9)", out_of_fold(scores), truth_of(inside))
        precision, recall = true_values(chances, rule.thresholds)
        failed += precision < 0.9
        given += recall > 0
    assert failed <= most * CORPORA
    assert kind == "flat" or given > 0.8 * CORPORA  # the promise is not kept by giving nothing


def test_a_floor_of_recall_fails_in_one_of_twenty():
    chances, failed = CHANCES["shallow"], 0
    for scores, inside in corpora(chances, 300):
        rule = fit_rule("sure-recall(0.9)", out_of_fold(scores), truth_of(inside))
        failed += true_values(chances, rule.thresholds)[1] < 0.9
    assert 0 < failed <= 0.08 * CORPORA


@pytest.mark.parametrize("floor", ["precision", "recall"])
def test_small_categories_share_a_probability_that_keeps_the_floor(floor):
    chances, failed, kept = CHANCES["steep"], 0, []
    for scores, inside in list(corpora(chances, 60, categories=20))[:20]:
        rule = fit_rule(f"sure-{floor}(0.9)", out_of_fold(scores), truth_of(inside))
        assert set(rule.states) <= {State.FALLBACK, State.NO_MEMBERS}
        precision, recall = true_values(chances, rule.thresholds)
        failed += (precision if floor == "precision" else recall) < 0.9
        kept.append(recall)
    assert failed <= 2
    assert np.mean(kept) > 0.2


def test_the_bound_is_that_of_clopper_and_pearson():
    bound = lower_bound(np.array([0.0, 57.0, 60.0]), np.array([60.0] * 3), 0.95)
    assert bound == pytest.approx([0.0, beta.ppf(0.05, 57, 4), 0.05 ** (1 / 60)])
    assert keep_precision(np.array([57.0, 60.0]), np.array([60.0] * 2), 0.92).tolist() == [
        False,
        True,
    ]


def test_without_a_safe_cut_precision_gives_nothing_and_recall_all_members():
    scores = np.array([[3.0], [2.0], [1.0], [0.0]])
    inside = np.array([1, 0, 1, 0], bool)
    never = fit_rule("sure-precision(0.9)", out_of_fold(scores), truth_of(inside))
    always = fit_rule("sure-recall(0.9)", out_of_fold(scores), truth_of(inside))
    assert not never.accept(scores).any()
    assert always.accept(scores)[inside].all()
