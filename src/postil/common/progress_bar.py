"""Progress bars on standard error, shown on a terminal only."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from postil.common.escaping import visible

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

SEARCHING = "searching λ"
PATIENCE = 1.0  # seconds without a bar: most work is over by then


class ProgressBar:
    """A bar for the steps of long work, one step at a time.

    The bar appears once all steps together have taken longer than ``PATIENCE``, since many short
    steps make a long wait. ``unit`` names what is counted: by default documents while the total
    is unknown, fits in a search, and else categories.
    """

    def __init__(self, unit: str = "") -> None:
        self._unit = unit
        self._began = time.monotonic()
        self._step = ""
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._on_terminal = sys.stderr is not None and sys.stderr.isatty()

    def update(self, step: str, done: int, total: int | None = None) -> None:
        """Show how much of a step is done; a new step takes the place of the one before."""
        if not self._on_terminal or time.monotonic() - self._began <= PATIENCE:
            return
        if self._bar is None:
            self._bar = self._start()
        if self._task is None or step != self._step:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._step = step
            self._task = self._bar.add_task(
                visible(step), total=total, unit=self._unit_of(step, total)
            )
        self._bar.update(self._task, completed=done, total=total)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = self._task = None

    def _unit_of(self, step: str, total: int | None) -> str:
        if self._unit:
            return "" if self._unit == "bytes" else self._unit  # a download shows its own unit
        if total is None:
            return "documents"
        return "fits" if SEARCHING in step else "categories"

    def _start(self) -> Progress:
        from rich import progress
        from rich.console import Console

        is_download = self._unit == "bytes"
        bar = progress.Progress(
            progress.TextColumn("{task.description}", markup=False),
            progress.BarColumn(),
            progress.DownloadColumn() if is_download else progress.MofNCompleteColumn(),
            progress.TextColumn("{task.fields[unit]}"),
            progress.TimeElapsedColumn(),
            progress.TimeRemainingColumn(),
            # The command line escapes what it writes; the bar's own styles go past that.
            console=Console(file=getattr(sys.stderr, "styled", sys.stderr)),
            redirect_stdout=False,  # results do not go where the bar goes
            transient=True,
        )
        bar.start()
        return bar


@contextmanager
def progress_bar(unit: str = "") -> Iterator[ProgressBar]:
    """Yield a bar that is removed at the end, also after an error."""
    bar = ProgressBar(unit)
    try:
        yield bar
    finally:
        bar.close()
