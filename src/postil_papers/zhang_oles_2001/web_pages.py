"""WebKB with the MIME header that the collection keeps in front of every page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from postil.corpus.document import Document
from postil.corpus.files.archives import decode_latin1, members
from postil.corpus.named.registry import named, open_named
from postil.errors import DocumentError

CORPUS = "webkb"
_HEADER = re.compile(r"[A-Za-z][\w -]*+:.*?(?=\n\n)", re.DOTALL)


def pages_with_headers() -> Iterator[Document]:
    """The pages of the corpus, from where corpora are kept."""
    return with_headers(open_named(CORPUS), named(CORPUS).find())


def with_headers(pages: Iterable[Document], place: Path) -> Iterator[Document]:
    """Pages with ``headers`` as they are in ``place``, title and words of the page as ``body``.

    Walks the archive once more, and holds the headers in memory.
    """
    headers = dict(_headers(place))
    for page in pages:
        body = f"{page.fields['title']}\n{page.fields['body']}"
        fields = {"headers": headers.get(page.id, ""), "body": body}
        yield Document(page.id, fields, page.labels, page.split)


def _headers(place: Path) -> Iterator[tuple[str, str]]:
    """The header of each file by its id, ``class/university/url``."""
    for member in members(place):
        try:
            found = _HEADER.match(decode_latin1(member.read()))
        except DocumentError:
            continue  # the corpus itself reports it
        if found:
            yield "/".join(member.parts[-3:]), found.group()
