"""Where bytes come from: a file, a pipe or standard input, decompressed on the way.

What can be read once, as it comes: a pipe, a terminal, standard input.
"""

from __future__ import annotations

import io
import os
import select
import shutil
import stat
import sys
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from postil.common.compression import BUFFER, MAGIC_LENGTH, Inflating, codec_of_bytes
from postil.errors import CorpusError

PATIENCE = 0.25
"""Seconds that a guess waits for more, once there is enough to guess from."""

MOST_GATHERED = 1 << 20


@dataclass(slots=True)
class Pauses:
    """Who wants to know that a stream has nothing more yet: called before every wait."""

    listener: Callable[[], None] | None = None


class Pipe:
    """Bytes that come once, perhaps slowly; ``head`` keeps those that were only looked at."""

    def __init__(self, stream: BinaryIO, pauses: Pauses) -> None:
        self.head = bytearray()
        self._stream = stream
        self._pauses = pauses
        self._ended = False
        self._deadline = 0.0

    def read1(self, size: int = -1, /) -> bytes:
        """At most ``size`` bytes: those that are there, waiting for at least one; none at the end.

        A terminal could go on after its end: the first end is final.
        """
        if self._ended:
            return b""
        if self._pauses.listener is not None and not self._arrives(0.0):
            self._pauses.listener()
        piece: bytes = self._stream.read1(size)  # type: ignore[attr-defined]
        self._ended = not piece
        return piece

    def gather(self, lines: int) -> bool:
        """Keep in ``head`` what comes in a short while; whether the stream then pauses.

        The while begins with so many whole lines. Of what is no plain text (compressed, UTF-16,
        Parquet) lines cannot be counted, and nothing is called a pause.
        """
        while len(self.head) < MOST_GATHERED and not self._ended:
            if self._holds(lines):
                # Of several looks only the first waits.
                self._deadline = self._deadline or time.monotonic() + PATIENCE
                if not self._arrives(max(0.0, self._deadline - time.monotonic())):
                    return True
            self.head += self.read1(BUFFER)
        return False

    def whole_lines(self) -> bytes:
        """The kept bytes up to the end of their last whole line."""
        return bytes(self.head[: self.head.rfind(b"\n") + 1])

    def _holds(self, lines: int) -> bool:
        if codec_of_bytes(bytes(self.head[:4])) is not None or b"\0" in self.head:
            return False
        whole = self.whole_lines().split(b"\n")
        return sum(1 for line in whole if line.strip()) >= lines

    def _arrives(self, seconds: float) -> bool:
        """Whether something to read, or the end, comes in this time."""
        try:
            return bool(select.select([self._stream.fileno()], [], [], seconds)[0])
        except (OSError, ValueError):
            return True  # it cannot be asked: reading will tell


STDIN = "-"


class Readable(Protocol):
    """What gives the bytes that are there."""

    def read1(self, size: int = -1, /) -> bytes:
        """At most ``size`` bytes, waiting for at least one; none at the end."""


class Replay(io.RawIOBase):
    """Bytes already read, then the rest of the stream they were read from.

    With ``recording`` every further byte is kept in ``head`` too, so that a later ``Replay``
    of the same head and stream begins at the beginning again.
    """

    def __init__(self, head: bytearray, rest: Readable, *, recording: bool = False) -> None:
        self._head = head
        self._rest = rest
        self._recording = recording
        self._at = 0

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any, /) -> int:  # noqa: ANN401 - a writable buffer of any kind
        """Fill the buffer from the head, and after that from the rest."""
        if self._at < len(self._head):
            piece = bytes(self._head[self._at : self._at + len(buffer)])
            self._at += len(piece)
        else:
            piece = self._rest.read1(len(buffer))
            if self._recording:
                self._head += piece
                self._at += len(piece)
        buffer[: len(piece)] = piece
        return len(piece)


