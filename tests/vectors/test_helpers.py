"""Threads that stay for the next call: whoever comes to them, and however, gets the same."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

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


def test_callers_at_the_same_time_do_not_meet():
    alone = Vectorizer(threads=1).fit_transform(TEXTS)
    with ThreadPoolExecutor(4) as callers:
        found = callers.map(lambda _: Vectorizer(threads=3).fit_transform(TEXTS), range(8))
        assert all((each != alone).nnz == 0 for each in found)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_has_threads_of_its_own():
    subprocess.run([sys.executable, "-c", FORK], check=True, timeout=120)
