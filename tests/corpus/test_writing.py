"""Writing: which format, which columns, what happens to what cannot be carried."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pyarrow.parquet
import pytest

from postil.corpus.document import Document, Problems
from postil.corpus.formats import FORMATS
from postil.corpus.formats.parquet import GROUP_DOCUMENTS
from postil.corpus.opening import open_corpus
from postil.corpus.options import ReadOptions, WriteOptions
from postil.corpus.writing import output_format, write_corpus
from postil.errors import DocumentError, UsageError


def documents(count=3):
    return (Document(f"{n}", {"text": f"text {n}"}, (f"l{n % 2}",)) for n in range(count))


@pytest.mark.parametrize(
    ("target", "name"),
    [
        *(("x.jsonl", "jsonl"), ("x.csv.gz", "csv"), ("x.tsv", "tsv"), ("x.pq", "parquet")),
        *(("x.ft", "fasttext"), ("x.annif", "annif"), ("-", "jsonl"), ("x/", "folders")),
    ],
)
def test_format_of_a_target(target, name):
    assert output_format(target) is FORMATS[name]


@pytest.mark.parametrize("target", ["x", "x.gz", "x.doc", "x.txt", "x.pdf"])
def test_targets_that_do_not_say(target):
    with pytest.raises(UsageError, match="name the format"):
        output_format(target)


@pytest.mark.parametrize("name", ["document", "mbox"])
def test_formats_that_are_only_read(name):
    with pytest.raises(UsageError, match=f"{name} is only read; write jsonl"):
        output_format("x", name)


def test_standard_output(capfdbinary):
    assert write_corpus(documents(1), "-") == 1
    line = capfdbinary.readouterr().out
    assert json.loads(line) == {"id": "0", "text": "text 0", "labels": ["l0"]}


def test_letters_are_written_as_they_are(tmp_path):
    write_corpus([Document("1", {"text": "字 \u2028"})], tmp_path / "x.jsonl")
    # But not what some programs take for the end of a line.
    assert "字 \\u2028" in (tmp_path / "x.jsonl").read_text(encoding="utf-8")


def test_csv_can_be_read_by_others(tmp_path):
    document = Document("1", {"title": "a,b", "body": 'say "x"\nnow'}, ("p", "q r"), "test")
    write_corpus([document], tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text() == (
        'id,title,body,labels,split\n1,"a,b","say ""x""\nnow",p;q r,test\n'
    )


def test_delimiter_and_separator(tmp_path):
    options = WriteOptions(delimiter=";", label_separator="|")
    write_corpus([Document("1", {"text": "a"}, ("p;q", "r"))], tmp_path / "x.csv", options=options)
    (document,) = open_corpus(tmp_path / "x.csv", ReadOptions(label_separator="|"))
    assert document.labels == ("p;q", "r")


@pytest.mark.parametrize("name", ["csv", "parquet"])
class TestFixedColumns:
    def test_fields_that_come_late_within_the_peek(self, name, tmp_path):
        given = [Document("1", {"title": "a"}), Document("2", {"body": "b"})]
        write_corpus(iter(given), tmp_path / "x", name)
        second = list(open_corpus(tmp_path / "x", ReadOptions(format=name)))[1]
        assert second.fields["body"] == "b"

    def test_fields_that_come_too_late(self, name, tmp_path):
        given = [*documents(1000), Document("late", {"title": "a"})]
        with pytest.raises(DocumentError, match=r"document 1001 \('late'\): .*--fields"):
            write_corpus(given, tmp_path / "x", name)
        assert list(tmp_path.iterdir()) == []
        options = WriteOptions(fields=("title", "text"))
        assert write_corpus(given, tmp_path / "x", name, options) == 1001


def test_parquet_row_groups(tmp_path):
    count = 2 * GROUP_DOCUMENTS + 5
    assert write_corpus(documents(count), tmp_path / "x.parquet") == count
    with pyarrow.parquet.ParquetFile(tmp_path / "x.parquet") as table:
        assert table.metadata.num_row_groups == 3


@pytest.mark.parametrize("name", ["jsonl", "csv", "parquet"])
@pytest.mark.parametrize("field", ["id", "labels", "split"])
def test_fields_with_the_names_of_other_columns(name, field, tmp_path):
    with pytest.raises(DocumentError, match=f"field called '{field}'"):
        write_corpus([Document("1", {field: "x"})], tmp_path / "x", name)


@pytest.mark.parametrize(
    ("name", "field"),
    [("csv", " padded"), ("csv", "a\0"), ("tsv", "\ud800"), ("parquet", "\ud800")],
)
def test_field_names_that_cannot_be_columns(name, field, tmp_path):
    with pytest.raises(UsageError, match=r"white space|NUL|surrogate"):
        write_corpus([Document("1", {field: "x"})], tmp_path / "x", name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["jsonl", "csv", "parquet", "fasttext", "annif"])
def test_empty_labels_are_refused(name, tmp_path):
    with pytest.raises(DocumentError, match="empty label"):
        write_corpus([Document("1", {"text": "x"}, ("",))], tmp_path / "x", name)


def test_what_cannot_be_written_can_be_skipped_and_is_counted(tmp_path):
    given = [Document("1", {"text": "a"}, ("x y",)), Document("2", {"text": "b"}, ("z",))]
    problems = Problems("skip")
    assert write_corpus(given, tmp_path / "x.ft", problems=problems) == 1
    assert problems.count == 1
    assert "--label-space" in str(problems.first[0])
    assert (tmp_path / "x.ft").read_text() == "__label__z b\n"


def test_error_in_the_source_leaves_nothing(tmp_path):
    def broken():
        yield from documents()
        raise KeyboardInterrupt

    for name in (name for name, format in FORMATS.items() if format.write is not None):
        with pytest.raises(KeyboardInterrupt):
            write_corpus(broken(), tmp_path / "x", name)
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["jsonl", "fasttext", "annif", "lines"])
def test_a_stream_is_written_as_it_comes(name, monkeypatch):
    sink = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(sink))

    def source():
        for number, document in enumerate(documents()):
            assert sink.getvalue().count(b"\n") == number
            yield document

    assert write_corpus(source(), "-", name) == 3


def test_reading_and_writing_the_same_file(tmp_path):
    path = tmp_path / "x.jsonl"
    write_corpus(documents(), path)
    before = path.read_bytes()
    assert write_corpus(open_corpus(path), path) == 3
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["x\ud800.jsonl", "x\0.jsonl"])
def test_a_name_that_no_file_can_have(name, tmp_path):
    with pytest.raises(UsageError, match="is not the name of a file"):
        write_corpus([Document("1", {"text": "a"})], f"{tmp_path}/{name}", "jsonl")


def test_folder_target_is_guessed(tmp_path):
    write_corpus(documents(), f"{tmp_path}/new/")
    assert sorted(path.name for path in Path(tmp_path / "new").iterdir()) == ["l0", "l1"]
