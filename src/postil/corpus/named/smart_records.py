"""Files in the format of the SMART system: records of tagged fields.

A record begins with ``.I`` and its number on one line. Each field begins with a line of its own
that holds its tag, a dot and a capital letter, and goes on to the next tag.

The files of a collection that has several, found by name and read line by line.
"""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from postil.common.compression import (
    BUFFER,
    MAGIC_LENGTH,
    Inflating,
    codec_of_bytes,
    without_compression_suffix,
)
from postil.corpus.document import Problems
from postil.corpus.files.archives import Member, members
from postil.corpus.named.html_text import decode_latin1
from postil.errors import DocumentError

LONGEST_LINE = 1 << 24
"""A longer line comes in pieces: no input can fill the memory."""


def known_files(path: Path, names: Collection[str]) -> Iterator[tuple[str, Member]]:
    """The files of a folder or tar archive that are called one of ``names``, each once.

    They may lie in folders inside, and be compressed (``x.dat`` is ``x.dat.gz`` too). Of two
    files of one name the first is taken: whoever unpacks a file may keep the packed one.
    """
    met: set[str] = set()
    for member in members(path):
        name = without_compression_suffix(member.parts[-1])
        if name in names and name not in met:
            met.add(name)
            yield name, member


def lines_of(member: Member) -> Iterator[bytes]:
    """The lines of a file with their ends, decompressed where it is gzip or zstd.

    Damaged compression is a ``CorpusError``, a file that cannot be read a ``DocumentError``.
    Memory is that of two buffers and one line.
    """
    with _decompressed(member) as stream:
        yield from iter(partial(stream.readline, LONGEST_LINE), b"")


def _decompressed(member: Member) -> BinaryIO:
    stream = io.BufferedReader(_MemberBytes(member), BUFFER)
    codec = codec_of_bytes(stream.peek(MAGIC_LENGTH)[:MAGIC_LENGTH])
    if codec is None:
        return stream
    name = str(Path(member.place, member.name))
    return io.BufferedReader(Inflating(cast(BinaryIO, stream), codec, name), BUFFER)


class _MemberBytes(io.RawIOBase):
    """The bytes of a member as a stream, with the member's own errors."""

    def __init__(self, member: Member) -> None:
        self._chunks = member.chunks(BUFFER)
        self._pending = memoryview(b"")

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any, /) -> int:  # noqa: ANN401 - a writable buffer of any kind
        """Fill the buffer as far as the chunk at hand goes."""
        if not self._pending:
            self._pending = memoryview(next(self._chunks, b""))
        size = min(len(buffer), len(self._pending))
        buffer[:size] = self._pending[:size]
        self._pending = self._pending[size:]
        return size


LARGEST_RECORD = 1 << 24
"""No record of the collections read here comes near this many bytes."""

_BEGIN = b".I"
_TAG = re.compile(rb"\.[A-Z]\s*")


class Record(NamedTuple):
    """A record: the line of its ``.I``, what stands behind that, its fields by tag.

    White space inside a field, line ends too, is one space. ``cut`` is the tag of the field in
    which the file ends, where it ends in the middle of a line.
    """

    line: int
    number: str
    fields: dict[str, str]
    cut: str | None


def records(member: Member, tags: Collection[str], problems: Problems) -> Iterator[Record]:
    """Read the records of a file; a field may have any tag of ``tags``, once in a record.

    A record with another tag, or with text outside its fields, is a problem. Text is Latin-1,
    where every byte means something. Time is linear in the bytes; memory holds one record.
    """
    draft = _Draft(1, b"")
    number, line, found = 0, b"\n", False
    try:
        for number, line in enumerate(lines_of(member), 1):
            if line[:1] != b".":
                # Nearly every line is one of these.
                draft.take_text(number, line)
            elif line.startswith(_BEGIN) and line[2:3].isspace():
                yield from draft.finish(member, problems, found=found)
                draft, found = _Draft(number, line), True
            else:
                draft.take_dot(number, line, tags)
        yield from draft.finish(member, problems, found=found, cut=not line.endswith(b"\n"))
    except DocumentError as error:
        # The rest of the file cannot be read; the record at hand goes with it.
        problems.report(error)
        return
    if not found:
        problems.report(_fault(member, "holds no record: no line begins with .I", number or 1))


class _Draft:
    """A record that is being read; ``text`` takes the lines of the field at hand."""

    def __init__(self, line: int, begin: bytes) -> None:
        self.line = line
        self.number = begin[2:].decode("latin-1").strip()
        self.text: list[bytes] = []
        self.size = 0
        self._tag = ""
        self._fields: dict[str, list[bytes]] = {"": self.text}
        self._fault: tuple[str, int] | None = None
        if not self.number:
            self._blame("the record has no number behind .I", line)

    def _blame(self, fault: str, line: int) -> None:
        """Note what is wrong; the first fault of a record is the one that is told."""
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

    def finish(
        self, member: Member, problems: Problems, *, found: bool, cut: bool = False
    ) -> Iterator[Record]:
        """Give the record, or report it; what stands before the first is none."""
        fields = {tag: b" ".join(b"".join(text).split()) for tag, text in self._fields.items()}
        stray = fields.pop("")
        if not found:
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
