"""Figures of merit: gains against numerical derivatives, extremes, names."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from postil.errors import SpecError, UsageError
from postil.learn.merit.figures import (
    EASE,
    BalancedError,
    FBeta,
    Figure,
    PlainError,
    PrecisionAtRecall,
    RecallAtPrecision,
    SmoothCounts,
    Utility,
    overall,
)
from postil.learn.merit.naming import (
    EXAMPLES,
    KINDS,
    OwnFigure,
    figure_named,
    register_figure,
    unpooled,
)


def g_mean(tp, fp, fn, tn):
    return np.sqrt(tp / np.maximum(tp + fn, 1e-9) * tn / np.maximum(tn + fp, 1e-9))


def jaccard(tp, fp, fn, tn):
    return tp / (tp + fp + fn)


def jaccard_gains(tp, fp, fn, tn):
    below = tp + fp + fn
    return np.where(below > 0, 1 / below, 0.0), np.where(below > 0, -tp / below**2, 0.0)


OWN = (
    OwnFigure(jaccard, "jaccard", jaccard_gains),
    OwnFigure(jaccard, "jaccard-by-differences"),
    OwnFigure(jaccard, "jaccard-of-all", pooled=True),
)
NAMES = (
    *EXAMPLES,
    "f0.5",
    "f2",
    "micro-f2",
    "recall>=0.5",
    "micro-recall>=0.9",
    "precision>=0.5",
    "micro-precision>=0.99",
    "cost(fp=3, fn=0.25)",
    "utility(tp=1, fp=-2, fn=-0.5, tn=0.125)",
)
FIGURES: list[Figure] = [*map(figure_named, NAMES), *OWN]


def counts_of(tp, fp, members, others) -> SmoothCounts:
    return SmoothCounts(*(np.asarray(each, dtype=np.float64) for each in (tp, fp, members, others)))


@st.composite
def some_counts(draw) -> SmoothCounts:
    size = draw(st.integers(1, 4))
    shares = st.lists(st.floats(0.05, 0.95), min_size=size, max_size=size)
    totals = st.lists(st.floats(1, 200), min_size=size, max_size=size)
    members, others = np.array(draw(totals)), np.array(draw(totals))
    return counts_of(
        np.array(draw(shares)) * members, np.array(draw(shares)) * others, members, others
    )


def moved(counts: SmoothCounts, problem: int, found: float, wrong: float) -> SmoothCounts:
    tp, fp = counts.true_positives.copy(), counts.false_positives.copy()
    tp[problem] += found
    fp[problem] += wrong
    return SmoothCounts(tp, fp, counts.members, counts.others)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
@settings(max_examples=25)
@given(counts=some_counts())
def test_gains_are_the_derivatives(figure, counts):
    step = 1e-6
    gains = figure.gains(counts)
    for problem in range(len(counts.members)):
        for way, (found, wrong) in enumerate([(step, 0.0), (0.0, step)]):
            after = figure.values(moved(counts, problem, found, wrong))[problem]
            before = figure.values(moved(counts, problem, -found, -wrong))[problem]
            # The slope of a penalty turns within EASE of its floor.
            expected = (after - before) / (2 * step)
            assert gains[way][problem] == pytest.approx(expected, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
@settings(max_examples=25)
@given(counts=some_counts())
def test_finding_a_member_helps_and_accepting_another_does_not(figure, counts):
    by_found, by_wrong = figure.gains(counts)
    assert (by_found >= -1e-9).all()
    assert (by_wrong <= 1e-9).all()


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_extremes_are_finite(figure):
    # No members, all members, nothing accepted, everything accepted, no documents at all.
    counts = counts_of(
        [0, 0, 5, 0, 5, 0], [0, 3, 0, 0, 5, 0], [0, 0, 5, 5, 5, 0], [5, 5, 0, 5, 5, 0]
    )
    assert np.isfinite(figure.values(counts)).all()
    by_found, by_wrong = figure.gains(counts)
    assert np.isfinite(by_found).all()
    assert np.isfinite(by_wrong).all()
    attained = figure.attained(counts)
    assert attained.values.shape == attained.reached.shape == (6,)
    assert np.isfinite(overall(figure, counts))


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_perfect_decisions_are_worth_the_most(figure):
    perfect = counts_of([5, 2], [0, 0], [5, 2], [10, 13])
    best = 0.0 if figure.falls else 1.0
    assert figure.values(perfect) == pytest.approx([best, best])
    assert figure.attained(perfect).reached.all()
    assert overall(figure, perfect) == pytest.approx(best)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
@settings(max_examples=25)
@given(counts=some_counts())
def test_pooled_figures_have_one_value_and_others_stand_alone(figure, counts):
    values = figure.values(counts)
    if figure.pooled:
        assert values == pytest.approx(values[0])
        assert figure.values(counts.added()) == pytest.approx(values * 0 + values[0], abs=1)
        return
    alone = [
        figure.values(counts_of(*([part[i]] for part in _parts(counts))))[0]
        for i in range(len(values))
    ]
    assert values == pytest.approx(alone)


def _parts(counts):
    return counts.true_positives, counts.false_positives, counts.members, counts.others


def test_direct_formulas():
    counts = counts_of([3, 8], [1, 4], [4, 10], [16, 10])
    fn, n = np.array([1, 2]), 20
    assert figure_named("f1").values(counts) == pytest.approx([6 / 8, 16 / 22])
    assert figure_named("f2").values(counts) == pytest.approx([15 / 20, 40 / 52])
    assert figure_named("micro-f1").values(counts) == pytest.approx([22 / 30] * 2)
    assert figure_named("error").values(counts) == pytest.approx(-np.array([2, 6]) / n)
    assert figure_named("balanced-error").values(counts) == pytest.approx(
        -(fn / [4, 10] + np.array([1, 4]) / [16, 10]) / 2
    )
    assert figure_named("t11u").values(counts) == pytest.approx([5 / 8, 12 / 20])
    assert figure_named("t11u").attained(counts).totals == pytest.approx([5, 12])
    cost = figure_named("cost(fp=1, fn=5)").attained(counts)
    assert cost.totals == pytest.approx([6, 14])
    assert cost.values == pytest.approx([1 - 6 / 20, 1 - 14 / 50])


def test_a_utility_is_scaled_and_ordered_as_the_sum():
    figure = Utility(3, -2, -1, 0.5)
    counts = counts_of([0, 3, 4, 1], [0, 1, 7, 7], [4] * 4, [10] * 4)
    attained = figure.attained(counts)
    assert attained.totals is not None
    assert np.array_equal(np.argsort(attained.values), np.argsort(attained.totals))
    assert attained.values[0] == 0
    perfect, nothing = 3 * 4 + 0.5 * 10, -1 * 4 + 0.5 * 10
    assert attained.values == pytest.approx((attained.totals - nothing) / (perfect - nothing))


def test_a_floor_is_a_penalty_and_a_flag():
    counts = counts_of([19, 18], [1, 0], [20, 20], [80, 80])
    figure = PrecisionAtRecall(0.95)
    assert figure.values(counts) == pytest.approx([0.95, 1 - 10 * (0.05 - EASE / 2)])
    attained = figure.attained(counts)
    assert attained.values == pytest.approx([0.95, 1.0])
    assert attained.reached.tolist() == [True, False]
    reverse = RecallAtPrecision(0.96)
    assert reverse.attained(counts).reached.tolist() == [False, True]
    assert reverse.attained(counts).values == pytest.approx([0.95, 0.9])
    assert reverse.values(counts)[1] == pytest.approx(0.9)
    assert reverse.values(counts)[0] < 0.95


def test_where_nothing_is_accepted_and_there_are_no_members():
    counts = counts_of([0, 0], [0, 2], [3, 0], [7, 10])
    precise, found = figure_named("recall>=0.9"), figure_named("precision>=0.9")
    assert np.isnan(precise.attained(counts).values[0])
    assert precise.attained(counts).reached.tolist() == [False, True]
    assert found.attained(counts).reached.tolist() == [True, False]
    assert np.isnan(found.attained(counts).values[1])
    assert np.isnan(FBeta().attained(counts_of([0], [0], [0], [5])).values).all()
    # A category without members is no gain, and costs where others are accepted.
    assert Utility.of_costs(1, 2).values(counts) == pytest.approx([0, -1])
    assert precise.gains(counts)[0][0] > 0  # there is a way out of accepting nothing


def test_overall_is_a_mean_or_a_sum():
    counts = counts_of([1, 50], [0, 50], [1, 100], [99, 100])
    assert overall(FBeta(), counts) == pytest.approx((1 + 0.5) / 2)
    assert overall(FBeta(pooled=True), counts) == pytest.approx(102 / (51 + 50 + 101))
    assert overall(Utility.of_costs(1, 1), counts) == pytest.approx(1 / 101)
    assert overall(PlainError(), counts) == pytest.approx(-100 / 300)
    assert overall(FBeta(), counts_of([], [], [], [])) == 0


def test_an_own_figure_by_differences_is_the_one_with_gains():
    counts = counts_of([3, 0, 5], [1, 0, 20], [4, 3, 5], [16, 17, 20])
    exact, near = OWN[0].gains(counts), OWN[1].gains(counts)
    assert near[0] == pytest.approx(exact[0], rel=1e-4, abs=1e-6)
    assert near[1] == pytest.approx(exact[1], rel=1e-4, abs=1e-6)
    assert np.isnan(OWN[0].attained(counts_of([0], [0], [0], [5])).values).all()
    assert OWN[0].values(counts_of([0], [0], [0], [5])) == [0]


def test_an_own_figure_is_checked():
    with pytest.raises(UsageError, match="needs a function"):
        OwnFigure(3, "three")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="small letters"):
        OwnFigure(g_mean, "G mean")
    wrong = OwnFigure(lambda tp, fp, fn, tn: 1.0, "one")  # type: ignore[arg-type, return-value]  # noqa: ARG005
    with pytest.raises(UsageError, match=r"got shape \(\)"):
        wrong.values(counts_of([1], [1], [2], [2]))


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (lambda tp: tp, "'mine'.*arrays tp, fp, fn and tn fails with TypeError"),
        (lambda tp, fp, fn, tn: 1 / 0, "'mine'.*fails with ZeroDivisionError"),  # noqa: ARG005
        (lambda tp, fp, fn, tn: "high", "'mine'.*must return numbers, got 'high'"),  # noqa: ARG005
    ],
)
def test_functions_that_do_not_fit_are_named(function, sentence):
    counts = SmoothCounts(np.ones(2), np.ones(2), np.full(2, 3.0), np.full(2, 5.0))
    with pytest.raises(UsageError, match=sentence):
        OwnFigure(function, "mine").values(counts)


def test_own_figures_are_known_by_name_once_registered():
    with pytest.raises(SpecError, match="root-of-rates"):
        figure_named("root-of-rates")
    mine = register_figure(OwnFigure(g_mean, "root-of-rates"))
    assert figure_named("root-of-rates") is mine
    for taken in ("error", "f1", "micro-mine"):
        with pytest.raises(UsageError, match="is taken"):
            register_figure(OwnFigure(g_mean, taken))


@pytest.mark.parametrize("name", NAMES)
def test_names_read_back(name):
    figure = figure_named(name)
    again = figure_named(figure.name)
    assert again == figure
    assert again.name == figure.name
    if name not in ("t11u",):
        assert figure.name == name


@given(beta=st.floats(1e-3, 1e3), pooled=st.booleans())
def test_any_beta_reads_back(beta, pooled):
    figure = FBeta(beta, pooled)
    assert figure_named(figure.name) == figure


@given(numbers=st.tuples(*[st.floats(-1e6, 1e6)] * 4))
def test_any_utility_reads_back(numbers):
    fn, tp = sorted(numbers[:2])
    fp, tn = sorted(numbers[2:])
    assume(tp > fn and tn > fp)
    figure = Utility(tp, fp, fn, tn)
    assert figure_named(figure.name) == figure


def test_names_may_be_written_loosely():
    assert figure_named(" F1 ") == FBeta()
    assert figure_named("recall >= .95") == PrecisionAtRecall(0.95)
    assert figure_named("recall≥0.95") == PrecisionAtRecall(0.95)
    assert figure_named("cost( fn = 5 )") == Utility.of_costs(1, 5)
    assert figure_named("t11u").name == "utility(tp=2, fp=-1)"
    assert figure_named("balanced-error") == BalancedError()
    assert unpooled(figure_named("micro-f2")) == FBeta(2)
    assert unpooled(PlainError()) == PlainError()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("eror", "did you mean 'error'"),
        ("recal>=0.9", "did you mean 'recall>=0.95'"),
        ("recall", "write recall>=0.95"),
        ("recall(0.9)", "write recall>=0.95"),
        ("recall>=1.5", "above 0 and up to 1.*got 1.5"),
        ("recall>=much", "'much' is not a finite number"),
        ("precision>=0", "above 0 and up to 1"),
        ("f0", "above 0, got 0"),
        ("f-1", "above 0, got -1"),
        ("f1e999", "not a finite number"),
        ("fx", "measure 'fx': it is not a known measure"),
        ("", "measure '': it is not a known measure"),
        ("cost", "write cost"),
        ("cost()", "needs numbers"),
        ("cost(fp=1, fp=2)", "fp is given twice"),
        ("cost(tp=1)", "'tp' is not one of fp, fn"),
        ("cost(fp=-1)", "0 or more, got fp=-1"),
        ("cost(fp=0)", "everything would be accepted"),
        ("cost(fn=0)", "nothing would be accepted"),
        ("utility(fp=-1)", "nothing would be accepted"),
        ("utility(tp=nan)", "not a finite number"),
        ("micro-error", "already adds up over categories; write error"),
        ("micro-balanced-error", "of each category alone"),
        ("error(1)", "write error"),
    ],
)
def test_bad_names_say_what_would_be_right(name, said):
    with pytest.raises(SpecError, match=said) as refused:
        figure_named(name)
    assert repr(name) in str(refused.value)


def test_a_name_is_a_text():
    with pytest.raises(SpecError, match="is a text"):
        figure_named(1)  # type: ignore[arg-type]


def test_every_kind_has_an_example_that_is_of_it():
    for kind in KINDS.values():
        assert figure_named(kind.example)
        assert kind.help
