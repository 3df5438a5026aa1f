"""20 Newsgroups: the by-date version and the original 19,997 articles.

One file is one document, its group the label, ``group/number`` the id, and the text Latin-1.
In the original an article posted to several groups is a file in each of them: they are
different documents, each with one label, as in the published experiments. The fields are

- ``headers`` only without ``strip_headers``: all header lines but the subject. In the original
  they name the group; a categorizer that sees them learns to read the address.
- ``subject``: of the header, on one line.
- ``body``: what follows the headers.

Headers follow a standard. Quotes and signatures follow habits, so these rules are not always
right:

- A line is *quoted* if it begins, after spaces, with ``>`` (before which up to four letters
  may stand, the quoted author's initials), or with ``|`` or ``:`` and a space.
- An *attribution* is a line that ends in ``writes:``, ``wrote:``, ``says:`` or ``said:``, or
  begins with ``In article`` or ``In <``. It is dropped if a quoted line or another attribution
  comes next, blank lines aside.
- The *signature* begins at the first line, among the last fifteen, that is ``--`` or a rule of
  five or more of one of the characters ``- _ = * ~ # +``; blank lines at the end do not count.
  If nothing would be left before it, it is no signature.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from postil.corpus.corpus import DocumentSource
from postil.corpus.document import Document, Problems, Split
from postil.corpus.files.archives import Member, text_members
from postil.corpus.named.entry import Option

SIGNATURE_LINES = 15

GROUPS = frozenset(
    {
        *("alt.atheism", "comp.graphics", "comp.os.ms-windows.misc", "comp.sys.ibm.pc.hardware"),
        *("comp.sys.mac.hardware", "comp.windows.x", "misc.forsale", "rec.autos"),
        *("rec.motorcycles", "rec.sport.baseball", "rec.sport.hockey", "sci.crypt"),
        *("sci.electronics", "sci.med", "sci.space", "soc.religion.christian"),
        *("talk.politics.guns", "talk.politics.mideast", "talk.politics.misc"),
        "talk.religion.misc",
    }
)

BYDATE_FOLDERS: dict[str, Split] = {"20news-bydate-train": "train", "20news-bydate-test": "test"}

_HEADER_BLOCK = re.compile(r"(?:[!-9;-~]+:.*\n|[ \t].*\n)+(?=\n|\Z)")
_SUBJECT = re.compile(r"^subject:(.*(?:\n[ \t].*)*)\n?", re.IGNORECASE | re.MULTILINE)
_QUOTED = re.compile(r"\s*(?:[A-Za-z]{0,4}>|[|:](?:\s|$))")
_ATTRIBUTION = re.compile(r"^\s*In (?:article\b|<)|\b(?:writes|wrote|says|said)\s*:\s*$")
_SIGNATURE_START = re.compile(r"\s*(?:--|([-_=*~#+])\1{4,})\s*$")


class Article(NamedTuple):
    """The three parts of an article; ``headers`` are all but the subject."""

    headers: str
    subject: str
    body: str


def parse_article(text: str) -> Article:
    """Split an article into its parts; a text that does not begin with headers is all body."""
    block = _HEADER_BLOCK.match(text)
    if block is None:
        return Article("", "", text.strip())
    headers, body = block.group(), text[block.end() :]
    found = _SUBJECT.search(headers)
    subject = " ".join(found.group(1).split()) if found else ""
    return Article(_SUBJECT.sub("", headers, count=1).strip(), subject, body.strip())


def without_quotes(body: str) -> str:
    """Drop quoted lines and the attributions above them."""
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
    """Drop the signature."""
    lines = body.rstrip().split("\n")
    for number in range(max(1, len(lines) - SIGNATURE_LINES), len(lines)):
        if _SIGNATURE_START.match(lines[number]):
            return "\n".join(lines[:number]).strip() or body
    return body


def newsgroups(
    path: Path,
    *,
    by_date: bool,
    strip_headers: bool = True,
    strip_quotes: bool = False,
    strip_signatures: bool = False,
) -> DocumentSource:
    """Read the articles of a folder or tar archive.

    ``by_date`` expects ``20news-bydate-train/group/number`` and the same of ``-test``; without
    it files are ``group/number`` in any folder, and have no split. Other files are ignored. One
    article is in memory at a time.
    """

    def fields(text: str) -> dict[str, str]:
        headers, subject, body = parse_article(text)
        if strip_signatures:
            body = without_signature(body)
        if strip_quotes:
            body = without_quotes(body)
        return ({} if strip_headers else {"headers": headers}) | {"subject": subject, "body": body}

    def is_article(member: Member) -> bool:
        parts = member.parts
        in_group = len(parts) >= 2 and parts[-2] in GROUPS
        return in_group and (not by_date or (len(parts) >= 3 and parts[-3] in BYDATE_FOLDERS))

    def read(problems: Problems) -> Iterator[Document]:
        example = "20news-bydate-train/sci.space/59848" if by_date else "sci.space/59848"
        absent = f"holds no article of 20 Newsgroups; expected files such as {example}"
        for member, text in text_members(path, is_article, problems, absent):
            group, number = member.parts[-2:]
            split = BYDATE_FOLDERS[member.parts[-3]] if by_date else None
            yield Document(f"{group}/{number}", fields(text), (group,), split)

    return read


OPTIONS = (
    Option("strip_headers", "leave out all header lines but the subject", True),
    Option("strip_quotes", "leave out quoted lines and the lines that introduce them", False),
    Option("strip_signatures", "leave out the signature", False),
)
