"""Excel workbooks (.xlsx): a document a row of the first sheet."""

from __future__ import annotations

import importlib
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from postil.common.files import output_file
from postil.corpus.corpus import TableForm
from postil.corpus.document import Document, Problems
from postil.corpus.files.streams import Source
from postil.corpus.formats.columns import LABEL_SEPARATOR, Sample, find_columns
from postil.corpus.formats.delimited import document_cells, header_cells
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
)
from postil.corpus.formats.records import TABLE_OPTIONS, Row, Table, added_text, cell_text
from postil.corpus.formats.text import empty
from postil.corpus.options import ReadOptions
from postil.errors import CorpusError, DocumentError, MissingExtraError, PostilError

SAMPLE_ROWS = 100
LONGEST_CELL = 32_767
MOST_ROWS = 1 << 20
FIRST_YEAR = 1900
LARGEST_NUMBER = 10**15  # spreadsheets keep fifteen digits
# What XML cannot hold, what it would change, and what openpyxl takes for an escape.
UNWRITABLE = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_x[0-9A-Fa-f]{4}_|x005F_")


def _openpyxl(doing: str) -> Any:  # noqa: ANN401 - the module
    try:
        return importlib.import_module("openpyxl")
    except ImportError:
        raise MissingExtraError(f"{doing} XLSX", "openpyxl", "documents") from None


class SheetRow(dict[str, object]):
    """The texts of a row by column; ``cells`` holds its values, in the order of the columns."""

    __slots__ = ("cells",)

    def __init__(self, names: Iterable[str], cells: list[Any]) -> None:
        super().__init__(zip(names, map(_text, cells), strict=True))
        self.cells = cells

    def with_text(self, name: str, text: str) -> SheetRow:
        """Return the row with a text in one of its columns."""
        cells = zip(self, self.cells, strict=True)
        return SheetRow(self, [text if column == name else cell for column, cell in cells])


def _text(value: object) -> str:
    """Return the value of a cell as text, empty for an empty cell.

    Whole numbers have no decimals, and dates no time if it is midnight.
    """
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime):
        return str(value.date() if value.time() == time() else value)
    return str(value)


def read(source: Source, options: ReadOptions) -> Reading:
    """Read the first sheet; its first row holds the names of columns, and empty rows are skipped.

    A cell with a formula has the value that was last computed. Numbers and dates become text. A
    pipe or compressed file is first copied to a temporary file.
    """
    with _sheet(source) as (sheet, sheets):
        title = sheet.title
        rows = _cells(sheet)
        first = next(rows, None)
        if first is None:
            raise empty(source)
        has_header = options.has_header is not False
        names = _names(first[1], source) if has_header else _numbers(first[1])
        sampled = islice(rows if has_header else _cells(sheet), SAMPLE_ROWS)
        records = [SheetRow(names, _fitted(cells, len(names))) for _, cells in sampled]
    if not records:
        raise CorpusError(
            f"{source.name}: the only row is the header, so there are no documents; if the sheet "
            "has no header row say so (--no-header)"
        )
    columns = find_columns(Sample(names, records), options, source.name)

    def read_rows(problems: Problems) -> Iterator[Row]:
        with _sheet(source) as (sheet, _sheets):
            for number, cells in islice(_cells(sheet), int(has_header), None):
                if any(cell is not None for cell in cells[len(names) :]):
                    message = (
                        f"the row has more cells than the first row, which names {len(names)} "
                        "columns; name the others, or empty them"
                    )
                    problems.report(DocumentError(source.name, f"row {number}", message))
                    continue
                yield number, SheetRow(names, _fitted(cells, len(names)))

    separator = LABEL_SEPARATOR if options.label_separator is None else options.label_separator
    form = TableForm(names)
    table = Table(source.name, "row", columns, separator, read_rows, form, options.keep_records)
    return table.reading(f"sheet {title!r}, the first of {sheets}; " if sheets > 1 else "")


@contextmanager
def _sheet(source: Source) -> Iterator[tuple[Any, int]]:
    """Open the first sheet; any error in the file becomes one sentence."""
    openpyxl = _openpyxl("reading")
    with source.open_seekable() as stream:
        try:
            book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
            sheets = book.worksheets
            if not sheets:
                raise ValueError("it has no sheet of cells")
            sheets[0].reset_dimensions()  # those in the file may be wrong
            try:
                yield sheets[0], len(sheets)
            finally:
                book.close()
        except (MemoryError, PostilError):
            raise
        except Exception as error:  # openpyxl lets those of zip, XML and its own types pass
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise CorpusError(
                f"{source.name}: is not a readable XLSX file ({reason}); save it again as .xlsx, "
                "or as csv"
            ) from error


