"""How many threads to use, and how many BLAS may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

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
