"""Industry Sector, of the CMU text learning group: company web pages by economic sector.

One file is one document. It lies in the folder of its industry, which lies in that of its sector:
``basic.materials.sector/chemical.manufacturing.industry/URL``. That path is the id and the folders
are the label, so that the hierarchy is flat and industries of one name in two sectors stay apart.
The fields are those of WebKB, by the same rules (`webkb.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

from postil.corpus.corpus import DocumentSource
from postil.corpus.document import Document, Problems
from postil.corpus.files.archives import Member, text_members
from postil.corpus.named.webkb import page_fields

_SUFFIXES = (".sector", ".industry")


def industry_sector(path: Path) -> DocumentSource:
    """Read a folder or tar archive with files ``NAME.sector/NAME.industry/url``.

    Documents have no split. Files outside such folders are ignored. One page is in memory at a
    time.
    """

    def read(problems: Problems) -> Iterator[Document]:
        absent = (
            "holds no page of Industry Sector; expected files such as "
            "basic.materials.sector/chemical.manufacturing.industry/http:^^www.x.com^"
        )
        for member, text in text_members(path, lambda each: bool(label_of(each)), problems, absent):
            yield Document(page_id(member), page_fields(text), (label_of(member),))

    return read


def label_of(member: Member) -> str:
    """Return the folders of sector and industry around a page, or nothing for another file."""
    inwards = takewhile(lambda name: name.endswith(_SUFFIXES), reversed(member.parts[:-1]))
    return "/".join(reversed(list(inwards)))


def page_id(member: Member) -> str:
    """Return the label of a page and the name of its file."""
    return f"{label_of(member)}/{member.parts[-1]}"
