"""From a measure to its rule, and rules that tune all categories together."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.decide import RULES, fit_rule, parse_rule
from postil.decide.aims import rule_for
from postil.decide.decision import State
from postil.errors import UsageError
from postil.learn.merit.figures import FBeta, SmoothCounts, overall
from postil.learn.merit.naming import EXAMPLES, KINDS, OwnFigure, figure_named

from .samples import out_of_fold, random_problem


def counts_of(accepted, truth) -> SmoothCounts:
    members = truth.sum(axis=0).astype(float)
    found = (accepted & truth).sum(axis=0).astype(float)
    wrong = (accepted & ~truth).sum(axis=0).astype(float)
    return SmoothCounts(found, wrong, members, len(truth) - members)


@pytest.mark.parametrize(
    ("figure", "rule"),
    [
        ("f1", "f1"),
        ("f2", "f-beta(2)"),
        ("micro-f1", "micro-f1"),
        ("micro-f0.5", "micro-f-beta(0.5)"),
        ("error", "error"),
        ("balanced-error", "balanced-error"),
        ("recall>=0.95", "sure-recall(0.95)"),
        ("micro-recall>=0.95", "sure-recall(0.95)"),
        ("precision>=0.9", "sure-precision(0.9)"),
        ("cost(fp=1, fn=5)", "cost(0.2) fbr.1(0)"),
        ("t11u", "cost(0.5) fbr.1(0)"),
    ],
)
def test_each_figure_has_its_rule(figure, rule):
    assert rule_for(figure_named(figure)) == rule
    assert str(parse_rule(rule)) == rule


def test_every_kind_has_a_rule():
    for kind in KINDS.values():
        assert parse_rule(rule_for(figure_named(kind.example)))


@pytest.mark.parametrize("name", [*EXAMPLES, "f2", "micro-f2", "utility(tp=3, fp=-2, fn=-1)"])
def test_tuned_for_a_figure_nothing_else_does_better_by_it(name):
    figure = figure_named(name)
    scores, truth = random_problem(200, 4, seed=5)
    wanted = truth.toarray().astype(bool)

    def reached(spec):
        rule = fit_rule(spec, out_of_fold(scores), truth)
        return figure.values(counts_of(rule.accept(scores), wanted)).mean()

    def trusting(figure):
        # A floor that is sure to hold is better than asked for: compare the rule that just holds.
        spec = rule_for(figure).removesuffix(" fbr.1(0)").removeprefix("sure-")
        return f"{spec} fbr.1(0)"

    for other in EXAMPLES:
        assert reached(trusting(figure)) >= reached(trusting(figure_named(other))) - 1e-9


@settings(max_examples=40, deadline=None)
@given(data=st.data(), beta=st.sampled_from([0.5, 1.0, 2.0]))
def test_no_set_of_thresholds_has_a_higher_pooled_f(data, beta):
    documents, categories = 6, 2
    numbers = st.lists(st.integers(0, 3), min_size=12, max_size=12)
    scores = np.array(data.draw(numbers), float).reshape(documents, categories)
    flags = st.lists(st.booleans(), min_size=12, max_size=12)
    truth = np.array(data.draw(flags)).reshape(documents, categories)
    truth[0], truth[1] = True, False
    figure = FBeta(beta, pooled=True)
    rule = fit_rule(f"micro-f-beta({beta}) fbr.1(0)", out_of_fold(scores), sp.csr_matrix(truth))
    reached = overall(figure, counts_of(rule.accept(scores), truth))
    best = max(
        overall(figure, counts_of(scores >= np.array(pair), truth))
        for pair in product(range(5), repeat=categories)
    )
    assert reached == pytest.approx(best)


def test_tuned_together_is_at_least_as_good_together():
    scores, truth = random_problem(300, 6, seed=1)
    wanted = truth.toarray().astype(bool)
    micro = FBeta(pooled=True)
    values = {
        spec: overall(
            micro,
            counts_of(fit_rule(spec, out_of_fold(scores), truth).accept(scores), wanted),
        )
        for spec in ("micro-f1 fbr.1(0)", "f1 fbr.1(0)", "error fbr.1(0)")
    }
    assert values["micro-f1 fbr.1(0)"] == max(values.values())


def test_categories_that_fall_back_are_counted_as_decided():
    scores, truth = random_problem(80, 3, seed=2)
    lone = np.zeros((80, 1), bool)
    lone[40] = True  # its only member scores lowest
    scores = np.hstack([scores, np.where(lone, -9.0, np.arange(80).reshape(-1, 1))])
    truth = sp.csr_matrix(np.hstack([truth.toarray().astype(bool), lone, np.ones_like(lone)]))
    scores = np.hstack([scores, np.zeros((80, 1))])
    rule = fit_rule("micro-f1", out_of_fold(scores), truth)
    assert rule.states[3] == State.FALLBACK
    assert rule.states[4] == State.ALL_MEMBERS
    assert np.isfinite(rule.thresholds[:4]).all()


def test_a_users_own_figure_has_a_rule_of_its_name():
    def jaccard(tp, fp, fn, tn):
        return tp / (tp + fp + fn)

    figure = OwnFigure(jaccard, "own-jaccard")
    try:
        assert rule_for(figure) == rule_for(figure) == "own-jaccard"
        scores, truth = random_problem(100, 3)
        own = fit_rule("own-jaccard", out_of_fold(scores), truth)
        # It rises with F1, and falls with it.
        same = fit_rule("f1", out_of_fold(scores), truth)
        assert own.thresholds == pytest.approx(same.thresholds)
    finally:
        RULES.pop("own-jaccard", None)
    with pytest.raises(UsageError, match="another name"):
        rule_for(OwnFigure(jaccard, "rank"))
