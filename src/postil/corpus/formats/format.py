"""The parts of a corpus format: how it is recognised, read and written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from postil.corpus.corpus import DocumentSource, TableForm
from postil.corpus.document import Document
from postil.corpus.files.streams import Source
from postil.corpus.files.textlines import encoding_of, without_ending
from postil.corpus.options import ReadOptions, WriteOptions, flag
from postil.errors import UsageError

if TYPE_CHECKING:
    from postil.corpus.formats.records import Table

HEAD_BYTES = 1 << 16


@dataclass(frozen=True)
class Head:
    """The first bytes of a source, decompressed; ``complete`` if it has no more."""

    data: bytes
    complete: bool
    encoding: str

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines that are not blank, with undecodable bytes replaced.

        An unfinished last line is left out unless it is the only one.
        """
        text = self.data.decode(self.encoding, errors="replace").removeprefix("\ufeff")
        lines = text.split("\n")
        if not self.complete and len(lines) > 1:
            lines.pop()
        return tuple(without_ending(line + "\n") for line in lines if line.strip())


def head_of(source: Source, options: ReadOptions, lines: int = 1) -> Head:
    """Return the beginning of ``source``; of a stream that pauses, at least ``lines`` lines."""
    with source.preview(lines) as stream:
        data = stream.read(HEAD_BYTES)
        complete = (len(data) < HEAD_BYTES or not stream.read(1)) and not source.paused
    return Head(data, complete, encoding_of(data, options.encoding))


class UnwritableError(UsageError):
    """A document has something that a format cannot carry; the message gives the way out.

    ``write_corpus`` adds which document and makes it a ``DocumentError``. Of several rows that are
    written together, ``row`` is the place of the one, if it is known.
    """

    row: int | None = None


@contextmanager
def naming_row(row: int) -> Iterator[None]:
    """Put the place of a row into an UnwritableError."""
    try:
        yield
    except UnwritableError as error:
        error.row = row
        raise


@dataclass(frozen=True, slots=True)
class Reading:
    """The documents of a source, a sentence about what was guessed, and of a table its form."""

    documents: DocumentSource
    sentence: str
    form: TableForm | None = None
    table: Table | None = None


@dataclass(frozen=True, slots=True)
class Writing:
    """The target of documents, what to expect in formats with fixed columns, and options.

    Parameters
    ----------
    target : str or Path
        The file or folder.
    fields : tuple of str
        The columns for fields.
    seldom : tuple of str
        Those of ``postil.corpus.formats.records.SELDOM`` that some document has.
    uncertain : bool
        True if labels have probabilities.
    options : WriteOptions
        Columns and labels of the output.
    """

    target: str | Path
    fields: tuple[str, ...]
    seldom: tuple[str, ...]
    uncertain: bool
    options: WriteOptions


@dataclass(frozen=True, slots=True)
class RowWriting:
    """The target of rows, the form of the table that they come from, and the added columns.

    Parameters
    ----------
    target : str or Path
        The file.
    form : TableForm
        The columns of the records, and how they were written.
    added : mapping of str to type
        The type of the values in each added column: ``str``, ``bool`` (yes or no), ``float`` (for
        a list of numbers) or ``list`` (of texts).
    separator : str
        Stands between the elements of a list where a cell holds text.
    problems : str
        The added column that says what was changed in the cells of a row because the format
        cannot hold them; ``""`` if that is an UnwritableError.
    """

    target: str | Path
    form: TableForm
    added: Mapping[str, type]
    separator: str
    problems: str = ""


Record = Mapping[str, object]
WriteRows = Callable[[Sequence[Record], Sequence[Sequence[object]]], None]
"""Writes records, each with its values in the added columns."""
RowWriter = Callable[[RowWriting], AbstractContextManager[WriteRows]]
Reader = Callable[[Source, ReadOptions], Reading]
WriteDocument = Callable[[Document], None]
Writer = Callable[[Writing], AbstractContextManager[WriteDocument]]


@dataclass(frozen=True, slots=True)
class Format:
    """A format in which documents are stored.

    Parameters
    ----------
    name, extensions, description : str and tuple of str
        For listings and guesses.
    read : callable
        Reads a source.
    options : frozenset of str
        The names in ``ReadOptions`` that mean something to the format.
    sniff : callable
        Tells from the first bytes if a source has the format.
    write : callable or None
        Writes documents; None for a format that is only read.
    drops : tuple of str
        What the format does not carry, and what is therefore lost in writing. Anything else that
        it cannot carry is an ``UnwritableError``.
    fixed_columns : bool
        True if the writer must know all field names before the first document.
    write_rows : callable, optional
        Writes the records of any table with added columns.
    """

    name: str
    extensions: tuple[str, ...]
    description: str
    read: Reader
    options: frozenset[str]
    sniff: Callable[[Head, ReadOptions], bool]
    write: Writer | None
    drops: tuple[str, ...] = ()
    fixed_columns: bool = False
    write_rows: RowWriter | None = None

    @property
    def losses(self) -> str:
        """A sentence on what is lost in writing, empty if nothing is."""
        return f"{self.name} does not keep {', '.join(self.drops)}" if self.drops else ""

    def check_options(self, options: ReadOptions) -> None:
        """Raise UsageError for options that mean nothing to this format."""
        strange = sorted(options.given() - self.options)
        if strange:
            raise UsageError(
                f"{', '.join(map(flag, strange))} means nothing when reading {self.name}, which "
                f"takes: {', '.join(map(flag, sorted(self.options))) or 'no options'}"
            )
