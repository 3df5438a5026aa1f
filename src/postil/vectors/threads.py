"""How many threads to use."""

from __future__ import annotations

import os

from postil.errors import UsageError

MOST_THREADS = 256


def thread_count(wanted: int | None) -> int:
    """The number of threads: ``wanted``, or every processor this process may run on."""
    if wanted is None:
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1
    if not 1 <= wanted <= MOST_THREADS:
        raise UsageError(f"threads is at least 1 and at most {MOST_THREADS}, not {wanted}")
    return wanted
