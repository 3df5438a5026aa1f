"""Old web pages → title and text.

Pages of the nineties leave quotes, comments and tags unclosed, and the standard library's parser
then loses visible text, in ways that change from one Python to the next. The rules here are
those of the browsers of the time, and fixed:

- A comment goes from ``<!--`` to ``-->`` (or ``--!>``, ``-- >``). One without an end, and other
  declarations (``<!…>``, ``<?…>``), end at the next ``>`` or before the next ``<``.
- ``script`` and ``style`` go with their content where they are closed.
- A tag ends at the first ``>`` outside quotes; a quote that is not closed before the next ``<``
  or the end of the line is no quote. A tag without ``>`` before the next ``<`` goes where it has
  an attribute or nothing else, else it is text.
- Tags that only change the type (``b``, ``a``, ``font``, …) leave nothing behind, so that they
  do not split words; all others leave a line break.
- Entities are decoded last, and white space in lines is collapsed.

Text of collections older than Unicode: Latin-1 bytes → clean strings.
"""

from __future__ import annotations

import html
import re
from typing import NamedTuple

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
    """A page's title, and the text it shows."""

    title: str
    body: str


def parse_page(markup: str) -> Page:
    """Read one page; time is linear in its length."""
    markup = _without_content_tags(_without_comments(markup))
    titled = _TITLE.search(markup)
    if titled is None:
        return Page("", _text(markup))
    body = f"{markup[: titled.start()]}\n{markup[titled.end() :]}"
    return Page(" ".join(_text(titled.group(1)).split()), _text(body))


def _without_comments(markup: str) -> str:
    pieces: list[str] = []
    at = 0
    while (begin := markup.find("<!--", at)) >= 0:
        end = _COMMENT_END.search(markup, begin + 4)
        if end is None:
            break
        pieces.append(markup[at:begin])
        at = end.end()
    return "".join(pieces) + markup[at:]


def _without_content_tags(markup: str) -> str:
    for start_tag, end_tag in _CONTENT_TAGS:
        pieces: list[str] = []
        at = 0
        while (begin := start_tag.search(markup, at)) is not None:
            end = end_tag.search(markup, begin.end())
            if end is None:
                break
            pieces.append(markup[at : begin.start()])
            # The end tag stays, and goes with the other tags.
            at = end.start()
        markup = "".join(pieces) + markup[at:]
    return markup


def _text(markup: str) -> str:
    visible = _TAG.sub(lambda tag: "" if tag.lastgroup else "\n", markup)
    decoded = clean(html.unescape(visible)).replace("\N{NO-BREAK SPACE}", " ")
    lines = (" ".join(line.split()) for line in decoded.split("\n"))
    return "\n".join(line for line in lines if line)
