"""The whole road: one pass or two, any input, and copies of the vectorizer."""

from __future__ import annotations

import copy
import pickle
import sys
from contextlib import nullcontext
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.errors import InputError, PostilError, UsageError
from postil.vectors.fields import Fields
from postil.vectors.vectorizer import Vectorizer
from postil.vectors.vocabulary import TermBounds, Vocabulary
from postil.vectors.weighting import IDFS, NORMS, TFS, Weighting

from . import reference
from .samples import (
    COUNTS,
    FRESH,
    TRAINING,
    WORDS,
    assert_bit_equal,
    counted,
    filled_corpora,
    vectorizer_of,
)

SPECS = [
    "whitespace",
    "words lower stop(snowball:en) stem(porter)",
    "words lower ngrams(1,3)",
    "trec lower stem(porter-amended)",
    "words casefold fold-accents stem(english) ngrams(2)",
    "chars(1,3)",
    "chars-in-words(2,4) lower",
]
TERMS = {
    "vocabulary": {},
    "min_df": {"bounds": TermBounds(min_df=2)},
    "max_df": {"bounds": TermBounds(max_df=0.5)},
    "max_terms": {"bounds": TermBounds(max_terms=5)},
    "buckets": {"buckets": 11},
    "given": {"given": ["wool", "ferry", "fe", "e r", "é", "nowhere"]},
}
WEIGHTINGS = [Weighting(*parts) for parts in product(TFS, IDFS, NORMS, [False, True])]
ALL_SETTINGS = list(product(SPECS, TERMS, WEIGHTINGS))


@pytest.mark.parametrize("terms", TERMS)
@pytest.mark.parametrize("spec", SPECS)
def test_one_pass_gives_what_two_give(spec: str, terms: str):
    for number, weighting in enumerate(WEIGHTINGS):
        chosen = {"weighting": weighting, "threads": number % 3 + 1, **TERMS[terms]}
        one, two = vectorizer_of(spec, **chosen), vectorizer_of(spec, **chosen)
        assert_bit_equal(one.fit_transform(TRAINING), two.fit(TRAINING).transform(TRAINING))
        assert_bit_equal(one.transform(FRESH), two.transform(FRESH))
        assert one.vocabulary == two.vocabulary
        assert one.columns == two.columns == one.transform(FRESH).shape[1]


def two_passes(vectorizer: Vectorizer, texts: list[str]) -> sp.csr_matrix:
    return vectorizer.fit(texts).transform(texts)


@settings(max_examples=80, deadline=None)
@given(filled_corpora, st.sampled_from(ALL_SETTINGS), st.sampled_from([1, 2, 3]))
def test_one_pass_gives_what_two_give_for_any_texts(texts: list[str], chosen, threads: int):
    spec, terms, weighting = chosen
    one, two = (
        vectorizer_of(spec, weighting=weighting, threads=threads, **TERMS[terms]) for _ in "12"
    )
    found = matrix_or_refusal(Vectorizer.fit_transform, one, texts)
    expected = matrix_or_refusal(two_passes, two, texts)
    if isinstance(expected, str):
        assert found == expected
    else:
        assert_bit_equal(found, expected)


def matrix_or_refusal(make, vectorizer: Vectorizer, texts: list[str]) -> sp.csr_matrix | str:
    try:
        return make(vectorizer, texts)
    except PostilError as refusal:
        return f"{type(refusal)}: {refusal}"


