"""Standard output and standard error, as commands write to them."""

from __future__ import annotations

import codecs
import io
import sys
from typing import TextIO, TypedDict

from postil.common.escaping import escaped

ESCAPES = "postil-escapes"
"""The name of what becomes of characters that an encoding lacks."""


def open_streams() -> tuple[TextIO, TextIO]:
    """Put an :class:`EscapingStream` in place of ``sys.stdout`` and ``sys.stderr``; return both."""
    codecs.register_error(ESCAPES, _escaped_units)
    sys.stdout = _opened(sys.stdout)
    sys.stderr = _opened(sys.stderr)
    return sys.stdout, sys.stderr


def styled(stream: TextIO) -> TextIO:
    """Return the stream that lets styles through, for text whose names were escaped before."""
    return stream.styled if isinstance(stream, EscapingStream) else stream


class EscapingStream(io.TextIOWrapper):
    """A text stream on which nothing that is printed can act on a terminal.

    It is buffered: Python's own, unbuffered (PYTHONUNBUFFERED), loses what the system does not
    take in one write, as on a disk that fills up. It does not fail on characters that its
    encoding lacks. Bytes go through its ``buffer`` as they are.
    """

    def __init__(self, stream: io.TextIOWrapper) -> None:
        encoding = codecs.lookup(stream.encoding).name
        options = _Options(
            # As typer has it: nobody chooses ASCII.
            encoding="utf-8" if encoding == "ascii" else encoding,
            errors=ESCAPES,
            # Who asks for no buffer wants to see lines at once.
            line_buffering=stream.line_buffering or stream.write_through,
            # The buffer keeps what comes by either way in order.
            write_through=True,
        )
        binary = open(stream.fileno(), "wb", closefd=False)  # noqa: SIM115 - for the whole process
        super().__init__(binary, **options)
        self.styled = io.TextIOWrapper(binary, **options)

    def write(self, text: str, /) -> int:
        """Write the text with unsafe characters as escapes."""
        super().write(escaped(text))
        return len(text)


class _Options(TypedDict):
    encoding: str
    errors: str
    line_buffering: bool
    write_through: bool


def _opened(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper):
        return stream  # closed before we were called (None), or a caller's own
    stream.flush()
    return EscapingStream(stream)


def _escaped_units(error: UnicodeError) -> tuple[str, int]:
    """Return what cannot be encoded as JSON escapes it, by UTF-16 units: ``\\u20ac``."""
    assert isinstance(error, UnicodeEncodeError)
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass").hex("u", 2)
    return "".join(f"\\u{unit}" for unit in units.split("u")), error.end
