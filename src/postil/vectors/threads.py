"""How many threads to use."""

from __future__ import annotations

import os

from postil.errors import UsageError


def thread_count(wanted: int | None) -> int:
    """The number of threads: ``wanted``, or every processor this process may run on."""
    if wanted is None:
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1
    if wanted < 1:
        raise UsageError(f"threads is at least 1, not {wanted}")
    return wanted
