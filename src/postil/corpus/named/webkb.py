"""WebKB, the CMU "4 Universities" data set: pages of computer science departments, 1997.

One file is one document, its class the label, and its path ``class/university/url`` (with ``^``
for the slashes of the URL) the id. The fields are ``title`` and ``body``, the words a reader
of the page saw; the MIME header before each page is left out. Pages are Latin-1.

The rules of ``postil.corpus.files.html`` find title and text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from postil.corpus.corpus import DocumentSource
from postil.corpus.document import Document, Problems, Split
from postil.corpus.files.archives import Member, text_members
from postil.corpus.files.html import parse_page
from postil.corpus.named.entry import Option

CLASSES = frozenset({"course", "department", "faculty", "other", "project", "staff", "student"})
UNIVERSITIES = ("cornell", "texas", "washington", "wisconsin")
MISCELLANEOUS = "misc"
NO_UNIVERSITY = "none"

_FOLDERS = frozenset({*UNIVERSITIES, MISCELLANEOUS})

# Some headers are themselves damaged, so only the first line is examined; the rest goes up to
# the first blank line.
_MIME_HEADER = re.compile(r"[A-Za-z][\w -]*+:.*?\n\n", re.DOTALL)
_PLAIN_TEXT = re.compile(r"^content-type:\s*text/plain", re.IGNORECASE | re.MULTILINE)


def webkb(path: Path, *, test_university: str = NO_UNIVERSITY) -> DocumentSource:
    """Read a folder or tar archive with files ``class/university/url``.

    The authors of the collection advise to train on three universities and the miscellaneous
    pages and to test on the fourth: ``test_university``, one of ``UNIVERSITIES``, makes that
    split. Without it documents have no split. Other files are ignored. One page is in memory at
    a time.
    """

    def split_of(university: str) -> Split | None:
        if test_university == NO_UNIVERSITY:
            return None
        return "test" if university == test_university else "train"

    def read(problems: Problems) -> Iterator[Document]:
        absent = (
            "holds no page of WebKB; expected files such as "
            "course/cornell/http:^^www.cs.cornell.edu^"
        )
        for member, text in text_members(path, _is_page, problems, absent):
            label, university, _ = member.parts[-3:]
            yield Document(page_id(member), page_fields(text), (label,), split_of(university))

    return read


def _is_page(member: Member) -> bool:
    folders = member.parts[-3:-1]
    return len(folders) == 2 and folders[0] in CLASSES and folders[1] in _FOLDERS


def page_id(member: Member) -> str:
    """Return ``class/university/url`` of a page."""
    return "/".join(member.parts[-3:])


def page_fields(content: str) -> dict[str, str]:
    """Return title and body of a page without the MIME header before it."""
    header = _MIME_HEADER.match(content)
    page = content[header.end() :] if header else content
    if header and _PLAIN_TEXT.search(header.group()):
        return {"title": "", "body": page.strip()}
    return parse_page(page)._asdict()


OPTIONS = (
    Option(
        "test_university",
        "test on the pages of this university, train on all others",
        NO_UNIVERSITY,
        (NO_UNIVERSITY, *UNIVERSITIES),
    ),
)
