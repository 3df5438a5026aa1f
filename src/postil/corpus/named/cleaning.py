"""Text of collections older than Unicode: Latin-1 bytes → clean strings."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def decode_latin1(raw: bytes) -> str:
    """Every byte as the Latin-1 character it is, line ends and control characters cleaned."""
    return clean(raw.decode("latin-1"))


def clean(text: str) -> str:
    """CR LF and CR become LF; other control characters, tabs excepted, become spaces.

    A space, because in these collections they stand for lost characters and for separators:
    it never glues two words together. Linear in the length of the text.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub(" ", text)
