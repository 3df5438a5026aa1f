"""Fetching a collection that is published as several files, here from file addresses."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from postil.corpus.named import registry
from postil.corpus.named.fetch import Fetched, fetch
from postil.corpus.named.rcv1 import DISTRIBUTION, TOKEN_FILES, TOPICS_FILE
from postil.corpus.named.registry import NAMES, open_named
from postil.errors import FetchError

NAME = "rcv1-v2"
PARTS = [f"{name}.gz" for name in DISTRIBUTION.holds]


@pytest.fixture
def published(tmp_path) -> Path:
    """A place that has every file, with one document in each."""
    place = tmp_path / "published"
    place.mkdir()
    for number, name in enumerate(TOKEN_FILES, 1):
        text = f".I {number}\n.W\ntoken\n\n"
        (place / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    judgements = "".join(f"CCAT {number} 1\n" for number in range(1, 6))
    (place / f"{TOPICS_FILE}.gz").write_bytes(gzip.compress(judgements.encode()))
    return place


@pytest.fixture
def data(no_corpora, published, monkeypatch) -> Path:
    """An empty data folder; the corpus has five documents and two places to be had from."""
    places = (published / "nowhere", published)
    parts = tuple(tuple(f"{place.as_uri()}/{name}" for place in places) for name in PARTS)
    small = replace(
        NAMES[NAME], sizes=frozenset({5}), distribution=replace(DISTRIBUTION, parts=parts)
    )
    monkeypatch.setitem(registry.NAMES, NAME, small)
    return no_corpora


def test_the_parts_become_a_folder_that_can_be_opened(data, published):
    seen = []
    fetched = fetch(NAME, progress=lambda *now: seen.append(now))
    assert fetched == Fetched(data / "rcv1-v2", "documents")
    assert [path.name for path in data.iterdir()] == ["rcv1-v2"]
    assert len(list(open_named(NAME))) == 5
    done = [bytes_done for bytes_done, _ in seen]
    assert done == sorted(done)
    assert done[-1] == sum(path.stat().st_size for path in published.iterdir())
    assert fetch(NAME) == Fetched(data / "rcv1-v2", "present")


def test_a_part_that_cannot_be_had_keeps_the_others(data, published):
    (published / "lyrl2004_tokens_test_pt2.dat.gz").rename(published / "away")
    with pytest.raises(FetchError) as info:
        fetch(NAME)
    assert f"the next attempt resumes {data / 'rcv1-v2.part'}" in str(info.value)
    assert "postil corpus fetch rcv1-v2 --from PATH" in str(info.value)
    assert not (data / "rcv1-v2").exists()
    (published / "away").rename(published / "lyrl2004_tokens_test_pt2.dat.gz")
    (published / "lyrl2004_tokens_train.dat.gz").unlink()  # it is here already
    assert fetch(NAME).path == data / "rcv1-v2"


def test_a_page_instead_of_a_part_is_not_kept(data, published):
    (published / f"{TOPICS_FILE}.gz").write_text("<html>we have moved</html>")
    with pytest.raises(FetchError, match="not a compressed file; nothing of it was kept"):
        fetch(NAME)
    assert list((data / "rcv1-v2.part").iterdir()) == []


def test_too_few_documents(data, published):
    empty = gzip.compress(b".I 1\n.W\ntoken\n\n")
    (published / "lyrl2004_tokens_test_pt0.dat.gz").write_bytes(empty)
    with pytest.raises(FetchError, match=r"not RCV1-v2.*document 1 was read before"):
        fetch(NAME)
    assert not (data / "rcv1-v2").exists()


def test_what_is_there_is_not_replaced(data):
    fetch(NAME)
    with pytest.raises(FetchError, match="is there already; remove it first"):
        fetch(NAME, force=True)


def test_a_place_that_cannot_be_written(data):
    data.mkdir()
    (data / "rcv1-v2.part").touch()
    with pytest.raises(FetchError, match=r"rcv1-v2\.part: cannot be written"):
        fetch(NAME)


def test_from_a_folder(data, published):
    assert fetch(NAME, from_path=published) == Fetched(data / "rcv1-v2", "documents")
    assert len(list(open_named(NAME))) == 5


def test_every_part_is_what_the_reader_needs():
    assert {*DISTRIBUTION.holds} == {*TOKEN_FILES, TOPICS_FILE}
    assert [urls[0].rpartition("/")[2] for urls in DISTRIBUTION.parts] == PARTS
    for urls, name in zip(DISTRIBUTION.parts, PARTS, strict=True):
        assert all(url.endswith(f"/{name}") for url in urls)
