"""Every writable format through the same properties: what is written is what is read."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from postil.corpus.document import Document, name_fault
from postil.corpus.formats import FORMATS
from postil.corpus.opening import open_corpus
from postil.corpus.options import ReadOptions, WriteOptions
from postil.corpus.writing import write_corpus
from postil.errors import DocumentError, UsageError

WRITABLE = [format.name for format in FORMATS.values() if format.write is not None]
TABLES = {"jsonl", "csv", "tsv", "parquet", "xlsx", "label-studio"}
TOOLS = {"label-studio", "doccano", "prodigy"}
FIELDS = ("title", "body", "odd name")

tricky = st.sampled_from(list(" ,;|\t\n\r\v\f\"'<>/\\%.\0\x85\xa0\u2028\ufeffaß字\U0001f600"))
text = st.text(st.one_of(tricky, st.characters()), max_size=12)
labels = st.lists(text.filter(bool), max_size=3, unique=True).map(tuple)
split = st.sampled_from([None, "train", "test"])
weights = st.sampled_from([1.0, 0.0, 0.1, 3.0])


@st.composite
def memberships(draw):
    """Labels, split, weight, group, known-negative and uncertain labels of a document."""
    names = draw(st.lists(text.filter(bool), max_size=4, unique=True))
    certain, unsure, negative = names[:2], names[2:3], names[3:]
    chances = {name: draw(st.sampled_from([0.25, 0.75])) for name in unsure}
    return (
        (*certain, *(name for name, chance in chances.items() if chance > 0.5)),
        draw(split),
        draw(weights),
        draw(st.none() | text.filter(bool)),
        draw(st.sampled_from([None, tuple(negative)])),
        chances,
    )


@st.composite
def corpora(draw):
    """Documents with unique ids, known fields (some absent) and any labels."""
    identities = draw(st.lists(text.filter(bool), min_size=1, max_size=4, unique=True))
    return [
        Document(
            identity,
            draw(st.dictionaries(st.sampled_from(FIELDS), text, max_size=3)),
            *draw(memberships()),
        )
        for identity in identities
    ]


plain_word = st.text("abcdefgh-ßé字", min_size=1, max_size=5)


@st.composite
def plain_corpora(draw):
    """Documents that every format carries: words as labels, one field, a split for all."""
    count = draw(st.integers(1, 4))
    plain_text = st.text("ab 字\n,;\"'", max_size=10)
    return [
        Document(
            f"document {number}",
            {"text": draw(plain_text)},
            tuple(draw(st.lists(plain_word, max_size=3, unique=True))),
            "train",
        )
        for number in range(count)
    ]


def read_options(name, documents):
    """Return the reader's options: the columns with text, if there are columns."""
    if name not in TABLES:
        return ReadOptions(format=name)
    fields = dict.fromkeys(field for document in documents for field in document.fields)
    columns = {field: field for field in fields} or None
    return ReadOptions(format=name, text_columns=columns)


def one_line(document):
    return re.sub(r"[\r\n]+", " ", " ".join(filter(None, document.fields.values())))


def expected(name, documents):
    """The documents as the format's documentation says they come back."""
    if name in {"jsonl", "parquet"}:
        return found(name, documents)
    if name in {"csv", "tsv", "xlsx"}:
        every = {field for document in documents for field in document.fields}
        absent = dict.fromkeys(every, "")
        return found(name, [replace(d, fields={**absent, **d.fields}) for d in documents])
    if name in TOOLS:
        return [judged(name, document) for document in found(name, documents)]
    if name == "folders":
        joined = ("\n\n".join(filter(None, d.fields.values())) for d in documents)
        return Counter(
            (body, frozenset(d.labels), d.split) for d, body in zip(documents, joined, strict=True)
        )
    lines = [one_line(document) for document in documents]
    if name == "annif":
        lines = [line.replace("\t", " ") for line in lines]
    names = [f"line-{number}" for number in range(1, len(lines) + 1)]
    kept = [() if name == "lines" else document.labels for document in documents]
    return [
        (identity, {"text": line}, label, None, 1.0, None, None, {})
        for identity, line, label in zip(names, lines, kept, strict=True)
    ]


def judged(name, document):
    """The document as it comes back from a tool: what is uncertain is for a person to judge."""
    identity, texts, given, part, weight, group, negative, chances = document
    if name != "label-studio":
        texts = {"text": "\n\n".join(filter(None, texts.values()))}
    if name == "prodigy":
        given = tuple(label for label in given if label not in chances)
    if name == "label-studio" and chances:
        given = ()
    if negative is None and (not given or (chances and name != "doccano")):
        negative = ()  # nobody has looked: nothing is known
    return (identity, texts, given, part, weight, group, negative, {})


