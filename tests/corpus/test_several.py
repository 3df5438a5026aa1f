"""Several files as one corpus: folders and archives of tables, lists and patterns."""

from __future__ import annotations

from pathlib import Path

import pytest

from postil.corpus.document import Document
from postil.corpus.formats import FORMATS
from postil.corpus.formats.folders import MANY
from postil.corpus.opening import open_corpus
from postil.corpus.options import ReadOptions
from postil.corpus.writing import write_corpus
from postil.errors import CorpusError, DocumentError, UsageError

from .test_archived_folders import STORES, packed

KEEPING_IDS = {"jsonl", "csv", "tsv", "parquet", "xlsx"}


def ids(corpus):
    return [(document.id, document.labels, document.split) for document in corpus]


@pytest.mark.parametrize(
    "name", [name for name, format in FORMATS.items() if format.extensions and format.write]
)
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_folder_of_files_is_one_corpus(name, suffix, tmp_path):
    extension = FORMATS[name].extensions[0] + suffix
    for part in ("a", "b"):
        documents = [Document(f"{part}{n}", {"text": f"{part} {n}"}, (part,)) for n in range(2)]
        write_corpus(documents, tmp_path / f"{part}{extension}", name)
    corpus = open_corpus(tmp_path)
    assert [document.fields["text"] for document in corpus] == ["a 0", "a 1", "b 0", "b 1"]
    found = [document.id for document in corpus]
    assert found == (
        ["a0", "a1", "b0", "b1"]
        if name in KEEPING_IDS
        else [f"{part}{extension}:line-{n}" for part in "ab" for n in (1, 2)]
    )
    assert f"reading {tmp_path}: 2 files (2 {name}); " in corpus.description
    listed = open_corpus([tmp_path / f"a{extension}", str(tmp_path / f"b{extension}")])
    assert ids(listed) == ids(corpus) == ids(open_corpus(f"{tmp_path}/*{extension}"))


def test_every_extension_of_many_documents_has_a_format():
    known = {extension for format in FORMATS.values() for extension in format.extensions}
    assert MANY.keys() <= known


@pytest.mark.parametrize("store", STORES)
def test_names_and_folders_mark_splits(store, tmp_path):
    data = {
        "train-00-of-02.jsonl": b'{"text": "a", "label": "x"}\n',
        "test.jsonl": b'{"text": "b"}\n',
    }
    assert ids(open_corpus(packed(tmp_path / store, data))) == [
        ("test.jsonl:line-1", (), "test"),
        ("train-00-of-02.jsonl:line-1", ("x",), "train"),
    ]
    below = {"train/a.csv": b"text,label\na,x\n", "test/a.csv": b"text,label\na,x\n"}
    other = packed(tmp_path / f"other{store.removeprefix('folder').removeprefix('x')}", below)
    assert ids(open_corpus(other)) == [
        ("test/a.csv:line-2", ("x",), "test"),
        ("train/a.csv:line-2", ("x",), "train"),
    ]


def test_folders_are_labels_where_no_column_is(tmp_path):
    packed(tmp_path / "x", {"a/1.json": b'{\n"text": "one"\n}', "b/1.json": b'{"text": "two"}'})
    corpus = open_corpus(tmp_path / "x")
    assert [labels for _, labels, _ in ids(corpus)] == [("a",), ("b",)]
    assert "labels from folders" in corpus.description


def test_empty_files_hold_nothing(tmp_path):
    packed(tmp_path / "x", {"_SUCCESS": b"", "part-1.jsonl": b"", "part-0.jsonl": b'{"text": "a"}'})
    assert ids(open_corpus(tmp_path / "x")) == [("part-0.jsonl:line-1", (), None)]


