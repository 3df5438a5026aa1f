"""Hash buckets in place of a vocabulary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.errors import UsageError
from postil.vectors.fields import Fields
from postil.vectors.vectorizer import MOST_BUCKETS, Vectorizer
from postil.vectors.vocabulary import Vocabulary
from postil.vectors.weighting import Weighting

from . import reference
from .samples import COUNTS, FRESH, TRAINING, WORDS, assert_bit_equal, corpora, counted

APART = Fields(("title", "body"), apart=True)

# Buckets of 2^20 for a word of plain texts, or of a title, and for the same word of a body kept
# apart. Models hold weights by bucket: these numbers never change.
GOLDEN = {
    "a": (89490, 682065),
    "oil": (491819, 868907),
    "eight888": (682874, 369170),
    "nine99999": (897616, 1045741),
    "a-word-of-more-than-sixteen-bytes": (153299, 878405),
    "straße": (217992, 270072),
    "油": (700864, 376578),
    "\0": (590050, 565803),
    "\ufffd": (858434, 695065),
}


def hashed(buckets: int, **settings: object) -> Vectorizer:
    return Vectorizer("whitespace", buckets=buckets, **{"weighting": COUNTS, **settings})


@pytest.mark.parametrize("term", GOLDEN)
def test_buckets_never_change(term: str):
    plain, in_body = GOLDEN[term]
    assert hashed(2**20).transform([term]).indices.tolist() == [plain]
    apart = hashed(2**20, fields=APART).transform({"title": [term], "body": [term]})
    assert apart.indices.tolist() == sorted([plain, in_body])


@settings(max_examples=100, deadline=None)
@given(st.text("aé油𝔸\0", min_size=1, max_size=30), st.sampled_from([1, 2, 7, 1000, MOST_BUCKETS]))
def test_buckets_are_the_documented_hash(term: str, buckets: int):
    found = hashed(buckets, threads=1).transform([term])
    assert found.indices.tolist() == [reference.bucket(term, 0, buckets)]
    assert found.shape == (1, buckets)


@settings(max_examples=60, deadline=None)
@given(corpora, st.sampled_from([1, 2, 5, 64]), st.sampled_from([1, 2, 3, 8]))
def test_sums_are_preserved_and_colliding_terms_count_as_one(texts, buckets: int, threads: int):
    found = hashed(buckets, threads=threads).transform(texts).toarray()
    expected = np.zeros((len(texts), buckets))
    for row, counts in enumerate(reference.count(texts)):
        for term, count in counts.items():
            expected[row, reference.bucket(term, 0, buckets)] += count
    np.testing.assert_array_equal(found, expected)
    assert found.sum() == sum(map(len, map(str.split, texts)))


def test_without_collisions_buckets_hold_the_same_weights_as_a_vocabulary():
    weighting = Weighting("log", "smooth", "l2")
    found = hashed(2**20, weighting=weighting).fit_transform(TRAINING)
    expected = Vectorizer("whitespace", weighting=weighting).fit_transform(TRAINING)
    for row in range(len(TRAINING)):
        np.testing.assert_allclose(
            sorted(found[row].data), sorted(expected[row].data), rtol=1e-6, err_msg=TRAINING[row]
        )


def test_the_idf_of_a_bucket_is_that_of_its_documents():
    weighting = Weighting("binary", "glm2004", "none")
    vectorizer = hashed(3, weighting=weighting)
    found = vectorizer.fit_transform(TRAINING).toarray()
    present = hashed(3).transform(TRAINING).toarray() > 0
    idf = np.log((len(TRAINING) + 1) / (present.sum(axis=0) + 1))
    np.testing.assert_allclose(vectorizer.idf, idf)
    np.testing.assert_allclose(found, present * idf, rtol=1e-6)


def test_rows_are_sorted_and_hold_a_bucket_once():
    matrix = hashed(4).transform([" ".join(WORDS * 3)] * 3)
    assert matrix.has_canonical_format
    for row in range(3):
        assert matrix[row].indices.tolist() == sorted(set(matrix[row].indices.tolist()))


def test_without_an_idf_there_is_nothing_to_fit():
    fitted = hashed(16).fit(TRAINING)
    assert_bit_equal(hashed(16).transform(FRESH), fitted.transform(FRESH))
    with pytest.raises(UsageError, match="call fit first"):
        hashed(16, weighting=Weighting()).transform(FRESH)


def test_the_constant_stands_behind_the_last_bucket():
    vectorizer = hashed(8, weighting=Weighting("counts", "none", "none", constant=True))
    found = vectorizer.transform(FRESH)
    assert vectorizer.terms == 8
    assert found.shape == (len(FRESH), 9)
    np.testing.assert_array_equal(found[:, 8].toarray(), 1.0)


@pytest.mark.parametrize("buckets", [0, -1, MOST_BUCKETS + 1])
def test_numbers_of_buckets_that_cannot_be(buckets: int):
    with pytest.raises(UsageError, match=f"from 1 to .* got {buckets}"):
        hashed(buckets)


def test_buckets_and_a_vocabulary_exclude_each_other():
    with pytest.raises(UsageError, match="give one of the two"):
        hashed(8, vocabulary=counted(TRAINING).vocabulary)
    with pytest.raises(UsageError, match="give one of the two"):
        hashed(8, vocabulary=Vocabulary.of_terms([]))
