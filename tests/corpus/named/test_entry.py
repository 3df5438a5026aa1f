"""Entries of named corpora: their options, and where their files are looked for and put."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from postil.corpus.named import entry
from postil.corpus.named.entry import (
    Distribution,
    NamedCorpus,
    Option,
    cache_folder,
    data_folders,
)
from postil.errors import UsageError

FILES = Distribution("a.tar.gz", "http://x", folder_name="a", other_names=("b.tar.gz",))
KEPT = NamedCorpus("x", "X", "", "", FILES, frozenset(), lambda _: lambda _: iter(()))
COLOUR = Option("colour", "help", "red", ("red", "blue"))
LOUD = Option("loud", "help", False)
PAINTED = replace(KEPT, options=(COLOUR, LOUD))


def test_the_data_folder_comes_before_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("POSTIL_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert data_folders() == (tmp_path / "data", tmp_path / "cache" / "postil")
    assert data_folders()[0] == tmp_path / "data"
    monkeypatch.delenv("POSTIL_DATA")
    assert data_folders() == (tmp_path / "cache" / "postil",)
    assert data_folders()[0] == tmp_path / "cache" / "postil"


@pytest.mark.parametrize(
    ("platform", "folder"),
    [
        ("linux", Path(".cache/postil")),
        ("darwin", Path("Library/Caches/postil")),
        ("win32", Path("AppData/Local/postil")),
    ],
)
def test_each_platform_has_its_cache(monkeypatch, tmp_path, platform, folder):
    monkeypatch.setattr(entry.sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", "relative is ignored")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    assert cache_folder() == tmp_path / folder


def test_every_name_is_found_and_the_usual_one_first(no_corpora, tmp_path):
    assert KEPT.locate() is None
    cached = tmp_path / "cache" / "postil" / "a.tar.gz"
    cached.parent.mkdir(parents=True)
    cached.touch()
    assert KEPT.locate() == cached
    (no_corpora / "a").mkdir(parents=True)
    assert KEPT.locate() == no_corpora / "a"
    (no_corpora / "b.tar.gz").touch()
    assert KEPT.locate() == no_corpora / "b.tar.gz"
    (no_corpora / "a.tar.gz").touch()
    assert KEPT.locate() == no_corpora / "a.tar.gz"


def test_a_link_to_nowhere_is_no_corpus(no_corpora):
    no_corpora.mkdir()
    (no_corpora / "a").symlink_to("nowhere")
    assert KEPT.locate() is None


def test_defaults_and_values():
    assert PAINTED.parse_options({}) == {"colour": "red", "loud": False}
    given = {"colour": "Blue", "loud": "yes"}
    assert PAINTED.parse_options(given) == {"colour": "blue", "loud": True}


@pytest.mark.parametrize(
    ("value", "meaning"),
    [(True, True), (False, False), ("on", True), ("NO", False), ("1", True), ("false", False)],
)
def test_switches(value, meaning):
    assert LOUD.parse(value) is meaning


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"colour": "green"}, "colour must be one of red, blue, received 'green'"),
        ({"colour": True}, "colour must be one of red, blue, received True"),
        ({"loud": "very"}, "loud must be yes or no, received 'very'"),
        ({"loud": 2}, "loud must be yes or no, received 2"),
        ({"size": "1"}, "x has no option 'size'; it takes: colour, loud"),
    ],
)
def test_what_is_refused(given, message):
    with pytest.raises(UsageError) as info:
        PAINTED.parse_options(given)
    assert str(info.value) == message


def test_a_corpus_without_options_says_so():
    with pytest.raises(UsageError, match="it takes: no options"):
        KEPT.parse_options({"a": 1})
