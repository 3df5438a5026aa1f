"""The bounds of zhang-2000, by the direct formulas and by methods that must keep to them."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from postil_papers.margins import Margins, Norm, Norms, WeightSizes, weight_sizes

NUMBERS = st.floats(-8, 8, allow_nan=False, width=32).filter(lambda x: x == 0 or abs(x) > 1e-3)
WEIGHTS = st.tuples(st.integers(1, 4), st.integers(1, 6)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=NUMBERS)
)


def entropy_of(weights):
    """Σ wⱼ ln(wⱼ ‖μ‖₁ / (μⱼ ‖w‖₁)) of the embedding, coordinate by coordinate."""
    embedded = [max(w, 0.0) for w in weights] + [max(-w, 0.0) for w in weights]
    prior = [0.01] * len(embedded)
    total = sum(embedded)
    return sum(
        w * math.log(w * sum(prior) / (mu * total))
        for w, mu in zip(embedded, prior, strict=True)
        if w > 0
    )


@given(WEIGHTS)
def test_sizes_are_those_of_the_direct_formulas(weights):
    sizes = weight_sizes(sp.csr_matrix(weights))
    assert sizes.one == pytest.approx(np.abs(weights).sum(axis=1))
    assert sizes.two == pytest.approx(np.linalg.norm(weights, axis=1))
    assert sizes.entropy == pytest.approx([entropy_of(row) for row in weights], abs=1e-9)
    # A relative entropy of shares: at least 0, and ln(2d) where all is on one coordinate.
    assert (sizes.entropy >= 0).all()
    assert (sizes.entropy <= sizes.one * math.log(2 * weights.shape[1]) + 1e-9).all()


def test_entropy_counts_coordinates_without_weight():
    few = weight_sizes(sp.csr_matrix([[2.0, -2.0]])).entropy
    many = weight_sizes(sp.csr_matrix([[2.0, -2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]])).entropy
    assert few == pytest.approx([4 * math.log(2)])
    assert many == pytest.approx([4 * math.log(8)])


def test_a_stored_zero_is_no_weight():
    stored = sp.csr_matrix((np.array([3.0, 0.0]), np.array([0, 1]), np.array([0, 2])), shape=(1, 2))
    sizes = weight_sizes(stored)
    assert (sizes.one, sizes.two, sizes.entropy) == (3.0, 3.0, pytest.approx(3 * math.log(4)))


def test_no_weights_no_sizes():
    sizes = weight_sizes(sp.csr_matrix((2, 3)))
    assert [part.tolist() for part in sizes] == [[0.0, 0.0]] * 3


def margins(sizes, least, longest=1.0, largest=1.0, gamma=1.0):
    """Margins of categories with these sizes of weights and these least margins."""
    sizes = WeightSizes(*(np.array(each, dtype=float) for each in sizes))
    norms = Norms(Norm(longest, longest), Norm(largest, largest), Norm(1.0, 1.0))
    count = np.zeros(len(sizes.one), dtype=int)
    names = tuple(map(str, range(len(count))))
    least = np.array(least, dtype=float)
    return Margins(names, 1, gamma, False, norms, sizes, count, least, count)


def test_bounds_by_hand():
    found = margins(([3.0], [2.0], [5.0]), [0.5], longest=3.0, largest=2.0, gamma=0.5)
    assert found.perceptron_mistakes == pytest.approx([4 * 9 / 0.25])
    assert found.winnow_mistakes == pytest.approx([2 * 3 * 5 * 4 / 0.25])
    assert found.additive == pytest.approx([4 * 9 / 0.25])
    assert found.multiplicative == pytest.approx([4 * (9 + 15) / 0.25])


@pytest.mark.parametrize("least", [0.0, -1.0])
def test_what_does_not_separate_bounds_nothing(least):
    found = margins(([1.0], [1.0], [1.0]), [least])
    assert np.isnan(found.perceptron_mistakes).all()
    assert np.isnan(found.winnow_mistakes).all()


def test_a_margin_of_nearly_nothing_overflows_in_silence():
    assert margins(([1.0], [1.0], [1.0]), [1e-200]).perceptron_mistakes == [np.inf]


def test_the_smaller_term_is_favoured():
    one, two = [1.0, 2.0, 2.0, 0.0], [2.0, 1.0, 2.0, 0.0]
    found = margins((one, two, [0.0] * 4), [1.0] * 4)
    assert found.ratio[:3].tolist() == [0.25, 4.0, 1.0]
    assert found.favoured == ("multiplicative", "additive", "neither", "neither")


@st.composite
def separable(draw):
    """Documents, their signs, and weights that separate them."""
    shape = (draw(st.integers(2, 25)), draw(st.integers(1, 8)))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    documents = generator.normal(size=shape) * (generator.random(shape) < 0.7)
    weights = generator.normal(size=shape[1]) * (generator.random(shape[1]) < 0.8)
    scores = documents @ weights
    kept = np.abs(scores) > 0.05
    if not kept.any():
        documents, weights, kept = np.eye(shape[1]), np.ones(shape[1]), np.full(shape[1], True)
        scores = documents @ weights
    return documents[kept], np.sign(scores[kept]), weights


def mistakes(documents, signs, weights_of, rate):
    """Return the number of updates until no mistake is left, with θ the sum of updates."""
    state, made = np.zeros(documents.shape[1]), 0
    while True:
        before = made
        for x, y in zip(documents, signs, strict=True):
            if y * (weights_of(state) @ x) <= 0:
                state = state + rate * y * x
                made += 1
        if made == before:
            return made


@given(separable(), st.sampled_from([0.01, 1.0, 3.0]))
def test_a_perceptron_keeps_to_its_bound(problem, rate):
    documents, signs, weights = problem
    least = (signs * (documents @ weights)).min()
    longest = np.linalg.norm(documents, axis=1).max()
    sizes = weight_sizes(sp.csr_matrix(weights[np.newaxis]))
    (bound,) = margins(sizes, [least], longest=longest).perceptron_mistakes
    assert mistakes(documents, signs, lambda state: state, rate) <= bound * (1 + 1e-9)


@given(separable())
def test_a_balanced_winnow_keeps_to_its_bound(problem):
    documents, signs, weights = problem
    least = (signs * (documents @ weights)).min()
    largest = np.abs(documents).max()
    sizes = weight_sizes(sp.csr_matrix(weights[np.newaxis]))
    (bound,) = margins(sizes, [least], largest=largest).winnow_mistakes
    rate = least / (sizes.one[0] * largest**2)
    # A score of 0 is a mistake: what begins at 0 everywhere has to move.
    made = mistakes(documents, signs, lambda state: np.exp(state) - np.exp(-state), rate)
    assert made <= bound * (1 + 1e-9)
