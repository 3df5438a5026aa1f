"""The rows of a delimited file, strictly read."""

from __future__ import annotations

import csv
import struct
import sys
from collections.abc import Iterator

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
        # The limit is the module's, not the reader's; cells of any size are texts here.
        csv.field_size_limit(LARGEST_CELL)
        self._lines = lines
        self._source = source
        self._bad_line: DocumentError | None = None
        self._reader = csv.reader(
            self._whole_lines(),
            delimiter=delimiter,
            quotechar=quote or None,
            quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
            strict=True,
        )

    def __iter__(self) -> Rows:
        return self

    def _whole_lines(self) -> Iterator[str]:
        """All lines, bad ones too: a row with a bad line in it is bad, but ends where it ends."""
        while True:
            try:
                yield next(self._lines)
            except StopIteration:
                return
            except DocumentError as error:
                self._bad_line = self._bad_line or error
                yield self._lines.lenient()

    def __next__(self) -> tuple[int, list[str]]:
        row: list[str] = []
        while not row:
            first = self._lines.number + 1
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
