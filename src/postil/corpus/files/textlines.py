"""Bytes → lines of text, strictly: a byte that does not decode is an error with its line."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from typing import BinaryIO, cast

from postil.corpus.files.compression import BUFFER
from postil.corpus.files.streams import Readable, Replay
from postil.corpus.problems import Problems
from postil.errors import CorpusError, DocumentError

DEFAULT_ENCODING = "utf-8"

# The longer marks first: UTF-32's begins with UTF-16's.
BYTE_ORDER_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def encoding_of(head: bytes, given: str | None) -> str:
    """Return the encoding asked for, else what a byte order mark says, else UTF-8."""
    if given is not None:
        return given
    marked = (encoding for mark, encoding in BYTE_ORDER_MARKS if head.startswith(mark))
    return next(marked, DEFAULT_ENCODING)


class TextLines:
    r"""The lines of a byte stream, decoded, each with its own line ending.

    Only ``\n`` ends a line, so that other separators (U+2028, form feeds) stay in texts. After
    a ``DocumentError`` the next call goes on with the next line. ``number`` is the line that
    was read last, from 1. Time and memory are those of the longest line; no line is too long.
    """

    def __init__(self, stream: BinaryIO, source: str, encoding: str | None = None) -> None:
        self.number = 0
        self._source = source
        self._stream = stream
        self._first: bytes | None = stream.readline()
        self.encoding = encoding_of(self._first, encoding)
        self._last: bytes | str = ""
        self._wide: io.TextIOWrapper | None = None
        if not _keeps_line_feed(self.encoding):
            # Line feeds are not single bytes here (UTF-16, UTF-32): decode first, then split.
            replayed = io.BufferedReader(
                Replay(bytearray(self._first), cast(Readable, stream)), BUFFER
            )
            self._wide = io.TextIOWrapper(replayed, self.encoding, newline="\n")

    def __iter__(self) -> TextLines:
        return self

    def __next__(self) -> str:
        line = self._next_wide() if self._wide is not None else self._next_narrow()
        if not line:
            raise StopIteration
        if self.number == 1:
            line = line.removeprefix("\ufeff")
        if "\0" in line:
            raise self._error(
                "holds a NUL byte, so it is binary or in another encoding; "
                "name the encoding if it is text (--encoding utf-16)"
            )
        return line

    def lenient(self) -> str:
        """Give the line that was read last with what is wrong in it replaced."""
        if isinstance(self._last, bytes):
            return self._last.decode(self.encoding, errors="replace")
        return self._last

    def _next_narrow(self) -> str:
        if self._first is not None:
            raw, self._first = self._first, None
        else:
            raw = self._stream.readline()
        if raw:
            self.number += 1
        self._last = raw
        try:
            return raw.decode(self.encoding)
        except UnicodeDecodeError as error:
            raise self._error(_undecodable(error)) from error

    def _next_wide(self) -> str:
        assert self._wide is not None
        try:
            line = self._wide.readline()
        except UnicodeDecodeError as error:
            # The decoder cannot find its feet again, so this is the end of the file.
            raise CorpusError(
                f"{self._source}, after line {self.number}: {_undecodable(error)}"
            ) from error
        if line:
            self.number += 1
        self._last = line
        return line

    def _error(self, message: str) -> DocumentError:
        return DocumentError(self._source, f"line {self.number}", message)


def numbered_lines(lines: TextLines, problems: Problems) -> Iterator[tuple[int, str]]:
    """Every line without its ending, with its number; bad lines go to ``problems``."""
    while True:
        try:
            line = next(lines)
        except StopIteration:
            return
        except DocumentError as error:
            problems.report(error)
            continue
        yield lines.number, without_ending(line)


def without_ending(line: str) -> str:
    r"""Return the line without its ``\n`` or ``\r\n``."""
    if line.endswith("\n"):
        line = line[:-1]
        if line.endswith("\r"):
            line = line[:-1]
    return line


def _keeps_line_feed(encoding: str) -> bool:
    return codecs.lookup(encoding).name == "utf-8-sig" or "\n".encode(encoding) == b"\n"


def _undecodable(error: UnicodeDecodeError) -> str:
    value = error.object[error.start]
    return (
        f"is not valid {error.encoding} (byte 0x{value:02x} at byte {error.start + 1}); "
        "name the encoding it has (--encoding latin-1)"
    )
