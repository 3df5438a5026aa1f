"""Scores straight from texts: those of the vectors times the weights, by every road."""

from __future__ import annotations

import copy
import pickle
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from postil import _native
from postil.errors import InputError, UsageError
from postil.model.scoring import TextScorer
from postil.text.analyzer import Analyzer
from postil.vectors.fields import Fields
from postil.vectors.vectorizer import Vectorizer
from postil.vectors.vocabulary import TermBounds, Vocabulary
from postil.vectors.weighting import IDFS, NORMS, TFS, Weighting

from .scoring_samples import (
    FRESH,
    GRAMS,
    MAPPED,
    TRAINING,
    assert_scores,
    long_texts,
    scorer_of,
)

SPECS = [
    "whitespace",
    "words lower",
    MAPPED,
    GRAMS,
    "words casefold fold-accents ngrams(2)",
    "trec lower stem(porter-amended)",
    "chars(1,3)",
    "chars-in-words(2,4) lower",
]
TERMS = {
    "vocabulary": {},
    "min_df": {"bounds": TermBounds(min_df=2)},
    "max_terms": {"bounds": TermBounds(max_terms=5)},
    "buckets": {"buckets": 11},
}
WEIGHTINGS = [Weighting(*parts) for parts in product(TFS, IDFS, NORMS, [False, True])]


@pytest.mark.parametrize("terms", TERMS)
@pytest.mark.parametrize("spec", SPECS)
def test_scores_are_vectors_times_weights(spec: str, terms: str):
    # A third of the weightings in each case: all meet every spec and every choice of terms.
    first = (SPECS.index(spec) + list(TERMS).index(terms)) % 3
    for number, weighting in list(enumerate(WEIGHTINGS))[first::3]:
        chosen = {"weighting": weighting, "threads": number % 3 + 1, **TERMS[terms]}
        vectorizer = Vectorizer(spec, **chosen).fit(TRAINING)
        scorer = scorer_of(vectorizer, categories=number % 20 + 1)
        assert_scores(scorer, FRESH)
        assert_scores(scorer, TRAINING)


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("spec", ["words lower", MAPPED, GRAMS])
def test_fields(spec: str, apart: bool):
    fields = Fields(("title", "body"), apart=apart)
    vectorizer = Vectorizer(spec, fields=fields, weighting=Weighting.named("glm2004"))
    vectorizer.fit({"title": TRAINING, "body": TRAINING[::-1]})
    scorer = scorer_of(vectorizer)
    assert_scores(scorer, {"body": FRESH[::-1], "title": FRESH})
    with pytest.raises(UsageError, match="title, body"):
        scorer.scores(FRESH)


@pytest.mark.parametrize("spec", ["words lower", MAPPED, GRAMS, "chars(2,3)"])
def test_bytes_score_as_their_text_does(spec: str):
    scorer = scorer_of(Vectorizer(spec).fit(TRAINING))
    encoded = [text.encode() for text in FRESH]
    np.testing.assert_array_equal(scorer.scores(encoded), scorer.scores(FRESH))


@settings(max_examples=100, deadline=None)
@given(
    texts=st.lists(st.text(max_size=60) | st.binary(max_size=60), max_size=6),
    spec=st.sampled_from(SPECS),
    buckets=st.sampled_from([None, 3]),
)
def test_any_text(texts: list[str | bytes], spec: str, buckets: int | None):
    vectorizer = Vectorizer(spec, weighting=Weighting.named("glm2004"), buckets=buckets, threads=2)
    vectorizer.fit([*texts[::2], *TRAINING])
    assert_scores(scorer_of(vectorizer), [*FRESH, *texts])


@pytest.mark.parametrize("spec", ["words lower", MAPPED, GRAMS])
def test_long_documents_score_the_same_on_any_number_of_threads(spec: str):
    texts = long_texts()
    vectorizer = Vectorizer(spec, weighting=Weighting.named("glm2004")).fit(texts[:30])
    one, three = (scorer_of(vectorizer, threads=threads) for threads in (1, 3))
    assert_scores(one, texts)
    np.testing.assert_array_equal(three.scores(texts), one.scores(texts))


