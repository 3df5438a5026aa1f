"""The native parts of training for a measure: direct formulas, and slopes by small steps."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from postil import _native
from postil.learn.job import Design
from postil.learn.merit.figures import FBeta, Figure

from .kernel_samples import (
    KINDS,
    SHARPNESSES,
    TOLERANCE,
    Sample,
    direct_margins,
    direct_slopes,
    margins_of,
    slopes_through,
)


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
@settings(deadline=None, max_examples=200)
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
