"""The rows of a delimited file, strictly read."""

from __future__ import annotations

import csv
import struct
import sys
from collections.abc import Iterator

from postil.corpus.files import textlines
from postil.corpus.files.textlines import TextLines
from postil.corpus.problems import Problems
from postil.errors import DocumentError

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
