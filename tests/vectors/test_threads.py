"""The number of threads, and threads that stay for the next call."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from postil.common.threads import thread_count
from postil.errors import UsageError
from postil.vectors.vectorizer import Vectorizer

TEXTS = [f"oil prices rose again on day {day} in the port of {day % 97}" for day in range(12_000)]

FORK = """
import os
from postil.vectors.vectorizer import Vectorizer
texts = [f"oil prices rose again on day {day}" for day in range(20_000)]
before = Vectorizer(threads=3).fit_transform(texts)
child = os.fork()
if child == 0:
    after = Vectorizer(threads=3).fit_transform(texts)
    os._exit((before != after).nnz != 0)
os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


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
    with pytest.raises(UsageError, match=f"must be from 1 to 256, not {wanted}"):
        Vectorizer(threads=wanted)


def test_more_threads_than_work_are_harmless():
    assert Vectorizer(threads=200).fit_transform(["a b", "b"]).shape == (2, 2)


def test_more_processors_than_threads_can_be(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(384)), raising=False)
    assert thread_count(thread_count(None)) == thread_count(None) == 256


def test_callers_at_the_same_time_do_not_meet():
    alone = Vectorizer(threads=1).fit_transform(TEXTS)
    with ThreadPoolExecutor(4) as callers:
        found = callers.map(lambda _: Vectorizer(threads=3).fit_transform(TEXTS), range(8))
        assert all((each != alone).nnz == 0 for each in found)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_has_threads_of_its_own():
    subprocess.run([sys.executable, "-c", FORK], check=True, timeout=120)
