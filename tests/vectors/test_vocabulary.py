"""Vocabularies: their order, their bounds, and merges of partial ones."""

from __future__ import annotations

import pickle
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from postil import _native
from postil.errors import UsageError
from postil.vectors.fields import Fields
from postil.vectors.vectorizer import Vectorizer
from postil.vectors.vocabulary import TermBounds, Vocabulary
from postil.vectors.weighting import Weighting

from . import reference
from .samples import (
    COUNTS,
    TRAINING,
    WORDS,
    corpora,
    counted,
    cut,
    filled_corpora,
    several_chunks_of_work,
)

THREADS = st.sampled_from([1, 2, 3, 8])
BOUNDS = st.builds(
    TermBounds,
    min_df=st.sampled_from([0, 1, 0.0, 0.2]),
    max_df=st.sampled_from([1.0, 0.75, 9]),
    max_terms=st.sampled_from([None, 1, 4]),
)


def vocabulary_of(texts: list[str], **settings: object) -> Vocabulary:
    return counted(texts, **settings).vocabulary


def test_terms_stand_by_falling_document_frequency_and_ties_by_bytes():
    vocabulary = vocabulary_of(["b a é", "b z A", "b a aé 油 𝔸 a", "ab"])
    assert vocabulary.names == ["b", "a", "A", "ab", "aé", "z", "é", "油", "𝔸"]
    assert vocabulary.documents.tolist() == [3, 2, 1, 1, 1, 1, 1, 1, 1]
    assert vocabulary.occurrences.tolist() == [3, 3, 1, 1, 1, 1, 1, 1, 1]
    assert vocabulary.total == 4
    assert len(vocabulary) == 9


def test_ties_by_bytes_beyond_the_first_eight():
    terms = ["12345678", "12345678a", "12345678a\0", "12345678b", "1234567", "12345678" * 3]
    assert vocabulary_of([" ".join(reversed(terms))]).names == sorted(terms, key=str.encode)


@settings(max_examples=80, deadline=None)
@given(filled_corpora, st.randoms(use_true_random=False), THREADS, st.lists(st.integers(0, 10)))
def test_the_set_of_documents_alone_decides(texts, random, threads: int, cuts: list[int]):
    shuffled = random.sample(texts, len(texts))
    streamed = Vectorizer("whitespace", weighting=COUNTS, threads=threads)
    streamed.fit_chunks(cut(shuffled, cuts))
    expected = vocabulary_of(texts)
    assert streamed.vocabulary == expected
    assert expected.names == reference.ranked(reference.count(texts))


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_any_number_of_threads_on_work_for_several(threads: int):
    texts = several_chunks_of_work()
    one, several = (Vectorizer("words", weighting=COUNTS, threads=n) for n in (1, threads))
    first, second = one.fit_transform(texts), several.fit_transform(texts)
    assert several.vocabulary == one.vocabulary
    assert one.vocabulary.names == reference.ranked(reference.count(texts))
    assert (first != second).nnz == 0
    assert first.sum() == sum(map(len, map(str.split, texts)))


@pytest.mark.parametrize(
    ("bounds", "least", "most"),
    [
        (TermBounds(min_df=2), 2, 6),
        (TermBounds(max_df=2), 1, 2),
        (TermBounds(min_df=0.5), 3, 6),
        (TermBounds(min_df=0.34), 3, 6),
        (TermBounds(max_df=0.5), 1, 3),
        (TermBounds(max_df=0.49), 1, 2),
        (TermBounds(min_df=2, max_df=0.5), 2, 3),
        (TermBounds(min_df=0.0, max_df=1.0), 1, 6),
        (TermBounds(min_df=0), 1, 6),
        (TermBounds(min_df=1, max_df=6), 1, 6),
    ],
)
def test_document_frequency_bounds(bounds: TermBounds, least: int, most: int):
    rows = reference.count(TRAINING)
    found = vocabulary_of(TRAINING, bounds=bounds)
    assert found.names == reference.ranked(rows, least, most)
    held = reference.document_frequencies(rows)
    assert found.documents.tolist() == [held[name] for name in found.names]


@pytest.mark.parametrize(("share", "least"), [(0.3, 3), (0.1, 1), (0.7, 7), (0.29, 3), (0.31, 4)])
def test_a_share_is_taken_exactly(share: float, least: int):
    assert TermBounds(min_df=share).limits(10)[0] == least
    assert TermBounds(min_df=0.0, max_df=share).limits(10)[1] == int(round(share * 10, 6))


