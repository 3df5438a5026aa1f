"""Sources of bytes: a file, a pipe or standard input, decompressed on the way."""

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

from postil.common.compression import BUFFER, MAGIC_LENGTH, codec_of_bytes, decompressed
from postil.errors import CorpusError

STDIN = "-"

PATIENCE = 0.25
"""Seconds to wait for more bytes before a guess, once there are enough to guess from."""

MOST_GATHERED = 1 << 20


@dataclass(slots=True)
class Pauses:
    """A callback for pauses of a stream: ``listener`` is called before every wait for bytes."""

    listener: Callable[[], None] | None = None


class Readable(Protocol):
    """A stream that returns the bytes it has."""

    def read1(self, size: int = -1, /) -> bytes:
        """Return at most ``size`` bytes, waiting for at least one; none at the end."""


class Pipe:
    """Bytes that come once, perhaps slowly; ``head`` keeps those that were only previewed."""

    def __init__(self, stream: BinaryIO, pauses: Pauses) -> None:
        self.head = bytearray()
        self._stream = stream
        self._pauses = pauses
        self._ended = False
        self._deadline = 0.0

    def read1(self, size: int = -1, /) -> bytes:
        """Return at most ``size`` bytes, waiting for at least one; none at the end.

        A terminal could continue after its end: the first end is final.
        """
        if self._ended:
            return b""
        if self._pauses.listener is not None and not self._arrives(0.0):
            self._pauses.listener()
        piece: bytes = self._stream.read1(size)  # type: ignore[attr-defined]
        self._ended = not piece
        return piece

    def gather(self, lines: int) -> bool:
        """Keep in ``head`` the bytes that come in a short while; return True if a pause follows.

        The while begins when ``lines`` whole lines have come. Lines cannot be counted in anything
        but plain text (compressed, UTF-16, Parquet), where nothing is a pause.
        """
        while len(self.head) < MOST_GATHERED and not self._ended:
            if self._holds(lines):
                # Only the first of several previews waits.
                self._deadline = self._deadline or time.monotonic() + PATIENCE
                if not self._arrives(max(0.0, self._deadline - time.monotonic())):
                    return True
            self.head += self.read1(BUFFER)
        return False

    def whole_lines(self) -> bytes:
        """Return the kept bytes up to the end of their last whole line."""
        return bytes(self.head[: self.head.rfind(b"\n") + 1])

    def _holds(self, lines: int) -> bool:
        if codec_of_bytes(bytes(self.head[:4])) is not None or b"\0" in self.head:
            return False
        return sum(1 for line in self.whole_lines().split(b"\n") if line.strip()) >= lines

    def _arrives(self, seconds: float) -> bool:
        """Wait for something to read, or the end, at most this long."""
        try:
            return bool(select.select([self._stream.fileno()], [], [], seconds)[0])
        except (OSError, ValueError):
            return True  # this stream cannot be polled: reading will tell


class Replay(io.RawIOBase):
    """Bytes already read, then the rest of the stream they were read from.

    With ``recording`` every further byte is kept in ``head`` too, so that a later ``Replay``
    of the same head and stream starts at the beginning again.
    """

    def __init__(self, head: bytearray, rest: Readable, *, recording: bool = False) -> None:
        self._head = head
        self._rest = rest
        self._recording = recording
        self._at = 0

    def readable(self) -> bool:
        """Return True."""
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
    """A file, folder, pipe or (``path`` None) standard input, with its name for messages.

    A regular file can be opened any number of times. Standard input, a named pipe or another
    device can be opened once (``once``); ``preview`` reads its beginning before that, and keeps
    it for ``open``. A folder is a source too, but has no bytes.

    The listener of ``pauses`` is called before every wait for more of such a source; ``paused``
    tells that the last preview ended at a pause of the stream, and not at its end.
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
        """Open all bytes, decompressed; a pipe that was opened before is an error."""
        if not self.once:
            return decompressed(self._open_file(), self.name)
        pipe = self._unopened_pipe()
        self._opened = True
        return self._replayed(Replay(pipe.head, pipe))

    def preview(self, lines: int = 1) -> BinaryIO:
        """Open the same bytes to read only their beginning; a pipe can still be opened then.

        The previewed bytes of a pipe stay in memory until it is opened; if it pauses after
        ``lines`` whole lines of text, these are all that a preview returns.
        """
        if not self.once:
            return decompressed(self._open_file(), self.name)
        pipe = self._unopened_pipe()
        self.paused = pipe.gather(lines)
        if self.paused:
            return io.BytesIO(pipe.whole_lines())
        return self._replayed(Replay(pipe.head, pipe, recording=True))

    def open_seekable(self) -> BinaryIO:
        """Open the decompressed bytes as a file that can be read from any place.

        A compressed file or a pipe is first copied to a temporary file on disk (once, however
        often it is opened).
        """
        if self._spooled is None:
            stream = self.open()
            if not self.once and stream.seekable():
                return stream
            import tempfile

            descriptor, name = tempfile.mkstemp(prefix="postil-")
            self._spooled = Path(name)
            weakref.finalize(self, self._spooled.unlink, missing_ok=True)
            with stream, os.fdopen(descriptor, "wb") as copy:
                shutil.copyfileobj(stream, copy, BUFFER)
        return self._spooled.open("rb")

    def _open_file(self) -> BinaryIO:
        assert self.path is not None
        try:
            return self.path.open("rb", buffering=BUFFER)
        except OSError as error:
            raise CorpusError(f"{self.name}: cannot be read ({error.strerror})") from error

    def _unopened_pipe(self) -> Pipe:
        """Return the pipe with its first bytes, which tell the compression."""
        if self._opened:
            raise CorpusError(
                f"{self.name}: it was read to its end and cannot be read a second time; "
                "save it to a file and open that"
            )
        if self._pipe is None:
            stream = sys.stdin.buffer if self.path is None else self._open_file()
            if self.path is not None:
                weakref.finalize(self, stream.close)
            self._pipe = Pipe(stream, self.pauses)
        head = self._pipe.head
        # A pipe may deliver bytes one by one.
        while len(head) < MAGIC_LENGTH and (more := self._pipe.read1(BUFFER)):
            head += more
        return self._pipe

    def _replayed(self, replay: Replay) -> BinaryIO:
        return decompressed(io.BufferedReader(replay, BUFFER), self.name)


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
