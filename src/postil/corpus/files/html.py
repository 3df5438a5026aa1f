"""The title and the visible text of an HTML page, by fixed rules.

Pages of the nineties leave quotes, comments and tags unclosed, and the standard library's parser
then loses visible text, in ways that change from one Python to the next. The rules here are
those of the browsers of the time, and fixed:

- A comment goes from ``<!--`` to ``-->`` (or ``--!>``, ``-- >``). One without an end, and other
  declarations (``<!…>``, ``<?…>``), end at the next ``>`` or before the next ``<``.
- ``script`` and ``style`` are dropped with their content if they are closed.
- A tag ends at the first ``>`` outside quotes; a quote that is not closed before the next ``<``
  or the end of the line is no quote. A tag without ``>`` before the next ``<`` is dropped if it
  has an attribute or nothing else, else it is text.
- Tags that only change the type (``b``, ``a``, ``font``, …) leave nothing behind, so that they
  do not split words; all others leave a line break.
- Entities are decoded last, and white space in lines is collapsed.
"""

from __future__ import annotations

import html
import re
from typing import NamedTuple

from postil.corpus.files.archives import clean_text

_COMMENT_START = re.compile("<!--")
_COMMENT_END = re.compile(r"--\s*+!?\s*+>")
_CONTENT_TAGS = tuple(
    (re.compile(rf"<{name}\b[^<>]*>", re.IGNORECASE), re.compile(rf"</{name}\b", re.IGNORECASE))
    for name in ("script", "style")
)
_TITLE = re.compile(r"<title\b[^<>]*>([^<]*)(?:</title\s*+>)?", re.IGNORECASE)

_REST_OF_TAG = r"""(?:(?:[^<>"']|"[^"<\n]*"|'[^'<\n]*')*+>|[^<>]*+>)"""
_TAG = re.compile(
    r"(?P<type></?(?:a|abbr|acronym|b|basefont|big|blink|cite|code|dfn|em|font|i|kbd|s|samp|small"
    rf"|span|strike|strong|sub|sup|tt|u|var)(?=[\s>]){_REST_OF_TAG})"
    rf"|<[!?][^<>]*+>?|</?[a-z]{_REST_OF_TAG}|</[^<>]*+>"
    r"|</?[a-z][a-z0-9]*+(?:\s[^<>=]*+=[^<>]*+|\s*+)(?=<|\Z)",
    re.IGNORECASE,
)


class Page(NamedTuple):
    """The title of a page, and the text it shows."""

    title: str
    body: str


def parse_page(markup: str) -> Page:
    """Return the title and text of a page; time is linear in its length."""
    markup = _without(markup, _COMMENT_START, _COMMENT_END)
    for start_tag, end_tag in _CONTENT_TAGS:
        # The end tag stays, and goes with the other tags.
        markup = _without(markup, start_tag, end_tag, keep_end=True)
    titled = _TITLE.search(markup)
    if titled is None:
        return Page("", _text(markup))
    body = f"{markup[: titled.start()]}\n{markup[titled.end() :]}"
    return Page(" ".join(_text(titled.group(1)).split()), _text(body))


def _without(
    markup: str, start: re.Pattern[str], end: re.Pattern[str], *, keep_end: bool = False
) -> str:
    """Drop every stretch from a start to the next end; a start without an end stays."""
    pieces: list[str] = []
    at = 0
    while (begin := start.search(markup, at)) is not None:
        close = end.search(markup, begin.end())
        if close is None:
            break
        pieces.append(markup[at : begin.start()])
        at = close.start() if keep_end else close.end()
    return "".join(pieces) + markup[at:]


def _text(markup: str) -> str:
    visible = _TAG.sub(lambda tag: "" if tag.lastgroup else "\n", markup)
    decoded = clean_text(html.unescape(visible)).replace("\N{NO-BREAK SPACE}", " ")
    lines = (" ".join(line.split()) for line in decoded.split("\n"))
    return "\n".join(line for line in lines if line)
