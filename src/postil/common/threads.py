"""Numbers of threads, and long calls into libraries that Ctrl-C can leave."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import index
from typing import TypeVar

from postil.errors import UsageError

MOST_THREADS = 256
POLL_SECONDS = 0.2

Result = TypeVar("Result")


def thread_count(wanted: int | None) -> int:
    """Return the number of threads: ``wanted``, or all processors of this process."""
    if wanted is None:
        known = hasattr(os, "sched_getaffinity")
        processors = len(os.sched_getaffinity(0)) if known else os.cpu_count() or 1
        return min(processors, MOST_THREADS)
    try:
        count = index(wanted)
    except TypeError:
        count = 0
    if not 1 <= count <= MOST_THREADS:
        raise UsageError(f"threads must be from 1 to {MOST_THREADS}, not {wanted!r}")
    return count


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread, so that sums do not depend on the number of threads.

    Nor would more be faster where matrices are small: they wait for each other, at full speed.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="blas"):
        yield


def interruptible(work: Callable[[], Result], poll: Callable[[], None] = lambda: None) -> Result:
    """Do some work in another thread, and call ``poll`` several times a second meanwhile.

    SciPy's callbacks drop exceptions and its solvers continue with garbage, so a signal, which
    only the main thread gets, must not arrive there. On Ctrl-C the other thread is abandoned; it
    is a daemon and does not keep the program from ending.
    """
    results: list[Result] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as failure:  # raised again below
            failures.append(failure)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(POLL_SECONDS)
        poll()
    if failures:
        raise failures[0]
    return results[0]
