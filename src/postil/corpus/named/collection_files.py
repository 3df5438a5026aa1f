"""The files of a collection that has several, found by name and read line by line."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

from postil.corpus.files.archives import Member, members
from postil.corpus.files.compression import (
    BUFFER,
    MAGIC_LENGTH,
    Inflating,
    codec_of_bytes,
    without_compression_suffix,
)

LONGEST_LINE = 1 << 24
"""A longer line comes in pieces: no input can fill the memory."""


def known_files(path: Path, names: Collection[str]) -> Iterator[tuple[str, Member]]:
    """The files of a folder or tar archive that are called one of ``names``, each once.

    They may lie in folders inside, and be compressed (``x.dat`` is ``x.dat.gz`` too). Of two
    files of one name the first is taken: whoever unpacks a file may keep the packed one.
    """
    met: set[str] = set()
    for member in members(path):
        name = without_compression_suffix(member.parts[-1])
        if name in names and name not in met:
            met.add(name)
            yield name, member


def lines_of(member: Member) -> Iterator[bytes]:
    """The lines of a file with their ends, decompressed where it is gzip or zstd.

    Damaged compression is a ``CorpusError``, a file that cannot be read a ``DocumentError``.
    Memory is that of two buffers and one line.
    """
    with _decompressed(member) as stream:
        yield from iter(partial(stream.readline, LONGEST_LINE), b"")


def _decompressed(member: Member) -> BinaryIO:
    stream = io.BufferedReader(_MemberBytes(member), BUFFER)
    codec = codec_of_bytes(stream.peek(MAGIC_LENGTH)[:MAGIC_LENGTH])
    if codec is None:
        return stream
    name = str(Path(member.place, member.name))
    return io.BufferedReader(Inflating(cast(BinaryIO, stream), codec, name), BUFFER)


class _MemberBytes(io.RawIOBase):
    """The bytes of a member as a stream, with the member's own errors."""

    def __init__(self, member: Member) -> None:
        self._chunks = member.chunks(BUFFER)
        self._pending = memoryview(b"")

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any, /) -> int:  # noqa: ANN401 - a writable buffer of any kind
        """Fill the buffer as far as the chunk at hand goes."""
        if not self._pending:
            self._pending = memoryview(next(self._chunks, b""))
        size = min(len(buffer), len(self._pending))
        buffer[:size] = self._pending[:size]
        self._pending = self._pending[size:]
        return size
