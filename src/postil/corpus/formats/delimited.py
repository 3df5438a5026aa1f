"""csv and tsv: a header row, a document a row, quoted where needed."""

from __future__ import annotations

import codecs
import csv
import json
import re
import struct
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import BinaryIO

from postil.common.files import output_file
from postil.corpus.corpus import TableForm
from postil.corpus.document import Document, Problems
from postil.corpus.files import textlines
from postil.corpus.files.streams import Source
from postil.corpus.files.textlines import TextLines
from postil.corpus.formats.columns import (
    GROUP,
    LABEL_SEPARATOR,
    NOT_LABELS,
    WEIGHT,
    Sample,
    find_columns,
    is_known,
    title_hint,
    told_apart,
)
from postil.corpus.formats.format import (
    Format,
    Head,
    Reading,
    Record,
    RowWriting,
    UnwritableError,
    WriteDocument,
    WriteRows,
    Writing,
    head_of,
    naming_row,
)
from postil.corpus.formats.records import (
    ALL_OTHERS,
    TABLE_OPTIONS,
    Row,
    Table,
    added_text,
    cell_text,
    check_names,
    fixed_fields,
    label_probabilities,
)
from postil.corpus.formats.text import empty, encoded
from postil.corpus.options import ReadOptions
from postil.errors import CorpusError, DocumentError

LARGEST_CELL = sys.maxsize if struct.calcsize("l") == 8 else 2**31 - 1
SAMPLE_ROWS = 100
SAMPLE_BYTES = 1 << 22
DELIMITERS = ",;\t|"
QUOTE = '"'
LONGEST_NAME = 40
SHOWN = 40


class Rows:
    """The rows of a delimited file with the line each begins on; blank lines are no rows.

    Quoting is read strictly: a quoted cell that continues after its closing quote, or that is
    never closed, is an error where a lenient reader would guess.
    """

    def __init__(self, lines: TextLines, source: str, delimiter: str, quote: str) -> None:
        # Cells are limited with their row; the limit of the module would be far too low.
        csv.field_size_limit(LARGEST_CELL)
        self.lines = lines
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

    def _next_line(self) -> str | None:
        """Return the next line, a bad one too: the row it is in is bad, but ends where it ends.

        A row that continues after ``LONGEST_LINE`` characters is cut off: after a quote that is
        never closed, the rest of the file would be one row.
        """
        try:
            line = next(self.lines)
        except StopIteration:
            return None
        except DocumentError as error:
            self._bad_line = self._bad_line or error
            line = self.lines.lenient()
        if self._row_size > textlines.LONGEST_LINE:
            raise csv.Error(f"it is longer than {textlines.LONGEST_LINE:,} characters")
        self._row_size += len(line)
        return line

    def next_row(self) -> tuple[int, list[str]] | None:
        """Return the next row with its line, or None at the end; raise for a bad one."""
        row: list[str] = []
        while not row:
            first = self.lines.number + 1
            self._row_size = 0
            try:
                row = next(self._reader)
            except StopIteration:
                return None
            except csv.Error as error:
                if self._bad_line is not None:  # a binary file, most likely
                    error_in_line, self._bad_line = self._bad_line, None
                    raise error_in_line from error
                last = self.lines.number
                where = f"line {first}" if first == last else f"lines {first} to {last}"
                raise DocumentError(self._source, where, _malformed(error)) from error
            if self._bad_line is not None:
                error_in_row, self._bad_line = self._bad_line, None
                raise error_in_row
        return first, row

    def records(self, names: tuple[str, ...], problems: Problems) -> Iterator[Row]:
        """Yield the rows as records; rows of another width and bad ones go to ``problems``."""
        with self.lines:
            while True:
                try:
                    found = self.next_row()
                except DocumentError as error:
                    problems.report(error)
                    continue
                if found is None:
                    return
                number, row = found
                if len(row) == len(names):
                    yield number, dict(zip(names, row, strict=True))
                    continue
                message = (
                    f"the row has {len(row)} columns where the first has {len(names)}; "
                    f"quote cells that hold the delimiter{problems.or_skip('the row')}"
                    f"{title_hint(names)}"
                )
                record = dict(zip(names, row, strict=False)) if len(row) < len(names) else None
                problems.report(DocumentError(self._source, f"line {number}", message), record)


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