class Source:
    """Something that can be read, with the name that messages give it.

    A regular file can be opened any number of times. Standard input, a named pipe or another
    device can be opened once (``once``); ``preview`` looks at its beginning before that, and
    keeps what it looked at for ``open``. A folder is a source too, but has no bytes.

    ``pauses`` hears of every wait for more while such a source is read; ``paused`` says that the
    last preview ended where the stream paused, and not at its end.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.name = "<stdin>" if path is None else str(path)
        mode = _mode(path)
        self.is_folder = stat.S_ISDIR(mode)
        self.once = not stat.S_ISREG(mode) and not self.is_folder
        self.pauses = Pauses()
        self.paused = False
        self._pipe: Pipe | None = None
        self._opened = False
        self._spooled: Path | None = None

    def open(self) -> BinaryIO:
        """All bytes, decompressed; the second opening of what can be read once is an error."""
        if not self.once:
            return self._inflated(self._open_file())
        self._refuse_second_opening()
        self._opened = True
        pipe = self._piped()
        return self._inflated(_buffered(Replay(pipe.head, pipe)))

    def preview(self, lines: int = 1) -> BinaryIO:
        """Return the same bytes, to look at the beginning; does not count as opening.

        Of a pipe, what is looked at stays in memory until it is opened; if it pauses after so
        many whole lines of text, these are all there is to look at.
        """
        if not self.once:
            return self._inflated(self._open_file())
        self._refuse_second_opening()
        pipe = self._piped()
        self.paused = pipe.gather(lines)
        if self.paused:
            return io.BytesIO(pipe.whole_lines())
        return self._inflated(_buffered(Replay(pipe.head, pipe, recording=True)))

    def open_seekable(self) -> BinaryIO:
        """Return the decompressed bytes as a file that can be read from any place.

        What is compressed or a pipe is first copied to a temporary file on disk (once, however
        often it is opened).
        """
        if self._spooled is None:
            stream = self.open()
            if not self.once and stream.seekable():
                return stream
            self._spooled = _temporary_file()
            weakref.finalize(self, self._spooled.unlink, missing_ok=True)
            with stream, self._spooled.open("wb") as copy:
                shutil.copyfileobj(stream, copy, BUFFER)
        return self._spooled.open("rb")

    def _refuse_second_opening(self) -> None:
        if self._opened:
            raise CorpusError(
                f"{self.name}: it was read to its end and cannot be read a second time; "
                "save it to a file and open that"
            )

    def _open_file(self) -> BinaryIO:
        assert self.path is not None
        try:
            return self.path.open("rb", buffering=BUFFER)
        except OSError as error:
            raise CorpusError(f"{self.name}: cannot be read ({error.strerror})") from error

    def _piped(self) -> Pipe:
        if self._pipe is None:
            stream = sys.stdin.buffer if self.path is None else self._open_file()
            if self.path is not None:
                weakref.finalize(self, stream.close)
            self._pipe = Pipe(stream, self.pauses)
        # The first bytes tell the compression: a pipe may hand them over one by one.
        head = self._pipe.head
        while len(head) < MAGIC_LENGTH and (more := self._pipe.read1(BUFFER)):
            head += more
        return self._pipe

    def _inflated(self, stream: BinaryIO) -> BinaryIO:
        codec = codec_of_bytes(stream.peek(MAGIC_LENGTH)[:MAGIC_LENGTH])  # type: ignore[attr-defined]
        if codec is None:
            return stream
        try:
            return _buffered(Inflating(stream, codec, self.name))
        except BaseException:
            stream.close()
            raise


def _mode(path: Path | None) -> int:
    if path is None:
        return 0
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        raise CorpusError(f"{path}: there is no such file or folder") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise CorpusError(f"{path}: cannot be read ({reason})") from error


def _buffered(raw: io.RawIOBase) -> BinaryIO:
    return io.BufferedReader(raw, BUFFER)


def _temporary_file() -> Path:
    import tempfile

    descriptor, name = tempfile.mkstemp(prefix="postil-")
    os.close(descriptor)
    return Path(name)
