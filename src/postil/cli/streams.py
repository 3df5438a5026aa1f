"""Standard output and standard error, as commands write to them."""

from __future__ import annotations

import io
import sys
from typing import TextIO


def open_streams() -> tuple[TextIO, TextIO]:
    """Put buffered streams in place of ``sys.stdout`` and ``sys.stderr``; return them.

    Python's own, unbuffered (PYTHONUNBUFFERED), loses what the system does not take in one
    write, as on a disk that fills up.
    """
    sys.stdout = _buffered(sys.stdout)
    sys.stderr = _buffered(sys.stderr)
    return sys.stdout, sys.stderr


def _buffered(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper):
        return stream  # closed before we were called (None), or a caller's own
    stream.flush()
    return io.TextIOWrapper(
        open(stream.fileno(), "wb", closefd=False),
        encoding=stream.encoding,
        errors=stream.errors,
        # Who asks for no buffer wants to see lines at once.
        line_buffering=stream.line_buffering or stream.write_through,
    )
