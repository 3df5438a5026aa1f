"""Text from outside on its way into HTML."""

from __future__ import annotations

import html
import re

# What HTML cannot hold or a browser would not show: control characters but tab and line ends,
# and surrogates, which UTF-8 cannot hold either.
_UNFIT = re.compile("[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def safe(text: str) -> str:
    """The text for an element or a quoted attribute; what HTML cannot hold becomes U+FFFD."""
    return html.escape(_UNFIT.sub("\ufffd", text))


def bdi(text: str) -> str:
    """The text as an element of its own, so that its direction stays its own affair."""
    return f"<bdi>{safe(text)}</bdi>"