def test_the_same_id_in_two_files(tmp_path):
    packed(tmp_path / "x", {"1.csv": b"id,text\n7,a\n", "2.csv": b"id,text\n8,b\n7,c\n"})
    with pytest.raises(DocumentError, match=r"2.csv, id 7: the id '7' was given .*, in 1.csv; "):
        list(open_corpus(tmp_path / "x"))
    corpus = open_corpus(tmp_path / "x", ReadOptions(on_error="skip"))
    assert [identity for identity, _, _ in ids(corpus)] == ["7", "8"]


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (
            b"text,topic\na,x\n",
            b"text,label\na,x\n",
            "labels is called 'label', and 'topic' in the",
        ),
        (
            b"text,name\na,one two three four five six seven eight nine\n",
            b"text,name\na,b\n",
            "'name' is read as nothing, and in the files before it as text; .*--text-columns",
        ),
    ],
)
def test_tables_that_contradict_each_other(first, second, message, tmp_path):
    packed(tmp_path / "x", {"1.csv": first, "2.csv": second})
    with pytest.raises(CorpusError, match=f"2.csv: .*{message}"):
        open_corpus(tmp_path / "x")


def test_documents_given_one_by_one(tmp_path):
    packed(tmp_path / "x", {"a/1.txt": b"one", "b/1.txt": b"two", "2.txt": b"three\nlines"})
    root = tmp_path / "x"
    corpus = open_corpus([root / "a/1.txt", root / "b/1.txt", root / "2.txt"])
    assert [(d.id, d.fields["text"]) for d in corpus] == [
        (f"{root}/a/1.txt", "one"),
        (f"{root}/b/1.txt", "two"),
        ("2.txt", "three\nlines"),
    ]
    with pytest.raises(CorpusError, match="a: is a folder, and lines is read from a file"):
        open_corpus([root / "2.txt", root / "a"], ReadOptions(format="lines"))


def test_a_format_for_every_file_of_a_folder(tmp_path):
    packed(tmp_path / "x", {"a.txt": b"one\ntwo\n", "b.log": b"three\n"})
    corpus = open_corpus(tmp_path / "x", ReadOptions(format="lines"))
    assert [document.fields["text"] for document in corpus] == ["one", "two", "three"]
    assert len(list(open_corpus(tmp_path / "x", ReadOptions(format="folders")))) == 2


def test_files_folders_and_mailboxes_may_be_mixed(tmp_path):
    packed(
        tmp_path / "x",
        {"f/a/1": b"one", "m.mbox": b"From x\nSubject: two\n\n", "t.csv": b"text,label\nthree,x\n"},
    )
    found = open_corpus([tmp_path / "x" / name for name in ("f", "m.mbox", "t.csv")])
    assert [(d.id, d.fields["text"]) for d in found] == [
        ("f/a/1", "one"),
        ("m.mbox:mail-1", "two"),
        ("t.csv:line-2", "three"),
    ]


def test_a_bad_file_among_several_is_a_bad_document(tmp_path):
    packed(tmp_path / "x", {"1.txt": b"one", "2.txt": b"GIF89a", "3.pdf": b"%PDF-"})
    with pytest.raises(CorpusError, match=r"2\.txt: is a GIF image"):
        open_corpus(f"{tmp_path}/x/*")
    corpus = open_corpus(f"{tmp_path}/x/*", ReadOptions(on_error="skip"))
    assert [document.id for document in corpus] == ["1.txt"]
    assert corpus.problems.count == 2
    assert "2.txt, whole file: is a GIF image" in str(corpus.problems.first[0])


def test_what_is_read_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("a")
    for names, message in [
        (["a.txt", "-"], "standard input is read alone"),
        (["a.txt", "demo"], "a known corpus is read alone"),
        (["a.txt", "a.txt"], "given twice"),
    ]:
        with pytest.raises(UsageError, match=message):
            open_corpus(names)
    with pytest.raises(CorpusError, match="no file matches this pattern"):
        open_corpus("*.jsonl")
    Path("[a].txt").write_text("a file with brackets in its name")
    assert open_corpus("[a].txt").name == "[a].txt"
