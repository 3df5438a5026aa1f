"""Opening by name, by path and from standard input."""

from __future__ import annotations

import gzip
import io
import sys

import pyarrow
import pyarrow.parquet
import pytest

from postil.corpus.corpus import Corpus
from postil.corpus.named import registry
from postil.corpus.opening import open_corpus
from postil.corpus.options import ReadOptions, WriteOptions, parse_text_columns
from postil.errors import CorpusError, DocumentError, UsageError

CONTENTS = {
    "jsonl": b'{"text": "a", "label": "x"}\n',
    "csv": b"text,label\na,x\n",
    "tsv": b"text\tlabel\na\tx\n",
    "fasttext": b"__label__x a\n",
    "annif": b"a\t<x>\n",
    "document": b"just some words\n",
}


@pytest.mark.parametrize("name", CONTENTS)
@pytest.mark.parametrize("extension", ["", ".dat", ".gz"])
def test_format_by_content(name, extension, tmp_path):
    path = tmp_path / f"data{extension}"
    path.write_bytes(CONTENTS[name])
    corpus = open_corpus(path)
    assert f" as {name}: " in corpus.description
    assert corpus.name == str(path)
    assert [document.labels for document in corpus] == [() if name == "document" else ("x",)]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        *(("a.jsonl", "jsonl"), ("a.NDJSON", "jsonl"), ("a.csv", "csv"), ("a.tab", "tsv")),
        *(("a.ft", "fasttext"), ("a.annif", "annif"), ("a.text", "document"), ("a.tsv.gz", "tsv")),
        *(("a.txt", "document"), ("a.txt", "fasttext"), ("a.tsv", "annif"), ("a.txt", "jsonl")),
    ],
)
def test_format_by_name(file, name, tmp_path):
    path = tmp_path / file
    content = CONTENTS[name]
    path.write_bytes(gzip.compress(content) if file.endswith(".gz") else content)
    assert f" as {name}: " in open_corpus(path).description


@pytest.mark.parametrize(
    "content",
    ["Title, text and so on\nand no more of that\n", "Text; and so on " * 10, "{not json\n"],
)
@pytest.mark.parametrize("name", ["x", "x.txt"])
def test_prose_is_not_a_table(content, name, tmp_path):
    (tmp_path / name).write_text(content)
    assert " as document: " in open_corpus(tmp_path / name).description


