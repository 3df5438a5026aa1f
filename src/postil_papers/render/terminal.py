"""A reproduction on the terminal: coloured there, plain and unbroken in a pipe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from postil.common.escaping import escaped
from postil_papers.render.view import CellView, TableView, totals, view
from postil_papers.reproduction import Reproduction

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


HEADINGS = ("paper", "ours", "diff")
GAP = 2
COLUMN_GAP = 3
WIDEST = 10_000
STYLES = {"within": "green", "explained": "yellow", "beyond": "bold red"}


def print_reproduction(reproduction: Reproduction, console: Console | None = None) -> None:
    """Print every table with the paper's numbers beside ours beside the difference.

    A table too wide for the console continues below with its further columns; no number is cut.
    """
    from rich.console import Console
    from rich.text import Text

    console = console or Console(highlight=False)
    paper = reproduction.paper
    _print_line(console, Text(f"{paper.name}: {', '.join(paper.authors)} ({paper.year})", "bold"))
    for table in reproduction.tables:
        shown = view(table)
        if shown.rows:
            console.print()
            _print_table(console, shown)
    console.print()
    _print_line(console, Text(totals(reproduction)))
    for run in reproduction.failures:
        _print_line(console, Text(escaped(f"{run.experiment} failed: {run.error}"), "red"))
    for why, count in reproduction.absences.items():
        line = f"{count} experiment{'s' if count > 1 else ''} not run: {why}"
        _print_line(console, Text(escaped(line)))


def _print_line(console: Console, text: Text) -> None:
    # Long lines are left to the terminal to break: a pipe gets them whole.
    console.print(text, soft_wrap=True)


def _print_table(console: Console, shown: TableView) -> None:
    from rich.text import Text

    heading = Text(shown.id, "bold")
    heading.append(f"  {shown.title} ({shown.where})", "not bold")
    _print_line(console, heading)
    names = [Text(row.name) for row in shown.rows]
    columns = [_column(shown, place) for place in range(len(shown.columns))]
    room = console.width - max(map(len, names))
    for position, group in enumerate(_side_by_side(columns, room)):
        if position:
            console.print()
        _print_grid(console, names, group)
    for line in shown.summary:
        _print_line(console, Text(line))
    for number, text in enumerate(shown.footnotes, 1):
        _print_line(console, Text(f"[{number}] {text}", "dim"))


def _print_grid(console: Console, names: list[Text], columns: Sequence[list[Text]]) -> None:
    from rich import box
    from rich.measure import Measurement
    from rich.table import Table as RichTable

    grid = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    grid.add_column("", no_wrap=True)
    for heading, *_ in columns:
        grid.add_column(heading, no_wrap=True)
    for name, *cells in zip(names, *(cells for _, *cells in columns), strict=True):
        grid.add_row(name, *cells)
    # On its own a table shrinks to the console and cuts numbers off.
    grid.width = Measurement.get(console, console.options.update_width(WIDEST), grid).maximum
    console.print(grid, crop=False)


def _column(shown: TableView, place: int) -> list[Text]:
    """Return the heading and the cells of a column, with their parts below each other."""
    from rich.text import Text

    cells = [row.cells[place] for row in shown.rows]
    texts = [_texts(cell) for cell in cells]
    widths = [max(map(len, parts)) for parts in zip(HEADINGS, *texts, strict=True)]
    gap = " " * GAP
    headings = gap.join(map(str.rjust, HEADINGS, widths))
    name = shown.columns[place].rjust(len(headings))
    column = [Text(f"{name}\n{headings.rjust(len(name))}")]
    for cell, parts in zip(cells, texts, strict=True):
        paper, ours, difference = map(str.rjust, parts, widths)
        # Set flush right by hand: rich would drop the spaces of an empty difference.
        text = Text(" " * (len(name) - len(headings)) + paper)
        text.append(gap + ours, "red" if cell and cell.failed else "")
        text.append(gap + difference, STYLES.get((cell and cell.verdict) or "", ""))
        column.append(text if cell else Text(""))
    return column


def _texts(cell: CellView | None) -> tuple[str, str, str]:
    if cell is None:
        return "", "", ""
    marks = "".join(f"[{number}]" for number in cell.footnotes)
    return cell.paper, cell.ours, cell.difference + cell.mark + marks


def _side_by_side(columns: Sequence[list[Text]], room: int) -> Iterator[list[list[Text]]]:
    """Yield the columns that fit side by side; one that is too wide stands alone."""
    group: list[list[Text]] = []
    used = 0
    for column in columns:
        needed = column[0].plain.index("\n") + COLUMN_GAP
        if group and used + needed > room:
            yield group
            group, used = [], 0
        group.append(column)
        used += needed
    yield group
