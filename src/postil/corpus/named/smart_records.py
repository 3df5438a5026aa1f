"""Files in the format of the SMART system: records of tagged fields.

A record begins with ``.I`` and its number on one line. Each field begins with a line of its own
that holds its tag, a dot and a capital letter, and reaches to the next tag.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from postil.corpus.document import Problems
from postil.corpus.files.archives import Member, decode_latin1
from postil.errors import DocumentError

LARGEST_RECORD = 1 << 24
"""No record of the collections read here comes near this many bytes."""

_BEGIN = b".I"
_TAG = re.compile(rb"\.[A-Z]\s*")


class Record(NamedTuple):
    """A record: the line of its ``.I``, the number behind that, its fields by tag.

    White space inside a field, line ends too, is one space. ``cut`` is the tag of the field in
    which the file ends, if it ends in the middle of a line.
    """

    line: int
    number: str
    fields: dict[str, str]
    cut: str | None


def records(member: Member, tags: Collection[str], problems: Problems) -> Iterator[Record]:
    """Yield the records of a file; a field may have any tag of ``tags``, once in a record.

    A record with another tag, or with text outside its fields, is a problem. Text is Latin-1,
    in which every byte is a character. Memory holds one record.
    """
    draft = _Draft(1, b"", found=False)
    number, line = 0, b"\n"
    try:
        for number, line in enumerate(member.lines(), 1):
            if line[:1] != b".":
                # Nearly every line is one of these.
                draft.take_text(number, line)
            elif line.startswith(_BEGIN) and line[2:3].isspace():
                yield from draft.finish(member, problems)
                draft = _Draft(number, line, found=True)
            else:
                draft.take_dot(number, line, tags)
        yield from draft.finish(member, problems, cut=not line.endswith(b"\n"))
    except DocumentError as error:
        # The rest of the file cannot be read; the record at hand is lost with it.
        problems.report(error)
        return
    if not draft.found:
        problems.report(_fault(member, "holds no record: no line begins with .I", number or 1))


class _Draft:
    """A record that is being read; ``text`` takes the lines of the field at hand.

    With ``found`` False it is the text before the first record.
    """

    def __init__(self, line: int, begin: bytes, *, found: bool) -> None:
        self.line = line
        self.found = found
        self.number = begin[2:].decode("latin-1").strip()
        self.text: list[bytes] = []
        self.size = 0
        self._tag = ""
        self._fields: dict[str, list[bytes]] = {"": self.text}
        self._fault: tuple[str, int] | None = None
        if not self.number:
            self._blame("the record has no number behind .I", line)

    def _blame(self, fault: str, line: int) -> None:
        """Note a fault; only the first fault of a record is reported."""
        if self._fault is None:
            self._fault = fault, line

    def take_text(self, number: int, line: bytes) -> None:
        """Take a line of text; of a record that is too large nothing more is held."""
        self.text.append(line)
        self.size += len(line)
        if self.size > LARGEST_RECORD:
            self._blame(f"the record has more than {LARGEST_RECORD:,} bytes", number)
            self.text.clear()

    def take_dot(self, number: int, line: bytes, tags: Collection[str]) -> None:
        """Take a line that begins with a dot: a tag, or text."""
        if not _TAG.fullmatch(line):
            self.take_text(number, line)
            return
        tag = line[:2].decode("ascii")
        if tag not in tags:
            self._blame(f"there is no field {tag}; fields are {' '.join(sorted(tags))}", number)
        elif tag in self._fields:
            self._blame(f"the record has the field {tag} twice", number)
        self.text = self._fields[tag] = []
        self._tag = tag

    def finish(self, member: Member, problems: Problems, *, cut: bool = False) -> Iterator[Record]:
        """Yield the record, or report its fault."""
        fields = {tag: b" ".join(b"".join(text).split()) for tag, text in self._fields.items()}
        stray = fields.pop("")
        if not self.found:
            if not (stray or fields):
                return
            self._fault = "there is text before the first .I", self.line
        elif stray:
            self._fault = "there is text before the first field of the record", self.line
        if self._fault is not None:
            problems.report(_fault(member, *self._fault))
            return
        texts = {tag: decode_latin1(text) for tag, text in fields.items()}
        yield Record(self.line, self.number, texts, self._tag if cut else None)


def _fault(member: Member, message: str, line: int) -> DocumentError:
    return member.error(f"{message}; get the file again", line)
