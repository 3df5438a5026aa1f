"""Starts of an ascent, and descent step by step, by hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from postil.errors import UsageError
from postil.learn.job import Job, Labels, SampleWeights
from postil.learn.merit.figures import FBeta
from postil.learn.merit.method import MfomMethod
from postil.learn.merit.objective import Merit, SparseProducts, Weights, products_of
from postil.learn.merit.options import FORMS, GpdOptions, LbfgsOptions, StepOptions
from postil.learn.merit.starts import (
    STARTS,
    FigureSlopes,
    MeritTask,
    MistakeSlopes,
    members_mean,
    steps,
)
from postil.learn.method import Method

from ..samples import design_of
from .ascent_samples import EVERY_FIGURE, EVERY_FORM, Problems, losses_by_formula

CONVEX = pytest.mark.parametrize(("start", "loss"), [("svm", "hinge"), ("logistic", "logistic")])
BY_SIZE = ("members-mean", "modified-squared")


def begun(start, x, cases, documents=None, kept=None):
    design = design_of(x)
    documents = np.ones(len(x)) if documents is None else documents
    with products_of(design, 1) as products:
        merit = Merit(FBeta(), np.asarray(cases, dtype=np.int8), documents)
        return STARTS[start].weights(MeritTask(design, products, merit, 1, kept))


def test_the_mean_of_the_members_by_hand():
    x = np.array([[1.0, 0.0], [3.0, 2.0], [0.0, 5.0], [0.0, 1.0], [2.0, 2.0]])
    found = begun("members-mean", x, [[1], [1], [-1], [-1], [-1]])
    np.testing.assert_allclose(found.terms[:, 0], [2.0, 1.0])
    # Scores of the members are 2 and 7: the least is let in as the last.
    np.testing.assert_allclose(found.intercepts, [-2.0])


def test_where_members_are_more_than_half_it_is_the_others_turned():
    x = np.array([[1.0, 0.0], [3.0, 2.0], [0.0, 5.0], [0.0, 1.0], [2.0, 2.0]])
    found = begun("members-mean", x, [[1], [1], [1], [-1], [-1]])
    np.testing.assert_allclose(found.terms[:, 0], [-1.0, -1.5])
    np.testing.assert_allclose(found.intercepts, [1.5])  # others' scores by their mean: 1.5 and 5


def test_the_mean_weighs_documents_and_passes_over_those_of_no_part():
    problems = Problems(documents=40, problems=5)
    problems.cases[:, 4] = np.where(np.arange(40) < 30, 1, -1)
    found = members_mean(problems.task(FBeta()))
    for at in range(5):
        inside, outside = (problems.documents * (problems.cases[:, at] == side) for side in (1, -1))
        sign, weights = (1, inside) if inside.sum() <= outside.sum() else (-1, outside)
        mean = weights @ problems.x / weights.sum()
        least = (problems.x[weights > 0] @ mean).min()
        np.testing.assert_allclose(found.terms[:, at], sign * mean, rtol=1e-6)
        np.testing.assert_allclose(found.intercepts[at], -sign * least, rtol=1e-6)


def test_by_size_is_the_mean_of_few_members_and_modified_least_squares_of_more():
    random = np.random.default_rng(3)
    x = random.random((40, 6))
    cases = -np.ones((40, 3), dtype=np.int8)
    cases[:4, 0] = cases[:5, 1] = cases[10:20, 2] = 1
    found, mean, convex = (begun(start, x, cases) for start in ("by-size", *BY_SIZE))
    for at, other in enumerate((mean, convex, convex)):
        scale = np.linalg.norm(found.terms[:, at]) / np.linalg.norm(other.terms[:, at])
        np.testing.assert_allclose(found.terms[:, at], scale * other.terms[:, at])
        np.testing.assert_allclose(found.intercepts[at], scale * other.intercepts[at])
    np.testing.assert_array_equal(found.terms[:, 1:], convex.terms[:, 1:])

    def apart(weights):
        scores = x @ weights.terms
        return [
            scores[cases[:, k] > 0, k].mean() - scores[cases[:, k] < 0, k].mean() for k in range(3)
        ]

    assert abs(apart(found)[0]) == pytest.approx(np.median(np.abs(apart(convex))), rel=1e-4)


@pytest.mark.parametrize("start", STARTS)
def test_a_problem_without_members_or_without_others_has_finite_weights(start):
    problems = Problems(parts=False)
    first = np.arange(30) == 0
    cases = np.column_stack([problems.cases[:, 0], np.ones(30), -np.ones(30), first])
    found = begun(start, problems.x, cases)
    assert np.isfinite(found.terms).all()
    assert np.isfinite(found.intercepts).all()
    alone = begun(start, problems.x, cases[:, :1])
    np.testing.assert_allclose(found.terms[:, 0], alone.terms[:, 0], rtol=1e-5)


@pytest.mark.parametrize("start", STARTS)
def test_documents_of_no_part_are_as_if_left_out(start):
    problems = Problems(documents=40)
    found = begun(start, problems.x, problems.cases, problems.documents)
    for at in range(3):
        part = (problems.cases[:, at] != 0) & (problems.documents > 0)
        alone = begun(
            start, problems.x[part], problems.cases[part][:, [at]], problems.documents[part]
        )
        np.testing.assert_allclose(found.terms[:, [at]], alone.terms, rtol=2e-3, atol=2e-3)
        np.testing.assert_allclose(found.intercepts[at], alone.intercepts[0], rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("start", STARTS)
def test_features_that_are_not_kept_are_not_begun_with(start):
    problems = Problems(documents=40)
    kept = np.ones((4, 3))
    kept[1, 0] = kept[2] = 0.0
    found = begun(start, problems.x, problems.cases, kept=kept)
    assert (found.terms[kept == 0] == 0).all()
    assert (found.terms[kept == 1] != 0).all()


@CONVEX
def test_convex_starts_are_the_convex_fit(start, loss):
    problems = Problems(documents=60, parts=False)
    found = begun(start, problems.x, problems.cases, problems.documents)
    labels = Labels(("a", "b", "c"), sp.csr_matrix(problems.cases > 0))
    sample_weights = SampleWeights(problems.documents)
    convex = Method(loss=loss).fit(
        Job(design_of(problems.x), labels, sample_weights=sample_weights, quiet=True)
    )
    np.testing.assert_array_equal(found.terms.T, convex.weights.toarray())
    np.testing.assert_array_equal(found.intercepts, convex.intercepts)


@CONVEX
def test_convex_starts_of_problems_that_accept_nothing_begin_half_way(start, loss):
    # Three members of 200 documents, not far from the rest: a convex method says no to all.
    rng = np.random.default_rng(8)
    x = rng.normal(size=(200, 5)) / 3
    members = np.zeros((200, 1), dtype=bool)
    members[:3] = True
    x[:3, 0] += 0.5
    convex = Method(loss=loss).fit(
        Job(design_of(x), Labels(("a",), sp.csr_matrix(members)), quiet=True)
    )
    scores = convex.scores(design_of(x).rows)
    assert (scores < 0).all()
    found = begun(start, x, np.where(members, 1, -1))
    np.testing.assert_array_equal(found.terms.T, convex.weights.toarray())
    middle = (scores[:3].mean() + scores[3:].mean()) / 2
    expected = convex.intercepts - middle
    np.testing.assert_allclose(found.intercepts, expected, rtol=1e-4, atol=1e-7)
    assert (x[:3] @ found.terms + found.intercepts > 0).any()


def test_the_batch_perceptron_goes_on_from_the_mean():
    problems = Problems(documents=60, parts=False)
    found = begun("batch-perceptron", problems.x, problems.cases)
    given = replace(problems.task(FBeta()), kept=None)
    start = members_mean(given)

    def mistakes(weights):
        return ((problems.x @ weights.terms + weights.intercepts > 0) != (problems.cases > 0)).sum()

    assert mistakes(found) < mistakes(start)


@pytest.mark.parametrize("lam", [0.0, 1e-4, 1e-3])
def test_a_logistic_start_leads_up_whatever_lambda(lam):
    # Twelve classes: logistic regression gives no document to any, and the figure is flat there.
    rng = np.random.default_rng(4)
    classes = rng.integers(0, 12, 240)
    x = rng.random((240, 60)) * (rng.random((240, 60)) < 0.1)
    x[np.arange(240), classes] += 0.3
    design, labels = design_of(x), Labels.of([f"{c:02}"] for c in classes)
    convex = Method(loss="logistic").fit(Job(design, labels, quiet=True))
    assert (convex.scores(design.rows) > 0).mean() < 0.02
    found = MfomMethod(starts=("logistic",), lam=lam).fit(Job(design, labels, threads=1))
    accepted, truth = found.scores(design.rows) > 0, labels.members.toarray()
    assert 2 * (accepted & truth).sum() / (accepted.sum() + truth.sum()) > 0.7


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
