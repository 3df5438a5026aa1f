"""A vectorizer that meets new documents: old columns stay, new terms come after them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.vectors.extending import admitted_terms, extend
from postil.vectors.fields import Fields
from postil.vectors.vectorizer import TextChunk, Vectorizer
from postil.vectors.vocabulary import TermBounds, Vocabulary
from postil.vectors.weighting import IDFS, NORMS, TFS, Weighting

OLD = ["wool and wool", "wool ferry", "harbour ferry", "and harbour"]
NEW = ["snow and wool", "snow snow ice", "ferry", ""]


def chunk(texts, fields=None):
    return TextChunk((fields or Fields()).columns(texts))


def by_one(texts):
    return [chunk([text]) for text in texts]


def fitted(**settings_):
    return Vectorizer("words", threads=1, **settings_).fit(OLD)


def test_known_terms_keep_their_columns_and_new_ones_follow():
    old = fitted()
    new = extend(old, [chunk(NEW)])
    names = new.vectorizer.vocabulary.names
    assert names[: len(old.vocabulary)] == old.vocabulary.names
    assert names[len(old.vocabulary) :] == ["snow", "ice"]  # by falling document frequency
    assert (new.new_terms, new.left_out) == (2, 0)
    assert "snow" not in old.vocabulary.names
    assert old.documents == 4


def test_counts_are_of_all_documents():
    new = extend(fitted(), [chunk(NEW)]).vectorizer.vocabulary
    held = Counter(word for text in OLD + NEW for word in set(text.split()))
    often = Counter(word for text in OLD + NEW for word in text.split())
    assert new.total == 8
    assert dict(zip(new.names, new.documents.tolist(), strict=True)) == held
    assert dict(zip(new.names, new.occurrences.tolist(), strict=True)) == often


@pytest.mark.parametrize("idf", IDFS)
def test_known_terms_keep_their_idf_and_new_ones_have_that_of_all_documents(idf):
    weighting = Weighting("counts", idf, "l2")
    old = fitted(weighting=weighting)
    new = extend(old, [chunk(NEW)]).vectorizer
    if idf == "none":
        assert new.idf is None
        return
    first = len(old.vocabulary)
    assert (new.idf[:first] == old.idf).all()
    expected = weighting.idf_of(np.array([2, 1], dtype=np.uint64), 8)
    np.testing.assert_array_equal(new.idf[first:], expected)
    assert new.documents == 8


words = st.sampled_from(["wool", "and", "ferry", "snow", "ice", "é", "油井", "sea"])
texts = st.lists(st.lists(words, max_size=6).map(" ".join), min_size=1, max_size=6)


@settings(max_examples=60, deadline=None)
@given(
    new=texts,
    tf=st.sampled_from(TFS),
    idf=st.sampled_from(IDFS),
    norm=st.sampled_from(NORMS),
    constant=st.booleans(),
    least=st.integers(1, 2),
    room=st.one_of(st.none(), st.integers(2, 7)),
)
def test_the_matrix_is_that_of_the_extended_vectorizer(new, tf, idf, norm, constant, least, room):
    bounds = TermBounds(min_df=least, max_terms=room)
    old = fitted(weighting=Weighting(tf, idf, norm, constant), bounds=bounds)
    found = extend(old, by_one(new))
    assert found.matrix.shape == (len(new), found.vectorizer.columns)
    assert found.matrix.has_canonical_format
    np.testing.assert_allclose(
        found.matrix.toarray(), found.vectorizer.transform(new).toarray(), rtol=3e-7, atol=1e-9
    )
    if room is not None:
        assert len(found.vectorizer.vocabulary) <= max(room, len(old.vocabulary))


def test_chunks_and_threads_do_not_matter():
    one = extend(fitted(), [chunk(NEW)])
    other = Vectorizer("words", threads=3).fit(OLD)
    many = extend(other, by_one(NEW))
    assert one.vectorizer.vocabulary == many.vectorizer.vocabulary
    assert (one.matrix.toarray() == many.matrix.toarray()).all()


def test_fields_apart_stay_apart():
    fields = Fields(("title", "body"), apart=True)
    old = Vectorizer("words", fields=fields, threads=1).fit({"title": ["wool"], "body": ["sea"]})
    new = {"title": ["sea"], "body": ["sea ice"]}
    found = extend(old, [chunk(new, fields)])
    assert found.vectorizer.vocabulary.names == ["body:sea", "title:wool", "body:ice", "title:sea"]
    np.testing.assert_allclose(
        found.matrix.toarray(), found.vectorizer.transform(new).toarray(), rtol=1e-6
    )


def test_hash_buckets_need_nothing():
    old = Vectorizer("words", buckets=16, threads=1).fit(OLD)
    found = extend(old, by_one(NEW))
    assert found.new_terms == 0
    assert found.vectorizer.documents == 8
    assert old.documents == 4
    assert (found.matrix.toarray() == old.transform(NEW).toarray()).all()


def test_a_given_vocabulary_does_not_grow():
    given_terms = Vocabulary.of_terms(["wool", "sea"])
    old = Vectorizer("words", vocabulary=given_terms, threads=1).fit(OLD)
    found = extend(old, [chunk(NEW)])
    assert found.vectorizer.vocabulary.names == ["wool", "sea"]
    assert (found.matrix.toarray() == old.transform(NEW).toarray()).all()


def test_texts_without_a_term_give_empty_rows():
    found = extend(fitted(), [chunk(["", "  "])])
    assert found.matrix.nnz == 0
    assert found.new_terms == 0
    assert found.vectorizer.documents == 6


def test_upper_bounds_hold_and_lower_ones_are_not_asked():
    held = np.array([3, 1, 2, 2], dtype=np.uint64)
    often = np.array([3, 9, 2, 5], dtype=np.uint64)

    def kept(total=10, known=4, **bounds):
        return np.flatnonzero(
            admitted_terms(TermBounds(**bounds), held, often, total, known)
        ).tolist()

    assert kept() == [0, 1, 2, 3]
    assert kept(min_df=2) == kept(min_df=0.5) == kept(min_occurrences=9) == [0, 1, 2, 3]
    assert kept(max_df=2) == [1, 2, 3]
    assert kept(max_df=0.1) == [1]  # of 10 documents
    assert kept(max_terms=6) == [1, 3]  # room for two: those that occur most often
    assert kept(max_terms=4) == kept(max_terms=3) == []


def test_left_out_terms_are_counted():
    known = len(fitted().vocabulary)
    found = extend(fitted(bounds=TermBounds(max_terms=known + 1)), [chunk(NEW)])
    assert (found.new_terms, found.left_out) == (1, 1)
    assert found.vectorizer.vocabulary.names[-1] == "snow"
