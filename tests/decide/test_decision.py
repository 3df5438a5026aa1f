"""Fitted rules: from scores to decisions, and through a file."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.decide import RULES, fit_rule, parse_rule
from postil.decide.decision import DecisionRule, Shares, State, Thresholds, best_of_rows
from postil.errors import InputError, UsageError

from .samples import random_problem, scores_for

SPECS = [
    "default",
    "default(0.3)",
    "training-error",
    "probability",
    "probability(0.4)",
    "f1",
    "error",
    "precision(0.7)",
    "recall(0.8)",
    "sure-precision(0.6)",
    "sure-recall(0.8)",
    "break-even",
    "f-beta(2)",
    "cost(0.2)",
    "balanced-error",
    "micro-f1",
    "micro-f-beta(0.5)",
    "best",
    "rank(2)",
    "proportional",
    "proportional(1.5)",
    "f1 fbr.0(0.9) at-least(1) at-most(2)",
    "proportional at-least(1) at-most(2)",
]
EVERY_SPEC = pytest.mark.parametrize("spec", SPECS)
TABLES = st.integers(0, 10**6).map(
    lambda seed: np.round(np.random.default_rng(seed).normal(size=(7, 5)), 1)
)


def example(spec, seed=0):
    scores, truth = random_problem(seed=seed)
    return fit_rule(spec, scores_for(parse_rule(spec).needs, scores), truth)


def thresholds(values, **bounds):
    values = np.array(values, float)
    return DecisionRule("by hand", Thresholds(values), np.zeros(len(values), np.uint8), **bounds)


def ranked(row):
    """Columns by falling value, of equal ones the lower first."""
    return sorted(range(len(row)), key=lambda place: (-row[place], place))


def test_every_rule_is_tried_here():
    assert {spec.split("(")[0].split()[0] for spec in SPECS} == set(RULES)


@settings(max_examples=25, deadline=None)
@given(table=TABLES, places=st.integers(0, 6))
def test_the_best_of_each_row(table, places):
    flags = best_of_rows(table, places)
    for row, flagged in zip(table, flags, strict=True):
        assert np.flatnonzero(flagged).tolist() == sorted(ranked(row)[:places])


@EVERY_SPEC
def test_decisions_have_the_shared_shape(spec):
    rule = example(spec)
    scores, _ = random_problem(seed=1)
    decisions = rule.decide(scores)
    assert isinstance(decisions, sp.csr_matrix)
    assert decisions.dtype == bool
    assert decisions.shape == scores.shape
    assert decisions.data.all()
    assert decisions.has_canonical_format
    assert (decisions.toarray() == rule.accept(scores)).all()
    assert rule.decide(scores[:0]).shape == (0, scores.shape[1])


@EVERY_SPEC
def test_a_document_is_decided_for_itself_unless_the_rule_says_otherwise(spec):
    rule = example(spec)
    scores, _ = random_problem(seed=1)
    together = rule.accept(scores)
    alone = np.vstack([rule.accept(row[np.newaxis]) for row in scores])
    assert rule.whole_batch == spec.startswith("proportional")
    if not rule.whole_batch:
        assert (together == alone).all()


def test_default_is_score_at_or_above_zero():
    scores, truth = random_problem()
    assert (fit_rule("default", None, truth).accept(scores) == (scores >= 0)).all()
    assert (fit_rule("default(0.5)", None, truth).accept(scores) == (scores >= 0.5)).all()


def test_best_is_argmax():
    scores, truth = random_problem()
    decisions = fit_rule("best", None, truth).decide(scores)
    assert decisions.indices.tolist() == scores.argmax(axis=1).tolist()
    assert (np.diff(decisions.indptr) == 1).all()


@pytest.mark.parametrize("k", [1, 2, 4, 5, 9])
def test_rank_is_the_top_k(k):
    scores, truth = random_problem()
    accepted = fit_rule(f"rank({k})", None, truth).accept(scores)
    for row, flags in zip(scores, accepted, strict=True):
        assert np.flatnonzero(flags).tolist() == sorted(ranked(row)[:k])


@settings(max_examples=25, deadline=None)
@given(table=TABLES, least=st.integers(0, 6), more=st.none() | st.integers(0, 6))
def test_bounds_on_the_number_of_categories(table, least, more):
    at_most = None if more is None else max(least + more, 1)
    values = np.array([0.5, 0.0, -0.5, np.inf, -np.inf])
    accepted = thresholds(values, at_least=least, at_most=at_most).accept(table)
    for row, flags in zip(table, accepted, strict=True):
        order = [place for place in ranked(row - values) if values[place] < np.inf]
        reached = int((row >= values).sum())
        count = max(reached, least) if at_most is None else min(max(reached, least), at_most)
        assert np.flatnonzero(flags).tolist() == sorted(order[:count])


def test_a_category_that_is_never_given_fills_no_place():
    rule = thresholds([np.inf, np.inf], at_least=1)
    assert rule.decide(np.ones((3, 2))).nnz == 0
    rule = thresholds([np.inf, 5.0], at_least=2)
    assert rule.accept(np.array([[9.0, -9.0]])).tolist() == [[False, True]]


class TestProportional:
    @settings(max_examples=25, deadline=None)
    @given(seed=st.integers(0, 10**6), factor=st.floats(0.1, 3), size=st.integers(0, 40))
    def test_as_many_as_the_prior_says(self, seed, factor, size):
        scores, truth = random_problem(seed=seed)
        rule = fit_rule(f"proportional({factor!r})", None, truth)
        fresh = np.round(np.random.default_rng(seed).normal(size=(size, 5)), 1)
        accepted = rule.accept(fresh)
        members = np.asarray(truth.sum(axis=0)).ravel()
        for category, count in enumerate(members):
            share = min(count / scores.shape[0] * factor, 1)
            quota = int(np.floor(share * size + 0.5))
            order = ranked(fresh[:, category])
            assert np.flatnonzero(accepted[:, category]).tolist() == sorted(order[:quota])

    def test_weights_make_the_prior(self):
        truth = sp.csr_matrix(np.array([[1], [0], [0]], bool))
        rule = fit_rule("proportional", None, truth, np.array([2.0, 1.0, 1.0]))
        assert rule.acceptance.values.tolist() == [0.5]
        assert rule.thresholds is None
        assert rule.accept(np.array([[1.0], [3.0], [2.0], [0.0]])).ravel().tolist() == [
            False,
            True,
            True,
            False,
        ]

    def test_a_batch_has_bounds_too(self):
        states = np.zeros(2, np.uint8)
        rule = DecisionRule("by hand", Shares(np.array([0.5, 0.5])), states, at_least=1, at_most=1)
        scores = np.array([[4.0, 3.0], [2.0, 1.0]])
        # The first document wins both categories and keeps the better; the second gets its best.
        assert rule.accept(scores).tolist() == [[True, False], [True, False]]


class TestParts:
    @EVERY_SPEC
    def test_round_trip(self, spec):
        rule = example(spec)
        settings_, arrays = rule.to_parts()
        again = DecisionRule.from_parts(json.loads(json.dumps(settings_)), arrays)
        scores, _ = random_problem(seed=2)
        assert (again.accept(scores) == rule.accept(scores)).all()
        assert again.to_parts()[0] == settings_
        assert again.states.tolist() == rule.states.tolist()
        assert again.spec == spec

    @pytest.mark.parametrize(
        ("settings_", "arrays"),
        [
            ({"kind": "magic"}, {}),
            ({"kind": None}, {}),
            ({"kind": ["thresholds"]}, {}),
            ({"at_least": None}, {}),
            ({"at_least": "1"}, {}),
            ({"at_least": 3, "at_most": 2}, {}),
            ({"at_most": 1.5}, {}),
            ({"at_most": 0}, {}),
            ({}, {"values": np.array([np.nan, 0.0])}),
            ({}, {"values": np.zeros(3)}),
            ({}, {"values": np.zeros((2, 1))}),
            ({}, {"values": np.zeros(2, np.float32)}),
            ({}, {"values": None}),
            ({}, {"states": np.zeros(2)}),
            ({}, {"states": np.array([0, 9], np.uint8)}),
            ({"kind": "shares"}, {"values": np.array([0.5, 1.5])}),
        ],
    )
    def test_damaged_parts_are_refused(self, settings_, arrays):
        whole = thresholds([0.0, 1.0]).to_parts()
        with pytest.raises(InputError):
            DecisionRule.from_parts(whole[0] | settings_, whole[1] | arrays)

    def test_missing_parts_are_refused(self):
        settings_, arrays = thresholds([0.0, 1.0]).to_parts()
        with pytest.raises(InputError, match="'values'"):
            DecisionRule.from_parts(settings_, {})
        with pytest.raises(InputError, match="unknown kind"):
            DecisionRule.from_parts({}, arrays)

    def test_copies_and_pickles(self):
        rule = example("f1 at-least(1)")
        for again in (copy.deepcopy(rule), pickle.loads(pickle.dumps(rule))):
            assert again.thresholds.tolist() == rule.thresholds.tolist()


class TestImmutable:
    def test_fields_and_arrays(self):
        rule = example("f1")
        with pytest.raises(dataclasses.FrozenInstanceError):
            rule.at_least = 3
        for array in (rule.thresholds, rule.states):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1

    def test_arrays_are_its_own(self):
        values = np.zeros(2)
        rule = thresholds(values)
        values[:] = 9.0
        assert rule.thresholds.tolist() == [0.0, 0.0]


def test_notes_name_the_unusual():
    values = np.array([0.0, np.inf, -np.inf, 3.0])
    states = np.array([State.FITTED, State.NO_MEMBERS, State.ALL_MEMBERS, State.FALLBACK], np.uint8)
    rule = DecisionRule("f1", Thresholds(values), states)
    notes = rule.notes(["earn", "grain", "news", "rye"])
    assert [note.split(":")[0] for note in notes] == ["grain", "news", "rye"]
    with pytest.raises(UsageError, match="2 names for 4 categories"):
        rule.notes(["earn", "grain"])


@pytest.mark.parametrize(
    "bounds", [{"at_least": -1}, {"at_most": 0}, {"at_least": 2, "at_most": 1}]
)
def test_bounds_must_be_possible(bounds):
    with pytest.raises(UsageError, match="at_least"):
        thresholds([0.0], **bounds)


def test_the_best_of_the_allowed_categories_fill_the_places():
    scores = np.array([[3.0, 2.0, 1.0], [-3.0, -1.0, -2.0]])
    thresholds = Thresholds(np.zeros(3))
    states = np.zeros(3, np.uint8)
    allowed = np.array([True, False, True])
    one = DecisionRule("one", thresholds, states, at_least=1, at_most=1)
    assert one.accept(scores, allowed).tolist() == [[True, False, False], [False, False, True]]
    free = DecisionRule("free", thresholds, states)
    assert free.accept(scores, allowed).tolist() == [[True, False, True], [False] * 3]
    two = DecisionRule("two", thresholds, states, at_least=2, at_most=2)
    assert two.accept(scores, ~allowed).tolist() == [[False, True, False]] * 2
