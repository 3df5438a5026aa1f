"""Reading the output of a process on a terminal."""

from __future__ import annotations

import os


def shown_on(terminal: int) -> bytes:
    """Everything written to the other end, until it is closed there."""
    shown = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # how some systems say that nobody writes any more
            part = b""
        if not part:
            os.close(terminal)
            return shown
        shown += part