def found(name, corpus):
    if name == "folders":
        return Counter((d.fields["text"], frozenset(d.labels), d.split) for d in corpus)
    names = [each.name for each in fields(Document) if each.compare]
    return [tuple(getattr(document, name) for name in names) for document in corpus]


def round_trip(name, documents, options=None):
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "corpus"
        count = write_corpus(documents, target, name, options)
        assert count == len(documents)
        corpus = open_corpus(target, read_options(name, documents))
        once = found(name, corpus)
        assert once == found(name, corpus), "a second walk gives the same"
        assert [path.name for path in Path(folder).iterdir()] == ["corpus"]
        return once


quick = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("name", WRITABLE)
@quick
@given(documents=plain_corpora())
def test_plain_documents_come_back(name, documents):
    assert round_trip(name, documents) == expected(name, documents)


@pytest.mark.parametrize("name", WRITABLE)
@quick
@given(documents=corpora())
@example(documents=[Document("a", {"body": "\ufeff begins with a mark"})])
@example(documents=[Document("a", {"body": "x\0y"}, ("\0",))])
@example(documents=[Document("a", {"body": "half \ud800"}, ("a",))])
@example(documents=[Document("half \ud800", {"body": "b"})])
@example(documents=[Document("a", {"body": "b"}, ("half \ud800",))])
@example(documents=[Document("a", {"half \ud800": "b"})])
@example(documents=[Document("a", {"body": "__label__b c"}, ("a b",))])
@example(documents=[Document("a", {"body": ""}, ("<x>", "..", "a/b", "a;b", "train"))])
@example(documents=[Document("a", {"body": "1"}, ("b",)), Document("b", {"title": "1"})])
@example(documents=[Document("../../a", {"body": "1"}, ("b",)), Document("." * 300, {})])
def test_any_document_comes_back_or_is_refused_with_a_way_out(name, documents):
    if not any(document.fields for document in documents) and name in TABLES:
        return  # a table without a text column is another test's matter
    try:
        result = round_trip(name, documents)
    except DocumentError as error:
        assert error.position.startswith("document ")  # noqa: PT017 - either outcome is right
        if name in {"jsonl", *TOOLS}:
            assert any(map(name_fault, documents)), "JSON carries every text"
        return
    except UsageError as error:  # of columns, which are named before the first document
        assert "field name" in str(error)  # noqa: PT017
        return
    assert result == expected(name, documents)


@given(documents=corpora())
@quick
def test_parquet_refuses_only_what_is_not_text(documents):
    texts = [t for d in documents for t in (d.id, *d.fields.values(), *d.labels)]
    if any(re.search("[\ud800-\udfff]", text) for text in texts):
        return
    if any(document.fields for document in documents):
        assert round_trip("parquet", documents) == expected("parquet", documents)


@pytest.mark.parametrize("name", ["fasttext", "annif"])
def test_spaces_in_labels_are_replaced_on_request(name):
    documents = [Document("1", {"text": "x"}, ("new york", "paris"))]
    result = round_trip(name, documents, WriteOptions(label_space="_"))
    assert result[0][2] == ("new_york", "paris")


@pytest.mark.parametrize("name", ["fasttext", "annif"])
def test_two_labels_that_become_one_are_refused(name, tmp_path):
    documents = [Document("1", {"text": "x"}, ("new york", "new_york"))]
    with pytest.raises(DocumentError, match="label-space"):
        write_corpus(documents, tmp_path / "x", name, WriteOptions(label_space="_"))


@pytest.mark.parametrize("name", WRITABLE)
def test_every_format_says_what_it_is_and_what_it_loses(name):
    format = FORMATS[name]
    assert format.name == name
    assert format.description
    assert bool(format.losses) == bool(format.drops)
    assert all(extension.startswith(".") for extension in format.extensions)


@pytest.mark.parametrize("name", [name for name in WRITABLE if name != "folders"])
@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_compressed_files_come_back(name, suffix, tmp_path):
    documents = [Document(f"{n}", {"text": f"words {n}"}, (f"l{n % 3}",)) for n in range(500)]
    target = tmp_path / f"corpus{suffix}"
    write_corpus(documents, target, name)
    magic = {".gz": b"\x1f\x8b", ".zst": b"\x28\xb5"}[suffix]
    assert target.read_bytes().startswith(magic)
    corpus = open_corpus(target, read_options(name, documents))
    assert [d.fields["text"] for d in corpus] == [d.fields["text"] for d in documents]
