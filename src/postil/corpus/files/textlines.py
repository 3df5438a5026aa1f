"""Lines of text from bytes, strictly: a byte that does not decode is an error with its line."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from typing import IO, Any, BinaryIO, cast

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
    # Most characters are small numbers, so most zero bytes are high bytes.
    width = UNIT_BYTES[name]
    is_big_endian = head[::width].count(0) > head[width - 1 :: width].count(0)
    return f"{name}-be" if is_big_endian else f"{name}-le"


def _unmarked_encoding(head: bytes) -> str | None:
    """Return the UTF-32 or UTF-16 in which a text without a mark is mostly ASCII, else None."""
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
    a ``DocumentError`` the next call continues with the next line. ``number`` is the line that
    was read last, from 1, and ``size`` the length of all lines that were read.

    Memory is that of the longest line. A line of more than ``LONGEST_LINE`` bytes (characters
    in UTF-16 and UTF-32) is a ``DocumentError``, and the rest of it is skipped. Used in a
    ``with`` statement, it closes the stream.
    """

    def __init__(self, stream: BinaryIO, source: str, encoding: str | None = None) -> None:
        self.number = 0
        self.size = 0
        self._source = source
        self._bytes = stream
        first = stream.readline(LONGEST_LINE + 1)
        self._head = first[:GUESSED_BYTES]
        self.encoding = encoding_of(first, encoding)
        # Of all decoders only this one lets lone surrogates pass.
        self._is_utf_7 = codecs.lookup(self.encoding).name == "utf-7"
        self._first: bytes | None = first
        self._stream: IO[Any] = stream
        self._end: bytes | str = b"\n"
        if not _keeps_line_feed(self.encoding):
            # Line feeds are not single bytes here (UTF-16, UTF-32): decode first, then split.
            replay = Replay(bytearray(first), cast(Readable, stream))
            whole = io.BufferedReader(replay, BUFFER)
            self._stream = io.TextIOWrapper(whole, self.encoding, newline="\n")
            self._end = "\n"
            self._first = None
        self._last: bytes | str = ""
        self._in_long_line = False

    def __enter__(self) -> TextLines:
        return self

    def __exit__(self, *_: object) -> None:
        self._bytes.close()

    def __iter__(self) -> TextLines:
        return self

    def __next__(self) -> str:
        raw = self._last = self._read_line()
        if not raw:
            raise StopIteration
        self.size += len(raw)
        self.number += 1
        if len(raw) > LONGEST_LINE and not raw.endswith(self._end):  # type: ignore[arg-type]
            self._last = ""
            self._in_long_line = True
            raise self._error(
                f"is longer than {LONGEST_LINE:,} bytes, the most a line may have; split it into "
                "several documents or take it out"
            )
        try:
            line = raw.decode(self.encoding) if isinstance(raw, bytes) else raw
        except UnicodeError as error:
            raise self._error(self._undecodable(error)) from error
        if self.number == 1:
            line = line.removeprefix("\ufeff")
        if "\0" in line:
            raise self._error(
                "the line holds a NUL byte, so the file is binary or in another encoding; name the "
                f"encoding if it is text (--encoding {_unmarked_encoding(self._head) or 'utf-16'})"
            )
        if self._is_utf_7 and not is_encodable(line):
            raise self._error(f"the line is not valid {self.encoding}: it {LONE_SURROGATE}")
        return line

    def good(self, problems: Problems) -> Iterator[str]:
        """Yield every good line without its ending; bad lines go to ``problems``."""
        while True:
            try:
                for line in self:
                    yield without_ending(line)
            except DocumentError as error:
                problems.report(error)
                continue
            return

    def lenient(self) -> str:
        """Return the line that was read last with undecodable bytes replaced."""
        if isinstance(self._last, bytes):
            return self._last.decode(self.encoding, errors="replace")
        return self._last

    def _read_line(self) -> bytes | str:
        if self._first is not None:
            raw, self._first = self._first, None
            return raw
        try:
            while self._in_long_line:
                piece = self._stream.readline(BUFFER)
                self._in_long_line = bool(piece) and not piece.endswith(self._end)
            line: bytes | str = self._stream.readline(LONGEST_LINE + 1)
        except UnicodeError as error:
            # The decoder cannot find the beginning of the next character: the rest is lost.
            raise CorpusError(
                f"{self._source}, after line {self.number}: {self._undecodable(error)}"
            ) from error
        return line

    def _undecodable(self, error: UnicodeError) -> str:
        reason = str(error)
        if isinstance(error, UnicodeDecodeError):
            reason = f"byte 0x{error.object[error.start]:02x} at byte {error.start + 1}"
        guess = _unmarked_encoding(self._head)
        advised = guess if guess not in {None, self.encoding} else "latin-1"
        return (
            f"the line is not valid {self.encoding} ({reason}); name the encoding it has "
            f"(--encoding {advised})"
        )

    def _error(self, message: str) -> DocumentError:
        return DocumentError(self._source, f"line {self.number}", message)


def read_text(stream: BinaryIO, source: str, encoding: str | None = None) -> str:
    """Return all text of a stream that is one document, if it is not too long."""
    text = io.StringIO()
    lines = TextLines(stream, source, encoding)
    for line in lines:
        if lines.size > LONGEST_LINE:
            raise too_long(source)
        text.write(line)
    return text.getvalue()


def too_long(source: str) -> DocumentError:
    """Return the error for a document that is longer than ``LONGEST_LINE``."""
    return DocumentError(
        source,
        "whole file",
        f"is longer than {LONGEST_LINE:,} bytes, the most a document may have; split it "
        "into several or take it out",
    )


def without_ending(line: str) -> str:
    r"""Return the line without its ``\n`` or ``\r\n``."""
    if line.endswith("\n"):
        line = line[:-1]
        if line.endswith("\r"):
            line = line[:-1]
    return line


def _keeps_line_feed(encoding: str) -> bool:
    return codecs.lookup(encoding).name == "utf-8-sig" or "\n".encode(encoding) == b"\n"
