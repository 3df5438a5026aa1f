"""A progress bar for what takes long, on a terminal only."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from postil.cli.streams import styled
from postil.common.escaping import visible

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


Item = TypeVar("Item")

SEARCHING = "searching λ"
PATIENCE = 1.0  # seconds without a bar: most commands are over by then


class Meter:
    """Counts work done and shows it once it has taken longer than ``PATIENCE``.

    ``since`` is when the wait began, if that was before.
    """

    def __init__(
        self, description: str, total: int | None, unit: str, since: float | None = None
    ) -> None:
        self._description = description
        self._total = total
        self._unit = unit
        self._done = 0
        self._started = time.monotonic() if since is None else since
        self._bar: tuple[Progress, TaskID] | None = None
        self._shown = sys.stderr.isatty()

    def advance(self, amount: int = 1) -> None:
        """So much more is done."""
        self.reach(self._done + amount)

    def reach(self, done: int, total: int | None = None) -> None:
        """So much is done in all."""
        self._done = done
        self._total = total if total is not None else self._total
        if not self._shown:
            return
        if self._bar is None and time.monotonic() - self._started > PATIENCE:
            self._bar = self._start_bar()
        if self._bar is not None:
            bar, task = self._bar
            bar.update(task, completed=done, total=self._total)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar[0].stop()

    def _start_bar(self) -> tuple[Progress, TaskID]:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        counted = DownloadColumn() if self._unit == "bytes" else MofNCompleteColumn()
        bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            counted,
            TextColumn(self._unit if self._unit != "bytes" else ""),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=Console(file=styled(sys.stderr)),
            redirect_stdout=False,  # results do not go where the bar goes
            transient=True,
        )
        bar.start()
        return bar, bar.add_task(visible(self._description), total=self._total)


@contextmanager
def meter(description: str, total: int | None = None, unit: str = "documents") -> Iterator[Meter]:
    """A meter that is taken away at the end, whatever happens."""
    shown = Meter(description, total, unit)
    try:
        yield shown
    finally:
        shown.close()


def watched(items: Iterable[Item], description: str, total: int | None = None) -> Iterator[Item]:
    """The items, with a meter that counts them as they pass."""
    with meter(description, total) as shown:
        for item in items:
            yield item
            shown.advance()


class Steps:
    """A meter for each step of a longer piece of work, one at a time.

    Many short steps make a long wait: patience is with all of them together.
    """

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._step = ""
        self._meter: Meter | None = None

    def reach(self, step: str, done: int, total: int | None) -> None:
        """So much of a step is done; another step takes the meter's place."""
        if self._meter is None or step != self._step:
            self.close()
            self._step = step
            self._meter = Meter(step, total, _unit(step, total), self._began)
        self._meter.reach(done, total)

    def close(self) -> None:
        """Take the meter away."""
        if self._meter is not None:
            self._meter.close()


def _unit(step: str, total: int | None) -> str:
    """What a step counts: documents as they come, fits of a search, or categories."""
    if total is None:
        return "documents"
    return "fits" if SEARCHING in step else "categories"


@contextmanager
def steps() -> Iterator[Steps]:
    """Meters that are taken away at the end, whatever happens."""
    shown = Steps()
    try:
        yield shown
    finally:
        shown.close()
