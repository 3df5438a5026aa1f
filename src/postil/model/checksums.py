"""Checksums that find every flipped byte.

CRC-32 finds every change within four bytes of each other and misses others once in 2³²; it is
no protection against somebody who means to deceive. It reads 1.6 GB/s, about what a fast disk
delivers, and four times what BLAKE2b does: a model of 100 MB takes 60 ms to verify.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
