"""The safetensors container: named arrays and a few texts in one file that can be mapped.

::

    8 bytes    length of the header, little-endian
    header     JSON: "__metadata__" (texts by name) and for each tensor its dtype, shape and
               data_offsets; spaces at its end, so that the data begins at a multiple of 8
    data       the tensors one after another, without gaps

The safetensors package reads and writes the same (a test holds us to it), but it copies every
array it reads, and writes metadata in an order that changes from run to run.

Checksums that find every flipped byte.

CRC-32 finds every change within four bytes of each other and misses others once in 2³²; it is
no protection against somebody who means to deceive. It reads 1.6 GB/s, about what a fast disk
delivers, and four times what BLAKE2b does: a model of 100 MB takes 60 ms to verify.
"""

from __future__ import annotations

import math
import sys
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from postil.errors import InputError, ModelFileError, UsageError
from postil.model.plain import from_text, to_text
from postil.model.tensors import Arrays

Buffer: TypeAlias = "bytes | memoryview | Any"  # or a memory map, which mypy knows no word for

LENGTH_BYTES = 8
# The most the safetensors package reads, too; refused before anything is allocated.
LONGEST_HEADER = 100_000_000
METADATA = "__metadata__"
MOST_DIMENSIONS = 2
# What a header of ours begins with tells a damaged file of ours from somebody else's.
OPENING = b'{"__metadata__":{"format":"postil"'

_TYPES: Mapping[str, np.dtype[Any]] = {
    name: np.dtype(code)
    for name, code in (
        *(("F64", "<f8"), ("I64", "<i8"), ("U64", "<u8"), ("F32", "<f4"), ("I32", "<i4")),
        *(("U32", "<u4"), ("F16", "<f2"), ("I16", "<i2"), ("U16", "<u2"), ("I8", "i1")),
        *(("U8", "u1"), ("BOOL", "?")),
    )
}
_NAMES = {dtype: name for name, dtype in _TYPES.items()}


class HeaderTooLongError(UsageError):
    """Names and settings take more than the header of a file may have."""


