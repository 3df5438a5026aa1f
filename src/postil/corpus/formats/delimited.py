"""csv and tsv: a header row, a document a row, quoted where needed.

The rows of a delimited file, strictly read.
"""

from __future__ import annotations

import csv
import re
import struct
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import islice

from postil.common.files import output_file
from postil.corpus.document import Document, Problems
from postil.corpus.files import textlines
from postil.corpus.files.streams import Source
from postil.corpus.files.textlines import TextLines
from postil.corpus.formats.columns import Sample, describe, find_columns, is_known
from postil.corpus.formats.format import (
    Format,
    Head,
    Reading,
    UnwritableError,
    WriteDocument,
    Writing,
    head_of,
)
from postil.corpus.formats.records import (
    TABLE_OPTIONS,
    Layout,
    Row,
    check_names,
    documents,
    fixed_fields,
)
from postil.corpus.formats.text import empty, encoded
from postil.corpus.options import ReadOptions
from postil.errors import CorpusError, DocumentError

LARGEST_CELL = sys.maxsize if struct.calcsize("l") == 8 else 2**31 - 1


class Rows:
    """The rows of a delimited file with the line each begins on; blank lines are no rows.

    Quoting is read strictly: a quoted cell that goes on after its closing quote, or that is
    never closed, is an error where a lenient reader would guess.
    """

    def __init__(self, lines: TextLines, source: str, delimiter: str, quote: str) -> None:
        # Cells are limited with their row; the limit of the module would be far too low.
        csv.field_size_limit(LARGEST_CELL)
        self._lines = lines
        self._source = source
        self._bad_line: DocumentError | None = None
        self._row_size = 0
        self._reader = csv.reader(
            iter(self._next_line, None),
            delimiter=delimiter,
            quotechar=quote or None,
            quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
            strict=True,
        )

    def __iter__(self) -> Rows:
        return self

    @property
    def size(self) -> int:
        """The length of all lines that were read."""
        return self._lines.size

    def _next_line(self) -> str | None:
        """Return the next line, a bad one too: the row it is in is bad, but ends where it ends.

        A row that goes on after ``LONGEST_LINE`` characters is cut off: after a quote that is
        never closed, the rest of the file would be one row.
        """
        try:
            line = next(self._lines)
        except StopIteration:
            return None
        except DocumentError as error:
            self._bad_line = self._bad_line or error
            line = self._lines.lenient()
        if self._row_size > textlines.LONGEST_LINE:
            raise csv.Error(f"it is longer than {textlines.LONGEST_LINE:,} characters")
        self._row_size += len(line)
        return line

    def __next__(self) -> tuple[int, list[str]]:
        row: list[str] = []
        while not row:
            first = self._lines.number + 1
            self._row_size = 0
            try:
                row = next(self._reader)
            except csv.Error as error:
                self._bad_line = None
                last = self._lines.number
                where = f"line {first}" if first == last else f"lines {first} to {last}"
                raise DocumentError(self._source, where, _malformed(error)) from error
            if self._bad_line is not None:
                error_in_row, self._bad_line = self._bad_line, None
                raise error_in_row
        return first, row

    def good(self, width: int, problems: Problems) -> Iterator[tuple[int, list[str]]]:
        """Return the rows of ``width`` cells; all others go to ``problems``."""
        while True:
            try:
                number, row = next(self)
            except StopIteration:
                return
            except DocumentError as error:
                problems.report(error)
                continue
            if len(row) == width:
                yield number, row
                continue
            message = (
                f"the row has {len(row)} columns where the first has {width}; "
                f"quote cells that hold the delimiter{problems.or_skip('the row')}"
            )
            problems.report(DocumentError(self._source, f"line {number}", message))


def _malformed(error: csv.Error) -> str:
    if "new-line" in str(error):
        return (
            "the row is not well formed (a carriage return inside a cell without quotes); "
            "quote the cell, or end lines with line feeds"
        )
    return (
        f"the row is not well formed ({error}); double the quotes inside a quoted cell, "
        "or read quotes as plain characters (--quote '')"
    )


SAMPLE_ROWS = 100
SAMPLE_BYTES = 1 << 22
DELIMITERS = ",;\t|"
LABEL_SEPARATOR = ";"
QUOTE = '"'
LONGEST_NAME = 40


def reader(default_delimiter: str | None) -> Callable[[Source, ReadOptions], Reading]:
    """Make a reader with a delimiter of its own, or (``None``) one guessed from the first line."""

    def read(source: Source, options: ReadOptions) -> Reading:
        delimiter = options.delimiter or default_delimiter or _guessed(head_of(source, options))
        quote = QUOTE if options.quote is None else options.quote
        has_header = options.has_header is not False

        def rows_of(lines: TextLines) -> Rows:
            return Rows(lines, source.name, delimiter, quote)

        with source.preview(lines=2 if has_header else 1) as stream:
            rows = rows_of(TextLines(stream, source.name, options.encoding))
            sample = _sample(rows, source, has_header)
        columns = find_columns(sample, options, source.name)
        separator = LABEL_SEPARATOR if options.label_separator is None else options.label_separator
        layout = Layout(source.name, "line", columns, separator)
        names = sample.names

        def walk(problems: Problems) -> Iterator[Document]:
            with source.open() as stream:
                rows = rows_of(TextLines(stream, source.name, options.encoding))
                if has_header:
                    next(rows)
                yield from documents(_named(rows, names, problems), layout, problems)

        sentence = describe(columns, separator, "line")
        if delimiter != (default_delimiter or ","):
            sentence = f"delimiter {delimiter!r}; {sentence}"
        return Reading(walk, sentence)

    return read


