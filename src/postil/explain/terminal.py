"""An explanation as plain text for a terminal."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterable, Sequence
from typing import TextIO

from postil.common.escaping import visible
from postil.explain.explanation import (
    Explanation,
    ShareTable,
    flip_lines,
    remarks,
    share_tables,
    sum_cells,
    verdict,
)
from postil.explain.rule import lines_by_title

SHOWN_TERMS = 10
WIDEST_TERM = 32
NARROWEST_BAR = 8
INDENT = "  "

GREEN, RED, BOLD = "32", "31", "1"
EIGHTHS = " ▏▎▍▌▋▊▉█"


def wants_colour(stream: TextIO) -> bool:
    """Return True for a terminal that shows colours, unless its user has declined them."""
    declined = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not declined


def render_text(
    explanation: Explanation, *, width: int = 80, colour: bool = False, shown: int = SHOWN_TERMS
) -> str:
    """Write an explanation as text.

    Parameters
    ----------
    explanation:
        The explanation to write.
    width:
        Columns of a line; only long terms exceed it.
    colour:
        Use colours. Without them the text holds no escape sequence, whatever the document holds.
    shown:
        Number of terms to list in each direction; the others are summed up.
    """

    def paint(text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if colour and text else text

    document = explanation.document.id
    head = [
        paint(visible(explanation.title), BOLD) + ": " + verdict(explanation),
        *([visible(explanation.note)] if explanation.note else []),
        *([f"document {visible(document)}"] if document else []),
    ]
    circumstances = [
        [paint(title, BOLD), *_wrapped(lines, width, INDENT)]
        for title, lines in lines_by_title(explanation.circumstances).items()
    ]
    tables = [
        [
            paint(table.title, BOLD),
            *(line + paint(bar, code) for line, bar in lines),
            *([INDENT + table.rest] if table.rest else []),
        ]
        for (table, lines), code in zip(
            _tables(explanation, width, shown), (GREEN, RED), strict=True
        )
        if table.rows
    ]
    blocks = [
        head,
        *circumstances,
        *tables,
        [paint("The margin", BOLD), *_sum_lines(explanation)],
        _wrapped(remarks(explanation), width, ""),
        [paint("What would flip it", BOLD), *_wrapped(flip_lines(explanation), width, INDENT)],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _wrapped(sentences: Iterable[str], width: int, indent: str) -> list[str]:
    return [
        line
        for sentence in sentences
        for line in textwrap.wrap(
            sentence, width, initial_indent=indent, subsequent_indent=indent + INDENT
        )
    ]


def _tables(
    explanation: Explanation, width: int, shown: int
) -> list[tuple[ShareTable, list[tuple[str, str]]]]:
    """Return the tables of both directions, and their lines with the bar of each line.

    The columns of both tables line up.
    """
    tables = share_tables(explanation, shown)
    columns = tables[0].columns
    for table in tables:
        for cells in table.rows:
            cells[0] = shortened(cells[0], WIDEST_TERM)
    rows = [columns, *(cells for table in tables for cells in table.rows)]
    widths = [max(map(cell_width, column)) for column in zip(*rows, strict=True)]
    bar_width = max(NARROWEST_BAR, width - sum(widths) - len(INDENT) * (len(widths) + 1))
    largest = max((abs(added) for table in tables for added in table.adds), default=0.0)
    return [
        (
            table,
            [
                (_line(columns, widths), ""),
                *(
                    (_line(cells, widths) + INDENT, bar_of(abs(added), largest, bar_width))
                    for cells, added in zip(table.rows, table.adds, strict=True)
                ),
            ],
        )
        for table in tables
    ]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padding = [" " * (width - cell_width(c)) for width, c in zip(widths, cells, strict=True)]
    numbers = (space + cell for space, cell in zip(padding[1:], cells[1:], strict=True))
    return INDENT + INDENT.join([cells[0] + padding[0], *numbers])


def _sum_lines(explanation: Explanation) -> list[str]:
    cells = sum_cells(explanation)
    names, numbers = max(map(len, cells)), max(map(len, cells.values()))
    return [f"{INDENT}{name:{names}}  {cell:>{numbers}}" for name, cell in cells.items()]


def bar_of(size: float, largest: float, width: int) -> str:
    """Return a bar to scale, to an eighth of a column; every size above 0 shows."""
    if largest <= 0 or size <= 0:
        return ""
    eighths = max(1, round(size / largest * width * 8))
    return EIGHTHS[-1] * (eighths // 8) + EIGHTHS[eighths % 8].strip()


def cell_width(text: str) -> int:
    """Return the columns a text takes: two for a wide character, none for a combining mark."""
    from rich.cells import cell_len

    return cell_len(text)


def shortened(text: str, width: int) -> str:
    """Return the text in at most ``width`` columns; an ellipsis replaces an end that is cut."""
    from rich.cells import set_cell_size

    return text if cell_width(text) <= width else set_cell_size(text, width - 1).rstrip() + "…"
