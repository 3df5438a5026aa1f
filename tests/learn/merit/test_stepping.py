"""Descent step by step: the paper's equations by hand."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from postil.errors import UsageError
from postil.learn.merit.figures import FBeta
from postil.learn.merit.objective import Merit, SparseProducts, Weights
from postil.learn.merit.options import FORMS, GpdOptions, LbfgsOptions, StepOptions
from postil.learn.merit.starts import FigureSlopes, MistakeSlopes, steps

from ..samples import design_of
from .ascent_samples import EVERY_FIGURE, EVERY_FORM, Problems, losses_by_formula


def walked(problems, slopes, options, kept=None):
    """All places on the way, the start first."""
    products = SparseProducts(design_of(problems.x), 1)
    places = [problems.start.stacked()]
    for number, weights in steps(products, problems.start, slopes, options, kept):
        assert number == len(places)
        places.append(weights.stacked())
    return places


@EVERY_FIGURE
@EVERY_FORM
def test_a_step_of_gpd_is_equation_5_3(figure, form):
    problems = Problems()
    steep = 1.3
    problems.steepness = np.full(3, steep)
    options = GpdOptions(iterations=1, rate=0.4, steepness=steep)
    start, after = walked(problems, FigureSlopes(problems.merit(figure, form), options), options)
    expected = np.empty_like(start)
    for at in np.ndindex(start.shape):
        moved = np.zeros_like(start)
        moved[at] = 1e-5
        rise = losses_by_formula(problems, figure, form, start + moved, 0.0)
        fall = losses_by_formula(problems, figure, form, start - moved, 0.0)
        slope = (rise - fall)[at[1]] / 2e-5
        # GPD takes a pooled figure once; the ascent counts it once per problem.
        expected[at] = start[at] - 0.4 * slope / (3 if figure.pooled else 1)
    np.testing.assert_allclose(after, expected, rtol=2e-6, atol=2e-6)


def test_a_step_of_gpd_on_f1_by_hand():
    # One problem, one feature: F = 2 TP / (TP + FP + members), a = 1 / (1 + exp(-α f)).
    x, cases = np.array([[2.0], [1.0], [-1.0]]), np.array([[1], [-1], [1]], dtype=np.int8)
    merit = Merit(FBeta(), cases, np.ones(3))
    options = GpdOptions(iterations=1, rate=0.05, steepness=20.0)
    start = Weights(np.array([[0.05]]), np.array([-0.02]))
    slopes = FigureSlopes(merit, options)
    ((_, after),) = steps(SparseProducts(design_of(x), 1), start, slopes, options)
    a = expit(20.0 * np.array([0.08, 0.03, -0.07]))
    hits, below = a[0] + a[2], a[0] + a[2] + a[1] + 2.0
    figure = 2 * hits / below
    gains = np.array([(2 - figure), -figure, (2 - figure)]) / below * 20.0 * a * (1 - a)
    assert slopes.seen is not None
    assert slopes.seen.values[0] == pytest.approx(figure, rel=1e-6)
    assert after.terms[0, 0] == pytest.approx(0.05 + 0.05 * (gains @ x[:, 0]), rel=1e-5)
    assert after.intercepts[0] == pytest.approx(-0.02 + 0.05 * gains.sum(), rel=1e-5)


def test_the_offset_is_the_mean_of_d_over_the_documents_of_each_problem():
    problems = Problems()
    for form in FORMS.values():
        merit = problems.merit(FBeta(), form)
        scores = problems.start.scores(problems.products)
        follows = FigureSlopes(merit, GpdOptions(steepness=1.5, offset="mean"))
        follows(scores, np.empty_like(scores))
        margins = merit.margins(scores)
        inside = problems.documents[:, None] * (problems.cases != 0)
        means = -(inside * margins).sum(axis=0) / inside.sum(axis=0)
        accepted = expit(1.5 * (margins - means))
        hits = (inside * accepted * (problems.cases > 0)).sum(axis=0)
        assert follows.seen is not None
        np.testing.assert_allclose(follows.seen.counts.true_positives, hits, rtol=1e-6)


@given(
    st.builds(
        StepOptions,
        rate=st.floats(1e-3, 10),
        hold=st.integers(0, 50),
        falling_until=st.integers(1, 100),
        last_share=st.floats(0.01, 1),
    ),
    st.integers(0, 200),
)
def test_the_size_of_steps_is_held_then_falls_then_stays(options, step):
    last = options.rate * options.last_share
    size = options.size(step)
    assert options.size(0) == options.rate
    assert last * (1 - 1e-12) <= size <= options.rate
    assert options.size(step + 1) <= size
    if step <= options.hold:
        assert size == options.rate
    elif step >= options.falling_until:
        assert size == pytest.approx(last)
    else:
        gone = (step - options.hold) / (options.falling_until - options.hold)
        assert size == pytest.approx(options.rate + gone * (last - options.rate))


def test_the_paper_s_numbers():
    options = GpdOptions()
    assert (options.rate, options.steepness, options.iterations) == (0.05, 20.0, 2000)
    assert options.size(1505) == pytest.approx(0.05 * (1 - 0.5 * 0.9))


def both_slopes(problems):
    return [
        FigureSlopes(problems.merit(FBeta()), GpdOptions(steepness=2.0)),
        MistakeSlopes(problems.merit(FBeta())),
    ]


@pytest.mark.parametrize("kind", [0, 1], ids=["gpd", "batch perceptron"])
def test_fewer_steps_are_the_beginning_of_more(kind):
    problems = Problems()
    fewer, more = (
        walked(problems, both_slopes(problems)[kind], StepOptions(n, 0.3, 2, 10)) for n in (4, 9)
    )
    assert (len(fewer), len(more)) == (5, 10)
    np.testing.assert_array_equal(fewer, more[:5])
    assert all((a != b).any() for a, b in pairwise(more))


@pytest.mark.parametrize("kind", [0, 1], ids=["gpd", "batch perceptron"])
def test_features_that_are_not_kept_stay(kind):
    problems = Problems()
    kept = np.ones_like(problems.start.terms)
    kept[1, 2] = 0.0
    start, *_, end = walked(problems, both_slopes(problems)[kind], StepOptions(5), kept)
    assert start[1, 2] == end[1, 2]
    assert start[1, 1] != end[1, 1]


def test_the_start_is_left_as_it_was():
    problems = Problems()
    before = problems.start.stacked()
    walked(problems, both_slopes(problems)[0], StepOptions(3))
    np.testing.assert_array_equal(problems.start.stacked(), before)


def test_a_step_of_the_batch_perceptron_is_equation_5_2():
    problems = Problems()
    slopes = MistakeSlopes(problems.merit(FBeta()))
    start, after = walked(problems, slopes, StepOptions(1, rate=0.7))
    for at in range(3):
        moved, mistakes = start[:, at].copy(), 0.0
        for x, case, weight in zip(
            problems.x, problems.cases[:, at], problems.documents, strict=True
        ):
            score = x @ start[:-1, at] + start[-1, at]
            if case and (score > 0) != (case > 0):
                moved += 0.7 * weight * case * np.append(x, 1.0)
                mistakes += weight
        np.testing.assert_allclose(after[:, at], moved, rtol=1e-6)
        assert slopes.mistakes[at] == pytest.approx(mistakes)


def test_the_batch_perceptron_separates_what_can_be_separated():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(200, 6))
    scores = x @ rng.normal(size=(6, 4)) + 0.4
    clear = np.abs(scores) > 0.2
    problems = Problems(documents=200, features=6, problems=4)
    problems.x = x
    problems.cases = np.where(scores > 0, 1, -1).astype(np.int8) * clear.astype(np.int8)
    slopes = MistakeSlopes(problems.merit(FBeta()))
    *_, end = walked(problems, slopes, StepOptions(3000, 0.05))
    assert (slopes.mistakes == 0).all()
    found = x @ end[:-1] + end[-1] > 0
    inside = (problems.documents > 0)[:, None] & clear
    np.testing.assert_array_equal(found[inside], (scores > 0)[inside])


@pytest.mark.parametrize(
    ("options", "wrong", "words"),
    [
        (GpdOptions, {"rate": 0.0}, "rate"),
        (GpdOptions, {"offset": "median"}, "offset"),
        (GpdOptions, {"steepness": -1.0}, "steepness"),
        (StepOptions, {"last_share": 1.5}, "last_share"),
        (StepOptions, {"iterations": -1}, "iterations"),
        (LbfgsOptions, {"tolerance": 2.0}, "tolerance"),
        (LbfgsOptions, {"stages": 0}, "stages"),
        (LbfgsOptions, {"growth": 0.5}, "growth"),
        (LbfgsOptions, {"pairs": 0}, "pairs"),
    ],
)
def test_options_out_of_range_are_refused(options, wrong, words):
    with pytest.raises(UsageError, match=words):
        options(**wrong)


def test_stages_grow_to_the_whole_steepness():
    assert LbfgsOptions(stages=3, growth=4.0).shares() == [1 / 16, 1 / 4, 1.0]
    assert LbfgsOptions().shares() == [1.0]
