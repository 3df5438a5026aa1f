"""Every measure against its equation, evaluated one pair of term and category at a time."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from postil.errors import InputError, UsageError
from postil.features.evidence import CountBasis, Counts, WeightBasis
from postil.features.measures import MEASURES
from postil.features.select import term_scores

WEIGHTS = st.sampled_from([0.0, 0.0, 0.0, 1.0, 0.5, 0.25, 2.0, 0.1])
SIGNED = st.sampled_from([0.0, 0.0, 1.0, -1.0, 0.3, -0.7])
EVERY_MEASURE = pytest.mark.parametrize("measure", MEASURES)


@st.composite
def problems(draw, weights=WEIGHTS):
    """A dense (weights, members) pair; empty and full categories and columns included."""
    documents = draw(st.integers(1, 12))
    terms = draw(st.integers(0, 10))
    categories = draw(st.integers(0, 4))
    x = draw(arrays(np.float32, (documents, terms), elements=weights))
    y = draw(arrays(np.bool_, (documents, categories)))
    return x, y


def cells(weights, members, category, term):
    has_term = weights[:, term] != 0
    in_category = members[:, category]
    a = int((has_term & in_category).sum())
    b = int((~has_term & in_category).sum())
    c = int((has_term & ~in_category).sum())
    d = int((~has_term & ~in_category).sum())
    return a, b, c, d


def flat(a, b, c, d):
    return 0 in (a + b, c + d, a + c, b + d)


def entropy(*counts):
    total = sum(counts)
    return -sum(x / total * math.log2(x / total) for x in counts if x) if total else 0.0


def gini(*counts):
    total = sum(counts)
    return 1 - sum((x / total) ** 2 for x in counts) if total else 0.0


def gain(impurity, a, b, c, d):
    n = a + b + c + d
    after = (a + c) / n * impurity(a, c) + (b + d) / n * impurity(b, d)
    return impurity(a + b, c + d) - after


def with_sign(value, a, b, c, d):
    return math.copysign(value, a * d - b * c) if a * d != b * c else 0.0


def information_gain(a, b, c, d):
    return with_sign(gain(entropy, a, b, c, d), a, b, c, d)


def gini_gain(a, b, c, d):
    return with_sign(gain(gini, a, b, c, d), a, b, c, d)


def chi_square(a, b, c, d):
    if flat(a, b, c, d):
        return 0.0
    n = a + b + c + d
    value = n * (a * d - b * c) ** 2 / ((a + b) * (c + d) * (a + c) * (b + d))
    return with_sign(value, a, b, c, d)


def bns(a, b, c, d):
    if flat(a, b, c, d):
        return 0.0
    quantile = NormalDist().inv_cdf
    inside, outside = (min(max(rate, 0.0005), 0.9995) for rate in (a / (a + b), c / (c + d)))
    return quantile(inside) - quantile(outside)


def yule_q(a, b, c, d):
    if flat(a, b, c, d):
        return 0.0
    a, b, c, d = (x + 1 / 12 for x in (a, b, c, d))
    return (a * d - b * c) / (a * d + b * c)


def odds_ratio(a, b, c, d):
    if flat(a, b, c, d):
        return 0.0
    return math.log((a + 0.5) * (d + 0.5) / ((b + 0.5) * (c + 0.5)))


def document_frequency(a, b, c, d):
    return a + c


def pearson(weights, members, category, term):
    x = weights[:, term].astype(float)
    y = np.where(members[:, category], 1.0, -1.0)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return 0.0
    x, y = x - x.mean(), y - y.mean()
    return float(x @ y / math.sqrt((x @ x) * (y @ y)))


COUNTED = {
    "information-gain": information_gain,
    "gini": gini_gain,
    "chi-square": chi_square,
    "bns": bns,
    "yule-q": yule_q,
    "odds-ratio": odds_ratio,
    "document-frequency": document_frequency,
}


def signed_score(measure, weights, members, category, term):
    if measure == "pearson":
        return pearson(weights, members, category, term)
    return COUNTED[measure](*cells(weights, members, category, term))


def signed_scores(measure, weights, members):
    return np.array(
        [
            [
                signed_score(measure, weights, members, category, term)
                for term in range(weights.shape[1])
            ]
            for category in range(members.shape[1])
        ]
    ).reshape(members.shape[1], weights.shape[1])


def test_registry_and_equations_name_the_same_measures():
    assert set(MEASURES) == {*COUNTED, "pearson"}
    assert all(measure.name == name for name, measure in MEASURES.items())


@EVERY_MEASURE
@settings(max_examples=60)
@given(problem=problems() | problems(SIGNED))
@example(problem=(np.full((4, 1), 0.1, np.float32), np.array([[1], [0], [1], [0]], bool)))
def test_scores_equal_the_equation(measure, problem):
    x, y = problem
    expected = signed_scores(measure, x, y)
    got = term_scores(sp.csr_matrix(x), sp.csr_matrix(y), measure, signed=True)
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9)
    unsigned = term_scores(sp.csr_matrix(x), sp.csc_matrix(y), measure)
    two_sided = MEASURES[measure].two_sided
    np.testing.assert_allclose(unsigned, np.abs(got) if two_sided else got)


@EVERY_MEASURE
def test_sparse_arrays_and_stored_zeros_and_duplicates_change_nothing(measure):
    x = np.array([[1, 0, 2], [0, 3, 0], [4, 0, 0], [0, 0, 1]], np.float32)
    y = np.array([[1, 0], [0, 1], [1, 1], [0, 0]], bool)
    plain = term_scores(sp.csr_matrix(x), sp.csr_matrix(y), measure)
    rows, columns = np.nonzero(np.ones_like(x))
    doubled = sp.coo_array(
        (
            np.concatenate([x[rows, columns] / 2, x[rows, columns] / 2]),
            (np.concatenate([rows, rows]), np.concatenate([columns, columns])),
        ),
        shape=x.shape,
    )
    untidy = sp.csr_array(
        (np.tile(x, 2).ravel() / 2, np.tile(np.arange(3), 8), np.arange(0, 25, 6)), shape=x.shape
    )
    for other in (sp.csr_array(x), doubled, untidy):
        np.testing.assert_allclose(term_scores(other, sp.csc_array(y), measure), plain)


@given(st.integers(1, 60), st.integers(1, 60), st.integers(1, 60), st.integers(1, 60))
def test_gini_orders_terms_as_chi_square_does(a, b, c, d):
    share = 2 * (a + b) * (c + d) / (a + b + c + d) ** 3
    assert gini_gain(a, b, c, d) == pytest.approx(share * chi_square(a, b, c, d), abs=1e-12)


@EVERY_MEASURE
@pytest.mark.parametrize("documents", [10, 1000, 100_000])
@pytest.mark.parametrize("share", [0.0, 0.001, 0.1, 0.5, 0.9, 1.0])
def test_absent_terms_score_highest_at_the_declared_ends(measure, documents, share):
    """Along a declared order absent scores only fall, or fall and rise where two are declared."""
    chosen = MEASURES[measure]
    size = min(max(1, round(documents * share)), documents - 1)
    room = np.unique(np.geomspace(1, documents - size, 500).round())
    basis = _absent_basis(chosen, documents, room)
    table = basis.table(np.arange(len(room)), np.full(len(room), float(size)), np.zeros(len(room)))
    scores = chosen.strength(chosen.formula(table))
    orders = [np.argsort(-sign * basis.absent_key, kind="stable") for sign in chosen.absent]
    steps = np.diff(scores[orders[0]])
    falling = int((steps > 0).argmax()) if (steps > 0).any() else len(steps)
    assert (steps[falling:] >= 0).all()
    assert falling == len(steps) or len(orders) == 2
    if len(orders) == 2:
        assert (orders[1] == orders[0][::-1]).all()


def _absent_basis(measure, documents, frequency):
    """A basis whose terms have these document frequencies (for weights: means of both signs)."""
    empty = sp.csr_matrix((documents, len(frequency)), dtype=np.float32)
    basis = measure.basis(empty)
    basis.frequency = frequency
    if isinstance(basis, WeightBasis):
        basis.mean = np.linspace(-1, 1, len(frequency))
    return basis


@pytest.mark.parametrize("measure", [name for name in MEASURES if name != "document-frequency"])
def test_categories_of_none_and_of_all_score_zero(measure):
    x = sp.csr_matrix(np.array([[1, 0], [2, 1], [0, 1]], np.float32))
    y = sp.csr_matrix(np.array([[0, 1], [0, 1], [0, 1]], bool))
    assert not term_scores(x, y, measure).any()


def test_bns_keeps_rates_off_the_ends():
    table = Counts(20.0, np.array([10.0]), np.array([10.0]), np.array([10.0]))
    widest = 2 * NormalDist().inv_cdf(0.9995)
    assert MEASURES["bns"].formula(table) == pytest.approx(widest)


def test_a_term_of_constant_weight_has_no_correlation():
    rng = np.random.default_rng(0)
    x = np.full((1000, 1), 0.1, np.float32)
    y = rng.random((1000, 3)) < 0.3
    assert not term_scores(sp.csr_matrix(x), sp.csr_matrix(y), "pearson").any()


def test_counts_read_presence_only():
    x = sp.csr_matrix(np.array([[0.2, 0], [5, 3]], np.float32))
    assert CountBasis(x).matrix.data.tolist() == [1, 1, 1]
    assert CountBasis(x).frequency.tolist() == [2, 1]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_weights_that_are_no_numbers_are_refused_with_their_place(bad):
    x = sp.csr_matrix(np.array([[0, 1], [1, bad]], np.float32))
    with pytest.raises(InputError, match="document 1, term 1"):
        term_scores(x, sp.csr_matrix(np.ones((2, 1), bool)))


def test_shapes_types_and_names_that_do_not_fit_are_refused():
    x, y = sp.csr_matrix((3, 2), dtype=np.float32), sp.csr_matrix((2, 2), dtype=bool)
    with pytest.raises(UsageError, match="3 documents and Y has 2"):
        term_scores(x, y)
    with pytest.raises(UsageError, match="scipy sparse matrix"):
        term_scores(x.toarray(), y)
    with pytest.raises(UsageError, match="sparse indicator"):
        term_scores(x, y.toarray())
    with pytest.raises(UsageError, match="there are: information-gain"):
        term_scores(x, y, "no-such")
