"""Word steps and n-grams on their way through the native core."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
import Stemmer
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from postil.text.analyzer import Analyzer
from postil.vectors.counting import CachingWordMap
from postil.vectors.fields import Fields
from postil.vectors.vectorizer import TextChunk, Vectorizer

from . import reference
from .samples import COUNTS

TEXTS = [
    "The runners were running; the ponies ran, and the runner's pony was the fastest.",
    "Fasting ponies run faster than running waters, however fast the waters run.",
    "Was it the? Of and to.",
    "Relational conditional rational: vietnamization, caresses, caress, ponies, ties, tie.",
    "Ünïcödé wörds, STRASSE and straße; naïve cafés are relational too",
]
PIECES = ["The", "runs", "running", "pony", "ponies", "of", "Éclairs", "x", "1990s", "—", "a_b"]


def stemmed_grams(text: str, smallest: int, largest: int) -> list[str]:
    """``words(python) lower stop(sklearn) stem(porter) ngrams(m,n)`` in plain Python.

    A word without a stem (Porter leaves nothing of an ``s``) is dropped.
    """
    stemmer = Stemmer.Stemmer("porter")
    kept = [word for word in re.findall(r"\w+", text.lower()) if word not in ENGLISH_STOP_WORDS]
    stems = filter(None, map(stemmer.stemWord, kept))
    return reference.ngrams(list(stems), smallest, largest)


def check_grams(texts: list[str], sizes: tuple[int, int], threads: int) -> None:
    spec = f"words(python) lower stop(sklearn) stem(porter) ngrams({sizes[0]},{sizes[1]})"
    rows = reference.count(texts, lambda text: stemmed_grams(text, *sizes))
    names = reference.ranked(rows)
    vectorizer = Vectorizer(spec, weighting=COUNTS, threads=threads)
    if not names:
        with pytest.raises(ValueError, match="drops every word"):
            vectorizer.fit_transform(texts)
        return
    matrix = vectorizer.fit_transform(texts).toarray()
    assert vectorizer.vocabulary.names == names
    np.testing.assert_array_equal(matrix, [[row[name] for name in names] for row in rows])


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("sizes", [(1, 1), (1, 2), (2, 2), (1, 4), (3, 5)])
def test_stems_stop_words_and_ngrams_agree_with_plain_python(sizes, threads: int):
    check_grams(TEXTS, sizes, threads)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(PIECES)).map(" ".join), min_size=1, max_size=6),
    st.sampled_from([(1, 1), (1, 3), (2, 3)]),
    st.sampled_from([1, 2, 3]),
)
def test_any_words_agree_with_plain_python(texts: list[str], sizes, threads: int):
    check_grams(texts, sizes, threads)


def test_words_that_become_one_are_counted_as_one():
    vectorizer = Vectorizer("words lower stem(porter)", weighting=COUNTS, threads=1)
    matrix = vectorizer.fit_transform(["run runs running", "RUNS run", "walks"])
    assert vectorizer.vocabulary.names == ["run", "walk"]
    assert matrix.toarray().tolist() == [[3, 0], [2, 0], [0, 1]]


class Spy:
    """An analyzer's word map that notes what it is asked."""

    def __init__(self, spec: str) -> None:
        self.analyzer = Analyzer(spec)
        self.asked: list[list[str]] = []
        word_map = self.analyzer.word_map
        self.analyzer.word_map = lambda words: self.asked.append(words) or word_map(words)

    @property
    def times(self) -> Counter[str]:
        return Counter(word for words in self.asked for word in words)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("spec", ["words lower stem(porter)", "words lower stem(porter) ngrams(2)"])
def test_each_distinct_word_is_mapped_once(spec: str, threads: int):
    spy = Spy(spec)
    Vectorizer(spy.analyzer, weighting=COUNTS, threads=threads).fit_transform(TEXTS * 50)
    words = {word for text in TEXTS for word in re.findall(r"\w+", text.lower())}
    assert spy.times == Counter(words)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_word_of_several_fields_and_threads_is_mapped_once(threads: int):
    spy = Spy("words lower stem(porter)")
    fields = Fields(("title", "body"), apart=True)
    vectorizer = Vectorizer(spy.analyzer, fields=fields, weighting=COUNTS, threads=threads)
    many = [f"word{number} " * 1000 for number in range(3000)]  # work for several threads
    vectorizer.fit_transform({"title": many, "body": many})
    assert len(spy.asked) == 1
    assert set(spy.times.values()) == {1}
    assert len(spy.times) == 3000


def test_words_of_later_small_chunks_are_cached():
    spy = Spy("words lower stem(porter)")
    vectorizer = Vectorizer(spy.analyzer, weighting=COUNTS, threads=1)
    vectorizer.fit_chunks(TextChunk(([text],)) for text in TEXTS * 3)
    vectorizer.transform(TEXTS)
    assert set(spy.times.values()) == {1}


def test_what_is_cached_is_bounded_and_changes_nothing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(CachingWordMap, "MOST_CACHED", 10)
    monkeypatch.setattr(CachingWordMap, "SMALL_REQUEST", 6)
    caching = CachingWordMap(lambda words: [None if word == "no" else word for word in words])
    for start in range(0, 200, 3):
        words = [f"w{start + i}" for i in range(start % 9 + 1)]
        assert caching([*words, "no"]) == [*words, None]
        assert len(caching._cached) <= 10


def test_a_batch_says_how_many_documents_it_holds():
    counter = Vectorizer("words", threads=2)
    assert counter.count((["a", "", "b c"],)).documents == 3
    assert counter.count(([],)).documents == 0


@pytest.mark.parametrize(
    ("spec", "text", "expected"),
    [
        ("chars(2,3)", "abca", {"ab": 1, "bc": 1, "ca": 1, "abc": 1, "bca": 1}),
        ("chars-in-words(3)", "ab a", {" ab": 1, "ab ": 1, " a ": 1}),
        ("words lower min(2) max(3)", "a ab ABC abcd", {"ab": 1, "abc": 1}),
        ("words numbers(fold)", "7 18 x9", {"#": 2, "x9": 1}),
        ("words casefold fold-accents", "STRASSE straße Été", {"strasse": 2, "ete": 1}),
    ],
)
def test_other_steps_reach_the_matrix(spec: str, text: str, expected: dict[str, int]):
    vectorizer = Vectorizer(spec, weighting=COUNTS, threads=1)
    found = vectorizer.fit_transform([text]).toarray()[0]
    assert dict(zip(vectorizer.vocabulary.names, found, strict=True)) == expected
