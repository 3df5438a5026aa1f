"""Fields of documents, joined or apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.corpus.document import Document
from postil.errors import UsageError
from postil.vectors.fields import MOST_FIELDS, Fields
from postil.vectors.vectorizer import Vectorizer

from .samples import COUNTS

APART = Fields(("title", "body"), apart=True)
JOINED = Fields(("title", "body"))
STORIES = {"title": ["oil oil price", "wool"], "body": ["oil rises", "wool oil price"]}


def counts_by_name(fields: Fields, texts, spec: str = "whitespace") -> list[dict[str, float]]:
    vectorizer = Vectorizer(spec, fields=fields, weighting=COUNTS, threads=2)
    matrix = vectorizer.fit_transform(texts)
    names = vectorizer.vocabulary.names
    return [
        {names[column]: value for column, value in zip(row.indices, row.data, strict=True)}
        for row in matrix
    ]


def test_a_title_word_kept_apart_is_another_term_than_the_same_body_word():
    assert counts_by_name(APART, STORIES) == [
        {"title:oil": 2, "title:price": 1, "body:oil": 1, "body:rises": 1},
        {"title:wool": 1, "body:wool": 1, "body:oil": 1, "body:price": 1},
    ]


def test_joined_a_word_is_one_term_wherever_it_stands():
    assert counts_by_name(JOINED, STORIES) == [
        {"oil": 3, "price": 1, "rises": 1},
        {"wool": 2, "oil": 1, "price": 1},
    ]


@pytest.mark.parametrize("fields", [JOINED, APART])
def test_ngrams_do_not_cross_fields(fields: Fields):
    found = counts_by_name(fields, {"title": ["a b", "a"], "body": ["c d", ""]}, "words ngrams(2)")
    grams = ["a b", "c d"] if fields is JOINED else ["title:a b", "body:c d"]
    assert found == [dict.fromkeys(grams, 1), {}]


def test_the_order_of_fields_is_that_of_their_names_not_of_the_mapping():
    turned = dict(reversed(STORIES.items()))
    assert counts_by_name(APART, turned) == counts_by_name(APART, STORIES)


def test_a_term_may_hold_the_separator():
    found = counts_by_name(APART, {"title": ["body:oil"], "body": ["a:b:c"]})
    assert found == [{"title:body:oil": 1, "body:a:b:c": 1}]


def test_equal_terms_of_several_fields_stand_in_the_order_of_the_fields():
    vectorizer = Vectorizer("whitespace", fields=APART, weighting=COUNTS, threads=1)
    vectorizer.fit({"title": ["x a"], "body": ["a x"]})
    assert vectorizer.vocabulary.names == ["title:a", "body:a", "title:x", "body:x"]


def test_documents_become_columns_and_an_absent_field_is_empty():
    stories = [
        Document("1", {"body": "b1", "title": "t1"}),
        Document("2", {"body": "b2"}),
        Document("3", {"dateline": "d3"}),
    ]
    assert [list(c) for c in JOINED.columns_of(stories)] == [["t1", "", ""], ["b1", "b2", ""]]
    assert [list(c) for c in Fields().columns_of(iter(stories))] == [["b1\nt1", "b2", "d3"]]


def test_spaces_number_the_fields_that_are_apart():
    assert Fields().spaces == [0]
    assert JOINED.spaces == [0, 0]
    assert APART.spaces == [0, 1]


def test_as_many_fields_as_there_are_spaces():
    names = tuple(f"f{number}" for number in range(MOST_FIELDS))
    texts = {name: ["word"] for name in names}
    found = counts_by_name(Fields(names, apart=True), texts)
    assert found == [{f"{name}:word": 1 for name in names}]


@given(st.integers(0, 1), st.text(":ab é", min_size=1))
def test_names_of_terms_read_back(space: int, term: str):
    assert APART.parse_term(APART.term_name(space, term)) == (space, term)
    assert JOINED.parse_term(JOINED.term_name(space, term)) == (0, term)


@pytest.mark.parametrize(
    ("names", "apart", "message"),
    [
        ((), True, "two or more"),
        (("title",), True, "two or more"),
        (("title", "title"), False, "must differ, got title, title"),
        (("a:b", "c"), False, "or contain ':', got 'a:b'"),
        (("", "c"), False, "must not be empty"),
        (tuple(map(str, range(MOST_FIELDS + 1))), False, "at most 256 fields, got 257"),
    ],
)
def test_fields_that_cannot_be(names: tuple[str, ...], apart: bool, message: str):
    with pytest.raises(UsageError, match=message):
        Fields(names, apart)


@pytest.mark.parametrize(
    ("fields", "texts", "message"),
    [
        (Fields(), "one text", "got one text"),
        (Fields(), b"one text", "got one text"),
        (Fields(), {"title": ["a"]}, "have the fields title, and the vectorizer takes plain texts"),
        (JOINED, ["a"], "documents have the fields title, body: pass a mapping"),
        (JOINED, {"title": ["a"]}, "have the fields title, and the vectorizer takes title, body"),
    ],
)
def test_texts_that_do_not_fit_the_fields(fields: Fields, texts, message: str):
    with pytest.raises(UsageError, match=message):
        fields.columns(texts)


@pytest.mark.parametrize("name", ["oil", "dateline:oil", ":oil"])
def test_a_name_without_a_known_field_is_no_term(name: str):
    with pytest.raises(UsageError, match="FIELD:TERM"):
        APART.parse_term(name)


def test_one_named_field_takes_texts_and_mappings():
    fields = Fields(("body",))
    assert fields.columns(["a"]) == (["a"],)
    assert fields.columns({"title": ["t"], "body": ["b"]}) == (["b"],)
