"""20 Newsgroups: folders and archives, fields, splits, ids."""

from __future__ import annotations

import tarfile
from collections import Counter

import pytest

from postil.corpus.document import Document
from postil.corpus.named.newsgroups import GROUPS, newsgroups
from postil.corpus.named.registry import open_named
from postil.errors import CorpusError, DocumentError

ARTICLE = (
    b"From: a@b\r\nSubject: T\xe9a\r\n\r\nx writes:\r\n> quoted\r\nanswer\x01\r\n-- \r\nme\r\n"
)

BYDATE = {
    "20news-bydate-train/sci.space/100": ARTICLE,
    "20news-bydate-train/rec.autos/100": ARTICLE,
    "20news-bydate-test/sci.space/101": ARTICLE,
}


def test_by_date(store, read):
    documents, _ = read(newsgroups(store(BYDATE), by_date=True))
    assert {(d.id, d.labels, d.split) for d in documents} == {
        ("sci.space/100", ("sci.space",), "train"),
        ("rec.autos/100", ("rec.autos",), "train"),
        ("sci.space/101", ("sci.space",), "test"),
    }


def test_fields_by_default(store, read):
    files = {"20_newsgroups/sci.med/7": ARTICLE}
    body = "x writes:\n> quoted\nanswer \n-- \nme"
    assert read(newsgroups(store(files), by_date=False))[0] == [
        Document("sci.med/7", {"subject": "Téa", "body": body}, ("sci.med",), None)
    ]


@pytest.mark.parametrize(
    ("option", "fields"),
    [
        ({"strip_headers": False}, {"headers": "From: a@b", "subject": "Téa"}),
        ({"strip_quotes": True}, {"body": "answer \n-- \nme"}),
        ({"strip_signatures": True}, {"body": "x writes:\n> quoted\nanswer"}),
        ({"strip_quotes": True, "strip_signatures": True}, {"body": "answer"}),
    ],
)
def test_options(make_folder, read, option, fields):
    path = make_folder({"sci.med/7": ARTICLE})
    ((document,), _) = read(newsgroups(path, by_date=False, **option))
    assert fields.items() <= document.fields.items()
    assert list(document.fields) == ["headers", "subject", "body"][-len(document.fields) :]


def test_cross_posts_are_documents_of_their_own(store, read):
    files = {"x/sci.med/7": ARTICLE, "x/sci.space/7": ARTICLE}
    documents, _ = read(newsgroups(store(files), by_date=False))
    assert {d.id: d.labels for d in documents} == {
        "sci.med/7": ("sci.med",),
        "sci.space/7": ("sci.space",),
    }


def test_files_elsewhere_are_not_part_of_it(make_folder, read):
    files = {**BYDATE, "README": b"", "20news-bydate-train/notes/1": b"", "sci.med/1": b""}
    assert len(read(newsgroups(make_folder(files), by_date=True))[0]) == len(BYDATE)


def test_no_article_is_an_error(store, read):
    with pytest.raises(CorpusError, match="holds no article of 20 Newsgroups"):
        read(newsgroups(store({"sci.med/1": ARTICLE}), by_date=True))


def test_a_bad_file_is_counted_under_skip(tmp_path, read):
    path = tmp_path / "news.tar"
    with tarfile.open(path, "w") as archive:
        for name, kind in (("x/sci.med/1", tarfile.SYMTYPE), ("x/sci.med/2", tarfile.REGTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "elsewhere"
            archive.addfile(info)
    with pytest.raises(DocumentError, match=r"sci\.med/1"):
        read(newsgroups(path, by_date=False))
    documents, problems = read(newsgroups(path, by_date=False), "skip")
    assert [d.id for d in documents] == ["sci.med/2"]
    assert problems.count == 1


@pytest.mark.corpus
def test_the_real_by_date_version(corpus_file):
    corpus = open_named("20news-bydate", path=corpus_file("20news-bydate"))
    ids, splits, groups, subjects = set(), Counter(), set(), 0
    for document in corpus:
        ids.add(document.id)
        splits[document.split] += 1
        groups.update(document.labels)
        subjects += bool(document.fields["subject"])
        assert "\r" not in document.fields["body"]
    assert splits == {"train": 11_314, "test": 7_532}
    assert len(ids) == 18_846
    assert groups == GROUPS
    assert subjects > 18_800


@pytest.mark.corpus
def test_the_real_original(corpus_file):
    corpus = open_named("20news-19997", path=corpus_file("20news-19997"))
    documents = [(document.id, document.labels) for document in corpus]
    assert len(documents) == 19_997
    assert len({identity for identity, _ in documents}) == 19_997
    per_group = Counter(labels for _, labels in documents)
    assert set(per_group) == {(group,) for group in GROUPS}
    assert sorted(set(per_group.values())) == [997, 1000]