def test_max_terms_keeps_those_that_occur_most_in_the_order_of_documents():
    texts = ["rare rare rare rare", "b a c", "b a", "b"]
    assert vocabulary_of(texts, bounds=TermBounds(max_terms=2)).names == ["b", "rare"]
    assert vocabulary_of(texts, bounds=TermBounds(max_terms=3)).names == ["b", "a", "rare"]
    assert len(vocabulary_of(texts, bounds=TermBounds(max_terms=99))) == 4


@pytest.mark.parametrize("max_terms", range(1, 6))
def test_max_terms_breaks_ties_by_bytes(max_terms: int):
    texts = ["e d c b a", "c d e"]
    rows = reference.count(texts)
    found = vocabulary_of(texts, bounds=TermBounds(max_terms=max_terms))
    assert found.names == reference.ranked(rows, max_terms=max_terms)


@settings(max_examples=80, deadline=None)
@given(st.lists(filled_corpora, min_size=1, max_size=4), BOUNDS)
def test_merged_parts_are_the_vocabulary_of_all(parts: list[list[str]], bounds: TermBounds):
    together = [text for part in parts for text in part]
    assume(len(together) > 1)  # of one document, three quarters are none
    least, most, _, _ = bounds.limits(len(together))
    merged = Vocabulary.merge([vocabulary_of(part) for part in parts], bounds)
    assert merged.names == reference.ranked(
        reference.count(together), least, most, bounds.max_terms
    )
    assert merged.total == len(together)
    if len(merged) > 0:  # a vectorizer refuses a vocabulary without a term
        assert merged == vocabulary_of(together, bounds=bounds)


def test_bounds_are_applied_to_the_merged_counts():
    parts = [vocabulary_of(["a b", "c"]), vocabulary_of(["a", "d d d d"])]
    assert Vocabulary.merge(parts, TermBounds(min_df=2)).names == ["a"]
    assert Vocabulary.merge(parts, TermBounds(max_terms=1)).names == ["d"]
    assert Vocabulary.merge(parts, TermBounds(max_df=1)).names == ["b", "c", "d"]


def test_merging_leaves_the_parts_as_they_were():
    part = vocabulary_of(["a b"])
    Vocabulary.merge([part, part])
    assert part == vocabulary_of(["a b"])


def test_a_merged_vocabulary_vectorizes_like_the_one_of_all():
    merged = Vocabulary.merge([vocabulary_of(TRAINING[:2]), vocabulary_of(TRAINING[2:])])
    found = Vectorizer("whitespace", weighting=COUNTS, vocabulary=merged).transform(TRAINING)
    assert (found != counted(TRAINING).transform(TRAINING)).nnz == 0


def test_merges_that_cannot_be():
    with pytest.raises(UsageError, match="at least one vocabulary"):
        Vocabulary.merge([])
    apart = Fields(("title", "body"), apart=True)
    with pytest.raises(UsageError, match="must have the same fields"):
        Vocabulary.merge([Vocabulary.of_terms(["a"]), Vocabulary.of_terms(["title:a"], apart)])


@pytest.mark.parametrize("fields", [Fields(), Fields(("title", "body"), apart=True)])
def test_pickling_keeps_everything(fields: Fields):
    texts = TRAINING if not fields.names else {"title": TRAINING, "body": TRAINING[::-1]}
    vocabulary = Vectorizer("whitespace", fields=fields, threads=1).fit(texts).vocabulary
    copy = pickle.loads(pickle.dumps(vocabulary))
    assert copy == vocabulary
    assert copy.column_of == vocabulary.column_of
    assert repr(copy) == f"Vocabulary({len(vocabulary)} terms of 6 documents)"


def test_equality_looks_at_terms_counts_and_fields():
    vocabulary = vocabulary_of(TRAINING)
    assert vocabulary == vocabulary_of(list(reversed(TRAINING)))
    assert vocabulary != vocabulary_of([*TRAINING, ""])
    assert vocabulary != vocabulary_of([*TRAINING[1:], "wool ferry harbour harbour"])
    assert vocabulary != vocabulary.names
    with pytest.raises(TypeError, match="unhashable"):
        hash(vocabulary)


@settings(deadline=None)
@given(st.lists(st.sampled_from(WORDS), unique=True))
def test_given_terms_stay_in_their_order(names: list[str]):
    vocabulary = Vocabulary.of_terms(iter(names))
    assert vocabulary.names == names
    assert vocabulary.column_of == {name: column for column, name in enumerate(names)}
    assert vocabulary.total == 0
    assert not vocabulary.documents.any()


