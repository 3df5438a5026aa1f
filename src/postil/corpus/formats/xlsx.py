"""Excel workbooks (.xlsx): a document a row of the first sheet."""

from __future__ import annotations

import importlib
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from itertools import chain, islice, repeat
from pathlib import Path
from typing import Any

from postil.common.files import output_file
from postil.corpus.corpus import TableForm
from postil.corpus.document import Document, Problems
from postil.corpus.files.streams import Source
from postil.corpus.formats.columns import (
    LABEL_SEPARATOR,
    Sample,
    find_columns,
    title_hint,
    told_apart,
)
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
    naming_row,
)
from postil.corpus.formats.records import TABLE_OPTIONS, Row, Table, added_text, cell_text
from postil.corpus.formats.text import empty
from postil.corpus.options import ReadOptions
from postil.errors import CorpusError, DocumentError, MissingExtraError, PostilError

SAMPLE_ROWS = 100
LONGEST_CELL = 32_767
MOST_ROWS = 1 << 20
FIRST_YEAR = 1900
WIDTHS = {list: 30.0, str: 40.0, float: 20.0, bool: 16.0}
"""The widths of added columns by their types."""
LARGEST_NUMBER = 10**15  # spreadsheets keep fifteen digits
# What XML cannot hold, what it would change, and what openpyxl takes for an escape.
UNWRITABLE = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_x[0-9A-Fa-f]{4}_|x005F_")


def _openpyxl(doing: str) -> Any:  # noqa: ANN401 - the module
    try:
        return importlib.import_module("openpyxl")
    except ImportError:
        raise MissingExtraError(f"{doing} XLSX", "openpyxl", "documents") from None


class SheetRow(dict[str, object]):
    """The texts of a row by column.

    ``cells`` holds its values, in the order of the columns, and ``formats`` their number formats,
    empty for text.
    """

    __slots__ = ("cells", "formats")

    def __init__(self, names: Iterable[str], cells: list[Any], formats: Sequence[str] = ()) -> None:
        super().__init__(zip(names, map(_text, cells), strict=True))
        self.cells = cells
        self.formats = formats

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
    keep = options.keep_records
    with _sheet(source) as (sheet, sheets):
        title = sheet.title
        hint = ""
        if sheets > 1:
            hint = (
                f"; only the first sheet ({title!r}) of {sheets} was read: move the one with the "
                "documents to the front, or save it as csv"
            )
        rows = _cells(sheet)
        first = next(rows, None)
        if first is None:
            raise CorpusError(f"{empty(source)}{hint}")
        has_header = options.has_header is not False
        names, repeated = _names(first[1]) if has_header else (_numbers(first[1]), {})
        sampled = islice(rows if has_header else _cells(sheet), SAMPLE_ROWS)
        records = [SheetRow(names, _fitted(cells, len(names))) for _, cells, _ in sampled]
        widths = _widths(sheet, len(names)) if keep else ()
    if not records:
        raise CorpusError(
            f"{source.name}: the only row is the header, so there are no documents; if the sheet "
            f"has no header row say so (--no-header){hint}"
        )
    above = title_hint(map(_text, first[1])) if has_header else ""
    columns = find_columns(Sample(names, records, repeated, above + hint), options, source.name)

    def read_rows(problems: Problems) -> Iterator[Row]:
        with _sheet(source) as (sheet, _sheets):
            found = _cells(sheet, formatted=keep)
            for number, cells, formats in islice(found, int(has_header), None):
                if any(cell is not None for cell in cells[len(names) :]):
                    message = (
                        f"the row has more cells than the first row, which names {len(names)} "
                        f"columns; name the others, or empty them{above}"
                    )
                    problems.report(DocumentError(source.name, f"row {number}", message))
                    continue
                yield number, SheetRow(names, _fitted(cells, len(names)), formats[: len(names)])

    separator = LABEL_SEPARATOR if options.label_separator is None else options.label_separator
    form = TableForm(names, widths=widths)
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


def _cells(sheet: Any, *, formatted: bool = False) -> Iterator[tuple[int, list[Any], list[str]]]:  # noqa: ANN401 - openpyxl's
    """Yield the rows that are not empty: number, values, and number formats if they are wanted."""
    for number, cells in enumerate(sheet.iter_rows(values_only=not formatted), 1):
        values = [cell.value for cell in cells] if formatted else list(cells)
        if any(value is not None for value in values):
            yield number, values, [_number_format(cell) for cell in cells] if formatted else []


def _number_format(cell: Any) -> str:  # noqa: ANN401 - openpyxl's
    if cell.value is None or isinstance(cell.value, str):
        return ""
    return str(cell.number_format)


def _widths(sheet: Any, count: int) -> tuple[float, ...]:  # noqa: ANN401 - openpyxl's
    """Return the widths of the first columns, which stand before the rows; 0 for the usual one."""
    xml = importlib.import_module("openpyxl.xml.functions")
    widths = [0.0] * count
    with sheet._get_source() as stream:
        for _, element in xml.iterparse(stream, events=("start",)):
            tag = element.tag.rpartition("}")[2]
            if tag == "sheetData":
                break
            if tag == "col" and element.get("hidden") not in ("1", "true"):
                for place in range(int(element.get("min")), int(element.get("max")) + 1):
                    if place <= count:
                        widths[place - 1] = float(element.get("width") or 0)
    return tuple(widths)


