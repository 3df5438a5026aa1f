"""A reproduction as files: a page in Markdown and HTML, its figures, and its cells as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from postil.common.files import output_file
from postil.common.pages import render_page
from postil.errors import UsageError
from postil_papers.render.view import (
    HEADER,
    CellView,
    TableView,
    run_rows,
    totals,
    transposed,
    view,
)
from postil_papers.reproduction import Reproduction, Table

if TYPE_CHECKING:
    from postil.plots.figure import Figure


LEGEND = (
    "Each cell reads: paper / ours / difference. `!` marks a difference beyond its tolerance, `*` "
    "one that a note explains, `–` a number that was not computed."
)


def markdown_page(reproduction: Reproduction, pictures: Mapping[str, str] | None = None) -> str:
    """Return a page in Markdown; ``pictures`` maps the ids of figures to their files."""
    return "\n\n".join(_blocks(reproduction, pictures or {})) + "\n"


def _blocks(reproduction: Reproduction, pictures: Mapping[str, str]) -> Iterator[str]:
    paper = reproduction.paper
    yield f"# {_plain(paper.name)}, reproduced"
    yield f"{', '.join(map(_plain, paper.authors))}: *{_plain(paper.title)}*, {paper.year}."
    yield _totals(reproduction)
    yield LEGEND
    for table in reproduction.tables:
        yield from _markdown_table(view(table), pictures.get(table.id))
    if reproduction.runs:
        yield "## How it was run"
        yield _grid(HEADER, [[*map(_plain, row)] for row in run_rows(reproduction)], "<<><")
    if paper.left_out:
        yield "## Left out"
        yield "\n".join(f"- {_plain(part.what)}: {_plain(part.why)}" for part in paper.left_out)


def _markdown_table(shown: TableView, picture: str | None) -> Iterator[str]:
    yield f"## {_plain(shown.id)}: {_plain(shown.title)}"
    yield f"In the paper: {_plain(shown.where)}."
    if picture:
        yield f"![{_plain(shown.title)}]({picture})"
    if shown.rows:
        rows = [(_plain(row.name), *map(_markdown_cell, row.cells)) for row in shown.rows]
        yield _grid(("", *map(_plain, shown.columns)), rows, "<" + ">" * len(shown.columns))
    if shown.summary:
        yield "\n".join(f"- {_plain(line)}" for line in shown.summary)
    if shown.footnotes:
        notes = enumerate(shown.footnotes, 1)
        yield "\n".join(f"{number}. {_plain(text)}" for number, text in notes)


def _markdown_cell(cell: CellView | None) -> str:
    if cell is None:
        return ""
    parts = [cell.paper or "–", cell.ours, *([cell.difference] if cell.difference else [])]
    marks = "".join(f" [{number}]" for number in cell.footnotes)
    return _plain(" / ".join(parts) + cell.mark) + marks


def _grid(header: Sequence[str], rows: Sequence[Sequence[str]], sides: str) -> str:
    """Return a table of cells that are Markdown already, columns aligned left or right."""
    widths = [max(3, *map(len, column)) for column in zip(header, *rows, strict=True)]

    def line(texts: Sequence[str]) -> str:
        cells = zip(texts, sides, widths, strict=True)
        return f"| {' | '.join(f'{text:{side}{width}}' for text, side, width in cells)} |"

    rule = [
        "-" * (width - 1) + (":" if side == ">" else "-")
        for width, side in zip(widths, sides, strict=True)
    ]
    return "\n".join(map(line, (header, rule, *rows)))


_SIGNS = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_<|[]&~"})


def _plain(text: str) -> str:
    """Return Markdown for a text in one line, without markup, links or HTML."""
    return " ".join(text.translate(_SIGNS).split())


def _totals(reproduction: Reproduction) -> str:
    line = totals(reproduction)
    return f"{line[0].upper()}{line[1:]}."


def html_page(reproduction: Reproduction, drawings: Mapping[str, str] | None = None) -> str:
    """Return one HTML page that needs no network, no scripts and no other files.

    ``drawings`` maps the ids of figures to SVG for the inside of a page.
    """
    from markupsafe import Markup

    drawings = drawings or {}
    return render_page(
        "reproduction.html",
        package="postil_papers",
        heading=f"{reproduction.paper.name}, reproduced",
        paper=reproduction.paper,
        totals=_totals(reproduction),
        sections=[
            {
                "shown": view(table),
                "drawing": Markup(drawings.get(table.id, "")),  # drawn by postil
                "numbers": _numbers(table),
            }
            for table in reproduction.tables
        ],
        header=HEADER,
        runs=run_rows(reproduction),
    )


def _numbers(table: Table) -> TableView | None:
    """Return all numbers of a figure, along its axis from top to bottom."""
    if not table.is_figure or all(cell.ours is None for cell in table.cells):
        return None
    numbers = view(table, everything=True)
    return numbers if len(numbers.rows) > len(numbers.columns) else transposed(numbers)


def cells_json(reproduction: Reproduction) -> list[dict[str, Any]]:
    """Return the cells, table by table, each as an object with the same keys.

    A number that is missing is ``None``: in ``paper`` where only we have one, in ``ours`` where no
    experiment ran or it failed (then ``error`` says how).
    """
    numbers = ("paper", "ours", "difference", "paper_deviation", "ours_deviation", "tolerance")
    texts = ("verdict", "source", "where", "note", "remark", "error")
    return [
        cell.key._asdict()
        | {name: getattr(cell, name) for name in numbers}
        | {name: getattr(cell, name) or None for name in texts}
        for cell in reproduction.cells()
    ]


def write_files(
    reproduction: Reproduction, folder: str | Path, figures: Mapping[str, Figure]
) -> list[Path]:
    """Write ``NAME.md``, ``NAME.html``, ``NAME.json`` and each figure as SVG and PNG.

    The folder is made if it is absent; files of an earlier run are replaced one by one, each only
    when it is complete. Return the paths.
    """
    from postil.plots.drawing import png_bytes, svg_bytes
    from postil_papers.plotting import inline_svg

    home = Path(folder)
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: the folder cannot be made ({error.strerror})") from error
    pictures = {id: f"{id}.svg" for id in figures}
    drawings = {id: inline_svg(figure) for id, figure in figures.items()}
    name = reproduction.paper.name
    cells = json.dumps(cells_json(reproduction), ensure_ascii=False, indent=2)
    contents = {
        f"{name}.md": markdown_page(reproduction, pictures).encode(),
        f"{name}.html": html_page(reproduction, drawings).encode(),
        f"{name}.json": (cells + "\n").encode(),
    }
    for id, figure in figures.items():
        contents |= {f"{id}.svg": svg_bytes(figure), f"{id}.png": png_bytes(figure)}
    for file, content in contents.items():
        with output_file(home / file) as target:
            target.write(content)
    return [home / file for file in contents]