@pytest.mark.parametrize("spec", ["words lower", MAPPED, GRAMS])
def test_no_documents(spec: str):
    scorer = scorer_of(Vectorizer(spec).fit(TRAINING), categories=3)
    assert scorer.scores([]).shape == (0, 3)


def test_no_categories():
    scorer = scorer_of(Vectorizer().fit(TRAINING), categories=0)
    assert scorer.scores(FRESH).shape == (5, 0)


def test_a_given_vocabulary_without_idf_needs_no_fit():
    vectorizer = Vectorizer(
        "words lower",
        vocabulary=Vocabulary.of_terms(["wool", "nowhere", "ferry"]),
        weighting=Weighting("binary", "none", "l2"),
    )
    scorer = TextScorer(vectorizer, sp.csr_matrix(np.eye(3)), [0.0, 0.0, 5.0])
    assert scorer.scores(["Wool"]).tolist() == [[1.0, 0.0, 5.0]]
    assert_scores(scorer, FRESH)


def test_the_constant_column_is_weighed_like_a_term():
    vectorizer = Vectorizer(weighting=Weighting(constant=True)).fit(TRAINING)
    weights = sp.csr_matrix(([3.0], ([1], [vectorizer.columns - 1])), (2, vectorizer.columns))
    scorer = TextScorer(vectorizer, weights, [1.0, 1.0])
    assert scorer.scores(["", "wool"]).tolist() == [[1.0, 4.0], [1.0, 4.0]]


def _reversed_rows(weights: sp.csr_matrix) -> sp.csr_matrix:
    flipped = weights[::-1]
    return sp.csr_matrix(
        (flipped.data[::-1].copy(), flipped.indices[::-1].copy(), weights.indptr), weights.shape
    )


def _stored_in_halves(weights: sp.csr_matrix) -> sp.csr_matrix:
    halves = np.repeat(weights.data / 2, 2), np.repeat(weights.indices, 2), weights.indptr * 2
    return sp.csr_matrix(halves, weights.shape)


@pytest.mark.parametrize(
    "held",
    [
        _reversed_rows,
        _stored_in_halves,
        sp.csr_matrix.tocsc,
        sp.csr_array,
        lambda weights: weights.astype(np.float64),
    ],
)
def test_weights_may_be_held_in_any_way(held):
    scorer = scorer_of(Vectorizer().fit(TRAINING), categories=40)
    weights = scorer._weights.matrix.tocsr()
    same = TextScorer(scorer.vectorizer, held(weights), scorer.intercepts)
    np.testing.assert_allclose(same.scores(FRESH), scorer.scores(FRESH), rtol=1e-12, atol=1e-12)


def test_weights_in_float32_are_not_copied():
    vectorizer = Vectorizer().fit(TRAINING)
    weights = sp.csc_matrix(np.ones((2, vectorizer.columns), dtype=np.float32))
    assert TextScorer(vectorizer, weights, [0.0, 0.0])._weights.data is weights.data


def _pickled(scorer: TextScorer) -> TextScorer:
    return pickle.loads(pickle.dumps(scorer))


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, _pickled])
def test_copies_score_alike(duplicate):
    scorer = scorer_of(Vectorizer(MAPPED).fit(TRAINING), threads=3, most_known_words=7)
    twin = duplicate(scorer)
    assert (twin.threads, twin.most_known_words) == (3, 7)
    np.testing.assert_array_equal(twin.scores(FRESH), scorer.scores(FRESH))


