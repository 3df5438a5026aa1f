"""How many threads to use."""

from __future__ import annotations

import os

import pytest

from postil.common.threads import thread_count
from postil.errors import UsageError
from postil.vectors.vectorizer import Vectorizer


def test_a_number_is_taken_as_it_is():
    assert [thread_count(wanted) for wanted in (1, 2, 64)] == [1, 2, 64]


def test_none_is_every_processor_the_process_may_use(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    assert thread_count(None) == 3
    assert Vectorizer().threads == 3


def test_none_where_affinity_is_unknown(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert thread_count(None) == 7
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert thread_count(None) == 1


@pytest.mark.parametrize("wanted", [0, -1, 257])
def test_none_and_too_many_are_refused(wanted: int):
    with pytest.raises(UsageError, match=f"at least 1 and at most 256, not {wanted}"):
        Vectorizer(threads=wanted)


def test_more_threads_than_work_are_harmless():
    assert Vectorizer(threads=200).fit_transform(["a b", "b"]).shape == (2, 2)


def test_more_processors_than_threads_can_be(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(384)), raising=False)
    assert thread_count(thread_count(None)) == thread_count(None) == 256
