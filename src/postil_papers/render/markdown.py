"""A reproduction as a Markdown page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from postil_papers.render.view import HEADER, CellView, TableView, run_rows, totals, view
from postil_papers.reproduction import Reproduction

LEGEND = (
    "Each cell reads: paper / ours / difference. `!` marks a difference beyond its tolerance, `*` "
    "one that is explained, `–` what was not run."
)


def markdown_page(reproduction: Reproduction, pictures: Mapping[str, str] | None = None) -> str:
    """Write the page; ``pictures`` maps the ids of figures to their files."""
    blocks = [*_blocks(reproduction, pictures or {})]
    return "\n\n".join(blocks) + "\n"


def _blocks(reproduction: Reproduction, pictures: Mapping[str, str]) -> Iterator[str]:
    paper = reproduction.paper
    yield f"# {_plain(paper.name)}, reproduced"
    yield f"{', '.join(map(_plain, paper.authors))}: *{_plain(paper.title)}*, {paper.year}."
    yield f"{totals(reproduction)[0].upper()}{totals(reproduction)[1:]}."
    yield LEGEND
    for table in reproduction.tables:
        yield from _table(view(table), pictures.get(table.id))
    if reproduction.runs:
        yield "## How it was run"
        yield _grid(HEADER, [[*map(_plain, row)] for row in run_rows(reproduction)], "llrl")
    if paper.left_out:
        yield "## Left out"
        yield "\n".join(f"- {_plain(part.what)}: {_plain(part.why)}" for part in paper.left_out)


def _table(shown: TableView, picture: str | None) -> Iterator[str]:
    yield f"## {_plain(shown.id)}: {_plain(shown.title)}"
    yield f"In the paper: {_plain(shown.where)}."
    if picture:
        yield f"![{_plain(shown.title)}]({picture})"
    if shown.rows:
        rows = [(_plain(row.name), *map(_cell, row.cells)) for row in shown.rows]
        yield _grid(("", *map(_plain, shown.columns)), rows, "l" + "r" * len(shown.columns))
    if shown.summary:
        yield "\n".join(f"- {_plain(line)}" for line in shown.summary)
    if shown.footnotes:
        notes = enumerate(shown.footnotes, 1)
        yield "\n".join(f"{number}. {_plain(text)}" for number, text in notes)


def _cell(cell: CellView | None) -> str:
    if cell is None:
        return ""
    parts = [cell.paper or "–", cell.ours, *([cell.difference] if cell.difference else [])]
    marks = "".join(f" [{number}]" for number in cell.footnotes)
    return _plain(" / ".join(parts) + cell.alarm) + marks


def _grid(header: Sequence[str], rows: Sequence[Sequence[str]], sides: str) -> str:
    """Return a table of cells that are Markdown already."""
    lines = [header, *rows]
    widths = [max(3, *(len(line[i]) for line in lines)) for i in range(len(header))]
    rule = [
        "-" * (width - 1) + ":" if side == "r" else "-" * width
        for width, side in zip(widths, sides, strict=True)
    ]
    set_lines = [
        [
            text.rjust(width) if side == "r" else text.ljust(width)
            for text, width, side in zip(line, widths, sides, strict=True)
        ]
        for line in lines
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in (set_lines[0], rule, *set_lines[1:]))


_SIGNS = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_<|[]&~"})


def _plain(text: str) -> str:
    """Return Markdown that shows the text as it is, in a line, without markup, links or HTML."""
    return " ".join(text.translate(_SIGNS).split())
