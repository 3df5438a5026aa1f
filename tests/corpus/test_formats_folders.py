"""A folder per category: labels, splits, files that are one document, bad files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from postil.corpus.document import Document
from postil.corpus.files import textlines
from postil.corpus.opening import open_corpus
from postil.corpus.options import ReadOptions
from postil.corpus.writing import write_corpus
from postil.errors import CorpusError, DocumentError


def tree(root, files):
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def facts(corpus):
    return [(d.id, d.fields["text"], d.labels, d.split) for d in corpus]


def test_labels_are_folders(tmp_path):
    root = tree(
        tmp_path,
        {"b/2": "two", "a/1": "one", "a/sub/3": "three", "top": "four", ".git/x": "-", "a/.y": "-"},
    )
    corpus = open_corpus(root)
    assert facts(corpus) == [
        ("top", "four", (), None),
        ("a/1", "one", ("a",), None),
        ("a/sub/3", "three", ("a/sub",), None),
        ("b/2", "two", ("b",), None),
    ]
    assert corpus.description == (
        f"reading {root} as folders: 4 files, labels from 3 folders; "
        "without a label, at the top: 1; ids from paths"
    )


def test_train_and_test(tmp_path):
    root = tree(tmp_path, {"Train/a/1": "x", "test/a/1": "x", "test/2": "y", "dev/a/3": "z"})
    corpus = open_corpus(root)
    assert facts(corpus) == [
        ("Train/a/1", "x", ("a",), "train"),
        ("dev/a/3", "z", ("a",), None),
        ("test/2", "y", (), "test"),
        ("test/a/1", "x", ("a",), "test"),
    ]
    assert "splits from Train, dev, test" in corpus.description


def test_a_category_called_test(tmp_path):
    root = tree(tmp_path, {"test/1": "x", "other/2": "y"})
    assert [(d.labels, d.split) for d in open_corpus(root)] == [
        (("other",), None),
        (("test",), None),
    ]


def test_same_name_and_content_is_one_document(tmp_path):
    files = {"a/1": "same", "b/1": "same", "c/1": "else", "d/1": "diff", "a/2": "same"}
    assert facts(open_corpus(tree(tmp_path, files))) == [
        ("a/1", "same", ("a", "b"), None),
        ("c/1", "else", ("c",), None),
        ("d/1", "diff", ("d",), None),
        ("a/2", "same", ("a",), None),
    ]


def test_no_files(tmp_path):
    (tmp_path / "a").mkdir()
    with pytest.raises(CorpusError, match="no files in this folder"):
        open_corpus(tmp_path)


def test_empty_file_is_an_empty_document(tmp_path):
    assert facts(open_corpus(tree(tmp_path, {"a/1": ""}))) == [("a/1", "", ("a",), None)]


@pytest.mark.parametrize(
    ("content", "position", "message"),
    [
        (b"one\nzw\xf6lf", "line 2", "--encoding latin-1"),
        (b"\0\1\2", "line 1", "NUL byte"),
        (b"\x1f\x8b\x08\0cut", "whole file", "gzip data"),
    ],
)
def test_bad_file(content, position, message, tmp_path):
    root = tree(tmp_path, {"a/1": "good", "a/2": content, "b/3": "good"})
    with pytest.raises(DocumentError, match=message) as caught:
        list(open_corpus(root))
    assert str(caught.value).startswith(f"{root}/a/2, {position}: ")
    corpus = open_corpus(root, ReadOptions(on_error="skip"))
    assert [document.id for document in corpus] == ["a/1", "b/3"]
    assert corpus.problems.count == 1


def test_a_file_that_is_too_long(tmp_path, monkeypatch):
    monkeypatch.setattr(textlines, "LONGEST_LINE", 20)
    root = tree(tmp_path, {"a/1": "short\n" * 3, "a/2": "short\n" * 4})
    with pytest.raises(DocumentError, match="a/2, whole file: is longer than 20 bytes"):
        list(open_corpus(root))
    corpus = open_corpus(root, ReadOptions(on_error="skip"))
    assert [document.id for document in corpus] == ["a/1"]


def test_unreadable_file_and_folder(tmp_path, monkeypatch):
    root = tree(tmp_path, {"a/1": "good", "a/2": "secret", "b/3": "x", "c/2": "public"})
    open_file, scan = Path.open, os.scandir

    def refusing_open(path, *args, **options):
        if path == root / "a" / "2":
            raise PermissionError(13, "Permission denied")
        return open_file(path, *args, **options)

    def refusing_scan(path):
        if Path(path) == root / "b":
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(Path, "open", refusing_open)
    monkeypatch.setattr(os, "scandir", refusing_scan)
    with pytest.raises(DocumentError, match="b, folder: cannot be listed"):
        list(open_corpus(root))
    corpus = open_corpus(root, ReadOptions(on_error="skip"))
    assert [document.id for document in corpus] == ["a/1", "c/2"]
    assert [str(error).split(": ", 1)[1] for error in corpus.problems.first] == [
        "cannot be listed (Permission denied)",
        "cannot be read (Permission denied)",
    ]


def test_dangling_link(tmp_path):
    root = tree(tmp_path, {"a/1": "x"})
    (root / "a" / "2").symlink_to("nowhere")
    corpus = open_corpus(root, ReadOptions(on_error="skip"))
    assert [document.id for document in corpus] == ["a/1"]
    assert corpus.problems.count == 1


def test_link_that_leads_back_up(tmp_path):
    root = tree(tmp_path, {"a/1": "x"})
    (root / "a" / "again").symlink_to(root)
    assert [document.id for document in open_corpus(root)] == ["a/1"]


def test_links_to_folders_are_followed_once(tmp_path):
    root = tree(tmp_path / "corpus", {"b/c/1": "x"})
    outside = tree(tmp_path / "outside", {"2": "y"})
    (root / "a").symlink_to(root / "b" / "c")  # c is read by its own path, not as a
    (root / "b" / "deep").symlink_to(outside)
    (root / "near").symlink_to(outside)
    corpus = open_corpus(root)
    assert [document.id for document in corpus] == ["b/c/1", "near/2"]
    assert "links to folders that are read anyway: 2;" in corpus.description


def test_a_diamond_of_links_is_walked_in_linear_time(tmp_path):
    folder = root = tree(tmp_path / "corpus", {"1": "x"})
    for level in range(30):  # 2 ** 30 paths
        below = tree(tmp_path / f"{level}", {"2": f"{level}"})
        (folder / "left").symlink_to(below)
        (folder / "right").symlink_to(below)
        folder = below
    assert sum(1 for _ in open_corpus(root)) == 31


def test_what_is_no_file_is_reported_and_not_opened(tmp_path):
    root = tree(tmp_path, {"a/1": "x"})
    os.mkfifo(root / "a" / "pipe")
    (root / "a" / "zero").symlink_to("/dev/zero")
    (root / "a" / "loop").symlink_to("loop")
    with pytest.raises(DocumentError, match="a/loop, whole file: is no file"):
        list(open_corpus(root))
    corpus = open_corpus(root, ReadOptions(on_error="skip"))
    assert [document.id for document in corpus] == ["a/1"]
    assert [Path(error.source).name for error in corpus.problems.first] == ["loop", "pipe", "zero"]


def test_name_that_is_not_utf_8(tmp_path):
    folder = os.fsencode(tmp_path) + b"/caf\xe9"
    Path(os.fsdecode(folder)).mkdir()
    Path(os.fsdecode(folder + b"/1")).write_text("x")
    (document,) = open_corpus(tmp_path)
    assert (document.id, document.labels) == (r"caf\xe9/1", (r"caf\xe9",))


class TestWriting:
    def test_layout(self, tmp_path):
        given = [
            Document("1", {"title": "t", "body": "b"}, ("x", "y/z"), "train"),
            Document("a/b: ü", {"body": "c"}, (), "test"),
        ]
        assert write_corpus(given, tmp_path / "out", "folders") == 2
        files = sorted(p for p in (tmp_path / "out").rglob("*") if p.is_file())
        assert [str(path.relative_to(tmp_path / "out")) for path in files] == [
            "test/a%2Fb%3A %C3%BC.txt",
            "train/x/1.txt",
            "train/y/z/1.txt",
        ]
        assert files[1].read_text() == "t\n\nb"

    @pytest.mark.parametrize("label", ["..", "a/../b", "", "/", ".hidden", "train", "Test/x", "\0"])
    def test_labels_that_are_no_folders(self, label, tmp_path):
        with pytest.raises(DocumentError, match="document 1"):
            write_corpus([Document("1", {"text": "x"}, (label,))], tmp_path / "out", "folders")
        assert list(tmp_path.iterdir()) == []

    def test_same_id_twice(self, tmp_path):
        given = [Document("1", {"text": "x"}), Document("1", {"text": "y"})]
        with pytest.raises(DocumentError, match="id of an earlier document"):
            write_corpus(given, tmp_path / "out", "folders")

    def test_split_for_some_only(self, tmp_path):
        given = [Document("1", {"text": "x"}), Document("2", {"text": "y"}, (), "test")]
        with pytest.raises(DocumentError, match="all or none"):
            write_corpus(given, tmp_path / "out", "folders")

    def test_long_ids(self, tmp_path):
        given = [Document("a" * 1000 + end, {"text": end}, ("x",)) for end in "pq"]
        write_corpus(given, tmp_path / "out", "folders")
        assert sorted(d.fields["text"] for d in open_corpus(tmp_path / "out")) == ["p", "q"]
