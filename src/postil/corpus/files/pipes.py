"""What can be read once, as it comes: a pipe, a terminal, standard input."""

from __future__ import annotations

import select
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

from postil.corpus.files.compression import BUFFER, codec_of_bytes

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
