"""Tables for people: plain text and Markdown."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from benchmarks.registry import Cell, Row
from benchmarks.spread import Spread, digits


def text_table(rows: Sequence[Row]) -> str:
    """Lay rows out in columns for a terminal."""
    heads, cells = _cells(rows)
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    right = _numeric_columns(rows, heads)
    lines = [
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in (heads, ["─" * width for width in widths], *cells)
    ]
    return "\n".join(lines)


def markdown_table(rows: Sequence[Row]) -> str:
    """Write rows as a Markdown table."""
    heads, cells = _cells(rows)
    rule = ["---:" if number else "---" for number in _numeric_columns(rows, heads)]
    return "\n".join("| " + " | ".join(line) + " |" for line in (heads, rule, *cells))


def markdown_image(path: Path, caption: str, page: Path) -> str:
    """Link an image from a page."""
    link = Path(os.path.relpath(path.resolve(), page.resolve().parent)).as_posix()
    return f"![{caption}]({link})"


def _cells(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    heads = list(dict.fromkeys(head for row in rows for head in row))
    # What an optional goal is about stands to its left.
    heads.sort(key=lambda head: head == "goal")
    return heads, [[_written(row.get(head, "")) for head in heads] for row in rows]


def _numeric_columns(rows: Sequence[Row], heads: Sequence[str]) -> list[bool]:
    return [any(isinstance(row.get(head), (int, float, Spread)) for row in rows) for head in heads]


def _written(cell: Cell) -> str:
    if isinstance(cell, float):
        return digits(cell)
    return f"{cell:,}" if isinstance(cell, int) else str(cell)
