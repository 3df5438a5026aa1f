"""Native parts of training for a figure of merit: formulas, slopes, extremes and bad input."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import expit

from postil import _native
from postil.learn.job import Design
from postil.learn.merit.figures import FBeta, Figure, SmoothCounts

KINDS = pytest.mark.parametrize("kind", [np.float32, np.float64])
SHARPNESSES = pytest.mark.parametrize("sharpness", [1e-6, 0.3, 1.0, 20.0, 1e6])
TOLERANCE = {np.float32: 2e-6, np.float64: 1e-12}
Table = NDArray[np.floating]
Floats = NDArray[np.float64]


class Sample:
    """Scores of documents for problems, with members, others and entries that have no part."""

    def __init__(self, kind, documents=300, problems=7, seed=0, size=2.0):
        rng = np.random.default_rng(seed)
        self.scores = (size * rng.normal(size=(documents, problems))).astype(kind)
        self.cases = rng.integers(-1, 2, (documents, problems)).astype(np.int8)
        self.weights = rng.choice([0.0, 0.5, 1.0, 3.0], documents)
        self.steepness = rng.uniform(0.2, 3.0, problems)
        self.offsets = rng.normal(size=problems)
        self.by_member = rng.uniform(0.0, 2.0, problems)
        self.by_other = -rng.uniform(0.0, 2.0, problems)

    def accept(self, scores, threads=1):
        acceptances = np.full_like(scores, 7.0)
        counts = _native.accept(
            scores, self.cases, self.weights, self.steepness, self.offsets, acceptances, threads
        )
        return counts, acceptances

    def slopes(self, acceptances, by_member, by_other, threads=1):
        slopes = acceptances.copy()
        sums = _native.slopes_of(
            slopes, self.cases, self.weights, self.steepness, by_member, by_other, threads
        )
        return sums, slopes

    def counted(self, scores) -> SmoothCounts:
        (hits, alarms, _, _), _ = self.accept(scores)
        return SmoothCounts(hits, alarms, self.total(self.cases > 0), self.total(self.cases < 0))

    def total(self, chosen) -> Floats:
        return np.asarray(self.weights @ chosen)


def margins_of(scores: Table, sharpness: float, threads: int = 1) -> Table:
    margins = np.full_like(scores, 7.0)
    _native.margins_over_rivals(scores, sharpness, margins, threads)
    return margins


def slopes_through(scores: Table, sharpness: float, slopes: Table, threads: int = 1) -> Table:
    through = slopes.copy()
    _native.slopes_through_rivals(scores, sharpness, through, threads)
    return through


def direct_margins(scores: Table, sharpness: float) -> Floats:
    scores = scores.astype(np.longdouble)
    margins = np.empty(scores.shape)
    for j in range(scores.shape[1]):
        rivals = np.delete(scores, j, axis=1)
        highest = rivals.max(axis=1, keepdims=True)
        mean = np.exp(sharpness * (rivals - highest)).mean(axis=1)
        margins[:, j] = scores[:, j] - highest[:, 0] - np.log(mean) / sharpness
    return margins


def direct_slopes(scores: Table, sharpness: float, slopes: Table) -> Floats:
    """``g_k - Σ_j g_j share_jk``, each category with shares of its own."""
    through = slopes.astype(float)
    for j in range(scores.shape[1]):
        powers = sharpness * scores.astype(float)
        powers[:, j] = -np.inf
        shares = np.exp(powers - powers.max(axis=1, keepdims=True))
        through -= slopes[:, [j]] * shares / shares.sum(axis=1, keepdims=True)
    return through


@KINDS
def test_acceptances_and_counts_are_those_of_equation_4_7(kind):
    sample = Sample(kind)
    (hits, alarms, sure_hits, sure_alarms), acceptances = sample.accept(sample.scores)
    expected = expit(sample.steepness * (sample.scores.astype(float) - sample.offsets))
    np.testing.assert_allclose(
        acceptances, expected * (sample.cases != 0), rtol=TOLERANCE[kind], atol=0
    )
    members, others = sample.cases > 0, sample.cases < 0
    sure = sample.scores > 0
    np.testing.assert_allclose(hits, sample.total(expected * members), rtol=1e-12)
    np.testing.assert_allclose(alarms, sample.total(expected * others), rtol=1e-12)
    np.testing.assert_array_equal(sure_hits, sample.total(sure & members))
    np.testing.assert_array_equal(sure_alarms, sample.total(sure & others))


@KINDS
def test_slopes_are_those_of_the_acceptances(kind):
    sample = Sample(kind)
    _, acceptances = sample.accept(sample.scores)
    sums, slopes = sample.slopes(acceptances, sample.by_member, sample.by_other)
    accepted = acceptances.astype(float)
    gains = np.where(sample.cases > 0, sample.by_member, sample.by_other) * sample.weights[:, None]
    expected = sample.steepness * accepted * (1.0 - accepted) * gains
    np.testing.assert_allclose(slopes, expected, rtol=TOLERANCE[kind])
    np.testing.assert_allclose(sums, expected.sum(axis=0), rtol=1e-12)


@KINDS
@SHARPNESSES
@pytest.mark.parametrize("categories", [2, 3, 90, 400])
def test_margins_and_slopes_are_sums_over_rivals(kind, sharpness, categories):
    documents = 300 if categories < 90 else 4
    sample = Sample(kind, documents, categories, seed=categories)
    # A long double of a platform may be a double: what is lost is divided by the sharpness.
    lost = 1e-14 * np.log(categories + 1) / sharpness
    np.testing.assert_allclose(
        margins_of(sample.scores, sharpness),
        direct_margins(sample.scores, sharpness),
        rtol=TOLERANCE[kind],
        atol=TOLERANCE[kind] + lost,
    )
    slopes = Sample(kind, documents, categories, seed=categories + 1).scores
    np.testing.assert_allclose(
        slopes_through(sample.scores, sharpness, slopes),
        direct_slopes(sample.scores, sharpness, slopes),
        rtol=TOLERANCE[kind],
        atol=TOLERANCE[kind] * 10,
    )


@given(
    st.lists(st.floats(0.01, 100.0), min_size=2, max_size=12),
    st.floats(0.05, 20.0),
)
@settings(max_examples=200)
def test_margins_are_equation_4_13_in_logarithms(positive, sharpness):
    scores = np.array([positive])
    margins = margins_of(np.log(scores), sharpness)[0]
    for j, own in enumerate(positive):
        rivals = np.delete(scores[0], j)
        # As printed, with the mean of powers: d = -g + (1/(N-1) Σ g^η)^(1/η).
        bar = np.mean(rivals**sharpness) ** (1.0 / sharpness)
        assert np.exp(margins[j]) == pytest.approx(own / bar, rel=1e-9)
        misclassification = -own + bar
        assert misclassification == pytest.approx(
            own * np.expm1(-margins[j]), abs=1e-9 * (own + bar)
        )


def test_a_sharp_bar_is_the_highest_rival_and_a_blunt_one_their_mean():
    scores = np.array([[3.0, 1.0, -2.0, 2.5]])
    highest = np.array([[2.5, 3.0, 3.0, 3.0]])
    np.testing.assert_allclose(margins_of(scores, 1e9), scores - highest, atol=1e-8)
    mean = (scores.sum() - scores) / 3
    np.testing.assert_allclose(margins_of(scores, 1e-5), scores - mean, atol=1e-4)


@pytest.mark.parametrize("figure", [FBeta(), FBeta(0.5), FBeta(pooled=True)], ids=lambda f: f.name)
@pytest.mark.parametrize("sharpness", [None, 0.5, 4.0])
def test_slopes_of_a_figure_are_what_small_steps_find(figure: Figure, sharpness):
    sample = Sample(np.float64, documents=12, problems=4, seed=3)

    def through(scores):
        return scores if sharpness is None else margins_of(scores, sharpness)

    def value(scores) -> float:
        values = figure.values(sample.counted(through(scores)))
        return float(values[0] if figure.pooled else values.sum())

    margins = through(sample.scores)
    _, acceptances = sample.accept(margins)
    _, slopes = sample.slopes(acceptances, *figure.gains(sample.counted(margins)))
    if sharpness is not None:
        slopes = slopes_through(sample.scores, sharpness, slopes)
    step = 1e-5
    for at in np.ndindex(sample.scores.shape):
        up, down = sample.scores.copy(), sample.scores.copy()
        up[at] += step
        down[at] -= step
        expected = (value(up) - value(down)) / (2 * step)
        assert slopes[at] == pytest.approx(expected, rel=1e-6, abs=1e-9)


@KINDS
def test_products_are_those_of_the_dense_matrix(kind):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(600, 40)) * (rng.random((600, 40)) < 0.2)
    design = Design(sp.csr_array(x))
    dense = design.rows.toarray().astype(float)
    weights = rng.normal(size=(40, 9)).astype(kind)
    slopes = rng.normal(size=(600, 9)).astype(kind)
    by_document = _native.document_products(design.native, weights, 2)
    by_term = _native.term_products(design.native, slopes, 2)
    assert by_document.dtype == by_term.dtype == kind
    atol = 100 * TOLERANCE[kind]
    np.testing.assert_allclose(by_document, dense @ weights, atol=atol)
    np.testing.assert_allclose(by_term, dense.T @ slopes, atol=atol)


@KINDS
def test_sure_scores_of_any_size_give_no_slope_and_no_nan(kind):
    sample = Sample(kind, size=1e30)
    sample.scores[0], sample.scores[1] = np.inf, -np.inf
    sample.steepness[:] = 1e6
    counts, acceptances = sample.accept(sample.scores)
    np.testing.assert_array_equal(counts[0], counts[2])
    np.testing.assert_array_equal(counts[1], counts[3])
    sums, slopes = sample.slopes(acceptances, sample.by_member, sample.by_other)
    assert np.abs(sums).max() < 1e-290
    assert np.abs(slopes).max() <= 1e-290


@KINDS
@SHARPNESSES
def test_scores_of_any_size_have_finite_margins_and_slopes(kind, sharpness):
    scores = np.array([[1e30, -1e30, 0.0], [-1e30] * 3, [1e30, 1e30, -1e30]], kind)
    margins = margins_of(scores, sharpness)
    assert np.isfinite(margins).all()
    assert margins[0, 0] > 0 > margins[0, 1]
    slopes = slopes_through(scores, sharpness, np.ones_like(scores))
    np.testing.assert_allclose(
        slopes.sum(axis=1), 0.0, atol=1e-6
    )  # all scores moved move no margin
    assert np.isfinite(slopes).all()


@KINDS
def test_threads_change_no_bit(kind):
    sample = Sample(kind, documents=1500)
    design = Design(sp.random_array((1500, 50), density=0.1, rng=np.random.default_rng(2)))

    def everything(threads):
        counts, acceptances = sample.accept(sample.scores, threads)
        sums, slopes = sample.slopes(acceptances, sample.by_member, sample.by_other, threads)
        by_term = _native.term_products(design.native, slopes, threads)
        return [
            *counts,
            acceptances,
            sums,
            slopes,
            margins_of(sample.scores, 2.0, threads),
            slopes_through(sample.scores, 2.0, slopes, threads),
            by_term,
            _native.document_products(design.native, by_term, threads),
        ]

    for one, three in zip(everything(1), everything(3), strict=True):
        assert one.tobytes() == three.tobytes()


@KINDS
def test_margins_may_be_written_over_their_scores(kind):
    sample = Sample(kind)
    expected = margins_of(sample.scores, 1.5)
    _native.margins_over_rivals(sample.scores, 1.5, sample.scores, 1)
    np.testing.assert_array_equal(sample.scores, expected)


@KINDS
def test_empty_tables_have_counts_of_zero(kind):
    sample = Sample(kind, documents=0)
    counts, acceptances = sample.accept(sample.scores, 2)
    sums, _ = sample.slopes(acceptances, sample.by_member, sample.by_other)
    for found in (*counts, sums):
        np.testing.assert_array_equal(found, np.zeros(7))
    assert margins_of(sample.scores, 1.0).shape == (0, 7)
    design = Design(sp.csr_array((0, 3)))
    assert _native.document_products(design.native, np.zeros((3, 2), kind), 1).shape == (0, 2)
    products = _native.term_products(design.native, np.zeros((0, 2), kind), 1)
    np.testing.assert_array_equal(products, np.zeros((3, 2)))


@KINDS
@pytest.mark.parametrize(
    "wrong", ["cases", "weights", "steepness", "offsets", "by_member", "by_other"]
)
def test_arrays_that_do_not_fit_are_refused(kind, wrong):
    sample = Sample(kind)
    _, acceptances = sample.accept(sample.scores)
    setattr(sample, wrong, getattr(sample, wrong)[:-1].copy())

    def call():
        if wrong.startswith("by"):
            return sample.slopes(acceptances, sample.by_member, sample.by_other)
        return sample.accept(sample.scores)

    with pytest.raises(ValueError, match=r"same shape|every document|every problem"):
        call()


@KINDS
@pytest.mark.parametrize("call", [_native.margins_over_rivals, _native.slopes_through_rivals])
def test_rivals_that_do_not_fit_are_refused(kind, call):
    scores = np.zeros((3, 4), kind)
    with pytest.raises(ValueError, match="same shape"):
        call(scores, 1.0, np.zeros((4, 3), kind), 1)
    with pytest.raises(ValueError, match="two categories or more"):
        call(scores[:, :1].copy(), 1.0, np.zeros((3, 1), kind), 1)
    for sharpness in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(ValueError, match="sharpness is above 0"):
            call(scores, sharpness, scores, 1)
    with pytest.raises(TypeError):
        call(scores, 1.0, np.zeros((3, 4), np.int32), 1)


@KINDS
def test_tables_that_do_not_fit_a_design_are_refused(kind):
    design = Design(sp.csr_array(np.eye(3, 5)))
    for call, rows in ((_native.document_products, 3), (_native.term_products, 5)):
        with pytest.raises(ValueError, match="row for each"):
            call(design.native, np.zeros((rows, 2), kind), 1)


@KINDS
def test_no_thread_at_all_is_refused(kind):
    sample = Sample(kind)
    design = Design(sp.csr_array(np.eye(3)))
    table = np.zeros((3, 2), kind)
    calls = (
        lambda: sample.accept(sample.scores, 0),
        lambda: sample.slopes(sample.scores, sample.by_member, sample.by_other, 0),
        lambda: margins_of(sample.scores, 1.0, 0),
        lambda: slopes_through(sample.scores, 1.0, sample.scores, 0),
        lambda: _native.document_products(design.native, table, 0),
        lambda: _native.term_products(design.native, table, 0),
    )
    for call in calls:
        with pytest.raises(ValueError, match="threads is at least 1"):
            call()
