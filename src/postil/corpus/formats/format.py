"""What a corpus format is: how it is recognised, read and written.

The first bytes of a source, for guessing its format.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from postil.corpus.corpus import DocumentSource
from postil.corpus.document import Document
from postil.corpus.files.streams import Source
from postil.corpus.files.textlines import encoding_of, without_ending
from postil.corpus.options import ReadOptions, WriteOptions
from postil.errors import UsageError

HEAD_BYTES = 1 << 16


@dataclass(frozen=True)
class Head:
    """The first bytes, decompressed, and the lines in them.

    ``complete`` says that the source ends here.
    """

    data: bytes
    complete: bool
    encoding: str

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Its lines that are not blank, decoded as well as may be.

        An unfinished last line is left out unless it is the only one.
        """
        text = self.data.decode(self.encoding, errors="replace").removeprefix("\ufeff")
        lines = text.split("\n")
        if not self.complete and len(lines) > 1:
            lines.pop()
        return tuple(without_ending(line + "\n") for line in lines if line.strip())


def head_of(source: Source, options: ReadOptions, lines: int = 1) -> Head:
    """Look at the beginning of ``source``: of a stream that pauses, so many lines at least."""
    with source.preview(lines) as stream:
        data = stream.read(HEAD_BYTES)
        complete = (len(data) < HEAD_BYTES or not stream.read(1)) and not source.paused
    return Head(data, complete, encoding_of(data, options.encoding))


class UnwritableError(UsageError):
    """A format cannot carry something a document has; the message says the way out.

    ``write_corpus`` adds which document and makes it a ``DocumentError``.
    """


@dataclass(frozen=True, slots=True)
class Reading:
    """What a format made of a source: the documents, and a sentence on what was guessed."""

    documents: DocumentSource
    sentence: str


@dataclass(frozen=True, slots=True)
class Writing:
    """Where documents go: the target, the fields to expect (fixed-column formats), options."""

    target: str | Path
    fields: tuple[str, ...]
    options: WriteOptions


Reader = Callable[[Source, ReadOptions], Reading]
WriteDocument = Callable[[Document], None]
Writer = Callable[[Writing], AbstractContextManager[WriteDocument]]


@dataclass(frozen=True, slots=True)
class Format:
    """One way documents are stored.

    ``options`` are the names in ``ReadOptions`` that mean something to it. ``drops`` lists what
    it does not carry and what therefore does not come back after writing; anything else that it
    cannot carry is an ``UnwritableError``. ``fixed_columns`` says that the writer must know all
    field names before the first document.
    """

    name: str
    extensions: tuple[str, ...]
    description: str
    read: Reader
    options: frozenset[str]
    sniff: Callable[[Head, ReadOptions], bool]
    write: Writer | None = None
    drops: tuple[str, ...] = ()
    fixed_columns: bool = False

    @property
    def losses(self) -> str:
        """A sentence on what writing this format loses; empty where it loses nothing."""
        return f"{self.name} does not keep {', '.join(self.drops)}" if self.drops else ""

    def check_options(self, options: ReadOptions) -> None:
        """Refuse options that mean nothing to this format, rather than ignore them."""
        strange = sorted(options.given() - self.options)
        if strange:
            flags = ", ".join(map(_flag, strange))
            raise UsageError(
                f"{flags} means nothing when reading {self.name}, which takes: "
                f"{', '.join(map(_flag, sorted(self.options))) or 'no options'}"
            )


def _flag(option: str) -> str:
    return "--no-header" if option == "has_header" else "--" + option.replace("_", "-")
