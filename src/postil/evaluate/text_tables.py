"""Tables of text, and the way numbers stand in them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Final

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from postil.common.escaping import visible
from postil.evaluate.counts import MARK, shown
from postil.evaluate.measures import Average

if TYPE_CHECKING:
    from postil.evaluate.bootstrap import Interval

UNBOUNDED: Final = 1 << 20  # characters in a line


def as_text(parts: Sequence[RenderableType], width: int | None = None) -> str:
    """Print to a string without colours.

    Parameters
    ----------
    parts:
        What to print.
    width:
        Width to fold lines and cells to; by default lines are as long as they need to be.
    """
    console = Console(
        file=StringIO(), width=width or UNBOUNDED, color_system=None, legacy_windows=False
    )
    for part in parts:
        console.print(part)
    written = console.file.getvalue() if isinstance(console.file, StringIO) else ""
    return "\n".join(line.rstrip() for line in written.splitlines()).rstrip() + "\n"


def text_table(
    title: str, header: Sequence[str], rows: Iterable[Sequence[str]], texts: Collection[int] = (0,)
) -> Table:
    """Return a table whose columns are numbers, but for ``texts``; names are never cut."""
    table = Table(
        title=Text(visible(title), "bold"),
        box=SIMPLE_HEAD,
        title_justify="left",
        caption_justify="left",
    )
    for column, name in enumerate(header):
        longest = max(map(len, name.split()), default=1)  # a header is wrapped, never cut
        table.add_column(
            Text(visible(name)),
            justify="left" if column in texts else "right",
            min_width=longest,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def averaged(average: Average, digits: int = 1, scale: float = 100.0) -> tuple[str, str]:
    """Write a macro-average, and how many of its values are undefined."""
    return shown(average.value, digits, scale), undefined_of(average)


def undefined_of(average: Average) -> str:
    """Write how many values of a macro-average are undefined."""
    return f"{average.undefined:,} of {average.categories:,}"


def span(interval: Interval, digits: int) -> str:
    """Write an interval in percent."""
    return f"[{shown(interval.low, digits)}, {shown(interval.high, digits)}]"


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


_WORDS = {"f1": "F1", "brier": "Brier", "mcnemar": "McNemar", "wilcoxon": "Wilcoxon"}


def label(name: str) -> str:
    """Return the name of a measure or a test as a reader knows it."""
    return " ".join(_WORDS.get(word, _beta(word)) for word in name.split("_"))


def _beta(word: str) -> str:
    """Write F0.5 for f0.5; leave all other words."""
    return word.capitalize() if word[0] == "f" and word[1:2].isdigit() else word


def p_text(value: float, level: float) -> str:
    """Write a p-value; ``*`` marks one below the level."""
    if math.isnan(value):
        return MARK
    mark = "*" if value < level else ""
    return f"{value:.4f}{mark}" if value >= 0.0001 else f"< 0.0001{mark}"
