"""Callbacks by which long work reports progress and notes."""

from __future__ import annotations

import warnings
from collections.abc import Callable

Progress = Callable[[int, int], None]
Watch = Callable[[str, int, int | None], None]


def unwatched(step: str, done: int, total: int | None) -> None:
    """Nobody looks."""


Tell = Callable[[str], None]


def told(note: str, tell: Tell | None, kind: type[Warning], depth: int = 3) -> None:
    """Tell whoever wants to be told; else it is a warning."""
    if tell is None:
        warnings.warn(note, kind, stacklevel=depth)
    else:
        tell(note)