@pytest.mark.parametrize("terms", TERMS)
@pytest.mark.parametrize("fields", [Fields(), Fields(("title", "body"), apart=True)])
def test_copies_vectorize_alike(fields: Fields, terms: str):
    training, fresh = TRAINING, FRESH
    if fields.names:
        training = {"title": TRAINING, "body": TRAINING[::-1]}
        fresh = {"title": FRESH, "body": FRESH[::-1]}
    chosen = dict(TERMS[terms])
    if terms == "given" and fields.names:
        chosen = {"vocabulary": Vocabulary.of_terms(["title:wool", "body:ferry"], fields)}
    vectorizer = vectorizer_of(
        "words lower stop(snowball:en) stem(porter)",
        fields=fields,
        weighting=Weighting("log", "glm2004", "l2", constant=True),
        threads=2,
        **chosen,
    ).fit(training)
    for twin in (pickle.loads(pickle.dumps(vectorizer)), copy.deepcopy(vectorizer)):
        assert_bit_equal(twin.transform(fresh), vectorizer.transform(fresh))
        assert twin.vocabulary == vectorizer.vocabulary
        np.testing.assert_array_equal(twin.idf, vectorizer.idf)
        assert (twin.columns, twin.documents) == (vectorizer.columns, vectorizer.documents)
        assert_bit_equal(twin.fit_transform(training), vectorizer.transform(training))


@pytest.mark.parametrize(
    "chosen",
    [
        {},
        {"buckets": 8},
        {"given": ["wool"]},
    ],
)
def test_a_copy_of_what_was_never_fitted_was_never_fitted(chosen: dict[str, object]):
    vectorizer = vectorizer_of("words", **chosen)
    for each in (vectorizer, pickle.loads(pickle.dumps(vectorizer))):
        with pytest.raises(UsageError, match="is not fitted: call fit first"):
            each.transform(["wool"])


def test_a_new_fit_forgets_the_last():
    vectorizer = Vectorizer("whitespace", weighting=Weighting(idf="glm2004"), threads=1)
    vectorizer.fit(["a", "b b", "c d e"])
    again = vectorizer.fit_transform(TRAINING)
    fresh = Vectorizer("whitespace", weighting=Weighting(idf="glm2004"), threads=1)
    assert_bit_equal(again, fresh.fit_transform(TRAINING))
    assert vectorizer.vocabulary == fresh.vocabulary


def test_empty_documents_are_empty_rows():
    matrix = Vectorizer(threads=1).fit_transform(["", "wool", "   ", "...", "\0"])
    assert matrix.shape == (5, 1)
    assert np.diff(matrix.indptr).tolist() == [0, 1, 0, 0, 0]
    assert matrix.data.tolist() == [1.0]


def test_no_documents_are_no_rows():
    assert counted(["wool ferry"]).transform([]).shape == (0, 2)


@pytest.mark.parametrize("texts", [[], [""], ["", " \n", "...!"]])
def test_a_corpus_without_a_word_is_refused(texts: list[str]):
    message = f"no terms in {len(texts)} documents: they are empty, or the analyzer 'words lower'"
    for call in ("fit", "fit_transform"):
        with pytest.raises(InputError, match=message):
            getattr(Vectorizer(), call)(texts)


def test_a_corpus_of_stop_words_is_refused():
    with pytest.raises(InputError, match=r"stop\(snowball:en\)' drops every word"):
        Vectorizer("words lower stop(snowball:en)").fit(["the of and"])


def test_bounds_that_keep_nothing_are_refused():
    with pytest.raises(InputError, match="keep none of 2 terms: lower min_df=2 or min_occ"):
        Vectorizer(bounds=TermBounds(min_df=2)).fit(["a", "b"])


def test_lone_surrogates_read_as_the_replacement_character():
    vectorizer = counted(["x\ud800y \udfff", "x\ufffdy", "wool"])
    assert vectorizer.vocabulary.names == ["x\ufffdy", "wool", "\ufffd"]
    assert vectorizer.transform(["x\udc00y x\ud83dy"]).toarray().tolist() == [[2, 0, 0]]
    copied = pickle.loads(pickle.dumps(vectorizer))
    assert copied.transform(["\udfff\ud800 \udfff"]).toarray().tolist() == [[0, 0, 1]]


def test_a_corpus_of_nothing_but_surrogates():
    assert counted(["\ud800" * 3, "\udfff" * 3]).vocabulary.names == ["\ufffd" * 3]
    with pytest.raises(InputError, match="no terms in 1 documents"):
        Vectorizer("words").fit(["\ud800\udfff"])


