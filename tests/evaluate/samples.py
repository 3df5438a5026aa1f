"""Random runs: truth, decisions and scores, with every kind of empty and full column."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

FEW = settings(max_examples=20, deadline=None)  # where each example calls scikit-learn
SOME = settings(max_examples=30, deadline=None)

SCORES = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0])
PROBABILITIES = st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.5, 0.7, 0.9, 0.99, 1.0]) | st.floats(0, 1)


@st.composite
def runs(draw, min_documents=0, max_documents=12, min_categories=0, max_categories=5):
    """A dense (truth, decisions) pair."""
    shape = (
        draw(st.integers(min_documents, max_documents)),
        draw(st.integers(min_categories, max_categories)),
    )
    return draw(arrays(np.bool_, shape)), draw(arrays(np.bool_, shape))


@st.composite
def rankings(draw, elements=SCORES, min_documents=0, max_documents=12, max_categories=4):
    """A dense (truth, scores) pair, the scores full of ties."""
    shape = (draw(st.integers(min_documents, max_documents)), draw(st.integers(1, max_categories)))
    truth = draw(arrays(np.bool_, shape))
    return truth, draw(arrays(np.float64, shape, elements=elements))


def random_run(seed=0, documents=300, categories=20, rate=0.08, flips=0.03):
    """A larger sparse run: truth, decisions that are mostly right, scores, probabilities."""
    rng = np.random.default_rng(seed)
    truth = rng.random((documents, categories)) < rate * rng.random(categories) * 2
    truth[:, -1] = False
    decisions = truth ^ (rng.random(truth.shape) < flips)
    scores = np.where(truth, 1.0, -1.0) + rng.normal(0, 0.8, truth.shape)
    probabilities = 1 / (1 + np.exp(-3 * scores))
    return sp.csr_matrix(truth), sp.csr_matrix(decisions), scores, probabilities
