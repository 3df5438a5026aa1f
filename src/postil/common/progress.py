"""Callbacks by which long work reports progress and notes."""

from __future__ import annotations

import warnings
from collections.abc import Callable

Progress = Callable[[int, int], None]
StepProgress = Callable[[str, int, int | None], None]


def no_progress(step: str, done: int, total: int | None) -> None:
    """Nobody looks."""


Notify = Callable[[str], None]


def notify_or_warn(note: str, notify: Notify | None, kind: type[Warning], depth: int = 3) -> None:
    """Notify whoever wants to be told; else it is a warning."""
    if notify is None:
        warnings.warn(note, kind, stacklevel=depth)
    else:
        notify(note)
