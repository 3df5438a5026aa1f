"""gzip and zstd: recognised by their first bytes when reading, by file name when writing."""

from __future__ import annotations

import gzip
import importlib
import io
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO, Protocol

from postil.errors import CorpusError, MissingExtraError

COMPRESSED_CHUNK = 1 << 10
"""Bytes that are decompressed at once: zeros become 1 MB of them in gzip, 32 MB in zstd."""

BUFFER = 1 << 18
MAGIC_LENGTH = 4
LARGEST_WINDOW_LOG = 31


class Decompressor(Protocol):
    """One member (gzip) or frame (zstd) being decompressed."""

    @property
    def eof(self) -> bool:
        """Whether the end of the member was reached."""

    @property
    def unused_data(self) -> bytes:
        """What came after that end."""

    def decompress(self, data: bytes, /) -> bytes:
        """Decompress as much as ``data`` allows."""


@dataclass(frozen=True)
class Codec:
    """A compression: how it is recognised, undone and done.

    ``begins`` looks at the first four bytes of a file; ``padding`` is what may follow the last
    member without meaning anything.
    """

    name: str
    suffixes: tuple[str, ...]
    begins: Callable[[bytes], bool]
    decompressor: Callable[[], Decompressor]
    compressing: Callable[[BinaryIO], BinaryIO]
    padding: bytes = b""


def _gzip_decompressor() -> Decompressor:
    return zlib.decompressobj(wbits=31)


def _gzip_writer(stream: BinaryIO) -> BinaryIO:
    # No name and no time of day in the header: equal documents give equal bytes.
    return gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0, compresslevel=6)  # type: ignore[return-value]


def _zstd_module(doing: str) -> tuple[Any, bool]:
    """Import the zstd module there is, and whether it is Python's own."""
    if sys.version_info >= (3, 14):
        return importlib.import_module("compression.zstd"), True
    try:
        return importlib.import_module("zstandard"), False
    except ImportError:
        raise MissingExtraError(f"{doing} zstd", "zstandard", "zstd") from None


def _zstd_decompressor() -> Decompressor:
    module, own = _zstd_module("reading")
    decompressor: Decompressor
    if own:
        limit = {module.DecompressionParameter.window_log_max: LARGEST_WINDOW_LOG}
        decompressor = module.ZstdDecompressor(options=limit)
    else:
        limited = module.ZstdDecompressor(max_window_size=1 << LARGEST_WINDOW_LOG)
        decompressor = limited.decompressobj()
    return decompressor


def _zstd_writer(stream: BinaryIO) -> BinaryIO:
    module, own = _zstd_module("writing")
    writer: BinaryIO
    if own:
        writer = module.ZstdFile(stream, "wb")
    else:
        writer = module.ZstdCompressor(write_checksum=True).stream_writer(stream, closefd=False)
    return writer


def _zstd_begins(head: bytes) -> bool:
    frame = head == b"\x28\xb5\x2f\xfd"
    skippable = len(head) == MAGIC_LENGTH and head[0] >> 4 == 5 and head[1:] == b"\x2a\x4d\x18"
    return frame or skippable


CODECS: tuple[Codec, ...] = (
    Codec(
        "gzip",
        (".gz", ".gzip"),
        lambda head: head[:3] == b"\x1f\x8b\x08",
        _gzip_decompressor,
        _gzip_writer,
        padding=b"\0",
    ),
    Codec("zstd", (".zst", ".zstd"), _zstd_begins, _zstd_decompressor, _zstd_writer),
)


def codec_of_bytes(head: bytes) -> Codec | None:
    """Return the compression a stream with these first bytes has."""
    return next((codec for codec in CODECS if codec.begins(head[:MAGIC_LENGTH])), None)


def codec_of_name(name: str) -> Codec | None:
    """Return the compression a file of this name is to have."""
    lowered = name.lower()
    return next((codec for codec in CODECS if lowered.endswith(codec.suffixes)), None)


def without_compression_suffix(name: str) -> str:
    """``docs.jsonl.zst`` → ``docs.jsonl``."""
    codec = codec_of_name(name)
    if codec is None:
        return name
    return name[: name.rindex(".")]


class Inflating(io.RawIOBase):
    """The decompressed bytes of a stream of one or more gzip members or zstd frames.

    A stream that ends inside a member, or that cannot be decompressed, is a ``CorpusError``:
    a truncated file must not look like a short one.
    """

    def __init__(self, stream: BinaryIO, codec: Codec, name: str) -> None:
        self._stream = stream
        self._codec = codec
        self._name = name
        self._member = codec.decompressor()
        self._begun = False
        self._pending = memoryview(b"")
        self._given = 0

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any, /) -> int:  # noqa: ANN401 - a writable buffer of any kind
        """Fill the buffer as far as the next decompressed piece goes."""
        while not self._pending:
            more = self._inflate()
            if more is None:
                return 0
            self._pending = memoryview(more)
        size = min(len(buffer), len(self._pending))
        buffer[:size] = self._pending[:size]
        self._pending = self._pending[size:]
        self._given += size
        return size

    def _inflate(self) -> bytes | None:
        """Decompress the next piece: some bytes, none yet (``b""``) or the end (``None``)."""
        data = self._next_input()
        if not data:
            if self._begun and not self._member.eof:
                raise CorpusError(
                    f"{self._name}: the {self._codec.name} data end too early, after "
                    f"{self._given:,} bytes of text; the file is truncated: get it again"
                )
            return None
        self._begun = True
        try:
            return self._member.decompress(data)
        except (MissingExtraError, MemoryError):
            raise
        except Exception as error:
            # zlib.error, zstandard.ZstdError and compression.zstd.ZstdError share no base.
            raise CorpusError(
                f"{self._name}: the {self._codec.name} data are damaged after "
                f"{self._given:,} bytes of text ({error}); get the file again"
            ) from error

    def _next_input(self) -> bytes:
        """Return the compressed bytes to go on with, starting a new member where one has ended."""
        if not self._member.eof:
            return self._stream.read(COMPRESSED_CHUNK)
        data = self._member.unused_data or self._stream.read(COMPRESSED_CHUNK)
        while data and not (data := data.lstrip(self._codec.padding)):
            data = self._stream.read(COMPRESSED_CHUNK)
        if data:
            self._member = self._codec.decompressor()
            self._begun = False
        return data

    def close(self) -> None:
        """Close the compressed stream too."""
        self._stream.close()
        super().close()
