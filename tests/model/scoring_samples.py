"""Texts, weights and what scores are by definition."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from postil.model.scoring import TextScorer
from postil.vectors.vectorizer import Texts, Vectorizer

TRAINING = [
    "wool wool ferry harbour the ferries",
    "ferry timetable harbour harbour",
    "",
    "fleece wool é é é ferry Ferry-Boat",
    "timetable of the winter ferry harbour",
    "Ελληνικός λιμάνι ferry 港 港",
    "wool",
]
FRESH = [
    "wool unseen ferry unseen",
    "unseen never heard",
    "",
    "é wool wool harbour never never ferries",
    "ΕΛΛΗΝΙΚΌΣ 港 𝔸 wool\0 the",
]
MAPPED = "words lower stop(snowball:en) stem(porter)"
GRAMS = "words lower stem(porter) ngrams(1,2)"


def weights_of(rows: int, categories: int) -> sp.csr_matrix:
    """Terms with weights for all categories, for some, for few and for none."""
    random = np.random.default_rng(0)
    chance = random.choice([0.0, 0.03, 0.2, 0.5, 1.0], size=(rows, 1))
    weights = random.normal(size=(rows, categories))
    weights *= random.random((rows, categories)) < chance
    return sp.csr_matrix(weights.astype(np.float32))


def scorer_of(vectorizer: Vectorizer, categories: int = 13, **choices: int) -> TextScorer:
    intercepts = np.random.default_rng(1).normal(size=categories)
    weights = weights_of(vectorizer.columns, categories).T
    return TextScorer(vectorizer, weights, intercepts, **choices)


def long_texts() -> list[str]:
    """Half a megabyte in 60 documents: several tasks, and more terms than a small table holds."""
    ranks = np.minimum(np.random.default_rng(7).zipf(1.2, size=(60, 1_500)), 30_000)
    return [" ".join(f"w{rank}s" for rank in row) for row in ranks]


def assert_scores(scorer: TextScorer, texts: Texts) -> None:
    vectors = scorer.vectorizer.transform(texts).astype(np.float64)
    expected = vectors @ scorer._weights.matrix.T.astype(np.float64).toarray() + scorer.intercepts
    scores = scorer.scores(texts)
    assert scores.dtype == np.float64
    assert scores.flags.c_contiguous
    np.testing.assert_allclose(scores, expected, rtol=1e-6, atol=2e-6)
    np.testing.assert_array_equal(scorer.scores(texts), scores)  # with every word known
