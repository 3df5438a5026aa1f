"""Fingerprints follow bytes and names, not places and dates."""

from __future__ import annotations

import os

import pytest

from postil.errors import InputError, UsageError
from postil_papers.cache import code_fingerprint, data_fingerprint


def test_data_fingerprints_follow_content(tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder / "inner").mkdir(parents=True)
        (tmp_path / folder / "a.txt").write_text("a")
        (tmp_path / folder / "inner" / "b.txt").write_text("b")
    one, two = tmp_path / "one", tmp_path / "two"
    before = data_fingerprint(one)
    assert data_fingerprint(two) == before
    os.utime(one / "a.txt", (0, 0))
    assert data_fingerprint(one) == before
    (two / "a.txt").rename(two / "c.txt")
    assert data_fingerprint(two) != before
    (one / "a.txt").write_text("b")
    assert data_fingerprint(one) != before
    assert data_fingerprint(one / "a.txt") == data_fingerprint(two / "inner" / "b.txt")
    assert data_fingerprint(one, two) != data_fingerprint(two, one)


def test_data_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="absent: cannot be read"):
        data_fingerprint(tmp_path / "absent")


def test_code_fingerprints_follow_sources(tmp_path, monkeypatch):
    package = tmp_path / "some_package_of_the_test"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "part.py").write_text("VALUE = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    whole, part = code_fingerprint(package.name), code_fingerprint(f"{package.name}.part")
    (package / "notes.md").write_text("not code")
    assert code_fingerprint(package.name) == whole
    (package / "part.py").write_text("VALUE = 2\n")
    assert code_fingerprint(package.name) != whole
    assert code_fingerprint(f"{package.name}.part") != part


def test_code_without_a_source_is_refused():
    for module in ("no_such_module", "postil.no_such", "no_such.inner"):
        with pytest.raises(UsageError, match=module):
            code_fingerprint(module)


def test_the_native_core_has_a_fingerprint():
    assert len(code_fingerprint("postil._native")) == 64