def _named(rows: Rows, names: tuple[str, ...], problems: Problems) -> Iterator[Row]:
    for number, row in rows.good(len(names), problems):
        yield number, dict(zip(names, row, strict=True))


def _sample(rows: Rows, source: Source, has_header: bool) -> Sample:
    """Read the column names and first rows, skipping over bad ones: the walk will report those."""
    try:
        _, first = next(rows)
    except StopIteration:
        raise empty(source) from None
    if not has_header:
        names = tuple(str(number) for number in range(1, len(first) + 1))
        return Sample(names, [dict(zip(names, first, strict=True))])
    names = tuple(name.strip() for name in first)
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise CorpusError(
            f"{source.name}: two columns are called {min(twice)!r}; rename one, or if the file "
            "has no header row say so (--no-header)"
        )
    tolerant = Problems("skip")
    records = []
    for _, record in islice(_named(rows, names, tolerant), SAMPLE_ROWS):
        records.append(record)
        if rows.size > SAMPLE_BYTES:
            break
    if not records and not tolerant.count:
        raise CorpusError(
            f"{source.name}: there is one row and it is the header, so there are no documents; "
            "if the file has no header row say so (--no-header)"
        )
    return Sample(names, records)


def _guessed(head: Head) -> str:
    """Guess the delimiter: what the first line has most of outside quotes, else a comma."""
    line = re.sub(r'"[^"]*"', "", head.lines[0]) if head.lines else ""
    return max(DELIMITERS, key=line.count)


def begins_table(head: Head, options: ReadOptions, delimiter: str | None = None) -> bool:
    """Whether the first line is two or more short names, one of them known."""
    if not head.lines:
        return False
    cells = _cells(head.lines[0], options.delimiter or delimiter or _guessed(head))
    return (
        1 < len(cells) == len(set(cells))
        and any(is_known(cell) for cell in cells)
        and all(len(cell) <= LONGEST_NAME for cell in cells)
    )


def may_be_header(head: Head) -> bool:
    """Whether the first of some lines looks like names of columns, known or not.

    One name that is known, or several words as there are in the line after it.
    """
    if len(head.lines) < 2:
        return False
    between = _guessed(head)
    first, second = (_cells(line, between) for line in head.lines[:2])
    if len(first) == 1:
        return is_known(first[0])
    names = all(cell.replace("_", "").replace("-", "").isalnum() for cell in first)
    return names and len(set(first)) == len(first) and len(second) == len(first)


def _cells(line: str, delimiter: str) -> list[str]:
    return [cell.strip(' "') for cell in line.split(delimiter)]


def sniffer(delimiter: str | None) -> Callable[[Head, ReadOptions], bool]:
    """Recognise a header row: two or more short names, one of them known, then a row."""

    def sniff(head: Head, options: ReadOptions) -> bool:
        if not begins_table(head, options, delimiter):
            return False
        between = options.delimiter or delimiter or _guessed(head)
        return any(between in line for line in head.lines[1:2])

    return sniff


def writer(default_delimiter: str) -> Callable[[Writing], AbstractContextManager[WriteDocument]]:
    """Make a writer of a header row and the columns ``id``, the fields, ``labels`` and ``split``.

    An absent field is an empty cell. Labels share a cell; one that holds the separator, or
    begins or ends with white space, is an error, since it would not come back.
    """

    @contextmanager
    def write(writing: Writing) -> Iterator[WriteDocument]:
        delimiter = writing.options.delimiter or default_delimiter
        separator = writing.options.label_separator
        _check_header(writing.fields)
        special = re.compile(f'[{re.escape(delimiter)}"\r\n]')

        def line(cells: list[str]) -> bytes:
            quoted = (
                '"' + cell.replace('"', '""') + '"' if special.search(cell) else cell
                for cell in cells
            )
            return encoded(delimiter.join(quoted) + "\n")

        with output_file(writing.target) as stream:
            stream.write(line(["id", *writing.fields, "labels", "split"]))

            def write_document(document: Document) -> None:
                check_names(document)
                texts = (text or "" for text in fixed_fields(document, writing.fields))
                labels = separator.join(_cell_label(label, separator) for label in document.labels)
                stream.write(line([document.id, *texts, labels, document.split or ""]))

            yield write_document

    return write


def _check_header(fields: tuple[str, ...]) -> None:
    """Refuse names that would be read as others: white space around them comes off."""
    padded = [name for name in fields if name.strip() != name]
    if padded:
        raise UnwritableError(
            f"the field name {padded[0]!r} begins or ends with white space, which a header "
            "does not carry; rename it or write jsonl"
        )


def _cell_label(label: str, separator: str) -> str:
    if separator in label or label.strip() != label:
        raise UnwritableError(
            f"has the label {label!r}, which would not come back from a cell of labels "
            f"separated by {separator!r}; choose another --label-separator or write jsonl"
        )
    return label


DELIMITED_OPTIONS = TABLE_OPTIONS | {"encoding", "delimiter", "quote", "has_header"}
ABSENT_FIELDS = ("the difference between an absent and an empty field",)

CSV = Format(
    name="csv",
    extensions=(".csv",),
    description="comma-separated values with a header row",
    read=reader(None),
    options=DELIMITED_OPTIONS,
    sniff=sniffer(None),
    write=writer(","),
    drops=ABSENT_FIELDS,
    fixed_columns=True,
)
TSV = Format(
    name="tsv",
    extensions=(".tsv", ".tab"),
    description="tab-separated values with a header row",
    read=reader("\t"),
    options=DELIMITED_OPTIONS,
    sniff=sniffer("\t"),
    write=writer("\t"),
    drops=ABSENT_FIELDS,
    fixed_columns=True,
)