def _cells(sheet: Any) -> Iterator[tuple[int, list[Any]]]:  # noqa: ANN401 - openpyxl's
    """Yield the rows that are not empty, with their numbers."""
    for number, cells in enumerate(sheet.iter_rows(values_only=True), 1):
        if any(cell is not None for cell in cells):
            yield number, list(cells)


def _fitted(cells: list[Any], width: int) -> list[Any]:
    """Return as many cells as there are columns: rows of a sheet end at their last value."""
    return [*cells[:width], *[None] * (width - len(cells))]


def _numbers(cells: Sequence[object]) -> tuple[str, ...]:
    return tuple(str(number) for number in range(1, len(cells) + 1))


def _names(cells: Sequence[object], source: Source) -> tuple[str, ...]:
    """Return the names of columns; one without a name is called after its place."""
    width = max(place for place, cell in enumerate(cells, 1) if cell is not None)
    names = tuple(_text(c).strip() or f"column {n}" for n, c in enumerate(cells[:width], 1))
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise CorpusError(
            f"{source.name}: two columns are called {twice[0]!r}; rename one, or if the sheet has "
            "no header row say so (--no-header)"
        )
    return names


Append = Callable[[Iterable[object]], None]


@contextmanager
def _book(target: str | Path) -> Iterator[Append]:
    """Yield a function that appends a row to the one sheet of a new workbook."""
    openpyxl = _openpyxl("writing")
    text_cell = importlib.import_module("openpyxl.cell").WriteOnlyCell
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("documents")
    sheet.freeze_panes = "A2"
    count = 0

    def cell(value: object) -> object:
        if not isinstance(value, str):
            return value
        made = text_cell(sheet, _checked(value))
        made.data_type = "s"  # also for text that begins like a formula
        return made

    def append(cells: Iterable[object]) -> None:
        nonlocal count
        count += 1
        if count > MOST_ROWS:
            raise UnwritableError(f"is beyond the {MOST_ROWS:,} rows of a sheet; write csv")
        sheet.append([cell(value) for value in cells])

    with output_file(target) as stream:
        try:
            yield append
        except BaseException:
            sheet.close()  # its temporary file
            raise
        # A zip file is not written in one direction, and the target may be compressed or a pipe.
        with tempfile.TemporaryFile() as whole:
            book.save(whole)
            whole.seek(0)
            shutil.copyfileobj(whole, stream)


def _checked(text: str) -> str | None:
    """Return the text of a cell, None if it is empty; refuse text that would not come back."""
    if len(text) > LONGEST_CELL:
        raise UnwritableError(
            f"has a text of {len(text):,} characters, more than the {LONGEST_CELL:,} that a cell "
            "of XLSX holds; write csv or parquet"
        )
    strange = UNWRITABLE.search(text)
    if strange:
        raise UnwritableError(f"holds {strange.group()!r}, which XLSX does not keep; write jsonl")
    return text or None


@contextmanager
def write(writing: Writing) -> Iterator[WriteDocument]:
    """Write the columns of csv files, all as text."""
    header = header_cells(writing)
    with _book(writing.target) as append:
        append(header)

        def write_document(document: Document) -> None:
            append(document_cells(document, writing))

        yield write_document


@contextmanager
def write_rows(writing: RowWriting) -> Iterator[WriteRows]:
    """Write rows; numbers, dates and truth values stay what they are."""
    names, separator = writing.form.names, writing.separator
    with _book(writing.target) as append:
        append([*names, *writing.added])

        def write_rows(records: Sequence[Record], added: Sequence[Sequence[object]]) -> None:
            for record, values in zip(records, added, strict=True):
                own = record.cells if isinstance(record, SheetRow) else map(record.get, names)
                cells = [_value(each, separator) for each in own]
                append([*cells, *(_added(each, separator) for each in values)])

        yield write_rows


def _value(value: object, separator: str) -> object:
    """Return what a cell can hold: a number, a date after 1900, a truth value, or text."""
    if value is None or isinstance(value, bool | time | timedelta):
        return value
    if isinstance(value, int | float) and abs(value) < LARGEST_NUMBER:
        return value
    if (
        isinstance(value, date)
        and value.year > FIRST_YEAR
        and getattr(value, "tzinfo", 0) in (None, 0)
    ):
        return value
    return cell_text(value, separator)


def _added(value: object, separator: str) -> object:
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], float):
        return value[0]
    return added_text(value, separator)


def is_workbook(head: Head) -> bool:
    """Return True for a zip file with the folder of a workbook."""
    return head.data.startswith(b"PK\x03\x04") and b"xl/" in head.data


XLSX = Format(
    name="xlsx",
    extensions=(".xlsx",),
    description="Excel workbooks, the first sheet (needs openpyxl: the extra documents)",
    read=read,
    options=TABLE_OPTIONS | {"has_header"},
    sniff=lambda head, _: is_workbook(head),
    write=write,
    fixed_columns=True,
    write_rows=write_rows,
)
