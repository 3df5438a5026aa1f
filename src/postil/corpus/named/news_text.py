r"""What a Usenet article is made of: headers, quotes of other articles, a signature.

Headers follow a standard. The rules for quotes and signatures are those of habit, stated here
exactly and not always right:

- A line is *quoted* where it begins, after spaces, with ``>`` (before which up to four letters
  may stand, the quoted author's initials), or with ``|`` or ``:`` and a space.
- An *attribution* is a line that ends in ``writes:``, ``wrote:``, ``says:`` or ``said:``, or
  begins with ``In article`` or ``In <``. It goes where a quoted line or another attribution
  comes next, blank lines aside; elsewhere it stays.
- The *signature* begins at the first line, among the last fifteen, that is ``--`` or a rule of
  five or more of one of the characters ``- _ = * ~ # +``; blank lines at the end do not count.
  Where nothing would be left in front of it, it is no signature.
"""

from __future__ import annotations

import re
from typing import NamedTuple

SIGNATURE_LINES = 15

_HEADER_BLOCK = re.compile(r"(?:[!-9;-~]+:.*\n|[ \t].*\n)+(?=\n|\Z)")
_SUBJECT = re.compile(r"^subject:(.*(?:\n[ \t].*)*)\n?", re.IGNORECASE | re.MULTILINE)
_QUOTED = re.compile(r"\s*(?:[A-Za-z]{0,4}>|[|:](?:\s|$))")
_ATTRIBUTION = re.compile(r"^\s*In (?:article\b|<)|\b(?:writes|wrote|says|said)\s*:\s*$")
_SIGNATURE_START = re.compile(r"\s*(?:--|([-_=*~#+])\1{4,})\s*$")


class Article(NamedTuple):
    """An article's three parts; ``headers`` are all but the subject."""

    headers: str
    subject: str
    body: str


def parse_article(text: str) -> Article:
    """Take an article apart; a text that does not begin with headers is all body."""
    block = _HEADER_BLOCK.match(text)
    if block is None:
        return Article("", "", text.strip())
    headers, body = block.group(), text[block.end() :]
    found = _SUBJECT.search(headers)
    subject = " ".join(found.group(1).split()) if found else ""
    return Article(_SUBJECT.sub("", headers, count=1).strip(), subject, body.strip())


def without_quotes(body: str) -> str:
    """Leave out quoted lines and the attributions above them."""
    kept: list[str] = []
    quote_follows = False
    for line in reversed(body.split("\n")):
        if _QUOTED.match(line):
            quote_follows = True
            continue
        if line.strip():
            if quote_follows and _ATTRIBUTION.search(line):
                continue
            quote_follows = False
        kept.append(line)
    return "\n".join(reversed(kept)).strip()


def without_signature(body: str) -> str:
    """Leave out the signature."""
    lines = body.rstrip().split("\n")
    for number in range(max(1, len(lines) - SIGNATURE_LINES), len(lines)):
        if _SIGNATURE_START.match(lines[number]):
            return "\n".join(lines[:number]).strip() or body
    return body