def test_what_does_not_fit_is_refused():
    vectorizer = Vectorizer().fit(TRAINING)
    right = sp.csr_matrix(np.ones((2, vectorizer.columns), dtype=np.float32))
    with pytest.raises(UsageError, match=f"{vectorizer.columns} columns, got 3"):
        TextScorer(vectorizer, right[:, :3], [0.0, 0.0])
    with pytest.raises(UsageError, match=r"intercepts .* 2 rows of weights, got .* shape \(1,\)"):
        TextScorer(vectorizer, right, [0.0])
    with pytest.raises(UsageError, match="sparse matrix"):
        TextScorer(vectorizer, right.toarray(), [0.0, 0.0])
    with pytest.raises(UsageError, match="intercepts must be one finite"):
        TextScorer(vectorizer, right, [0.0, np.nan])
    for value in (np.inf, np.nan, 1e39):
        with pytest.raises(InputError, match="finite as float32"):
            TextScorer(vectorizer, right.astype(np.float64) * value, [0.0, 0.0])
    with pytest.raises(UsageError, match="call fit first"):
        TextScorer(Vectorizer(), right, [0.0, 0.0])
    with pytest.raises(UsageError, match="call fit first"):
        TextScorer(Vectorizer(buckets=vectorizer.columns), right, [0.0, 0.0])


def test_a_text_that_is_none_is_named():
    scorer = scorer_of(Vectorizer().fit(TRAINING))
    with pytest.raises(TypeError, match="text 1: a text must be str or UTF-8 bytes, not NoneType"):
        scorer.scores(["wool", None])
    with pytest.raises(UsageError, match="wrap it in a list"):
        scorer.scores("wool")


def reading(**changes: object) -> _native.Reading:
    options = Analyzer("words").native_options().to_native()
    return _native.Reading(**{"column": 0, "space": 0, "options": options} | changes)


RIGHT: dict[str, object] = {
    "terms": _native.Vocabulary([0, 0], ["wool", "ferry"]),
    "readings": [reading()],
    "weighting": Weighting("counts", "none", "none").to_native(None, 0),
    "row_starts": np.array([0, 1, 3]),
    "categories": np.array([1, 0, 1], dtype=np.int32),
    "weights": np.array([2, 3, 4], dtype=np.float32),
    "intercepts": np.zeros(2),
}
WRONG = [
    ({"terms": "wool"}, "a Vocabulary, or a number"),
    ({"terms": 0}, "at least 1"),
    ({"terms": 3}, "a row of weights for each term"),
    ({"row_starts": np.array([0, 1, 4])}, "row starts must rise"),
    ({"row_starts": np.array([0, 5, 3])}, "row starts must rise"),
    ({"row_starts": np.array([-1, 1, 3])}, "row starts must rise"),
    ({"row_starts": np.array([], dtype=np.int64)}, "every term a row start"),
    ({"categories": np.array([1, 0, 2], dtype=np.int32)}, "does not exist"),
    ({"categories": np.array([1, 0, -1], dtype=np.int32)}, "does not exist"),
    ({"categories": np.array([1], dtype=np.int32)}, "every weight needs a category"),
    ({"weighting": Weighting().to_native(np.ones(3), 1)}, "one idf for each term"),
    ({"readings": [reading(word_map=0)]}, "needs a word map"),
]


@pytest.mark.parametrize(("change", "message"), WRONG)
def test_the_native_core_checks_what_it_reads(change: dict[str, object], message: str):
    assert _native.Scorer(**RIGHT).scores([["wool ferry"]], 1).tolist() == [[3.0, 6.0]]
    with pytest.raises(ValueError, match=message):
        _native.Scorer(**RIGHT | change)


def test_the_native_core_checks_what_it_is_asked():
    with pytest.raises(ValueError, match="shortest <= longest"):
        reading(grams=(2, 1))
    scorer = _native.Scorer(**RIGHT)
    with pytest.raises(ValueError, match="threads is at least 1"):
        scorer.scores([["wool"]], 0)
    with pytest.raises(ValueError, match="every column of texts needs a reading"):
        scorer.scores([["wool"], ["wool"]], 1)
    for kept in (0, 3):
        with pytest.raises(ValueError, match="at most the number of categories"):
            scorer.top([["wool"]], kept, 1)
    with pytest.raises(ValueError, match="a threshold for each category"):
        scorer.above([["wool"]], np.zeros(3), 1)
