"""Passages: sentences or lines of a text, long enough that no two authors write them by chance."""

from __future__ import annotations

import re
from collections.abc import Iterator

LEAST_CHARACTERS = 25
_ENDS = re.compile(r"(?<=[.!?])\s|(?<=[。！？])|[\r\n]")


def passages_of(text: str) -> Iterator[str]:
    """Yield the sentences of each line of a text, without case and repeated space."""
    for piece in _ENDS.split(text):
        if len(piece) >= LEAST_CHARACTERS:
            passage = " ".join(piece.split()).casefold()
            if len(passage) >= LEAST_CHARACTERS:
                yield passage
