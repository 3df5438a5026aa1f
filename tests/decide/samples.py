"""Small problems of one category, with many ties, and the shapes the rules take."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

from postil.decide import Folds, OutOfFoldScores, TrainingScores
from postil.decide.scores import Needs

ANY_SCORE = st.floats(allow_nan=False, allow_infinity=False)
COARSE_SCORE = st.integers(-4, 4).map(lambda number: number / 2)
WHOLE_WEIGHT = st.integers(0, 3).map(float)


@st.composite
def one_category(draw, score=ANY_SCORE | COARSE_SCORE, weight=WHOLE_WEIGHT, least=2):
    """Scores, memberships and weights of one category's documents."""
    size = draw(st.integers(least, 14))
    scores = draw(st.lists(score, min_size=size, max_size=size))
    inside = draw(st.lists(st.booleans(), min_size=size, max_size=size))
    weights = draw(st.lists(weight, min_size=size, max_size=size))
    return np.array(scores, float), np.array(inside, bool), np.array(weights, float)


@st.composite
def mixed_category(draw, **kinds):
    """The same, with a member and another that weigh something."""
    scores, inside, weights = draw(one_category(**kinds))
    inside[:2] = True, False
    weights[:2] = np.maximum(weights[:2], 1.0)
    return scores, inside, weights


def column(values) -> np.ndarray:
    return np.asarray(values, float).reshape(-1, 1)


def truth_of(inside) -> sp.csr_matrix:
    inside = np.asarray(inside, bool)
    return sp.csr_matrix(inside.reshape(len(inside), -1))


def out_of_fold(values) -> OutOfFoldScores:
    """Call scores out of fold, as a cache would."""
    values = np.asarray(values, float)
    return OutOfFoldScores(values, Folds(np.arange(len(values)) % 2))


def scores_for(needs: Needs, values):
    """Wrap scores as a rule needs them."""
    if needs is Needs.NOTHING:
        return None
    return TrainingScores(values) if needs is Needs.TRAINING else out_of_fold(values)


def random_problem(documents=60, categories=5, seed=0):
    """Scores that know something of the truth, with ties; rare and frequent categories."""
    rng = np.random.default_rng(seed)
    truth = rng.random((documents, categories)) < np.linspace(0.1, 0.5, categories)
    scores = np.round(truth + rng.normal(-0.5, 0.8, truth.shape), 1)
    return scores, sp.csr_matrix(truth)
