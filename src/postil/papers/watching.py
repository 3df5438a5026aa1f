"""How far an experiment has got, told to whoever looks.

An experiment is a function of its settings alone, so that its watcher is not among them: it is
set around the whole run, and experiments tell it through :func:`tell`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Watch = Callable[[str, int, int | None], None]

_WATCH: ContextVar[Watch | None] = ContextVar("watch", default=None)


def tell(step: str, done: int, total: int | None) -> None:
    """So much of a step is done, and of how much if that is known."""
    watch = _WATCH.get()
    if watch is not None:
        watch(step, done, total)


@contextmanager
def watched_by(watch: Watch) -> Iterator[None]:
    """Let a watcher know what is told in here."""
    token = _WATCH.set(watch)
    try:
        yield
    finally:
        _WATCH.reset(token)
