"""What commands say: results on stdout, everything about them on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence

import typer

from postil.cli.streams import styled
from postil.common.escaping import escaped_json, visible
from postil.corpus.corpus import Corpus


def say(message: str) -> None:
    """Notify the user something that is not the result, in a line."""
    typer.echo(visible(message), err=True)


def show_bold(text: str) -> None:
    """Print a line, bold on a terminal."""
    typer.secho(visible(text), bold=True, file=styled(sys.stdout))


def show_json(value: object, *, in_a_line: bool = False) -> None:
    """Print a result for a program to read; in a line where there are many of them."""
    typer.echo(json_text(value, indent=None if in_a_line else 2))


def json_text(value: object, indent: int | None = None) -> str:
    """Return a value as JSON that is safe to show, and the same to a program that reads it."""
    return escaped_json(json.dumps(value, ensure_ascii=False, indent=indent))


def show_table(header: Sequence[str], rows: Sequence[Sequence[str]], right: str = "") -> None:
    """Print rows under a header; see :func:`table_lines`."""
    for line in table_lines(header, rows, right):
        typer.echo(line)


def table_lines(
    header: Sequence[str], rows: Sequence[Sequence[str]], right: str = ""
) -> Iterator[str]:
    """Return rows under a header in columns as wide as they need, a line each.

    ``right`` holds an ``r`` for each column to set flush right.
    """
    lines = [[visible(cell) for cell in line] for line in (header, *rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    for line in lines:
        cells = [
            cell.rjust(width) if right[i : i + 1] == "r" else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def counted(count: int, noun: str, plural: str = "", *, grouped: bool = False) -> str:
    """A number with its noun: 1 document, 1200 documents, or 1,200 where it is for a table."""
    shown = f"{count:,}" if grouped else f"{count}"
    return f"{shown} {noun if count == 1 else plural or noun + 's'}"


def report_problems(corpus: Corpus) -> None:
    """Say how many documents were skipped and why; silent if none was."""
    problems = corpus.problems
    if problems.count == 0:
        return
    say(f"skipped {counted(problems.count, 'bad document')}; the first:")
    for error in problems.first[:5]:
        say(f"  {error}")