class Entry(NamedTuple):
    """Where a tensor lies, counted from the beginning of the data."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    begin: int
    end: int


class Header(NamedTuple):
    """What a container says of itself; ``start`` is where its data begins.

    ``tensors`` is not looked at before it is known that the file is one to be read here.
    """

    metadata: dict[str, str]
    tensors: dict[str, object]
    start: int


def pack(metadata: Mapping[str, str], arrays: Arrays) -> list[bytes | memoryview]:
    """Write a container as pieces to be put one after another; arrays are not copied.

    Wide types stand first, so that every array is aligned; then names decide.
    """
    ordered = sorted(arrays.items(), key=lambda item: (-item[1].dtype.itemsize, item[0]))
    header: dict[str, Any] = {}
    contents: list[bytes | memoryview] = []
    at = 0
    for name, array in ordered:
        stored = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        end = at + stored.nbytes
        header[name] = {
            "data_offsets": [at, end],
            "dtype": _NAMES[stored.dtype],
            "shape": list(array.shape),
        }
        contents.append(stored.reshape(-1).view(np.uint8).data)
        at = end
    # Joined by hand: the metadata stands first, in the order given.
    texts = ",".join(f"{to_text(key)}:{to_text(text)}" for key, text in metadata.items())
    rest = to_text(header)[1:]
    text = f'{{"{METADATA}":{{{texts}}}' + ("," if header else "") + rest
    written = text.encode("ascii")
    written += b" " * (-len(written) % LENGTH_BYTES)
    if len(written) > LONGEST_HEADER:
        raise HeaderTooLongError(
            f"the names of categories and how the model came to be take {len(written)} bytes, and "
            f"a model file has room for {LONGEST_HEADER}; take fewer categories, or shorter names"
        )
    return [len(written).to_bytes(LENGTH_BYTES, "little"), written, *contents]


def read_header(buffer: Buffer) -> Header:
    """Read the header of a container."""
    size = len(buffer)
    length = int.from_bytes(buffer[:LENGTH_BYTES], "little")
    ours = bytes(buffer[LENGTH_BYTES : LENGTH_BYTES + len(OPENING)]) == OPENING
    start = LENGTH_BYTES + length
    if length > LONGEST_HEADER or start > size:
        if ours:
            raise ModelFileError(
                f"is cut short or damaged: its header should have {length} bytes, and the whole "
                f"file has {size}; copy it again"
            )
        raise foreign("it does not begin like one")
    try:
        return _header(from_text(bytes(buffer[LENGTH_BYTES:start]).decode("utf-8")), start)
    except ValueError as error:
        if ours:
            raise _damaged_header(error) from error
        raise foreign("it does not begin like one") from error


def foreign(reason: str) -> ModelFileError:
    """What a file gets that never was a model."""
    return ModelFileError(f"is no postil model: {reason}; name a file that postil train wrote")


def _damaged_header(error: Exception) -> ModelFileError:
    return ModelFileError(f"has a damaged header ({error}); copy it again")


def read_tensors(buffer: Buffer, header: Header) -> Arrays:
    """The arrays of a container, as views of the buffer; none is copied."""
    try:
        entries = {name: _entry(name, described) for name, described in header.tensors.items()}
        promised = header.start + _covered(entries, header.start)
    except InputError as error:
        raise _damaged_header(error) from error
    if promised != len(buffer):
        what = "is cut short" if promised > len(buffer) else "goes on after its end"
        raise ModelFileError(
            f"{what}: it has {len(buffer)} bytes and its header promises {promised}; copy it again"
        )
    return {name: _view(buffer, header.start, entry) for name, entry in entries.items()}


def _view(buffer: Buffer, start: int, entry: Entry) -> NDArray[Any]:
    count = math.prod(entry.shape)
    flat: NDArray[Any] = np.frombuffer(buffer, entry.dtype, count, start + entry.begin)
    # Only where bytes are big end first does this copy.
    native = flat.astype(entry.dtype.newbyteorder("="), copy=False)
    return native.reshape(entry.shape)


def _header(found: object, start: int) -> Header:
    if not isinstance(found, dict):
        raise InputError("it is no mapping")
    metadata = found.pop(METADATA, {})
    texts = isinstance(metadata, dict) and all(isinstance(text, str) for text in metadata.values())
    if not texts:
        raise InputError("its metadata are no texts")
    return Header(metadata, found, start)


def _entry(name: str, described: object) -> Entry:
    match described:
        case {"dtype": str(dtype), "shape": [*shape], "data_offsets": [begin, end], **rest}:
            counts = all(type(count) is int and count >= 0 for count in (*shape, begin, end))
            known = dtype in _TYPES and len(shape) <= MOST_DIMENSIONS and not rest
            if known and counts and _holds(shape, _TYPES[dtype], end - begin):
                return Entry(_TYPES[dtype], tuple(shape), begin, end)
    raise InputError(f"the tensor {name!r} is not described as it should be")


def _holds(shape: list[int], dtype: np.dtype[Any], size: int) -> bool:
    """Say whether so many bytes hold a tensor of this shape."""
    # Of a tensor without entries the other dimension is unbounded, but not for NumPy.
    largest = math.prod(max(count, 1) for count in shape) * dtype.itemsize
    return largest <= sys.maxsize and size == math.prod(shape) * dtype.itemsize


def _covered(entries: Mapping[str, Entry], start: int) -> int:
    """The bytes the tensors cover, one after another, each where its type may lie."""
    at = 0
    for name, entry in sorted(entries.items(), key=lambda item: (item[1].begin, item[1].end)):
        if entry.begin != at:
            raise InputError(f"the tensor {name!r} does not begin where the one before it ends")
        if (start + entry.begin) % entry.dtype.itemsize:
            raise InputError(f"the tensor {name!r} is not aligned")
        at = entry.end
    return at


# Between two blocks Python looks for Ctrl-C.
BLOCK = 1 << 26


def text_checksum(text: str) -> str:
    """The checksum of a text."""
    return _hex(zlib.crc32(text.encode("utf-8", "surrogatepass")))


def tensor_checksum(name: str, array: NDArray[Any]) -> str:
    """The checksum of an array, with its name, type and shape; linear in its bytes."""
    identity = f"{name} {array.dtype.str[1:]} {list(array.shape)}"
    value = zlib.crc32(identity.encode("utf-8", "surrogatepass"))
    stored = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    content = stored.reshape(-1).view(np.uint8).data
    for start in range(0, len(content), BLOCK):
        value = zlib.crc32(content[start : start + BLOCK], value)
    return _hex(value)


def _hex(value: int) -> str:
    return f"{value:08x}"
