"""gzip and zstd: recognised by the first bytes when reading, by the file name when writing."""

from __future__ import annotations

import gzip
import importlib
import io
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, BinaryIO

from postil.errors import CorpusError, MissingExtraError

COMPRESSED_CHUNK = 1 << 10
"""Bytes that are decompressed at once: zeros become 1 MB of them in gzip, 32 MB in zstd."""

BUFFER = 1 << 18
MAGIC_LENGTH = 4
LARGEST_WINDOW_LOG = 31


@dataclass(frozen=True)
class Codec:
    """A compression.

    ``matches`` tests the first four bytes of a file. ``decompressor`` makes an object for one
    gzip member or zstd frame, with ``decompress``, ``eof`` and ``unused_data`` as in zlib.
    ``padding`` may follow the last member and is ignored.
    """

    name: str
    suffixes: tuple[str, ...]
    matches: Callable[[bytes], bool]
    decompressor: Callable[[], Any]
    compressing: Callable[[BinaryIO], BinaryIO]
    padding: bytes = b""


def _gzip_writer(stream: BinaryIO) -> BinaryIO:
    # The header has no name and no time of day, so that equal documents give equal bytes.
    return gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0, compresslevel=6)  # type: ignore[return-value]


def _zstd_module(doing: str) -> tuple[Any, bool]:
    """Import the zstd module of this Python; the flag tells if it is the standard library's."""
    if sys.version_info >= (3, 14):
        return importlib.import_module("compression.zstd"), True
    try:
        return importlib.import_module("zstandard"), False
    except ImportError:
        raise MissingExtraError(f"{doing} zstd", "zstandard", "zstd") from None


def _zstd_decompressor() -> Any:  # noqa: ANN401 - of either module
    module, standard = _zstd_module("reading")
    if standard:
        limit = {module.DecompressionParameter.window_log_max: LARGEST_WINDOW_LOG}
        return module.ZstdDecompressor(options=limit)
    return module.ZstdDecompressor(max_window_size=1 << LARGEST_WINDOW_LOG).decompressobj()


def _zstd_writer(stream: BinaryIO) -> BinaryIO:
    module, standard = _zstd_module("writing")
    writer: BinaryIO
    if standard:
        writer = module.ZstdFile(stream, "wb")
    else:
        writer = module.ZstdCompressor(write_checksum=True).stream_writer(stream, closefd=False)
    return writer


def _is_zstd(head: bytes) -> bool:
    frame = head == b"\x28\xb5\x2f\xfd"
    skippable = len(head) == MAGIC_LENGTH and head[0] >> 4 == 5 and head[1:] == b"\x2a\x4d\x18"
    return frame or skippable


CODECS: tuple[Codec, ...] = (
    Codec(
        "gzip",
        (".gz", ".gzip"),
        lambda head: head[:3] == b"\x1f\x8b\x08",
        lambda: zlib.decompressobj(wbits=31),
        _gzip_writer,
        padding=b"\0",
    ),
    Codec("zstd", (".zst", ".zstd"), _is_zstd, _zstd_decompressor, _zstd_writer),
)


def codec_of_bytes(head: bytes) -> Codec | None:
    """Return the compression of a stream with these first bytes."""
    return next((codec for codec in CODECS if codec.matches(head[:MAGIC_LENGTH])), None)


def codec_of_name(name: str) -> Codec | None:
    """Return the compression of a file with this name."""
    lowered = name.lower()
    return next((codec for codec in CODECS if lowered.endswith(codec.suffixes)), None)


def without_compression_suffix(name: str) -> str:
    """Return ``docs.jsonl`` for ``docs.jsonl.zst``."""
    return name if codec_of_name(name) is None else name[: name.rindex(".")]


def extension_of(name: str) -> str:
    """Return the extension in lower case, below any compression's: ``x.JSONL.gz`` → ``.jsonl``."""
    return PurePath(without_compression_suffix(name)).suffix.lower()


def decompressed(stream: BinaryIO, name: str) -> BinaryIO:
    """Return the decompressed bytes of ``stream``, or the stream itself if it is plain.

    A stream that ends inside a gzip member or zstd frame, or that cannot be decompressed, is a
    ``CorpusError`` that begins with ``name``: a truncated file must not look like a short one.
    """
    codec = codec_of_bytes(stream.peek(MAGIC_LENGTH)[:MAGIC_LENGTH])  # type: ignore[attr-defined]
    if codec is None:
        return stream
    try:
        return io.BufferedReader(_Inflating(stream, codec, name), BUFFER)
    except BaseException:
        stream.close()
        raise


class _Inflating(io.RawIOBase):
    """The decompressed bytes of one or more gzip members or zstd frames."""

    def __init__(self, stream: BinaryIO, codec: Codec, name: str) -> None:
        self._stream = stream
        self._codec = codec
        self._name = name
        self._member = codec.decompressor()
        self._begun = False
        self._pending = memoryview(b"")
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:  # noqa: ANN401 - a writable buffer of any kind
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
            piece: bytes = self._member.decompress(data)
        except MemoryError:
            raise
        except Exception as error:
            # zlib.error, zstandard.ZstdError and compression.zstd.ZstdError share no base.
            raise CorpusError(
                f"{self._name}: the {self._codec.name} data are damaged after "
                f"{self._given:,} bytes of text ({error}); get the file again"
            ) from error
        return piece

    def _next_input(self) -> bytes:
        """Return the next compressed bytes; start a new member if one has ended."""
        if not self._member.eof:
            return self._stream.read(COMPRESSED_CHUNK)
        data: bytes = self._member.unused_data or self._stream.read(COMPRESSED_CHUNK)
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
