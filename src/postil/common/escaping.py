"""Escapes for text from outside that is shown on a terminal.

Raw names, labels, ids and texts could colour, hide or reorder what a terminal shows, or break a
line.
"""

from __future__ import annotations

import re

# Controls (C0 except tab and line feed, DEL, C1), marks and overrides of direction, the line and
# paragraph separators, surrogates, which no encoding holds, and noncharacters of XML.
_CHARACTERS = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f"
    r"\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    r"\ud800-\udfff\ufffe\uffff"
)
_UNSAFE = re.compile(f"[{_CHARACTERS}]")
_UNSAFE_IN_LINE = re.compile(rf"[\t\n{_CHARACTERS}]")


def escaped(text: str) -> str:
    r"""Return the text with unsafe characters as escapes (``\x1b``); lines and tabs stay."""
    return _UNSAFE.sub(_escape, text)


def visible(text: str) -> str:
    """Return the text for one line or a cell of a table: line breaks and tabs are escaped too."""
    return _UNSAFE_IN_LINE.sub(_escape, text)


def escaped_json(text: str) -> str:
    r"""Return the same JSON with unsafe characters as JSON escapes them (``\u202e``)."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
