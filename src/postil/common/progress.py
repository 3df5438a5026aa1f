"""Callbacks by which long work reports progress and notes."""

from __future__ import annotations

import warnings
from collections.abc import Callable

Progress = Callable[[int, int], None]
StepProgress = Callable[[str, int, int | None], None]
Notify = Callable[[str], None]


def no_progress(step: str, done: int, total: int | None) -> None:
    """Ignore progress."""


def notify_or_warn(note: str, notify: Notify | None, kind: type[Warning], depth: int = 3) -> None:
    """Pass a note to ``notify``, or issue it as a warning if there is no such callback."""
    if notify is None:
        warnings.warn(note, kind, stacklevel=depth)
    else:
        notify(note)
