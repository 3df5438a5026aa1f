"""How many threads to use, and how many BLAS may use.

Long calls into LAPACK and PROPACK that Ctrl-C can leave.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from postil.errors import UsageError

MOST_THREADS = 256


def thread_count(wanted: int | None) -> int:
    """The number of threads: ``wanted``, or every processor there is for this process."""
    if wanted is None:
        known = hasattr(os, "sched_getaffinity")
        processors = len(os.sched_getaffinity(0)) if known else os.cpu_count() or 1
        return min(processors, MOST_THREADS)
    if not 1 <= wanted <= MOST_THREADS:
        raise UsageError(f"threads is at least 1 and at most {MOST_THREADS}, not {wanted}")
    return wanted


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep BLAS to one thread: with more, sums are rounded as their number has it."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="blas"):
        yield


Made = TypeVar("Made")

# Seconds between two looks at what is done.
PATIENCE = 0.2


def interruptible(work: Callable[[], Made], look: Callable[[], None] = lambda: None) -> Made:
    """Do some work in a thread of its own, while this one looks, and may be interrupted.

    SciPy's callbacks drop an exception, and its solvers go on with garbage: signals, which only
    the main thread gets, must not come there. On Ctrl-C the thread is left to itself; whoever
    wants it to end sooner tells it by other means. It never keeps the program from ending.
    """
    made: list[Made] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            made.append(work())
        except BaseException as failure:  # raised again by who waits
            failures.append(failure)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(PATIENCE)
        look()
    if failures:
        raise failures[0]
    return made[0]
