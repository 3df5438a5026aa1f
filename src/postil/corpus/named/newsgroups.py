"""20 Newsgroups: the by-date version and the original 19,997 articles.

One file is one document, its group the label, ``group/number`` the id, and the text Latin-1.
In the original an article posted to several groups is a file in each of them: they are
different documents, each with one label, as in the published experiments. The fields are

- ``headers`` only without ``strip_headers``: all header lines but the subject. In the original
  they name the group; a categorizer that sees them learns to read the address.
- ``subject``: of the header, on one line.
- ``body``: what follows the headers.

What a Usenet article is made of: headers, quotes of other articles, a signature.

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
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from postil.corpus.corpus import DocumentSource
from postil.corpus.document import Document, Problems, Split
from postil.corpus.files.archives import Member, members
from postil.corpus.named.html_text import decode_latin1
from postil.errors import CorpusError, DocumentError

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


GROUPS = frozenset(
    {
        "alt.atheism",
        "comp.graphics",
        "comp.os.ms-windows.misc",
        "comp.sys.ibm.pc.hardware",
        "comp.sys.mac.hardware",
        "comp.windows.x",
        "misc.forsale",
        "rec.autos",
        "rec.motorcycles",
        "rec.sport.baseball",
        "rec.sport.hockey",
        "sci.crypt",
        "sci.electronics",
        "sci.med",
        "sci.space",
        "soc.religion.christian",
        "talk.politics.guns",
        "talk.politics.mideast",
        "talk.politics.misc",
        "talk.religion.misc",
    }
)

BYDATE_FOLDERS: dict[str, Split] = {"20news-bydate-train": "train", "20news-bydate-test": "test"}


@dataclass(frozen=True, slots=True)
class ArticleParts:
    """Which parts of an article are left out; :mod:`.news_text` says what they are."""

    strip_headers: bool
    strip_quotes: bool
    strip_signatures: bool

    def fields(self, text: str) -> dict[str, str]:
        """Make the fields of one article."""
        headers, subject, body = parse_article(text)
        if self.strip_signatures:
            body = without_signature(body)
        if self.strip_quotes:
            body = without_quotes(body)
        kept = {} if self.strip_headers else {"headers": headers}
        return {**kept, "subject": subject, "body": body}


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
    it files are ``group/number`` in any folder, and have no split. Files elsewhere are not part
    of the collection. One pass is linear in the bytes; one article is in memory at a time.
    """
    parts = ArticleParts(strip_headers, strip_quotes, strip_signatures)

    def read(problems: Problems) -> Iterator[Document]:
        found = False
        for member in members(path):
            split = _split_of(member) if by_date else None
            if not _is_article(member) or (by_date and split is None):
                continue
            found = True
            try:
                text = decode_latin1(member.read())
            except DocumentError as error:
                problems.report(error)
                continue
            group, number = member.parts[-2:]
            yield Document(f"{group}/{number}", parts.fields(text), (group,), split)
        if not found:
            expected = "20news-bydate-train/sci.space/59848" if by_date else "sci.space/59848"
            raise CorpusError(
                f"{path}: holds no article of 20 Newsgroups; expected files such as {expected}"
            )

    return read


def _is_article(member: Member) -> bool:
    return len(member.parts) >= 2 and member.parts[-2] in GROUPS


def _split_of(member: Member) -> Split | None:
    return BYDATE_FOLDERS.get(member.parts[-3]) if len(member.parts) >= 3 else None
