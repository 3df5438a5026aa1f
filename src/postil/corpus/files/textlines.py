"""Bytes → lines of text, strictly: a byte that does not decode is an error with its line."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from typing import IO, AnyStr, BinaryIO, cast

from postil.common.compression import BUFFER
from postil.corpus.document import LONE_SURROGATE, Problems, is_encodable
from postil.corpus.files.streams import Readable, Replay
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


# The bytes of a code unit, for encodings whose byte order a mark has to tell.
UNIT_BYTES = {"utf-32": 4, "utf-16": 2}

GUESSED_BYTES = 1 << 12

LONGEST_LINE = 1 << 27
"""The most bytes of a line, and characters of a document that is a file of its own.

No text comes near it. Decoded and parsed it may take ten times as much memory, so that more
would let a small compressed file fill that of a usual machine.
"""


def encoding_of(head: bytes, given: str | None) -> str:
    """Return the encoding given, else the one that a byte order mark names, else UTF-8.

    UTF-16 or UTF-32 that is given, and has no mark, gets its byte order from ``head``.
    """
    marked = (encoding for mark, encoding in BYTE_ORDER_MARKS if head.startswith(mark))
    mark = next(marked, None)
    if given is None:
        return mark or DEFAULT_ENCODING
    name = codecs.lookup(given).name
    if name not in UNIT_BYTES or name == mark:
        return given
    # Most characters are small numbers, so the zero bytes stand where the high bytes do.
    width = UNIT_BYTES[name]
    is_big_endian = head[::width].count(0) > head[width - 1 :: width].count(0)
    return f"{name}-be" if is_big_endian else f"{name}-le"


def _unmarked_encoding(head: bytes) -> str | None:
    """Guess which UTF-32 or UTF-16 a text without a byte order mark is in.

    The guess is made only where it gives mostly ASCII characters.
    """
    for name, width in UNIT_BYTES.items():
        whole = head[: len(head) // width * width]
        for encoding in (f"{name}-le", f"{name}-be"):
            try:
                text = whole.decode(encoding)
            except UnicodeDecodeError:
                continue
            ascii_count = sum(character.isascii() for character in text)
            if "\0" not in text and 2 * ascii_count > len(text):
                return encoding
    return None


class TextLines:
    r"""The lines of a byte stream, decoded, each with its own line ending.

    Only ``\n`` ends a line, so that other separators (U+2028, form feeds) stay in texts. After
    a ``DocumentError`` the next call goes on with the next line. ``number`` is the line that
    was read last, from 1, and ``size`` the length of all lines that were read.

    Memory is that of the longest line. A line of more than ``LONGEST_LINE`` bytes (characters
    in UTF-16 and UTF-32) is a ``DocumentError``, and the rest of it is passed over.
    """

    def __init__(self, stream: BinaryIO, source: str, encoding: str | None = None) -> None:
        self.number = 0
        self.size = 0
        self._source = source
        self._stream = stream
        self._first: bytes | None = stream.readline(LONGEST_LINE + 1)
        self._head = self._first[:GUESSED_BYTES]
        self.encoding = encoding_of(self._first, encoding)
        self._last: bytes | str = ""
        self._in_long_line = False
        # Of all decoders only this one lets lone surrogates pass.
        self._is_utf_7 = codecs.lookup(self.encoding).name == "utf-7"
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
                "holds a NUL byte, so it is binary or in another encoding; name the encoding "
                f"if it is text (--encoding {_unmarked_encoding(self._head) or 'utf-16'})"
            )
        if self._is_utf_7 and not is_encodable(line):
            raise self._error(f"is not valid {self.encoding}: it {LONE_SURROGATE}")
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
            if self._in_long_line:
                self._pass_over_long_line(self._stream, b"\n")
            raw = self._stream.readline(LONGEST_LINE + 1)
        self._last = raw
        self._count(len(raw))
        if len(raw) > LONGEST_LINE and not raw.endswith(b"\n"):
            raise self._too_long()
        try:
            return raw.decode(self.encoding)
        except UnicodeError as error:
            raise self._error(self._undecodable(error)) from error

    def _next_wide(self) -> str:
        assert self._wide is not None
        try:
            if self._in_long_line:
                self._pass_over_long_line(self._wide, "\n")
            line = self._wide.readline(LONGEST_LINE + 1)
        except UnicodeError as error:
            # The decoder cannot find where the next character begins: the rest is lost.
            raise CorpusError(
                f"{self._source}, after line {self.number}: {self._undecodable(error)}"
            ) from error
        self._last = line
        self._count(len(line))
        if len(line) > LONGEST_LINE and not line.endswith("\n"):
            raise self._too_long()
        return line

    def _count(self, length: int) -> None:
        self.size += length
        self.number += length > 0

    def _too_long(self) -> DocumentError:
        self._last = ""
        self._in_long_line = True
        return self._error(
            f"is longer than {LONGEST_LINE:,} bytes, the most a line may have; split it into "
            "several documents or take it out"
        )

    def _pass_over_long_line(self, stream: IO[AnyStr], end: AnyStr) -> None:
        """Read on to the end of a line that was too long, a piece at a time."""
        while self._in_long_line:
            piece = stream.readline(BUFFER)
            self._in_long_line = bool(piece) and not piece.endswith(end)

    def _undecodable(self, error: UnicodeError) -> str:
        reason = str(error)
        if isinstance(error, UnicodeDecodeError):
            reason = f"byte 0x{error.object[error.start]:02x} at byte {error.start + 1}"
        guess = _unmarked_encoding(self._head)
        advised = guess if guess not in {None, self.encoding} else "latin-1"
        return (
            f"is not valid {self.encoding} ({reason}); name the encoding it has "
            f"(--encoding {advised})"
        )

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


def read_text(stream: BinaryIO, source: str, encoding: str | None = None) -> str:
    """Return all text of a stream that is one document, if it is not too long."""
    text = io.StringIO()
    lines = TextLines(stream, source, encoding)
    for line in lines:
        if lines.size > LONGEST_LINE:
            raise DocumentError(
                source,
                "whole file",
                f"is longer than {LONGEST_LINE:,} bytes, the most a document may have; split it "
                "into several or take it out",
            )
        text.write(line)
    return text.getvalue()


def without_ending(line: str) -> str:
    r"""Return the line without its ``\n`` or ``\r\n``."""
    if line.endswith("\n"):
        line = line[:-1]
        if line.endswith("\r"):
            line = line[:-1]
    return line


def _keeps_line_feed(encoding: str) -> bool:
    return codecs.lookup(encoding).name == "utf-8-sig" or "\n".encode(encoding) == b"\n"
