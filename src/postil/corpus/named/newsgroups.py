"""20 Newsgroups: the by-date version and the original 19,997 articles.

One file is one document, its group the label, ``group/number`` the id, and the text Latin-1.
In the original an article posted to several groups is a file in each of them: they are
different documents, each with one label, as in the published experiments. The fields are

- ``headers`` only without ``strip_headers``: all header lines but the subject. In the original
  they name the group; a categorizer that sees them learns to read the address.
- ``subject``: of the header, on one line.
- ``body``: what follows the headers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from postil.corpus.corpus import DocumentSource
from postil.corpus.document import Document, Split
from postil.corpus.files.archives import Member, members
from postil.corpus.named.cleaning import decode_latin1
from postil.corpus.named.news_text import parse_article, without_quotes, without_signature
from postil.corpus.problems import Problems
from postil.errors import CorpusError, DocumentError

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
