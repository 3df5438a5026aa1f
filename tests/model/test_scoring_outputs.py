"""The best categories, and those above thresholds, without a score for every category."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.errors import InputError, UsageError
from postil.model.scoring import TextScorer
from postil.vectors.vectorizer import Vectorizer

from .scoring_samples import FRESH, GRAMS, MAPPED, TRAINING, long_texts, scorer_of

LETTERS = Vectorizer("whitespace").fit(["a", "b", "c"])


@pytest.mark.parametrize("spec", ["words lower", MAPPED, GRAMS])
@pytest.mark.parametrize("categories", [1, 4, 50])
def test_top_is_the_head_of_the_sorted_scores(spec: str, categories: int):
    scorer = scorer_of(Vectorizer(spec).fit(TRAINING), categories, threads=2)
    scores = scorer.scores(FRESH)
    order = np.argsort(-scores, axis=1, kind="stable")
    for k in (1, 3, categories, categories + 5):
        best, best_scores = scorer.top(FRESH, k)
        assert best.dtype == np.int32
        np.testing.assert_array_equal(best, order[:, :k])
        np.testing.assert_array_equal(best_scores, np.take_along_axis(scores, order[:, :k], 1))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(-2, 2), min_size=1, max_size=30), st.integers(1, 30))
def test_of_equal_categories_the_first_is_better(intercepts: list[int], k: int):
    scorer = TextScorer(LETTERS, sp.csr_matrix((len(intercepts), 3)), intercepts)
    best, scores = scorer.top(["a"], k)
    order = sorted(range(len(intercepts)), key=lambda category: -intercepts[category])[:k]
    assert best[0].tolist() == order
    assert scores[0].tolist() == [intercepts[category] for category in order]


@pytest.mark.parametrize("spec", ["words lower", MAPPED, GRAMS])
@pytest.mark.parametrize("threads", [1, 3])
def test_above_holds_the_scores_that_reach_their_threshold(spec: str, threads: int):
    texts = long_texts()
    scorer = scorer_of(Vectorizer(spec).fit(texts), categories=30, threads=threads)
    scores = scorer.scores(texts)
    thresholds = np.random.default_rng(3).normal(size=30)
    thresholds[:3] = -np.inf, np.inf, scores[7, 2]  # all, none, and one that is just reached
    found = scorer.above(texts, thresholds)
    assert found.has_canonical_format
    reached = scores >= thresholds
    np.testing.assert_array_equal(found.indptr, np.append(0, np.cumsum(reached.sum(axis=1))))
    np.testing.assert_array_equal(found.indices, np.nonzero(reached)[1])
    np.testing.assert_array_equal(found.data, scores[reached])
    assert reached[:, 0].all()
    assert not reached[:, 1].any()
    assert reached[7, 2]


def test_one_threshold_may_stand_for_all():
    scorer = scorer_of(Vectorizer().fit(TRAINING))
    found, same = scorer.above(FRESH, 0.5), scorer.above(FRESH, np.full(13, 0.5))
    np.testing.assert_array_equal(found.toarray(), same.toarray())


def test_a_score_of_zero_is_given_where_it_reaches_its_threshold():
    scorer = TextScorer(LETTERS, sp.csr_matrix((2, 3)), [0.0, 0.0])
    found = scorer.above(["a"], [0.0, 0.1])
    assert (found.nnz, found.indices.tolist(), found.data.tolist()) == (1, [0], [0.0])


def test_what_cannot_be_is_refused():
    scorer = scorer_of(Vectorizer().fit(TRAINING))
    with pytest.raises(UsageError, match="at least 1, got 0"):
        scorer.top(FRESH, 0)
    with pytest.raises(UsageError, match=r"thresholds .* 13 categories, got .* shape \(2,\)"):
        scorer.above(FRESH, [0.0, 0.0])
    with pytest.raises(InputError, match="not a number"):
        scorer.above(FRESH, np.nan)


# In a process of its own, whose peak memory is then that of this alone. A score for every category
# of every document would take 3.2 gigabytes.
MANY_CATEGORIES = textwrap.dedent(
    """
    import resource
    import numpy as np, scipy.sparse as sp
    from postil.model.scoring import TextScorer
    from postil.vectors.vectorizer import Vectorizer

    categories = 10**6
    vectorizer = Vectorizer("whitespace", threads=2).fit(["a b c"])
    places = np.array([[0, 1, 2, 2], [5, 999_999, 5, 7]])
    weights = sp.csr_matrix((np.float32([1, 2, 3, 4]), places), shape=(3, categories))
    scorer = TextScorer(vectorizer, weights.T, np.full(categories, -1.0))
    texts = ["a b c"] * 400
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    best, _ = scorer.top(texts, 4)
    found = scorer.above(texts, -0.5)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(best[399].tolist(), found[399].indices.tolist(), (peak - before) // 1024)
    """
)


def test_a_million_categories_take_a_row_for_each_thread():
    ran = subprocess.run(
        [sys.executable, "-c", MANY_CATEGORIES],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.stderr == ""
    best, found, megabytes = ran.stdout.replace("] ", "]|").strip().split("|")
    assert best == "[5, 7, 999999, 0]"
    assert found == "[5, 7, 999999]"
    assert int(megabytes) < 300
