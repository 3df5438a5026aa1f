"""Tuned thresholds against every threshold there is."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from postil.decide import RULES, fit_rule, parse_rule
from postil.decide.decision import State
from postil.decide.scores import Needs

from .reference import OBJECTIVES, Tried, all_thresholds
from .samples import (
    column,
    mixed_category,
    one_category,
    out_of_fold,
    random_problem,
    scores_for,
    truth_of,
)

TARGETS = {"precision": 0.6, "recall": 0.7, "f-beta": 2.0, "cost": 0.5, "micro-f-beta": 0.5}
# These set thresholds by a calibration, too: test_shared_calibration.py, test_floors.py.
BY_CALIBRATION = ("probability", "sure-precision", "sure-recall")
TUNED = [
    name
    for name, rule in RULES.items()
    if rule.needs is not Needs.NOTHING and name not in BY_CALIBRATION
]
TOGETHER = ("micro-f1", "micro-f-beta")
EVERY_TUNED = pytest.mark.parametrize("name", TUNED)
WEIGHT = st.floats(0.001, 1000)


def spec_of(name, fallback=" fbr.1(0)"):
    target = f"({TARGETS[name]})" if name in TARGETS else ""
    return f"{name}{target}{fallback if RULES[name].falls_back else ''}"


def fitted(spec, scores, inside, weights=None):
    """Fit one category; gives the rule, its threshold and its state."""
    wrapped = scores_for(parse_rule(spec).needs, column(scores))
    rule = fit_rule(spec, wrapped, truth_of(inside), weights)
    return rule, float(rule.thresholds[0]), State(rule.states[0])


def test_the_reference_knows_every_tuned_rule():
    assert set(OBJECTIVES) == set(TUNED)


@EVERY_TUNED
@settings(max_examples=60, deadline=None)
@given(problem=mixed_category())
def test_no_threshold_does_better(name, problem):
    scores, inside, weights = problem
    rule, threshold, state = fitted(spec_of(name), scores, inside, weights)
    value, target = OBJECTIVES[name], TARGETS.get(name)
    tried = all_thresholds(scores, inside, weights)
    possible = [cut for cut in tried if value(cut, target) is not None]
    if not possible:
        assert state is State.FALLBACK
        highest = scores[weights > 0].max()
        few = weights[scores == highest].sum() <= weights[inside].sum()
        assert threshold == (highest if few else np.inf)
        return
    best = max(value(cut, target) for cut in possible)
    # Of equally good cuts the one that accepts most, which the list has last.
    wanted = [cut for cut in possible if value(cut, target) == best][-1]
    if name == "precision":
        wanted = next(cut for cut in possible if value(cut, target) == best)
    assert state is State.FITTED
    weighed = weights > 0
    assert (scores >= threshold)[weighed].tolist() == wanted.accepted[weighed].tolist()
    assert rule.accept(column(scores)).ravel().tolist() == (scores >= threshold).tolist()


@EVERY_TUNED
@settings(max_examples=25, deadline=None)
@given(problem=mixed_category(weight=WEIGHT))
def test_no_threshold_does_better_with_any_weights(name, problem):
    scores, inside, weights = problem
    _, threshold, state = fitted(spec_of(name), scores, inside, weights)
    value, target = OBJECTIVES[name], TARGETS.get(name)
    reached = value(Tried(threshold, scores, inside, weights), target)
    for cut in all_thresholds(scores, inside, weights):
        other = value(cut, target)
        if other is None:
            continue
        assert state is State.FITTED
        # A target missed by a rounding is a target reached.
        if reached is not None:
            assert np.all(np.array(reached) >= np.array(other) - 1e-9 * weights.sum()) or (
                reached > other
            )


@EVERY_TUNED
@settings(max_examples=25, deadline=None)
@given(problem=mixed_category())
def test_the_threshold_is_in_the_middle_of_its_gap(name, problem):
    scores, inside, weights = problem
    _, threshold, state = fitted(spec_of(name), scores, inside, weights)
    assume(state is State.FITTED)
    used = scores[weights > 0]
    above, below = used[used >= threshold], used[used < threshold]
    if len(above) == 0:
        with np.errstate(over="ignore"):
            assert threshold == np.nextafter(used.max(), np.inf)
    elif len(below) == 0:
        assert threshold == used.min()
    else:
        middle = above.min() / 2 + below.max() / 2
        assert threshold in (middle, above.min())
        assert below.max() < threshold <= above.min()


@EVERY_TUNED
@settings(max_examples=25, deadline=None)
@given(problem=mixed_category())
def test_a_weight_is_so_many_copies(name, problem):
    scores, inside, weights = problem
    copies = weights.astype(int)
    weighed = fitted(spec_of(name, ""), scores, inside, weights)
    copied = fitted(spec_of(name, ""), np.repeat(scores, copies), np.repeat(inside, copies))
    assert weighed[1:] == copied[1:]


@EVERY_TUNED
@settings(max_examples=25, deadline=None)
@given(problem=mixed_category(), seed=st.integers(0, 1000))
def test_the_order_of_documents_does_not_matter(name, problem, seed):
    scores, inside, weights = problem
    order = np.random.default_rng(seed).permutation(len(scores))
    once = fitted(spec_of(name, ""), scores, inside, weights)
    again = fitted(spec_of(name, ""), scores[order], inside[order], weights[order])
    assert once[1:] == again[1:]


@pytest.mark.parametrize("name", [name for name in TUNED if name not in TOGETHER])
def test_categories_are_tuned_each_for_itself(name):
    scores, truth = random_problem()
    needs = parse_rule(spec_of(name)).needs
    together = fit_rule(spec_of(name), scores_for(needs, scores), truth)
    for category in range(truth.shape[1]):
        inside = truth[:, [category]].toarray().ravel()
        _, threshold, state = fitted(spec_of(name), scores[:, category], inside)
        assert together.thresholds[category] == threshold
        assert together.states[category] == state


class TestFallback:
    # Ten documents, two members that score like the crowd: the best F1 is 2·2/(2 + 9) = 0.36.
    SCORES = np.array([9, 8, 7, 6, 5, 4, 3, 2, 1, 0.0])
    INSIDE = np.array([0, 0, 0, 0, 0, 0, 0, 1, 1, 0], bool)
    BEST = 4 / 11

    @pytest.mark.parametrize(("kind", "threshold"), [("fbr.0", np.inf), ("fbr.1", 9.0)])
    @pytest.mark.parametrize("name", [name for name in TUNED if RULES[name].falls_back])
    def test_below_the_floor(self, name, kind, threshold):
        low = fitted(spec_of(name, f" {kind}({self.BEST + 1e-9})"), self.SCORES, self.INSIDE)
        assert low[1:] == (threshold, State.FALLBACK)

    @pytest.mark.parametrize("name", [name for name in TUNED if RULES[name].falls_back])
    def test_at_the_floor_it_is_tuned(self, name):
        if name != "precision":  # which nothing reaches here
            at = fitted(spec_of(name, f" fbr.0({self.BEST})"), self.SCORES, self.INSIDE)
            assert at[2] is State.FITTED

    @pytest.mark.parametrize("name", [name for name in TUNED if RULES[name].falls_back])
    def test_of_few_members_the_threshold_is_not_tuned(self, name):
        assert fitted(spec_of(name, " few(3)"), self.SCORES, self.INSIDE)[1:] == (
            0.0,
            State.FALLBACK,
        )
        if name != "precision":
            assert fitted(spec_of(name, " few(2)"), self.SCORES, self.INSIDE)[2] is State.FITTED

    def test_an_unreachable_precision_falls_back_at_any_floor(self):
        for kind, threshold in (("fbr.0", np.inf), ("fbr.1", 9.0)):
            rule = fitted(f"precision(0.5) {kind}(0)", self.SCORES, self.INSIDE)
            assert rule[1:] == (threshold, State.FALLBACK)

    def test_the_default_is_the_highest_score_below_0_3(self):
        inside = np.zeros(40, bool)
        inside[20] = True
        scores = -np.arange(40.0)
        assert fitted("f1", scores, inside)[1:] == (0.0, State.FALLBACK)
        # 2·1/(1 + 5) = 0.33 is enough.
        inside = np.roll(inside, -16)
        assert fitted("f1", scores, inside)[1:] == (-4.5, State.FITTED)

    def test_training_error_does_not_fall_back(self):
        _, threshold, state = fitted("training-error", self.SCORES, self.INSIDE)
        assert (threshold, state) == (np.nextafter(9.0, np.inf), State.FITTED)

    @settings(max_examples=25, deadline=None)
    @given(problem=mixed_category(), floor=st.floats(0, 1))
    def test_the_best_f1_decides(self, problem, floor):
        scores, inside, weights = problem
        best = max(cut.f1 for cut in all_thresholds(scores, inside, weights))
        assume(abs(best - floor) > 1e-9)
        for name in ("f1", "error", "recall", "break-even"):
            state = fitted(spec_of(name, f" fbr.1({floor!r})"), scores, inside, weights)[2]
            assert (state is State.FALLBACK) == (best < floor)


class TestConstantCategories:
    @EVERY_TUNED
    @settings(max_examples=25, deadline=None)
    @given(problem=one_category(), member=st.booleans())
    def test_one_sided(self, name, problem, member):
        scores, _, weights = problem
        weights[0] += 1
        _, threshold, state = fitted(spec_of(name), scores, np.full(len(scores), member), weights)
        expected = (-np.inf, State.ALL_MEMBERS) if member else (np.inf, State.NO_MEMBERS)
        assert (threshold, state) == expected

    def test_a_member_of_no_weight_is_none(self):
        rule, threshold, state = fitted(
            "f1", [1.0, 0.0, -1.0], [True, False, False], np.array([0.0, 1.0, 1.0])
        )
        assert (threshold, state) == (np.inf, State.NO_MEMBERS)
        assert rule.notes(["grain"]) == (
            "grain: no training document has it, so it is never given",
        )

    @pytest.mark.parametrize("spec", ["default", "best", "rank(2)", "proportional"])
    def test_rules_that_need_no_scores_mark_them_too(self, spec):
        truth = sp.csr_matrix(np.array([[0, 1, 1], [0, 1, 0]], bool))
        rule = fit_rule(spec, None, truth)
        assert rule.in_state(State.NO_MEMBERS) == (0,)
        assert rule.in_state(State.ALL_MEMBERS) == (1,)
        decisions = rule.decide(np.array([[9.0, -9.0, 0.0], [9.0, -9.0, -1.0]])).toarray()
        assert not decisions[:, 0].any()
        assert decisions[:, 1].all()

    @pytest.mark.parametrize("name", RULES)
    def test_nothing_but_documents_or_categories_missing(self, name):
        numbers = {**TARGETS, "rank": 1, "sure-precision": 0.9, "sure-recall": 0.9}
        spec = f"{name}({numbers[name]})" if name in numbers else name
        needs = parse_rule(spec).needs
        # Out of fold there are documents; training scores of none are possible.
        documents = 2 if needs is Needs.OUT_OF_FOLD else 0
        for categories in (0, 3):
            values = np.zeros((documents, categories))
            truth = sp.csr_matrix((documents, categories), dtype=bool)
            rule = fit_rule(spec, scores_for(needs, values), truth)
            assert rule.states.tolist() == [State.NO_MEMBERS] * categories
            for size in (0, 4):
                assert rule.decide(np.ones((size, categories))).nnz == 0


def test_equal_scores_are_accepted_together():
    scores, inside = np.zeros(6), np.array([1, 0, 0, 0, 1, 1], bool)
    assert fitted("f1", scores, inside)[1] == 0.0
    # Three errors either way: accepting most is preferred.
    assert fitted("error", scores, inside)[1] == 0.0
    assert fitted("error", scores, inside & (np.arange(6) > 0))[1] > 0.0


def test_neighbouring_numbers_are_told_apart():
    low = 1.0
    high = np.nextafter(low, 2.0)
    _, threshold, _ = fitted("error", [high, low], [True, False])
    assert threshold == high
    tiny = np.nextafter(0.0, 1.0)
    assert fitted("error", [tiny, 0.0], [True, False])[1] == tiny
    largest = np.finfo(float).max
    assert fitted("error", [largest, -largest], [True, False])[1] == 0.0
    assert fitted("training-error", [largest, 0.0, 0.0], [False, True, False])[1] > 0


def test_separable_scores_are_cut_between():
    scores = np.array([3.0, 1.0, -0.5, -2.0])
    inside = np.array([1, 1, 0, 0], bool)
    for name in TUNED:
        assert fitted(spec_of(name), scores, inside)[1] == 0.25


def test_training_error_is_what_the_paper_does():
    """zhang-oles-2001, section 4.2: a value that minimises the training error."""
    scores, truth = random_problem(400, 6, seed=3)
    rule = fit_rule("training-error", scores_for(Needs.TRAINING, scores), truth)
    default = fit_rule("default", None, truth)
    tuned_errors = (rule.decide(scores) != truth).sum(axis=0)
    default_errors = (default.decide(scores) != truth).sum(axis=0)
    assert (tuned_errors <= default_errors).all()
    assert tuned_errors.sum() < default_errors.sum()


def test_targets_are_kept_out_of_fold():
    scores, truth = random_problem(400, 6, seed=4)
    dense = truth.toarray()
    for target in (0.5, 0.7, 0.9):
        precise = fit_rule(f"precision({target}) fbr.1(0)", out_of_fold(scores), truth)
        accepted = precise.accept(scores)
        fitted_columns = precise.states == State.FITTED
        precision = (accepted & dense).sum(0) / np.maximum(accepted.sum(0), 1)
        assert (precision >= target)[fitted_columns].all()
        complete = fit_rule(f"recall({target}) fbr.1(0)", out_of_fold(scores), truth)
        recall = (complete.accept(scores) & dense).sum(0) / dense.sum(0)
        assert (recall >= target).all()