def test_nul_is_a_character_like_others():
    vectorizer = counted(["a\0b a\0 \0 a", "a\0b"])
    assert vectorizer.vocabulary.names == ["a\0b", "\0", "a", "a\0"]
    assert counted(["\0", "\0\0", "\0\0\0"]).vocabulary.names == ["\0", "\0\0", "\0\0\0"]
    assert Vectorizer("words").fit(["a\0b"]).vocabulary.names == ["a", "b"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.sampled_from(WORDS)).map(" ".join), min_size=1))
def test_bytes_and_str_give_the_same_matrix(texts: list[str]):
    vectorizer = counted([*texts, "wool"])
    encoded = [text.encode() for text in texts]
    assert_bit_equal(vectorizer.transform(encoded), vectorizer.transform(texts))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(max_size=60), min_size=1, max_size=5), st.sampled_from(SPECS))
def test_any_bytes_are_texts(data: list[bytes], spec: str):
    vectorizer = Vectorizer(spec, weighting=COUNTS, threads=1).fit([*data, b"wool ferry quay"])
    replaced = [text.decode("utf-8", "replace") for text in data]
    assert_bit_equal(vectorizer.transform(data), vectorizer.transform(replaced))


def test_what_holds_the_texts_does_not_matter():
    expected = counted(TRAINING).transform(TRAINING)
    for held in (tuple(TRAINING), np.array(TRAINING), np.array(TRAINING, dtype=object)):
        assert_bit_equal(counted(held).transform(held), expected)


@pytest.mark.parametrize("wrong", [None, 3, 1.5, ["a"], bytearray(b"a")])
def test_what_is_no_text_is_refused(wrong: object):
    with pytest.raises(TypeError, match=f"str or UTF-8 bytes, not {type(wrong).__name__}"):
        Vectorizer().fit(["a", wrong])


@pytest.mark.parametrize("last", ["the ferry", None], ids=["texts", "what is no text"])
def test_texts_are_held_no_longer_than_the_call(last: str | None):
    texts = [f"the ferry {number}" for number in range(40)]
    before = [sys.getrefcount(text) for text in texts]
    with nullcontext() if last else pytest.raises(TypeError):
        Vectorizer(fields=Fields(("title", "body"))).fit(
            {"title": texts, "body": [*texts[1:], last]}
        )
    assert [sys.getrefcount(text) for text in texts] == before


def test_fields_of_different_lengths_are_refused():
    vectorizer = Vectorizer(fields=Fields(("title", "body")))
    with pytest.raises(ValueError, match="one text for each document"):
        vectorizer.fit({"title": ["a", "b"], "body": ["a"]})


def test_a_given_vocabulary_is_not_learned_anew():
    vocabulary = Vocabulary.of_terms(["wool", "nowhere", "ferry"])
    vectorizer = Vectorizer("whitespace", weighting=Weighting(), vocabulary=vocabulary, threads=1)
    found = vectorizer.fit_transform(TRAINING)
    assert vectorizer.vocabulary is vocabulary
    rows = [
        {name: row[name] for name in vocabulary.names if row[name]}
        for row in reference.count(TRAINING)
    ]
    held = reference.document_frequencies(map(dict, rows))
    idf = [np.log(7 / (held[name] + 1)) + 1 for name in vocabulary.names]
    np.testing.assert_allclose(vectorizer.idf, idf)
    assert found.shape == (6, 3)
    assert not found[:, 1].nnz


def test_unknown_specs_are_refused_before_any_text_is_read():
    with pytest.raises(UsageError, match="wodrs"):
        Vectorizer("wodrs lower")


def test_long_words_are_told_apart_to_their_last_byte():
    stem = "x" * 100_000
    vectorizer = counted([f"{stem}a {stem}b", f"{stem}a"])
    assert vectorizer.transform([f"{stem}b {stem}c"]).toarray().tolist() == [[0, 1]]
