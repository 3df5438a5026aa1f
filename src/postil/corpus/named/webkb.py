"""WebKB, the CMU "4 Universities" data set: pages of computer science departments, 1997.

One file is one document, its class the label, and its path ``class/university/url`` (with ``^``
for the slashes of the URL) the id. The fields are ``title`` and ``body``, the words a reader
of the page saw; the MIME header in front of each page is left out. Pages are Latin-1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from postil.corpus.corpus import DocumentSource
from postil.corpus.document import Document, Problems, Split
from postil.corpus.files.archives import Member, members
from postil.corpus.named.html_text import decode_latin1, parse_page
from postil.errors import CorpusError, DocumentError

CLASSES = frozenset({"course", "department", "faculty", "other", "project", "staff", "student"})
UNIVERSITIES = ("cornell", "texas", "washington", "wisconsin")
MISCELLANEOUS = "misc"
NO_UNIVERSITY = "none"

_FOLDERS = frozenset({*UNIVERSITIES, MISCELLANEOUS})

# Some headers are themselves damaged, so only the first line is looked at; the rest goes up to
# the first blank line.
_MIME_HEADER = re.compile(r"[A-Za-z][\w -]*+:.*?\n\n", re.DOTALL)
_PLAIN_TEXT = re.compile(r"^content-type:\s*text/plain", re.IGNORECASE | re.MULTILINE)


def webkb(path: Path, *, test_university: str = NO_UNIVERSITY) -> DocumentSource:
    """Read a folder or tar archive with files ``class/university/url``.

    The authors of the collection advise to train on three universities and the miscellaneous
    pages and to test on the fourth: ``test_university``, one of ``UNIVERSITIES``, makes that
    split. Without it documents have no split. Files elsewhere are not part of the collection.
    One pass is linear in the bytes; one page is in memory at a time.
    """

    def read(problems: Problems) -> Iterator[Document]:
        found = False
        for member in members(path):
            if not _is_page(member):
                continue
            found = True
            try:
                content = decode_latin1(member.read())
            except DocumentError as error:
                problems.report(error)
                continue
            kind, university, _ = member.parts[-3:]
            split = _split_of(university, test_university)
            yield Document("/".join(member.parts[-3:]), _fields(content), (kind,), split)
        if not found:
            raise CorpusError(
                f"{path}: holds no page of WebKB; expected files such as "
                "course/cornell/http:^^www.cs.cornell.edu^"
            )

    return read


def _is_page(member: Member) -> bool:
    folders = member.parts[-3:-1]
    return len(folders) == 2 and folders[0] in CLASSES and folders[1] in _FOLDERS


def _split_of(university: str, test_university: str) -> Split | None:
    if test_university == NO_UNIVERSITY:
        return None
    return "test" if university == test_university else "train"


def _fields(content: str) -> dict[str, str]:
    header = _MIME_HEADER.match(content)
    page = content[header.end() :] if header else content
    if header and _PLAIN_TEXT.search(header.group()):
        return {"title": "", "body": page.strip()}
    title, body = parse_page(page)
    return {"title": title, "body": body}
