"""The table of named corpora, and opening them."""

from __future__ import annotations

import re
from collections import Counter
from urllib.parse import urlsplit

import pytest

from postil.corpus.document import Document
from postil.corpus.named import registry
from postil.corpus.named.entry import NamedCorpus
from postil.corpus.named.registry import NAMES, named, open_named
from postil.corpus.options import ReadOptions
from postil.errors import CorpusError, DocumentError, UsageError

EXPECTED = [
    "demo",
    "reuters-modapte",
    "reuters-modlewis",
    "reuters-modhayes",
    "20news-bydate",
    "20news-19997",
    "webkb",
    "industry-sector",
    "arxiv-120k",
    "rcv1-v2",
    "rcv1-v2-sample",
    "ohsumed",
]


def test_the_names():
    assert list(NAMES) == EXPECTED
    assert all(corpus.name == name for name, corpus in NAMES.items())


@pytest.mark.parametrize("corpus", NAMES.values(), ids=NAMES)
def test_every_entry_is_complete(corpus):
    assert corpus.title
    assert corpus.terms.endswith(".")
    assert len(corpus.description) > 80
    assert len({option.name for option in corpus.options}) == len(corpus.options)
    if corpus.distribution is not None:
        assert corpus.sizes or corpus.name == "industry-sector"
        assert corpus.distribution.names[0] == corpus.distribution.file_name
        assert corpus.distribution.sha256 is None or re.fullmatch(
            "[0-9a-f]{64}", corpus.distribution.sha256
        )
        for url in corpus.distribution.urls:
            assert urlsplit(url).scheme in {"http", "https"}


@pytest.mark.parametrize("corpus", NAMES.values(), ids=NAMES)
def test_the_defaults_of_every_option_are_values_of_it(corpus):
    for option in corpus.options:
        assert option.parse(option.default) == option.default
        assert option.values


def test_an_unknown_name_lists_the_known():
    with pytest.raises(UsageError, match=r"no corpus called 'reuter'; there are: demo, "):
        named("reuter")


@pytest.mark.parametrize("name", [name for name in EXPECTED if name != "demo"])
def test_an_absent_corpus_says_how_to_get_it(name, no_corpora):
    with pytest.raises(CorpusError) as info:
        open_named(name)
    message = str(info.value)
    assert f"postil corpus fetch {name}" in message
    assert "--from PATH" in message
    assert str(no_corpora) in message


def test_options_of_generic_formats_are_refused():
    with pytest.raises(UsageError, match="--encoding, --format means nothing for webkb"):
        open_named("webkb", ReadOptions(encoding="utf-8", format="csv"))


def test_strange_choices_are_refused(make_folder):
    with pytest.raises(UsageError, match="reuters-modapte has no option 'colour'"):
        open_named("reuters-modapte", None, {"colour": "red"}, path=make_folder({"x": b""}))


ARTICLES = {f"20_newsgroups/sci.space/{number}": b"Subject: x\n\nbody" for number in range(5)}


@pytest.fixture
def small_corpus(monkeypatch) -> NamedCorpus:
    """The original newsgroups, as if it had five articles."""
    from dataclasses import replace

    small = replace(NAMES["20news-19997"], sizes=frozenset({5}))
    monkeypatch.setitem(registry.NAMES, "20news-19997", small)
    return small


@pytest.mark.usefixtures("small_corpus")
def test_a_corpus_is_found_by_any_of_its_names(no_corpora, make_folder):
    make_folder(ARTICLES, "data")
    corpus = open_named("20news-19997")
    assert Counter(document.labels for document in corpus) == {("sci.space",): 5}
    assert len(list(corpus)) == 5
    assert corpus.name == "20news-19997"
    assert corpus.description == NAMES["20news-19997"].description


@pytest.mark.usefixtures("small_corpus")
def test_choices_reach_the_reader(make_folder):
    path = make_folder({**ARTICLES, "sci.med/9": b"From: x\n\nbody"})
    corpus = open_named("20news-19997", None, {"strip_headers": "no"}, path=path)
    assert next(iter(corpus)) == Document(
        "sci.space/0", {"headers": "", "subject": "x", "body": "body"}, ("sci.space",)
    )


@pytest.mark.usefixtures("small_corpus")
def test_an_incomplete_copy_is_a_problem_at_its_end(make_folder):
    path = make_folder(dict(list(ARTICLES.items())[:3]))
    message = "20news-19997 has 5 documents, this copy 3; get it again"
    with pytest.raises(DocumentError, match=message):
        list(open_named("20news-19997", path=path))
    corpus = open_named("20news-19997", ReadOptions(on_error="skip"), path=path)
    assert len(list(corpus)) == 3
    assert corpus.problems.count == 1
    assert corpus.problems.first[0].source == str(path)


@pytest.mark.usefixtures("small_corpus")
def test_half_a_pass_is_no_incomplete_copy(make_folder):
    walk = iter(open_named("20news-19997", path=make_folder(ARTICLES)))
    next(walk)
    walk.close()


def test_unused_stories_may_be_asked_for(make_folder):
    story = (
        '<REUTERS TOPICS="NO" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" NEWID="1">'
        "<TEXT>x</TEXT></REUTERS>"
    )
    path = make_folder({"reut2-000.sgm": story.encode()})
    corpus = open_named("reuters-modapte", None, {"unused": "yes"}, path=path)
    assert [(document.id, document.split) for document in corpus] == [("1", None)]


def test_the_arxiv_layout(tmp_path):
    path = tmp_path / "sample.jsonl"
    path.write_text(
        '{"id": "a/1", "date": "2000-01-01", "split": "test", "title": "T", "body": "B", '
        '"labels": ["x.Y", "z"], "primary": "x.Y"}\n'
    )
    corpus = open_named("arxiv-120k", ReadOptions(on_error="skip"), path=path)
    assert list(corpus) == [Document("a/1", {"title": "T", "body": "B"}, ("x.Y", "z"), "test")]


@pytest.mark.corpus
def test_the_real_arxiv_sample(corpus_file):
    corpus = open_named("arxiv-120k", path=corpus_file("arxiv-120k"))
    splits: Counter[str | None] = Counter()
    labels: Counter[str] = Counter()
    for document in corpus:
        splits[document.split] += 1
        labels.update(document.labels)
        assert list(document.fields) == ["title", "body"]
    assert splits == {"train": 100_000, "test": 20_000}
    assert len(labels) == 176
    assert 1.8 < labels.total() / 120_000 < 2.0
