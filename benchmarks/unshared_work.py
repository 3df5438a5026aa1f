"""What a machine gives two threads that share nothing."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from typing import Self

MEGABYTES = 32  # of each of two texts: some 30 ms of work, without the interpreter's lock


class UnsharedWork:
    """Two texts to hash.

    Each fits into a core's own cache, is hashed again and again, and nothing is written.
    """

    def __init__(self) -> None:
        self._texts = [bytes([text]) * 2**17 for text in range(2)]
        self._threads = ThreadPoolExecutor(2)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown()

    def one_after_the_other(self) -> object:
        """Hash both by one thread."""
        return list(map(_hash_often, self._texts))

    def side_by_side(self) -> object:
        """Hash each by a thread of its own."""
        return list(self._threads.map(_hash_often, self._texts))


def _hash_often(text: bytes) -> bytes:
    hashed = hashlib.sha256()
    for _ in range(MEGABYTES * 2**20 // len(text)):
        hashed.update(text)
    return hashed.digest()
