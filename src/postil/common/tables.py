"""Tables as CSV, Markdown and LaTeX, in which names are escaped."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from typing import Literal

from postil.common.escaping import visible

TableFormat = Literal["text", "csv", "latex", "markdown"]

_MARKDOWN = re.compile(r"[\\`*_{}\[\]<>|#~&$]")
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{mark: f"\\{mark}" for mark in "{}#$%&_"},
}


def table_text(
    form: TableFormat,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: str = "",
    summary: Sequence[str] = (),
) -> str:
    """Return a table in a format for other programs.

    Parameters
    ----------
    form : {"csv", "latex", "markdown"}
        The format. CSV has no summary.
    header : sequence of str
        The titles of the columns.
    rows : sequence of sequences of str
        The cells, which are escaped here.
    right : str
        An ``r`` at the position of each column that is flush right.
    summary : sequence of str
        Lines before the table.
    """
    sides = [right[i : i + 1] == "r" for i in range(len(header))]
    return _WRITERS[form](header, rows, sides, summary)


def markdown_escaped(text: str) -> str:
    """Return a text that Markdown shows as it is, also in a cell of a table."""
    return _MARKDOWN.sub(lambda found: f"\\{found[0]}", visible(text))


def latex_escaped(text: str) -> str:
    """Return a text that LaTeX prints as it is."""
    return "".join(_LATEX.get(character, character) for character in visible(text))


def _csv(
    header: Sequence[str], rows: Sequence[Sequence[str]], _: Sequence[bool], __: Sequence[str]
) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue()


def _markdown(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    sides: Sequence[bool],
    summary: Sequence[str],
) -> str:
    lines = [f"- {markdown_escaped(line)}" for line in summary]
    lines += [""] if summary else []
    rule = ["---:" if side else "---" for side in sides]
    cells = [[markdown_escaped(cell) for cell in row] for row in (header, *rows)]
    table = [cells[0], rule, *cells[1:]]
    lines += [f"| {' | '.join(row)} |" for row in table]
    return "\n".join(lines) + "\n"


def _latex(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    sides: Sequence[bool],
    summary: Sequence[str],
) -> str:
    lines = [f"{latex_escaped(line)} \\\\" for line in summary]
    lines += [""] if summary else []
    cells = [" & ".join(map(latex_escaped, row)) + r" \\" for row in (header, *rows)]
    columns = "".join("r" if side else "l" for side in sides)
    lines += [f"\\begin{{tabular}}{{{columns}}}", r"\hline", cells[0], r"\hline"]
    return "\n".join([*lines, *cells[1:], r"\hline", r"\end{tabular}"]) + "\n"


_Writer = Callable[[Sequence[str], Sequence[Sequence[str]], Sequence[bool], Sequence[str]], str]
_WRITERS: dict[str, _Writer] = {"csv": _csv, "markdown": _markdown, "latex": _latex}