@pytest.mark.parametrize(
    ("names", "message"), [(["a", "b", "a"], "stands twice.*a"), (["a", ""], "must not be empty")]
)
def test_given_terms_that_cannot_be(names: list[str], message: str):
    with pytest.raises(UsageError, match=message):
        Vocabulary.of_terms(names)


@pytest.mark.parametrize("name", ["min_df", "max_df"])
@pytest.mark.parametrize("value", [-1, -0.1, 1.5, True])
def test_bounds_that_cannot_be(name: str, value: float):
    with pytest.raises(UsageError, match=f"{name} must be a share.*got {value!r}"):
        TermBounds(**{name: value})


def test_bounds_that_leave_no_room():
    with pytest.raises(UsageError, match="max_terms must be a whole number of at least 1, got 0"):
        TermBounds(max_terms=0)
    with pytest.raises(UsageError, match=r"max_df=1 allows fewer documents \(1\) than min_df=3"):
        vocabulary_of(TRAINING, bounds=TermBounds(min_df=3, max_df=1))


@settings(max_examples=50, deadline=None)
@given(corpora, filled_corpora)
def test_columns_count_what_they_name(texts: list[str], training: list[str]):
    vectorizer = counted(training)
    rows = reference.count(texts)
    expected = [[row[name] for name in vectorizer.vocabulary.names] for row in rows]
    found = vectorizer.transform(texts).toarray()
    np.testing.assert_array_equal(found, np.reshape(expected, found.shape))


@pytest.mark.parametrize("bound", [np.float32(0.5), np.float64(0.5), 0.5])
def test_any_float_is_a_share(bound):
    assert TermBounds(min_df=bound).limits(10)[0] == 5


@pytest.mark.parametrize("bound", [float("nan"), "3", True, -1, 1.5, None])
def test_what_is_no_bound_is_refused_by_name(bound):
    with pytest.raises(UsageError, match="min_df must be a share"):
        TermBounds(min_df=bound)


def test_a_given_vocabulary_brings_its_fields():
    apart = Fields(("title", "body"), apart=True)
    known = Vocabulary.of_terms(["title:oil", "body:oil"], apart)
    vectorizer = Vectorizer(
        "words", vocabulary=known, weighting=Weighting("counts", "none", "none")
    )
    assert vectorizer.transform({"title": ["oil"], "body": ["oil oil"]}).toarray().tolist() == [
        [1, 2]
    ]
    with pytest.raises(UsageError, match="give both the same fields"):
        Vectorizer("words", vocabulary=known, fields=Fields())


def test_terms_that_are_no_text_are_refused():
    for bad in (["a\ud800"], [1]):
        with pytest.raises(ValueError, match="valid text"):
            Vocabulary.of_terms(bad)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("max_terms", [None, 30_000])
def test_many_terms_stand_in_order(threads: int, max_terms: int | None) -> None:
    """More than are sorted at once, many of which begin alike."""
    draw = random.Random(5)
    syllables = ["con", "ab", "q", "tion", "s", "pre", "fixation", "zz"]
    texts = [
        " ".join("".join(draw.choices(syllables, k=draw.randint(1, 7))) for _ in range(80))
        for _ in range(2_000)
    ]
    documents = Counter(word for text in texts for word in set(text.split()))
    occurrences = Counter(word for text in texts for word in text.split())
    kept = sorted(documents, key=lambda word: (-occurrences[word], word))[:max_terms]
    assert len(documents) > 40_000
    vectorizer = Vectorizer(
        "whitespace", weighting=COUNTS, bounds=TermBounds(max_terms=max_terms), threads=threads
    ).fit(texts)
    assert vectorizer.vocabulary.names == sorted(kept, key=lambda word: (-documents[word], word))


def test_counts_that_exceed_their_documents_are_ranked_all_the_same() -> None:
    names = ["b", "a", "d", "c"]
    counts = np.array([9, 7, 1, 9], dtype=np.uint64)
    collector = _native.TermCollector(keep_rows=False)
    collector.add_terms(_native.Vocabulary([0] * 4, names), counts, counts, 2)
    ranking = collector.rank(1, 9, 1, 9, 1)
    assert collector.vocabulary(ranking).terms() == ["b", "c", "a", "d"]


def test_a_batch_is_taken_in_once() -> None:
    counter = Vectorizer("words", threads=1)
    batch = counter.count((["one two"],), tallies=True)
    collector = _native.TermCollector(keep_rows=True)
    collector.add(batch, 1)
    with pytest.raises(ValueError, match="count the texts again"):
        collector.add(batch, 1)
