"""What a machine gives two threads that share nothing: no program can gain more from them."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor

from benchmarks.spread import Spread
from benchmarks.timing import interleaved

MEGABYTES = 32  # of each of two texts: some 30 ms of work, without the interpreter's lock


def gain_of_two_threads(rounds: int) -> Spread:
    """How many times as fast two texts are hashed side by side as one after the other.

    Each fits into a core's own cache, is hashed again and again, and nothing is written.
    """
    texts = [bytes([text]) * 2**17 for text in range(2)]
    with ThreadPoolExecutor(2) as threads:
        seconds = interleaved(
            {
                "one": lambda: list(map(_hash_often, texts)),
                "two": lambda: list(threads.map(_hash_often, texts)),
            },
            rounds,
        )
    return Spread.of_ratios(seconds["one"], seconds["two"])


def _hash_often(text: bytes) -> bytes:
    hashed = hashlib.sha256()
    for _ in range(MEGABYTES * 2**20 // len(text)):
        hashed.update(text)
    return hashed.digest()
