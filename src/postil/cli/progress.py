"""Progress bars of commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from postil.common.progress_bar import ProgressBar, progress_bar

__all__ = ["ProgressBar", "progress_bar", "with_progress"]

Item = TypeVar("Item")


def with_progress(items: Iterable[Item], description: str) -> Iterator[Item]:
    """Yield the items while a bar counts them as documents."""
    with progress_bar("documents") as bar:
        for count, item in enumerate(items, 1):
            yield item
            bar.update(description, count)