def _read(source: Source, options: ReadOptions, own_delimiter: str | None) -> Reading:
    """Read rows; without a delimiter of its own the format has the one guessed from line 1."""
    delimiter = options.delimiter or own_delimiter or _guessed(head_of(source, options))
    quote = QUOTE if options.quote is None else options.quote
    has_header = options.has_header is not False

    def open_rows(stream: BinaryIO) -> Rows:
        lines = TextLines(stream, source.name, options.encoding)
        return Rows(lines, source.name, delimiter, quote)

    with source.preview(lines=2 if has_header else 1) as stream:
        sample = _sample(open_rows(stream), source, has_header)

    def rows(problems: Problems) -> Iterator[Row]:
        rows = open_rows(source.open())
        if has_header:
            rows.next_row()
        return rows.records(sample.names, problems)

    columns = find_columns(sample, options, source.name)
    separator = LABEL_SEPARATOR if options.label_separator is None else options.label_separator
    form = TableForm(sample.names)
    if options.keep_records:
        # The delimiter of a tsv file is not one for a csv file.
        between = "" if own_delimiter else delimiter
        form = _form(head_of(source, options), sample.names, between, quote)
    table = Table(source.name, "line", columns, separator, rows, form, options.keep_records)
    return table.reading(
        "" if delimiter == (own_delimiter or ",") else f"delimiter {delimiter!r}; "
    )


def _form(head: Head, names: tuple[str, ...], delimiter: str, quote: str) -> TableForm:
    """Return the form of a file, for a table like it: line ends and marks are read off its head."""
    plain = codecs.lookup(head.encoding).name in ("utf-8", "ascii")
    return TableForm(
        names,
        delimiter,
        quote,
        newline="\r\n" if "\r\n" in head.data.decode(head.encoding, "replace") else "\n",
        mark=not plain or head.data.startswith(codecs.BOM_UTF8),
    )


def _sample(rows: Rows, source: Source, has_header: bool) -> Sample:
    """Return the column names and first rows without the bad ones, which the reading reports."""
    found = rows.next_row()
    if found is None:
        raise empty(source)
    first = found[1]
    if not has_header:
        names = tuple(str(number) for number in range(1, len(first) + 1))
        return Sample(names, [dict(zip(names, first, strict=True))])
    names, repeated = told_apart([name.strip() for name in first])
    tolerant = Problems("skip")
    records = []
    for _, record in islice(rows.records(names, tolerant), SAMPLE_ROWS):
        records.append(record)
        if rows.lines.size > SAMPLE_BYTES:
            break
    if not records and not tolerant.count:
        raise CorpusError(
            f"{source.name}: the only row is the header, so there are no documents; "
            "if the file has no header row say so (--no-header)"
        )
    return Sample(names, records, repeated, title_hint(first))


def _guessed(head: Head) -> str:
    """Return the delimiter that the first line has most of outside quotes, else a comma."""
    line = re.sub(r'"[^"]*"', "", head.lines[0]) if head.lines else ""
    return max(DELIMITERS, key=line.count)


def begins_table(head: Head, options: ReadOptions, delimiter: str | None = None) -> bool:
    """Return True if the first line is two or more short names, one of them known."""
    if not head.lines:
        return False
    cells = _cells(head.lines[0], options.delimiter or delimiter or _guessed(head))
    return (
        1 < len(cells) == len(set(cells))
        and any(is_known(cell) for cell in cells)
        and all(len(cell) <= LONGEST_NAME for cell in cells)
    )


