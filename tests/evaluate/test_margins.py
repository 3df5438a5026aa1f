"""Margins of documents that pass in blocks, against all of them at once."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from postil.errors import UsageError
from postil_papers.margins import MarginTally


def drawn(seed, documents=23, columns=7, categories=3):
    """Vectors, weights, intercepts and label sets; the last category may have no weight."""
    generator = np.random.default_rng(seed)
    vectors = generator.normal(size=(documents, columns)) * (
        generator.random((documents, columns)) < 0.4
    )
    weights = generator.normal(size=(categories, columns)).round(1)
    weights[-1] = 0.0
    names = [f"c{c}" for c in range(categories)]
    members = generator.random((documents, categories)) < 0.3
    labels = [tuple(np.array(names)[row]) for row in members]
    return vectors, weights, generator.normal(size=categories), names, members, labels


@given(st.integers(0, 10_000), st.integers(1, 30), st.booleans(), st.sampled_from([0.1, 1.0]))
def test_blocks_add_up_to_the_direct_formulas(seed, block, constant, gamma):
    vectors, weights, intercepts, names, members, labels = drawn(seed)
    intercepts = intercepts * constant
    tally = MarginTally(names, sp.csr_matrix(weights), intercepts, constant, gamma)
    for start in range(0, len(labels), block):
        tally.add(sp.csr_matrix(vectors[start : start + block]), labels[start : start + block])
    found = tally.margins()

    x = np.hstack([vectors, np.ones((len(vectors), int(constant)))])
    w = np.hstack([weights, intercepts[:, np.newaxis]]) if constant else weights
    signed = np.where(members, 1, -1) * (x @ w.T)
    assert found.documents == len(labels)
    assert found.members.tolist() == members.sum(axis=0).tolist()
    assert found.least == pytest.approx(signed.min(axis=0))
    assert found.under.tolist() == (signed < gamma).sum(axis=0).tolist()
    for norm, order in ((found.norms.two, 2), (found.norms.infinity, np.inf), (found.norms.one, 1)):
        each = np.linalg.norm(x, order, axis=1)
        assert norm == pytest.approx((each.max(), each.mean()))
    assert found.sizes.one == pytest.approx(np.abs(w).sum(axis=1))
    assert found.sizes.two == pytest.approx(np.linalg.norm(w, axis=1))

    longest, largest = np.linalg.norm(x, axis=1).max(), np.abs(x).max()
    one, two, entropy = found.sizes
    assert found.additive == pytest.approx(two**2 * longest**2 / gamma**2)
    assert found.multiplicative == pytest.approx(largest**2 * (one**2 + one * entropy) / gamma**2)
    for column in range(len(names)):
        separated = signed[:, column].min() > 0
        assert np.isfinite(found.perceptron_mistakes[column]) == separated
        assert np.isfinite(found.winnow_mistakes[column]) == separated
    if not constant:
        assert found.favoured[-1] == "neither"
        assert found.least[-1] == 0.0


def test_dense_documents_and_sparse_weights_favour_multiplicative_updates():
    generator = np.random.default_rng(0)
    vectors = np.where(generator.random((40, 500)) < 0.5, 1.0, -1.0)
    labels = [("yes",) if row[0] > 0 else () for row in vectors]
    dense = (vectors * np.where(vectors[:, :1] > 0, 1.0, -1.0)).sum(axis=0)
    favours = {}
    for name, weights in (("sparse", np.eye(1, 500)), ("dense", dense[np.newaxis] / 500)):
        tally = MarginTally(["yes"], sp.csr_matrix(weights), np.zeros(1), False, 1.0)
        tally.add(sp.csr_matrix(vectors), labels)
        found = tally.margins()
        (favours[name],) = found.favoured
    assert favours == {"sparse": "multiplicative", "dense": "additive"}


def test_categories_without_members_are_named():
    tally = MarginTally(["a", "b"], sp.csr_matrix(np.eye(2)), np.zeros(2), False, 1.0)
    tally.add(sp.csr_matrix(np.eye(2)), [("a", "other"), ()])
    assert tally.margins().memberless == ("b",)


@pytest.mark.parametrize("gamma", [0.0, -1.0, np.inf, np.nan])
def test_gamma_is_a_margin(gamma):
    with pytest.raises(UsageError, match="--margin-at"):
        MarginTally(["a"], sp.csr_matrix(np.eye(1)), np.zeros(1), False, gamma)
