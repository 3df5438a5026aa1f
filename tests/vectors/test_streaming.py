"""Chunks of a stream: the same matrix as in one piece, and test documents on the way."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.errors import InputError, UsageError
from postil.vectors.fields import Fields
from postil.vectors.vectorizer import TextChunk, Vectorizer
from postil.vectors.vocabulary import TermBounds
from postil.vectors.weighting import Weighting

from .samples import (
    COUNTS,
    FRESH,
    TRAINING,
    assert_bit_equal,
    cut,
    filled_corpora,
    several_chunks_of_work,
    vectorizer_of,
)

GLM = Weighting("log", "glm2004", "l2", constant=True)
GIVEN = ["wool", "ferry", "a", "é", "b"]
SETTINGS = [
    {"weighting": GLM},
    {"weighting": Weighting(), "bounds": TermBounds(min_df=1, max_terms=4)},
    {"weighting": COUNTS, "buckets": 7},
    {"weighting": GLM, "buckets": 7},
    {"weighting": COUNTS, "given": GIVEN},
    {"weighting": GLM, "given": GIVEN},
]
SPECS = ["whitespace", "whitespace stem(porter)", "whitespace ngrams(1,2)"]


@settings(max_examples=120, deadline=None)
@given(
    filled_corpora,
    st.lists(st.integers(0, 10), max_size=4),
    st.sampled_from(SETTINGS),
    st.sampled_from(SPECS),
    st.sampled_from([1, 2, 3, 8]),
)
def test_chunks_give_what_one_piece_gives(texts, cuts, chosen, spec: str, threads: int):
    whole = vectorizer_of(spec, threads=1, **chosen)
    streamed = vectorizer_of(spec, threads=threads, **chosen)
    expected = whole.fit_transform(texts)
    assert_bit_equal(streamed.fit_transform_chunks(cut(texts, cuts)), expected)
    assert streamed.vocabulary == whole.vocabulary
    learned_only = vectorizer_of(spec, threads=threads, **chosen).fit_chunks(cut(texts, cuts))
    assert_bit_equal(learned_only.transform(texts), expected)


@pytest.mark.parametrize("size", [1, 37, 300])
@pytest.mark.parametrize("threads", [1, 3])
def test_chunks_of_a_larger_corpus(size: int, threads: int):
    texts = several_chunks_of_work()
    whole = Vectorizer("words lower", weighting=GLM, threads=2)
    streamed = Vectorizer("words lower", weighting=GLM, threads=threads)
    found = streamed.fit_transform_chunks(cut(texts, list(range(0, 300, size))))
    assert_bit_equal(found, whole.fit_transform(texts))


def test_a_stream_is_walked_once():
    steps = iter(cut(TRAINING, [1, 2, 3]))
    vectorizer = Vectorizer("whitespace", weighting=GLM)
    found = vectorizer.fit_transform_chunks(steps)
    assert_bit_equal(found, Vectorizer("whitespace", weighting=GLM).fit_transform(TRAINING))
    assert next(steps, None) is None


@pytest.mark.parametrize("chosen", [{"buckets": 7}, {"given": GIVEN}])
def test_an_idf_of_fixed_columns_takes_two_walks(chosen: dict[str, object]):
    with pytest.raises(UsageError, match="read twice, not an iterator"):
        vectorizer_of("words", **chosen).fit_transform_chunks(iter(cut(TRAINING, [2])))
    once = vectorizer_of("words", weighting=COUNTS, **chosen)
    assert once.fit_transform_chunks(iter(cut(TRAINING, [2]))).shape == (6, once.columns)


@pytest.mark.parametrize(
    "chosen",
    [
        {"buckets": 7},
        {"given": GIVEN},
        {},
    ],
)
def test_texts_that_can_be_walked_only_once_lose_no_row(chosen: dict[str, object]):
    """Either they are vectorized all the same or they are refused."""
    expected = vectorizer_of("whitespace", **chosen).fit_transform(TRAINING)
    vectorizer = vectorizer_of("whitespace", **chosen)
    try:
        found = vectorizer.fit_transform(text for text in TRAINING)
    except UsageError:
        return
    assert_bit_equal(found, expected)


@pytest.mark.parametrize("chosen", SETTINGS)
@pytest.mark.parametrize("threads", [1, 3])
def test_documents_not_learned_from_get_rows_and_nothing_else(chosen, threads: int):
    texts = [*TRAINING, *FRESH]
    learned = [True] * len(TRAINING) + [False] * len(FRESH)
    order = [3, 7, 0, 9, 1, 8, 5, 2, 6, 4]
    mixed = [texts[i] for i in order]
    flags = [learned[i] for i in order]
    chunks = [TextChunk((mixed[:4],), flags[:4]), TextChunk((mixed[4:],), flags[4:])]

    expected = vectorizer_of("whitespace", threads=1, **chosen).fit(TRAINING)
    vectorizer = vectorizer_of("whitespace", threads=threads, **chosen)
    assert_bit_equal(vectorizer.fit_transform_chunks(chunks), expected.transform(mixed))
    assert vectorizer.vocabulary == expected.vocabulary
    fitted = vectorizer_of("whitespace", threads=threads, **chosen).fit_chunks(chunks)
    assert fitted.documents == expected.documents
    assert_bit_equal(fitted.transform(FRESH), expected.transform(FRESH))


def test_all_learned_is_the_same_as_not_saying():
    said = [TextChunk((TRAINING,), [True] * len(TRAINING))]
    found = Vectorizer("whitespace", weighting=GLM).fit_transform_chunks(said)
    assert_bit_equal(found, Vectorizer("whitespace", weighting=GLM).fit_transform(TRAINING))


def test_every_document_says_whether_it_is_learned_from():
    with pytest.raises(ValueError, match="learned has 1 flags"):
        Vectorizer().fit_transform_chunks([TextChunk((["a", "b"],), [True])])


def test_an_empty_stream_is_refused():
    with pytest.raises(InputError, match="no terms in 0 documents"):
        Vectorizer().fit_transform_chunks([])


def test_fields_stream_too():
    fields = Fields(("title", "body"), apart=True)
    titles, bodies = TRAINING, TRAINING[::-1]
    chunks = [TextChunk((titles[a : a + 2], bodies[a : a + 2])) for a in (0, 2, 4)]
    streamed = Vectorizer("whitespace", fields=fields).fit_transform_chunks(chunks)
    whole = Vectorizer("whitespace", fields=fields)
    assert_bit_equal(streamed, whole.fit_transform({"title": titles, "body": bodies}))


def test_chunks_transform_one_by_one():
    vectorizer = Vectorizer("whitespace", weighting=GLM).fit(TRAINING)
    parts = [vectorizer.transform_columns(chunk.columns) for chunk in cut(FRESH, [1, 3])]
    expected = vectorizer.transform(FRESH)
    np.testing.assert_array_equal(sp.vstack(parts).toarray(), expected.toarray())