def test_given_format_wins(tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(CONTENTS["jsonl"])
    assert " as lines: " in open_corpus(path, ReadOptions(format="lines")).description


def test_unknown_format(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"x")
    with pytest.raises(UsageError, match="did you mean jsonl"):
        open_corpus(path, ReadOptions(format="json"))


@pytest.mark.parametrize(
    ("content", "documents"),
    [
        ('[\n {"text": "a", "label": "x"},\n {"text": "b", "label": ["y", "z"]}]', "x yz"),
        ('[{"text": "a", "label": "x"}]', "x"),
        ('{"about": {"a": [1]}, "rows": [{"text": "a", "label": "x"}], "n": 1}', "x"),
        ('{\n "text": "a",\n "label": "x"\n}\n{\n "text": "b", "label": "y"\n}\n', "x y"),
        ('[{"text": "%s", "label": "x"}, {"text": "b", "label": "y"}]' % ("a" * 600_000), "x y"),
        ('{"text": "a", "label": "x"}\n{"text": "b", "label": "y"}\n', "x y"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_json_that_is_one_value(content, documents, encoding, tmp_path):
    path = tmp_path / "x.json"
    path.write_text(content, encoding)
    corpus = open_corpus(path)
    assert ["".join(document.labels) for document in corpus] == documents.split()
    assert [document.id for document in corpus] == [document.id for document in corpus]


class TestStandardInput:
    @pytest.mark.parametrize("name", CONTENTS)
    @pytest.mark.parametrize("compress", [bytes, gzip.compress])
    def test_walked_once(self, name, compress, monkeypatch):
        data = compress(CONTENTS[name])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        corpus = open_corpus("-")
        name = "lines" if name == "document" else name
        assert corpus.description.startswith(f"reading <stdin> as {name}: ")
        assert len(list(corpus)) == 1
        with pytest.raises(CorpusError, match="cannot be read a second time"):
            list(corpus)

    def test_parquet_can_be_walked_again(self, monkeypatch):
        sink = io.BytesIO()
        pyarrow.parquet.write_table(pyarrow.table({"text": ["a"] * 10}), sink)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(sink.getvalue())))
        corpus = open_corpus("-")
        assert len(list(corpus)) == len(list(corpus)) == 10

    def test_empty(self, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
        with pytest.raises(CorpusError, match="<stdin>: the file is empty"):
            open_corpus("-")


class TestNames:
    @pytest.fixture
    def asked(self, monkeypatch):
        calls = []

        def open_named(name, options, choices=None, *, path=None):
            calls.append((name, options, choices, path))
            return Corpus(name, lambda _problems: iter(()))

        monkeypatch.setattr(registry, "open_named", open_named)
        return calls

    def test_known_names_go_to_the_registry(self, asked):
        options = ReadOptions(on_error="skip")
        assert open_corpus("demo", options, {"a": 1}).name == "demo"
        assert asked == [("demo", options, {"a": 1}, None)]

    def test_a_copy_of_a_known_corpus(self, asked, tmp_path):
        open_corpus(tmp_path, ReadOptions(format="webkb", on_error="skip"))
        assert asked == [("webkb", ReadOptions(on_error="skip"), None, tmp_path)]

    @pytest.mark.usefixtures("asked")
    def test_a_known_corpus_is_no_stream(self):
        with pytest.raises(UsageError, match="cannot be read from standard input"):
            open_corpus("-", ReadOptions(format="webkb"))

    def test_a_path_is_never_a_name(self, asked, tmp_path, monkeypatch):
        (tmp_path / "demo").write_bytes(b"some words")
        monkeypatch.chdir(tmp_path)
        assert " as document: " in open_corpus("./demo").description
        assert asked == []

    def test_near_name(self):
        with pytest.raises(CorpusError, match=r"no such file.*did you mean the corpus webkb"):
            open_corpus("web-kb")

    def test_far_name(self):
        with pytest.raises(CorpusError, match=r"nor a corpus of that name.*demo"):
            open_corpus("qqqqqqqq")

    def test_choices_are_for_known_corpora(self, tmp_path):
        (tmp_path / "x").write_bytes(b"some words")
        with pytest.raises(UsageError, match="label_set means nothing"):
            open_corpus(tmp_path / "x", None, {"label_set": "places"})


class TestForeign:
    @pytest.mark.parametrize("name", ["x.svm", "x.txt", "x.dat", "x"])
    @pytest.mark.parametrize(
        "content",
        [
            "1 1:0.5 3:2\n-1 2:1e-3 # comment\n",
            "# from somewhere\n3,17 1:0.5\n 2:1\n",
            "+1 qid:3 1:0.5 2:1\n0 qid:3\n",
        ],
    )
    def test_svmlight(self, name, content, tmp_path):
        path = tmp_path / name
        path.write_text(content)
        with pytest.raises(CorpusError, match=r"svmlight.*not texts.*postil train"):
            open_corpus(path)

    def test_numbers_are_not_svmlight(self, tmp_path):
        path = tmp_path / "x.txt"
        path.write_text("1 2 3\n4:30 at the station\n")
        assert " as document: " in open_corpus(path).description

    def test_json_that_is_nested_too_deeply(self, tmp_path):
        path = tmp_path / "x"
        path.write_text('{"a":' + "[" * 100_000 + "\nsecond line\n")
        with pytest.raises(DocumentError, match=r"line 1: .*nested too deeply"):
            open_corpus(path)

    def test_binary(self, tmp_path):
        path = tmp_path / "x.bin"
        path.write_bytes(b"\x01\0\0\x02")
        with pytest.raises(CorpusError, match="of no known format"):
            open_corpus(path)

    def test_folder_as_file_format(self, tmp_path):
        with pytest.raises(CorpusError, match="no files in this folder"):
            open_corpus(tmp_path, ReadOptions(format="jsonl"))

    def test_file_as_folders(self, tmp_path):
        path = tmp_path / "x"
        path.write_bytes(b"x")
        with pytest.raises(CorpusError, match="not a folder"):
            open_corpus(path, ReadOptions(format="folders"))


class TestOptions:
    @pytest.mark.parametrize(
        "wrong",
        [
            {"encoding": "latin-99"},
            {"encoding": "rot13"},
            {"encoding": "idna"},
            {"encoding": "punycode"},
            {"encoding": "unicode_escape"},
            {"text_columns": {"text": "\ud800"}},
            {"delimiter": "::"},
            {"quote": '""'},
            {"label_prefix": ""},
            {"label_prefix": "a b"},
            {"text_columns": {}},
            {"text_columns": {"a": "x", "b": "x"}},
        ],
    )
    def test_wrong_reading_options(self, wrong):
        with pytest.raises(UsageError, match="--" + next(iter(wrong)).replace("_", "-")):
            ReadOptions(**wrong)

    @pytest.mark.parametrize(
        "wrong",
        [{"label_separator": ""}, {"label_prefix": "a b"}, {"label_space": " "}, {"delimiter": ""}],
    )
    def test_wrong_writing_options(self, wrong):
        with pytest.raises(UsageError, match="--" + next(iter(wrong)).replace("_", "-")):
            WriteOptions(**wrong)

    def test_tab_may_be_spelt(self):
        assert ReadOptions(delimiter=r"\t").delimiter == "\t"

    def test_text_columns_from_words(self):
        assert parse_text_columns(["headline=title", "body"]) == {
            "headline": "title",
            "body": "body",
        }


@pytest.mark.parametrize("given", [{"text": ["rain"]}, [], ["rain", 1], None])
def test_what_has_no_name_or_path_is_refused(given):
    with pytest.raises(UsageError, match=r"by its name or path, not from a .*TextCategorizer.fit"):
        open_corpus(given)
