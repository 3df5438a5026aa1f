"""A reproduction on the terminal: coloured there, plain and unbroken in a pipe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import StringIO
from typing import TYPE_CHECKING

from postil.common.escaping import escaped
from postil_papers.render.view import CellView, TableView, totals, view
from postil_papers.reproduction import Reproduction

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable
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


def terminal_text(reproduction: Reproduction, width: int = 80) -> str:
    """Return the text that a pipe of that width would get."""
    from rich.console import Console

    buffer = StringIO()
    print_reproduction(
        reproduction,
        Console(file=buffer, width=width, highlight=False, color_system=None, force_terminal=False),
    )
    return buffer.getvalue()


def _print_line(console: Console, text: Text) -> None:
    # Long lines are left to the terminal to break: a pipe gets them whole.
    console.print(text, soft_wrap=True)


def _print_table(console: Console, shown: TableView) -> None:
    from rich.text import Text

    heading = Text(shown.id, "bold")
    heading.append(f"  {shown.title} ({shown.where})", "not bold")
    _print_line(console, heading)
    for position, columns in enumerate(_column_groups(shown, console.width)):
        if position:
            console.print()
        _print_grid(console, _grid(shown, columns))
    for line in shown.summary:
        _print_line(console, Text(line))
    for number, text in enumerate(shown.footnotes, 1):
        _print_line(console, Text(f"[{number}] {text}", "dim"))


def _print_grid(console: Console, grid: RichTable) -> None:
    from rich.measure import Measurement

    # On its own a table shrinks to the console and cuts numbers off.
    grid.width = Measurement.get(console, console.options.update_width(WIDEST), grid).maximum
    console.print(grid, crop=False)


def _grid(shown: TableView, columns: Sequence[int]) -> RichTable:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    grid.add_column("", no_wrap=True)
    for column in columns:
        headings = "".join(_padded(HEADINGS, _widths(shown, column)))
        name = shown.columns[column].rjust(len(headings))
        grid.add_column(Text(f"{name}\n{headings.rjust(len(name))}"), no_wrap=True)
    for row in shown.rows:
        cells = [_cell(row.cells[column], shown, column) for column in columns]
        grid.add_row(Text(row.name), *cells)
    return grid


def _cell(cell: CellView | None, shown: TableView, column: int) -> Text:
    from rich.text import Text

    if cell is None:
        return Text("")
    widths = _widths(shown, column)
    paper, ours, difference = _padded(_texts(cell), widths)
    # Set flush right by hand: rich would drop the spaces of an empty difference.
    text = Text(" " * (len(shown.columns[column]) - sum(widths) - 2 * GAP) + paper)
    text.append(ours, "red" if cell.failed else "")
    text.append(difference, STYLES.get(cell.verdict or "", ""))
    return text


def _texts(cell: CellView) -> tuple[str, str, str]:
    marks = "".join(f"[{number}]" for number in cell.footnotes)
    return cell.paper, cell.ours, cell.difference + cell.mark + marks


def _widths(shown: TableView, column: int) -> list[int]:
    texts = [HEADINGS, *(_texts(cell) for row in shown.rows if (cell := row.cells[column]))]
    return [max(len(text[part]) for text in texts) for part in range(len(HEADINGS))]


def _padded(texts: Sequence[str], widths: Sequence[int]) -> list[str]:
    gaps = [0, GAP, GAP]
    return [
        " " * gap + text.rjust(width) for text, width, gap in zip(texts, widths, gaps, strict=True)
    ]


def _column_groups(shown: TableView, width: int) -> Iterator[list[int]]:
    """Yield the columns that fit side by side; one that is too wide stands alone."""
    room = width - max(len(row.name) for row in shown.rows)
    group: list[int] = []
    used = 0
    for column, name in enumerate(shown.columns):
        needed = max(len(name), sum(_widths(shown, column)) + 2 * GAP) + COLUMN_GAP
        if group and used + needed > room:
            yield group
            group, used = [], 0
        group.append(column)
        used += needed
    yield group
