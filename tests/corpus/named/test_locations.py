"""Where corpora are looked for and put."""

from __future__ import annotations

from pathlib import Path

import pytest

from postil.corpus.named import distributions as locations
from postil.corpus.named.distributions import (
    Distribution,
    cache_folder,
    data_folders,
    locate,
    store_folder,
)

KEPT = Distribution("a.tar.gz", "http://x", folder_name="a", other_names=("b.tar.gz",))


def test_the_data_folder_comes_before_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("POSTIL_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert data_folders() == (tmp_path / "data", tmp_path / "cache" / "postil")
    assert store_folder() == tmp_path / "data"
    monkeypatch.delenv("POSTIL_DATA")
    assert data_folders() == (tmp_path / "cache" / "postil",)
    assert store_folder() == tmp_path / "cache" / "postil"


@pytest.mark.parametrize(
    ("platform", "folder"),
    [
        ("linux", Path(".cache/postil")),
        ("darwin", Path("Library/Caches/postil")),
        ("win32", Path("AppData/Local/postil")),
    ],
)
def test_each_platform_has_its_cache(monkeypatch, tmp_path, platform, folder):
    monkeypatch.setattr(locations.sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", "relative is ignored")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    assert cache_folder() == tmp_path / folder


def test_every_name_is_found_and_the_usual_one_first(no_corpora, tmp_path):
    assert locate(KEPT) is None
    cached = tmp_path / "cache" / "postil" / "a.tar.gz"
    cached.parent.mkdir(parents=True)
    cached.touch()
    assert locate(KEPT) == cached
    (no_corpora / "a").mkdir(parents=True)
    assert locate(KEPT) == no_corpora / "a"
    (no_corpora / "b.tar.gz").touch()
    assert locate(KEPT) == no_corpora / "b.tar.gz"
    (no_corpora / "a.tar.gz").touch()
    assert locate(KEPT) == no_corpora / "a.tar.gz"


def test_a_link_to_nowhere_is_no_corpus(no_corpora):
    no_corpora.mkdir()
    (no_corpora / "a").symlink_to("nowhere")
    assert locate(KEPT) is None