def _fitted(cells: list[Any], width: int) -> list[Any]:
    """Return as many cells as there are columns: rows of a sheet end at their last value."""
    return [*cells[:width], *[None] * (width - len(cells))]


def _numbers(cells: Sequence[object]) -> tuple[str, ...]:
    return tuple(str(number) for number in range(1, len(cells) + 1))


def _names(cells: Sequence[object]) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the names of columns, and those that are repeated.

    A column without a name is called after its place.
    """
    width = max(place for place, cell in enumerate(cells, 1) if cell is not None)
    return told_apart(
        [_text(cell).strip() or f"column {n}" for n, cell in enumerate(cells[:width], 1)]
    )


Append = Callable[[Iterable[object], Sequence[str]], None]


@contextmanager
def _book(
    target: str | Path, header: Sequence[str], widths: Sequence[float] = ()
) -> Iterator[Append]:
    """Yield a function that appends a row to the one sheet of a new workbook.

    It takes values, and the number formats of the first of them. The header is bold, stays in
    sight and has filters.
    """
    openpyxl = _openpyxl("writing")
    text_cell = importlib.import_module("openpyxl.cell").WriteOnlyCell
    letter = importlib.import_module("openpyxl.utils").get_column_letter
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("documents")
    sheet.freeze_panes = "A2"
    for place, width in enumerate(widths, 1):
        if width:
            sheet.column_dimensions[letter(place)].width = width
    count = 0

    def cell(value: object, number_format: str = "") -> Any:  # noqa: ANN401 - openpyxl's
        if isinstance(value, str):
            made = text_cell(sheet, _checked(value))
            made.data_type = "s"  # also for text that begins like a formula
            return made
        if not number_format or value is None:
            return value
        made = text_cell(sheet, value)
        made.number_format = number_format
        return made

    def append(cells: Iterable[object], formats: Sequence[str] = ()) -> None:
        nonlocal count
        made = list(map(cell, cells, chain(formats, repeat(""))))
        count += 1
        if count > MOST_ROWS:
            raise UnwritableError(f"is beyond the {MOST_ROWS:,} rows of a sheet; write csv")
        sheet.append(made)

    with output_file(target) as stream:
        try:
            titles = [cell(name) for name in header]
            for title in titles:
                title.font = importlib.import_module("openpyxl.styles").Font(bold=True)
            append(titles)
            yield append
        except BaseException:
            sheet.close()  # its temporary file
            raise
        sheet.auto_filter.ref = f"A1:{letter(len(header))}{count}"
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
            "of XLSX holds; write csv or jsonl"
        )
    strange = UNWRITABLE.search(text)
    if strange:
        raise UnwritableError(
            f"holds {strange.group()!r}, which XLSX does not keep; write csv or jsonl"
        )
    return text or None


def _mended(text: str) -> str:
    """Return a text that a cell can hold: without strange characters, and cut."""
    return UNWRITABLE.sub(" ", text)[:LONGEST_CELL]


@contextmanager
def write(writing: Writing) -> Iterator[WriteDocument]:
    """Write the columns of csv files, all as text."""
    with _book(writing.target, header_cells(writing)) as append:

        def write_document(document: Document) -> None:
            append(document_cells(document, writing), ())

        yield write_document


@contextmanager
def write_rows(writing: RowWriting) -> Iterator[WriteRows]:
    """Write rows; numbers, dates and truth values stay what they are, and have their formats."""
    names, separator = writing.form.names, writing.separator
    header = [*names, *writing.added]
    usual = [0.0] * (len(names) - len(writing.form.widths))
    widths = [*writing.form.widths, *usual, *(WIDTHS[kind] for kind in writing.added.values())]
    with _book(writing.target, header, widths) as append:

        def write_rows(records: Sequence[Record], added: Sequence[Sequence[object]]) -> None:
            for row, (record, values) in enumerate(zip(records, added, strict=True)):
                own: Iterable[object] = map(record.get, names)
                formats: Sequence[str] = ()
                if isinstance(record, SheetRow):
                    own, formats = record.cells, record.formats
                cells = [_value(each, separator) for each in own]
                cells += [_added(each, separator) for each in values]
                with naming_row(row):
                    try:
                        append(cells, formats)
                    except UnwritableError as error:
                        append(_mended_row(cells, writing, error), formats)

        yield write_rows


def _mended_row(
    cells: Sequence[object], writing: RowWriting, error: UnwritableError
) -> list[object]:
    """Return a row that a sheet can hold, with what was changed in the column for problems.

    Raise the error again if nothing may be changed.
    """
    mended, problems = list(cells), []
    for place, (name, value) in enumerate(zip(writing.form.names, cells, strict=False)):
        if isinstance(value, str) and (changed := _mended(value)) != value:
            mended[place] = changed
            how = "cut off" if len(value) > LONGEST_CELL else "without some characters"
            problems.append(f"{name} is {how}: XLSX does not hold all of it")
    if not problems:
        raise error
    if not writing.problems:
        raise UnwritableError(f"{error}, or let it be changed (--on-error skip)") from None
    place = len(writing.form.names) + list(writing.added).index(writing.problems)
    mended[place] = "; ".join(text for text in (str(cells[place]), *problems) if text)
    return mended


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
    # The line breaks of a cell are line feeds.
    return cell_text(value, separator).replace("\r\n", "\n").replace("\r", "\n")


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