def may_be_header(head: Head) -> bool:
    """Return True if the first of several lines looks like names of columns, known or not.

    It is one name that is known, or as many different words as the line after it has cells.
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


def _sniff(head: Head, options: ReadOptions, delimiter: str | None) -> bool:
    """Return True for a header row (two or more short names, one of them known) and a row."""
    if not begins_table(head, options, delimiter):
        return False
    between = options.delimiter or delimiter or _guessed(head)
    return any(between in line for line in head.lines[1:2])


def _line_encoder(
    delimiter: str, quote: str = QUOTE, newline: str = "\n"
) -> Callable[[Iterable[str]], bytes]:
    """Return a function that makes a line of cells, quoted where needed."""
    special = re.compile(f"[{re.escape(delimiter + quote)}\r\n]")

    def line(cells: Iterable[str]) -> bytes:
        return encoded(delimiter.join(map(quoted, cells)) + newline)

    def quoted(cell: str) -> str:
        if not special.search(cell):
            return cell
        if not quote:
            raise UnwritableError(
                f"has a cell with a delimiter or a line end ({cell[:SHOWN]!r}), and the table has "
                "no quotes; write xlsx or parquet"
            )
        return quote + cell.replace(quote, 2 * quote) + quote

    return line


@contextmanager
def _write_rows(writing: RowWriting, default_delimiter: str) -> Iterator[WriteRows]:
    """Write rows with the delimiter, quotes and line ends of the csv or tsv file they come from.

    The encoding is UTF-8, with a byte order mark if spreadsheets need one.
    """
    form, separator = writing.form, writing.separator
    delimiter = default_delimiter
    if form.delimiter and default_delimiter != "\t":
        delimiter = form.delimiter
    quote = form.quote if delimiter == form.delimiter else QUOTE
    line = _line_encoder(delimiter, quote, form.newline)
    with output_file(writing.target) as stream:
        stream.write((codecs.BOM_UTF8 if form.mark else b"") + line([*form.names, *writing.added]))

        def write_rows(records: Sequence[Record], added: Sequence[Sequence[object]]) -> None:
            for row, (record, values) in enumerate(zip(records, added, strict=True)):
                cells = [cell_text(record.get(name), separator) for name in form.names]
                cells += [added_text(each, separator) for each in values]
                with naming_row(row):
                    stream.write(line(cells))
            stream.flush()

        yield write_rows


@contextmanager
def _write(writing: Writing, default_delimiter: str) -> Iterator[WriteDocument]:
    """Write a header row and the columns ``id``, the fields, ``labels``, ``split``, and so on."""
    line = _line_encoder(writing.options.delimiter or default_delimiter)
    header = header_cells(writing)
    with output_file(writing.target) as stream:
        stream.write(line(header))

        def write_document(document: Document) -> None:
            stream.write(line(document_cells(document, writing)))

        yield write_document


def header_cells(writing: Writing) -> list[str]:
    """Return the names of the columns of documents that are written as cells."""
    padded = [name for name in writing.fields if name.strip() != name]
    if padded:
        raise UnwritableError(
            f"the field name {padded[0]!r} begins or ends with white space, which a header "
            "does not carry; rename it or write jsonl"
        )
    return ["id", *writing.fields, "labels", "split", *writing.seldom]


def document_cells(document: Document, writing: Writing) -> list[str]:
    """Return a document as cells of text; refuse what would not be read back.

    An absent field is an empty cell. Labels share a cell; one that holds the separator, or
    begins or ends with white space, is an error. Labels with probabilities are a JSON object.
    """
    separator = writing.options.label_separator
    check_names(document)
    texts = (text or "" for text in fixed_fields(document, writing))
    seldom = {
        WEIGHT: str(document.weight),
        GROUP: document.group or "",
        NOT_LABELS: _joined(document.not_labels, separator),
    }
    labels = _joined(document.labels, separator)
    if document.probabilities:
        labels = json.dumps(label_probabilities(document), ensure_ascii=False)
    cells = [document.id, *texts, labels, document.split or ""]
    return [*cells, *(seldom[name] for name in writing.seldom)]


def _joined(labels: tuple[str, ...] | None, separator: str) -> str:
    if labels is None:
        return ALL_OTHERS
    if labels and labels[0].startswith("{"):
        raise UnwritableError(
            f"has the label {labels[0]!r}, which would be read as labels with probabilities; "
            "rename it or write jsonl"
        )
    return separator.join(_cell_label(label, separator) for label in labels)


def _cell_label(label: str, separator: str) -> str:
    if separator in label or label.strip() != label:
        raise UnwritableError(
            f"has the label {label!r}, which would not come back from a cell of labels "
            f"separated by {separator!r}; choose another --label-separator or write jsonl"
        )
    return label


def _format(name: str, extensions: tuple[str, ...], separated: str, delimiter: str) -> Format:
    own = None if delimiter == "," else delimiter  # files called csv may have others
    return Format(
        name=name,
        extensions=extensions,
        description=f"{separated}-separated values with a header row",
        read=partial(_read, own_delimiter=own),
        options=TABLE_OPTIONS | {"encoding", "delimiter", "quote", "has_header"},
        sniff=partial(_sniff, delimiter=own),
        write=partial(_write, default_delimiter=delimiter),
        write_rows=partial(_write_rows, default_delimiter=delimiter),
        fixed_columns=True,
    )


CSV = _format("csv", (".csv",), "comma", ",")
TSV = _format("tsv", (".tsv", ".tab"), "tab", "\t")
