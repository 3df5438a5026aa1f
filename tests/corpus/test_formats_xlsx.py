"""Excel workbooks: values of cells as text, errors, and what is not kept."""

from __future__ import annotations

import io
import sys
from datetime import date, datetime

import openpyxl
import pytest

from postil.corpus.document import Document
from postil.corpus.opening import open_corpus
from postil.corpus.options import ReadOptions
from postil.corpus.writing import write_corpus
from postil.errors import CorpusError, DocumentError, InputError


def workbook(*rows, more=()):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for title in more:
        book.create_sheet(title)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def test_values_are_read_as_text(tmp_path):
    path = tmp_path / "x.xlsx"
    header = ("id", "text", None, "tags")
    rows = [(1, "a", 2.5, "x; y"), (2.0, date(2024, 1, 31), "c"), (), (3, True, None, 7)]
    path.write_bytes(workbook(header, *rows, (4, datetime(2024, 1, 31, 10, 5))))
    corpus = open_corpus(path, ReadOptions(text_columns={"text": "text", "column 3": "c"}))
    assert [(d.id, tuple(d.fields.values()), d.labels) for d in corpus] == [
        ("1", ("a", "2.5"), ("x", "y")),
        ("2", ("2024-01-31", "c"), ()),
        ("3", ("true", ""), ("7",)),
        ("4", ("2024-01-31 10:05:00", ""), ()),
    ]


def test_the_first_sheet_is_read_and_named(tmp_path, monkeypatch):
    data = workbook(("text",), ("a",), more=("notes", "old"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    corpus = open_corpus("-")
    assert "as xlsx: sheet 'Sheet', the first of 3; text from text;" in corpus.description
    assert [(d.id, d.fields["text"]) for d in corpus] == [("row-2", "a")]
    assert len(list(corpus)) == 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"PK\x03\x04 and no more", "is not a readable XLSX file"),
        (workbook(("text",), ("a",))[:-200], "is not a readable XLSX file"),
        (workbook(), "the file is empty"),
        (workbook(("text", "label")), "the only row is the header"),
        (workbook(("text", "text"), ("a", "b")), "two columns are called 'text'"),
    ],
)
def test_bad_workbooks(data, message, tmp_path):
    path = tmp_path / "x.xlsx"
    path.write_bytes(data)
    with pytest.raises(CorpusError, match=f"x.xlsx: {message}"):
        list(open_corpus(path))


@pytest.mark.parametrize(
    ("data", "hints"),
    [
        (workbook(more=("Data",)), "only the first sheet ('Sheet') of 2 was read"),
        (workbook(("Read me",), more=("Data",)), "only the first sheet ('Sheet') of 2 was read"),
        (workbook(("a", "b"), (1, 2), more=("Data",)), "or save it as csv"),
        (workbook(("Export 2026",), (), ("id", "text"), (1, "x")), "is a title, delete it"),
    ],
)
def test_errors_say_where_the_documents_may_be(data, hints, tmp_path):
    (tmp_path / "x.xlsx").write_bytes(data)
    with pytest.raises(InputError) as caught:
        list(open_corpus(tmp_path / "x.xlsx"))
    assert hints in str(caught.value)
    with pytest.raises(InputError) as caught:
        list(open_corpus(tmp_path / "x.xlsx", ReadOptions(text_columns={"text": "text"})))
    assert hints in str(caught.value)


def test_a_row_wider_than_the_header_is_a_bad_document(tmp_path):
    path = tmp_path / "x.xlsx"
    path.write_bytes(workbook(("id", "text"), (1, "a"), (2, "b", "c"), (3, "d")))
    with pytest.raises(DocumentError, match="row 3: the row has more cells than the first row"):
        list(open_corpus(path))
    corpus = open_corpus(path, ReadOptions(on_error="skip"))
    assert [d.id for d in corpus] == ["1", "3"]
    assert corpus.problems.count == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [("x" * 32_768, "more than the 32,767"), ("a\x0bb", "XLSX does not keep")],
)
def test_what_a_cell_does_not_hold_is_refused(text, message, tmp_path):
    with pytest.raises(DocumentError, match=message):
        write_corpus([Document("1", {"text": text})], tmp_path / "x.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_text_like_a_formula_stays_text(tmp_path):
    path = tmp_path / "x.xlsx"
    write_corpus([Document("=A1", {"text": "=1+1"}, ("-a", "+b"))], path)
    assert openpyxl.load_workbook(path).active["B2"].data_type == "s"
    (found,) = open_corpus(path)
    assert found == Document("=A1", {"text": "=1+1"}, ("-a", "+b"))
