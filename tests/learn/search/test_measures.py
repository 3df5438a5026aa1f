"""Measures of a search, and searches by a figure of merit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.errors import SpecError, UsageError
from postil.learn.job import Job
from postil.learn.merit.figures import SmoothCounts
from postil.learn.merit.naming import EXAMPLES, figure_named, unpooled
from postil.learn.method import Method
from postil.learn.search.folds import make_parts
from postil.learn.search.measures import MEASURES, HeldOut, measure_for, softmax_measure
from postil.learn.search.search import LambdaSearch

from ..samples import method_of
from .samples import GRID, HINGE, held_out_scores

FIGURES = [name for name in EXAMPLES if name not in MEASURES] + ["f2", "micro-recall>=0.8"]


@pytest.mark.parametrize("name", FIGURES)
@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=1, max_size=10))
def test_no_cut_is_better(name, pairs):
    scores = np.array([[float(s)] for s, _ in pairs])
    members = np.array([[m] for _, m in pairs])
    measure, figure = measure_for(name), unpooled(figure_named(name))
    tally = measure.tally(HeldOut(scores, members, np.ones(len(pairs)), Method()))
    found, wrong, missed, rejected = tally[0]
    assert found + missed == members.sum()
    assert tally.sum() == len(pairs)
    every = []
    for cut in [*np.unique(scores), np.inf]:
        accepted = scores >= cut
        tp, fp = np.sum(accepted & members), np.sum(accepted & ~members)
        every.append(_value(figure, tp, fp, members.sum(), (~members).sum()))
    assert _value(figure, found, wrong, found + missed, wrong + rejected) == pytest.approx(
        max(every)
    )
    value = measure.value(tally)[0]
    if not members.any():
        assert np.isnan(value)
    else:
        assert value == pytest.approx(-max(every) if figure.falls else max(every))
    assert measure.higher_is_better is not figure.falls


def _value(figure, *numbers):
    return float(figure.values(SmoothCounts(*(np.array([float(n)]) for n in numbers)))[0])


@pytest.mark.parametrize("name", ["recall>=0.8", "cost(fp=1, fn=5)", "micro-f1", "balanced-error"])
def test_a_search_takes_the_figure_of_the_counts_of_all_folds(data, name):
    method = method_of(HINGE, tolerance=1e-9)
    result = LambdaSearch(GRID, folds=4, measure=name, seed=3).run(
        Job(data.design, data.labels), method
    )
    assert result.measure == name
    part = make_parts(data.labels, 4, 3)
    measure = measure_for(name)
    for at, lam in enumerate(result.grid):
        scores = held_out_scores(data, method, lam, part)
        counts = sum(
            measure.tally(HeldOut(scores[part == fold], data.truth[part == fold], ones, method))
            for fold in range(4)
            for ones in [np.ones((part == fold).sum())]
        )
        assert result.values_by_category[at] == pytest.approx(measure.value(counts), rel=1e-6)
        assert result.values[at] == pytest.approx(measure.value(counts.sum(axis=0)), rel=1e-6)


def test_categories_without_documents():
    held = HeldOut(np.zeros((0, 2)), np.zeros((0, 2), bool), np.zeros(0), Method())
    measure = measure_for("recall>=0.9")
    assert measure.tally(held).tolist() == [[0.0] * 4] * 2
    assert np.isnan(measure.value(measure.tally(held))).all()


def test_names_that_are_neither():
    with pytest.raises(UsageError, match="did you mean 'break-even'"):
        measure_for("brake-even")
    with pytest.raises(SpecError, match="up to 1"):
        measure_for("recall>=95")
    with pytest.raises(UsageError, match="needs a threshold for each category"):
        softmax_measure("recall>=0.95")


class TestBreakEven:
    @settings(max_examples=60)
    @given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=1, max_size=12))
    def test_the_cut_of_least_difference(self, pairs):
        scores = np.array([[float(s)] for s, _ in pairs])
        members = np.array([[m] for _, m in pairs])
        held = HeldOut(scores, members, np.ones(len(pairs)), method_of(HINGE))
        found, wrong, missed = MEASURES["break-even"].tally(held)[0]
        every = []
        for cut in [*np.unique(scores), np.inf]:
            accepted = scores >= cut
            fp, fn = np.sum(accepted & ~members), np.sum(~accepted & members)
            every.append((abs(fp - fn), fp + fn))
        assert (abs(wrong - missed), wrong + missed) == min(every)
        assert found + missed == members.sum()
        value = MEASURES["break-even"].value(np.array([found, wrong, missed]))
        if not members.any():
            assert np.isnan(value)
        elif wrong == missed:
            assert value == pytest.approx(found / members.sum())

    def test_categories_without_documents(self):
        held = HeldOut(np.zeros((0, 2)), np.zeros((0, 2), bool), np.zeros(0), method_of(HINGE))
        for measure in MEASURES.values():
            tally = measure.tally(held)
            assert len(tally) == 2
            assert np.isnan(measure.value(tally)).all()
