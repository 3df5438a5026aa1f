"""A reproduction as one HTML page that needs nothing else: no network, no scripts, no files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files

from postil.common.escaping import visible
from postil_papers.render.view import HEADER, CellView, TableView, run_rows, totals, turned, view
from postil_papers.reproduction import Reproduction, Table

PARTS = ("paper", "ours", "diff")
LEGEND = (
    "Differences are ours minus the paper's. ! marks one beyond its tolerance, * one that is "
    "explained, – what was not run."
)


def html_page(reproduction: Reproduction, drawings: Mapping[str, str] | None = None) -> str:
    """Write the page; ``drawings`` maps the ids of figures to SVG for the inside of a page.

    The page follows the reader's choice of light or dark.
    """
    style = (files("postil_papers.render") / "page.css").read_text(encoding="utf-8")
    title = escape(f"{reproduction.paper.name}, reproduced")
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title>",
        f"<style>\n{style}</style>",
        "</head>",
        "<body>",
        *_body(reproduction, drawings or {}),
        "</body>",
        "</html>",
    ]
    return "\n".join(lines) + "\n"


def _body(reproduction: Reproduction, drawings: Mapping[str, str]) -> Iterator[str]:
    paper = reproduction.paper
    summary = totals(reproduction)
    yield f"<h1>{escape(paper.name)}, reproduced</h1>"
    yield (
        f'<p class="quiet">{escape(", ".join(paper.authors))}: <cite>{escape(paper.title)}</cite>, '
        f"{paper.year}</p>"
    )
    yield f"<p>{escape(summary[0].upper() + summary[1:])}. {escape(LEGEND)}</p>"
    ids = [escape(visible(table.id)) for table in reproduction.tables]
    links = (f'<a href="#{id}">{id}</a>' for id in ids)
    yield f"<nav>{' '.join(links)}</nav>"
    for table in reproduction.tables:
        yield from _section(table, drawings.get(table.id))
    if reproduction.runs:
        yield "<h2>How it was run</h2>"
        yield from _words(HEADER, run_rows(reproduction))
    if paper.left_out:
        yield "<h2>Left out</h2>"
        parts = (f"<li>{escape(part.what)}: {escape(part.why)}</li>" for part in paper.left_out)
        yield f"<ul>{''.join(parts)}</ul>"


def _section(table: Table, drawing: str | None) -> Iterator[str]:
    shown = view(table)
    yield f'<section id="{escape(shown.id)}">'
    yield f"<h2>{escape(shown.id)}: {escape(shown.title)}</h2>"
    yield f'<p class="quiet">In the paper: {escape(shown.where)}</p>'
    if drawing:
        yield f"<figure>\n{drawing}\n</figure>"
    if shown.rows:
        yield from _grid(shown)
    if shown.summary:
        yield f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in shown.summary)}</ul>"
    if shown.footnotes:
        yield f"<ol>{''.join(f'<li>{escape(text)}</li>' for text in shown.footnotes)}</ol>"
    if table.is_figure and any(cell.ours is not None for cell in table.cells):
        yield "<details><summary>the numbers of this figure</summary>"
        numbers = view(table, everything=True)
        # A curve through many places is long rather than wide, many curves are already.
        long = len(numbers.rows) > len(numbers.columns)
        yield from _grid(numbers if long else turned(numbers))
        yield "</details>"
    yield "</section>"


def _grid(shown: TableView) -> Iterator[str]:
    heads = (
        f'<th class="first" scope="colgroup" colspan="3">{escape(column)}</th>'
        for column in shown.columns
    )
    parts = "".join(
        f'<th{_class("first" if part == PARTS[0] else "")} scope="col">{part}</th>'
        for part in PARTS
    )
    yield '<div class="wide"><table><thead>'
    yield f'<tr><th rowspan="2"></th>{"".join(heads)}</tr>'
    yield f"<tr>{parts * len(shown.columns)}</tr>"
    yield "</thead><tbody>"
    for row in shown.rows:
        cells = "".join(map(_cell, row.cells))
        yield f'<tr><th scope="row">{escape(row.name)}</th>{cells}</tr>'
    yield "</tbody></table></div>"


def _cell(cell: CellView | None) -> str:
    if cell is None:
        return '<td class="first"></td><td></td><td></td>'
    marks = ", ".join(map(str, cell.footnotes))
    marked = f"<sup>{marks}</sup>" if marks else ""
    return (
        f'<td class="first paper">{escape(cell.paper)}</td>'
        f"<td{_class('failed' if cell.failed else '')}>{escape(cell.ours)}</td>"
        f"<td{_class(cell.verdict or '')}>{escape(cell.difference + cell.alarm)}{marked}</td>"
    )


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""


def _words(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    yield f'<div class="wide"><table class="words"><thead><tr>{heads}</tr></thead><tbody>'
    for row in rows:
        yield f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}</tr>"
    yield "</tbody></table></div>"
