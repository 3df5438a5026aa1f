"""Standard output and standard error, as commands write to them."""

from __future__ import annotations

import codecs
import io
import sys
from typing import TextIO

ESCAPES = "postil-escapes"
"""The name of what becomes of characters that an encoding lacks."""


def open_streams() -> tuple[TextIO, TextIO]:
    """Put buffered streams in place of ``sys.stdout`` and ``sys.stderr``; return them.

    Python's own, unbuffered (PYTHONUNBUFFERED), loses what the system does not take in one
    write, as on a disk that fills up, and fails on characters that its encoding lacks.
    """
    codecs.register_error(ESCAPES, _escaped_units)
    sys.stdout = _buffered(sys.stdout)
    sys.stderr = _buffered(sys.stderr)
    return sys.stdout, sys.stderr


def _buffered(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper):
        return stream  # closed before we were called (None), or a caller's own
    stream.flush()
    return io.TextIOWrapper(
        open(stream.fileno(), "wb", closefd=False),
        encoding=_encoding_of(stream),
        errors=ESCAPES,
        # Who asks for no buffer wants to see lines at once.
        line_buffering=stream.line_buffering or stream.write_through,
    )


def _encoding_of(stream: TextIO) -> str:
    """Return the encoding of a stream; UTF-8 in place of ASCII, as typer has it too."""
    name = codecs.lookup(stream.encoding).name
    return "utf-8" if name == "ascii" else name


def _escaped_units(error: UnicodeError) -> tuple[str, int]:
    """Return what cannot be encoded as JSON escapes it, by UTF-16 units: ``\\u20ac``."""
    assert isinstance(error, UnicodeEncodeError)
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass").hex("u", 2)
    return "".join(f"\\u{unit}" for unit in units.split("u")), error.end
