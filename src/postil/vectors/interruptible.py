"""Long calls into LAPACK and PROPACK that Ctrl-C can leave."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

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
