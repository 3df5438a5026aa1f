"""Results that are kept: by what they depend on, damaged ones, and the fingerprints behind them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial

import pytest

from postil.errors import InputError, UsageError
from postil.recipes.recipe import load_recipe
from postil_papers import results
from postil_papers.results import (
    AbsentCorpusError,
    ResultStore,
    code_fingerprint,
    code_of,
    corpus_fingerprint,
    data_fingerprint,
    plain,
    remember,
    using,
)


class Work:
    """Something that counts how often it is done."""

    def __init__(self):
        self.done = 0

    def run(self, **settings):
        self.done += 1
        return {"answer": self.done, **settings}


def kept(store, work, **settings):
    found = store.get("work", work.run, settings)
    return found.value["answer"], found.cached


def test_a_result_is_kept_by_its_settings(tmp_path):
    work, store = Work(), ResultStore(tmp_path)
    assert [kept(store, work, size=1) for _ in range(2)] == [(1, False), (1, True)]
    assert kept(store, work, size=1.0) == (2, False)
    assert kept(ResultStore(tmp_path), work, size=1) == (1, True)
    assert kept(ResultStore(tmp_path / "other"), work, size=1) == (3, False)


def test_a_refresh_takes_nothing_from_before_and_keeps_what_it_computes(tmp_path):
    work = Work()
    kept(ResultStore(tmp_path), work, size=1)
    anew = ResultStore(tmp_path, refresh=True)
    assert [kept(anew, work, size=1) for _ in range(2)] == [(2, False), (2, True)]
    assert kept(ResultStore(tmp_path), work, size=1) == (2, True)


@pytest.mark.parametrize("damage", [b"", b"nothing of ours", None])
def test_a_damaged_result_is_computed_again(tmp_path, damage):
    work = Work()
    kept(ResultStore(tmp_path), work, size=1)
    (entry,) = tmp_path.rglob("output.pkl")
    content = entry.read_bytes()
    entry.write_bytes(content[: len(content) // 2] if damage is None else damage)
    assert kept(ResultStore(tmp_path), work, size=1) == (2, False)
    assert kept(ResultStore(tmp_path), work, size=1) == (2, True)


def test_other_bytes_and_other_code_have_other_results(tmp_path, monkeypatch):
    work, store = Work(), ResultStore(tmp_path)
    for data, code in (("a", "1"), ("b", "1"), ("b", "2"), ("a", "1")):
        monkeypatch.setattr(results, "corpus_fingerprint", lambda _, data=data: data)
        monkeypatch.setattr(results, "code_of", lambda _, code=code: code)
        kept(store, work, corpus="some")
    assert work.done == 3


def test_the_seconds_of_work_are_known_by_its_name(tmp_path):
    store = ResultStore(tmp_path)
    store.get("one", Work().run, {"size": 1})
    (store_entry,) = tmp_path.rglob("metadata.json")
    assert set(store.seconds()) == {"one"}
    store_entry.write_text("damaged")
    assert store.seconds() == {}


def test_shared_work_is_done_once_in_a_reproduction():
    work = Work()
    with using(None):
        assert [remember("work", work.run, size=1)["answer"] for _ in range(3)] == [1, 1, 1]
        assert remember("work", work.run, size=2)["answer"] == 2
    with using(None):  # nothing was kept
        assert remember("work", work.run, size=1)["answer"] == 3
    assert remember("work", work.run, size=1)["answer"] == 4  # outside it is just done


def test_work_that_fails_is_not_kept(tmp_path):
    def fail():
        raise UsageError("no")

    store = ResultStore(tmp_path)
    for _ in range(2):
        with pytest.raises(UsageError):
            store.get("work", fail, {})
    assert store.seconds() == {}


@dataclass
class Some:
    """A setting."""

    corpus: str
    sizes: tuple[int, ...]


def test_settings_become_plain_values_without_what_a_recipe_expects():
    recipe = load_recipe("svm")
    found = plain({"collection": Some("demo", (1, 2)), "recipes": [recipe], "lam": 1e-3})
    assert found["collection"] == {"corpus": "demo", "sizes": [1, 2]}
    assert found["lam"] == 1e-3
    assert recipe.expect
    assert found["recipes"] == [
        {key: value for key, value in recipe.to_dict().items() if key != "expect"}
    ]


# ------------------------------------------------------------------------------- fingerprints


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
    with pytest.raises(InputError, match="absent: cannot be read"):
        data_fingerprint(tmp_path / "absent")


def test_code_fingerprints_follow_sources(tmp_path, monkeypatch):
    package = tmp_path / "some_package_of_the_test"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "part.py").write_text("VALUE = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    fingerprint = code_fingerprint.__wrapped__
    whole, part = fingerprint(package.name), fingerprint(f"{package.name}.part")
    (package / "notes.md").write_text("not code")
    assert fingerprint(package.name) == whole
    (package / "part.py").write_text("VALUE = 2\n")
    assert fingerprint(package.name) != whole
    assert fingerprint(f"{package.name}.part") != part
    for module in ("no_such_module", "postil.no_such", "no_such.inner"):
        with pytest.raises(UsageError, match=module):
            fingerprint(module)
    assert len(fingerprint("postil._native")) == 64


def test_code_of_a_module_is_that_of_what_it_imports(monkeypatch):
    taken = []
    monkeypatch.setattr(results, "code_fingerprint", lambda *modules: taken.append(modules))
    code_of.__wrapped__("postil_papers.zhang_2000.tables")
    (modules,) = taken
    assert {f"postil_papers.{name}" for name in ("single_label", "harness", "results")} < set(
        modules
    )
    assert "postil_papers.zhang_2000.selections" not in modules
    assert set(results.RUN_CODE) < set(modules)


def test_a_corpus_without_its_file_is_absent(monkeypatch, tmp_path):
    monkeypatch.setenv("POSTIL_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(AbsentCorpusError, match="postil corpus fetch webkb"):
        corpus_fingerprint("webkb")
    # postil knows no address of this one.
    with pytest.raises(AbsentCorpusError, match="have: postil corpus fetch industry-sector --from"):
        corpus_fingerprint("industry-sector")
    with pytest.raises(UsageError, match="no corpus called 'webbk'"):
        corpus_fingerprint("webbk")


def test_the_module_of_a_partial_function_is_its_functions():
    assert results._module(partial(plain, 1)) == "postil_papers.results"
