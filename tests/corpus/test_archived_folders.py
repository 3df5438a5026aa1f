"""A folder in a zip or tar archive, and the kinds of files in it, read as the folder is."""

from __future__ import annotations

import io
import tarfile
import zipfile

import pytest
from tests.corpus import files

from postil.corpus.opening import open_corpus
from postil.corpus.options import ReadOptions
from postil.errors import CorpusError, DocumentError

OFFICE = {
    **{f"letters/{kind}.{kind}": make("some words") for kind, make in files.MADE.items()},
    "memos/a.txt": b"same",
    "bills/a.txt": b"same",
    "bills/b.txt": b"one",
    "memos/b.txt": b"two",
    ".hidden/x": b"x",
    "memos/.DS_Store": b"\0",
}


def packed(path, members):
    """Write a folder, a zip or a tar archive, by the extension."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in members.items():
                archive.writestr(name, content)
    elif path.suffix:
        with tarfile.open(path, "w:gz" if path.suffix == ".tgz" else "w") as archive:
            for name, content in members.items():
                info = tarfile.TarInfo(name)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    else:
        for name, content in members.items():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_bytes(content)
    return path


STORES = ("folder", "x.zip", "x.tar", "x.tgz")


def facts(corpus):
    return sorted((d.id, d.fields["text"].strip(), d.labels, d.split) for d in corpus)


@pytest.mark.parametrize("store", STORES)
def test_a_folder_of_office_files(store, tmp_path):
    corpus = open_corpus(packed(tmp_path / store, OFFICE))
    expected = [
        ("bills/a.txt", "same", ("bills", "memos"), None),
        ("bills/b.txt", "one", ("bills",), None),
        *((f"letters/{kind}.{kind}", "some words", ("letters",), None) for kind in files.MADE),
        ("memos/b.txt", "two", ("memos",), None),
    ]
    page = [d.fields["text"] for d in corpus if d.id == "letters/html.html"]
    assert page[0].endswith("some words")  # so short a page keeps its menu
    found = [(i, "some words" if "html" in i else t, ls, s) for i, t, ls, s in facts(corpus)]
    assert found == sorted(expected)
    assert "9 files, labels from 3 folders; mails without their attachments" in corpus.description


@pytest.mark.parametrize("store", STORES)
def test_a_file_that_is_no_text_is_a_bad_document(store, tmp_path):
    path = packed(
        tmp_path / store,
        {
            "a/1.txt": b"x",
            "a/2.png": b"\x89PNG\r\n\x1a\n\0",
            "a/3.pdf": b"%PDF-",
            "a/4.zip": b"PK\5\6",
            "b/5.txt": b"y",
        },
    )
    with pytest.raises(DocumentError, match=r"a/2.png, whole file: is a PNG image, not a text; "):
        list(open_corpus(path))
    corpus = open_corpus(path, ReadOptions(on_error="skip"))
    assert facts(corpus) == [("a/1.txt", "x", ("a",), None), ("b/5.txt", "y", ("b",), None)]
    assert corpus.problems.count == 3


def test_a_table_among_documents_is_a_bad_document(tmp_path):
    packed(tmp_path / "folder", {"README.md": b"x", "all.jsonl": b'{"text": "a"}'})
    with pytest.raises(
        DocumentError, match=r"all.jsonl, whole file: holds many documents \(JSON\)"
    ):
        list(open_corpus(tmp_path / "folder"))
    asked = open_corpus(tmp_path / "folder", ReadOptions(format="folders"))
    assert [document.id for document in asked] == ["README.md", "all.jsonl"]


@pytest.mark.parametrize("store", STORES[1:])
def test_the_folder_that_was_packed_along_is_no_label(store, tmp_path):
    path = packed(tmp_path / store, {"all/a/1": b"x", "./all/b/../2": b"y", "/all/3": b"z"})
    assert [(i, labels) for i, _, labels, _ in facts(open_corpus(path))] == [
        ("all/3", ()),
        ("all/a/1", ("a",)),
        ("all/b/2", ("b",)),
    ]


@pytest.mark.parametrize("store", STORES)
def test_splits(store, tmp_path):
    path = packed(tmp_path / store, {"train/a/1": b"x", "test/a/1": b"y"})
    assert facts(open_corpus(path)) == [
        ("test/a/1", "y", ("a",), "test"),
        ("train/a/1", "x", ("a",), "train"),
    ]


def test_a_name_that_stands_twice(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("a/1", "x")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("a/1", "y")
    with pytest.raises(DocumentError, match="a/1: is in the archive twice"):
        list(open_corpus(tmp_path / "x.zip"))


def test_an_encrypted_zip(tmp_path):
    path = packed(tmp_path / "x.zip", {"a/1": b"x", "a/2": b"y"})
    data = path.read_bytes()
    central = data.index(b"PK\1\2")
    data = data[:6] + b"\1" + data[7 : central + 8] + b"\1" + data[central + 9 :]
    path.write_bytes(data)
    with pytest.raises(DocumentError, match=r"a/1.*it is encrypted; unpack"):
        list(open_corpus(path))
    corpus = open_corpus(path, ReadOptions(on_error="skip"))
    assert [document.id for document in corpus] == ["a/2"]


def test_damaged_archives(tmp_path):
    path = packed(tmp_path / "x.zip", {"a/1": b"good", "a/2": bytes(range(256)) * 9})
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    with pytest.raises(CorpusError, match=r"x\.zip: is a damaged zip archive"):
        open_corpus(path)
    path = packed(tmp_path / "y.zip", {"a/1": b"good" * 99})
    data = bytearray(path.read_bytes())
    data[40] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(DocumentError, match=r"a/1: cannot be read \(.*make the zip again"):
        list(open_corpus(path))


def test_a_bomb_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr("postil.corpus.files.textlines.LONGEST_LINE", 1000)
    path = packed(tmp_path / "x.zip", {"a/1": b"x" * 10_000_000, "a/2": b"good"})
    corpus = open_corpus(path, ReadOptions(on_error="skip"))
    assert [document.id for document in corpus] == ["a/2"]


def test_an_archive_without_files(tmp_path):
    with pytest.raises(CorpusError, match="no files in this archive"):
        open_corpus(packed(tmp_path / "x.zip", {}))


def test_the_file_of_a_known_corpus(tmp_path):
    path = packed(tmp_path / "reuters21578.tar.gz", {"a/1": b"x"})
    assert "known corpus, say --format reuters-mod" in open_corpus(path).description
