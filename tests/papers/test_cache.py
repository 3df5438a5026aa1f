"""The cache of results: keys, damage, two processes at once."""

from __future__ import annotations

import json
import multiprocessing
import os
import time
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.errors import UsageError
from postil_papers.cache import Answer, CacheWarning, Question, ResultCache
from postil_papers.cells import canonical_json, digest

plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    plain | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def typed(value):
    """The value with types written out: Python holds 1, 1.0 and True to be equal."""
    if isinstance(value, dict):
        return {key: typed(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [typed(item) for item in value]
    return type(value).__name__, repr(value)


def reordered(value):
    if isinstance(value, dict):
        return {key: reordered(value[key]) for key in reversed(value)}
    return tuple(map(reordered, value)) if isinstance(value, list) else value


@given(values)
def test_canonical_json_is_ascii_and_gives_the_value_back(value):
    text = canonical_json(value)
    assert text.isascii()
    assert typed(json.loads(text)) == typed(value)
    assert canonical_json(json.loads(text)) == text


@given(values)
def test_canonical_json_does_not_see_the_order_of_keys_or_the_kind_of_list(value):
    assert canonical_json(reordered(value)) == canonical_json(value)


@given(values, values)
def test_different_values_have_different_texts_and_digests(one, other):
    same = typed(one) == typed(other)
    assert (canonical_json(one) == canonical_json(other)) == same
    assert (digest(one) == digest(other)) == same


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"a": [1, float("nan")]}, r"value\['a'\]\[1\]: nan cannot be kept"),
        ({"a": float("inf")}, "inf cannot be kept"),
        ({1: "a"}, "the key 1 is not a text"),
        ({"a": {2, 3}}, r"value\['a'\]: set cannot be kept as JSON"),
    ],
)
def test_what_json_cannot_hold_is_refused_with_its_place(value, message):
    with pytest.raises(UsageError, match=message):
        canonical_json(value)


QUESTION = Question("svm", {"lam": 1e-3, "features": 10000}, "data", "code")


@pytest.fixture
def cache(tmp_path):
    return ResultCache(tmp_path / "results")


@given(st.text(), st.dictionaries(st.text(), values, max_size=3), st.text(), st.text())
def test_the_key_depends_on_every_part_of_the_question(name, settings, data, code):
    keys = {
        Question(name, settings, data, code).key,
        Question(name + "x", settings, data, code).key,
        Question(name, {**settings, "another": 1, "x" * 99: 2}, data, code).key,
        Question(name, settings, data + "x", code).key,
        Question(name, settings, data, code + "x").key,
    }
    assert len(keys) == 5
    assert all(len(key) == 64 for key in keys)


@given(result=values)
def test_what_is_kept_comes_back(tmp_path_factory, result):
    cache = ResultCache(tmp_path_factory.mktemp("results"))
    assert cache.get(QUESTION) is None
    cache.put(QUESTION, result)
    assert cache.get(QUESTION) == Answer(json.loads(canonical_json(result)))
    assert cache.get(Question("svm", {}, "data", "code")) is None


def test_it_lives_in_the_users_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert ResultCache().folder == tmp_path / "postil" / "results"
    assert ResultCache().get(QUESTION) is None
    assert ResultCache().clear() == 0
    assert not (tmp_path / "postil").exists()


def entry_of(cache: ResultCache) -> Path:
    [path] = cache.folder.iterdir()
    return path


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda _: b"", "not JSON"),
        (lambda content: content[:-5], "not JSON"),
        (lambda content: content.replace(b"86.5", b"87.5"), "checksum"),
        (lambda content: content.replace(b'"svm"', b'"smv"'), "another question"),
        (lambda content: content.replace(b"86.5", b"NaN"), "nan cannot be kept"),
        (lambda _: b"[1]", "not an entry"),
        (lambda _: b"\xff\xfe", "not JSON"),
        (lambda _: b"[" * 100_000, "not JSON"),
    ],
)
def test_a_damaged_entry_is_warned_of_once_and_replaced(cache, damage, message):
    cache.put(QUESTION, {"F1": 86.5})
    path = entry_of(cache)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.warns(CacheWarning, match=message) as told:
        assert cache.get(QUESTION) is None
    assert len(told) == 1
    cache.put(QUESTION, {"F1": 86.5})
    assert cache.get(QUESTION) == Answer({"F1": 86.5})


def test_any_flipped_byte_is_noticed(cache):
    cache.put(QUESTION, {"F1": 86.5, "words": ["a", "b"]})
    path = entry_of(cache)
    whole = path.read_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CacheWarning)
        for position in range(len(whole)):
            flipped = bytearray(whole)
            flipped[position] ^= 1
            path.write_bytes(flipped)
            assert cache.get(QUESTION) is None


def test_an_entry_that_cannot_be_read_counts_as_none(cache):
    cache.put(QUESTION, 1)
    path = entry_of(cache)
    path.unlink()
    path.mkdir()
    with pytest.warns(CacheWarning, match="cannot be read"):
        assert cache.get(QUESTION) is None


def test_a_result_that_cannot_be_kept_is_warned_of(tmp_path):
    (tmp_path / "results").write_text("a file where the folder should be")
    with pytest.warns(CacheWarning, match="cannot be kept"):
        ResultCache(tmp_path / "results").put(QUESTION, 1)


def test_clear_removes_entries_and_what_dead_processes_left_only(cache):
    for number in range(3):
        cache.put(Question("svm", {"number": number}, "", ""), number)
    entry = next(cache.folder.iterdir())
    fresh, old = (cache.folder / f".{entry.name}.{tail}.part" for tail in ("0a0a", "0b0b"))
    other = cache.folder / "notes.txt"
    for path in (fresh, old, other):
        path.write_text("")
    os.utime(old, (time.time() - 7200,) * 2)
    assert cache.clear() == 3
    assert sorted(cache.folder.iterdir()) == sorted([fresh, other])


def _hammer(folder: str, seed: int) -> int:
    """Keep, look up and clear without end; anything but the right result would show."""
    warnings.simplefilter("error")
    cache = ResultCache(Path(folder))
    wrong = 0
    for turn in range(60):
        number = (turn * 7 + seed) % 5
        question = Question("svm", {"number": number}, "", "")
        cache.put(question, [number] * 500)
        found = cache.get(question)
        wrong += found not in (None, Answer([number] * 500))
        if turn % 10 == 9:
            cache.clear()
    return wrong


def test_processes_at_once_see_whole_results_or_none(tmp_path):
    context = multiprocessing.get_context("spawn")
    with context.Pool(2) as pool:
        wrong = pool.starmap(_hammer, [(str(tmp_path / "results"), seed) for seed in range(4)])
    assert wrong == [0, 0, 0, 0]
    assert not list((tmp_path / "results").glob(".*"))
