"""WebKB: headers, classes, universities."""

from __future__ import annotations

from collections import Counter

import pytest

from postil.corpus.document import Document
from postil.corpus.named.registry import open_named
from postil.corpus.named.webkb import CLASSES, webkb
from postil.errors import CorpusError

HEADER = b"MIME-Version: 1.0\nServer: x\nContent-type: text/html\n\n"
PAGE = b"<html><title>Tea</title><body>All: about\n\ntea</body></html>"

PAGES = {
    "course/cornell/http:^^a^b.html": HEADER + PAGE,
    "webkb/student/misc/http:^^c^": PAGE,
    "student/texas/http:^^d^": HEADER.replace(b"\n", b"\r\n") + PAGE,
}


def test_pages(store, read):
    documents, _ = read(webkb(store(PAGES)))
    fields = {"title": "Tea", "body": "All: about\ntea"}
    assert sorted(documents, key=lambda d: d.id) == [
        Document("course/cornell/http:^^a^b.html", fields, ("course",)),
        Document("student/misc/http:^^c^", fields, ("student",)),
        Document("student/texas/http:^^d^", fields, ("student",)),
    ]


@pytest.mark.parametrize(
    ("content", "fields"),
    [
        (b"WWW Alert:  moved\nDate: x\n\n<title>301</title>", {"title": "301", "body": ""}),
        (b"Date: x\ncp: No match.\n: text\n\nbody", {"title": "", "body": "body"}),
        (
            b"Content-type: text/plain\n\na <b>plain</b> text",
            {"title": "", "body": "a <b>plain</b> text"},
        ),
        (b"Note: no blank line", {"title": "", "body": "Note: no blank line"}),
        (b"", {"title": "", "body": ""}),
    ],
)
def test_headers(make_folder, read, content, fields):
    path = make_folder({"staff/misc/x": content})
    assert [d.fields for d in read(webkb(path))[0]] == [fields]


def test_a_university_can_be_held_out(store, read):
    documents, _ = read(webkb(store(PAGES), test_university="texas"))
    assert Counter(d.split for d in documents) == {"train": 2, "test": 1}
    assert [d.id for d in documents if d.split == "test"] == ["student/texas/http:^^d^"]


def test_no_page_is_an_error(store, read):
    with pytest.raises(CorpusError, match="holds no page of WebKB"):
        read(webkb(store({"README": b"x", "course/oxford/x": b"x", "texas/x": b""})))


@pytest.mark.corpus
def test_the_real_pages(corpus_file):
    choices = {"test_university": "wisconsin"}
    corpus = open_named("webkb", None, choices, path=corpus_file("webkb"))
    classes, splits, empty, ids = Counter(), Counter(), 0, set()
    for document in corpus:
        classes.update(document.labels)
        splits[document.split] += 1
        empty += not document.fields["title"] and not document.fields["body"]
        ids.add(document.id)
    assert classes == {
        "student": 1641,
        "faculty": 1124,
        "course": 930,
        "project": 504,
        "department": 182,
        "staff": 137,
        "other": 3763,
    }
    assert set(classes) == CLASSES
    assert len(ids) == sum(splits.values()) == 8281
    assert splits["test"] == 1262
    assert empty < 40
