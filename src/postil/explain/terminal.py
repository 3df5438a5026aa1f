"""An explanation as plain text for a terminal."""

from __future__ import annotations

import math
import os
import textwrap
from collections.abc import Sequence
from typing import TextIO

from postil.common.escaping import visible
from postil.explain.explanation import Explanation, TermShare
from postil.explain.rule import Figures, blocks_of, counted
from postil.explain.sentences import (
    figures_of,
    flip_lines,
    margin_parts,
    neutral_line,
    unknown_line,
    verdict,
)

SHOWN_TERMS = 10
WIDEST_TERM = 32
NARROWEST_BAR = 8
INDENT = "  "

GREEN, RED, BOLD = "32", "31", "1"
EIGHTHS = " ▏▎▍▌▋▊▉█"


def wants_colour(stream: TextIO) -> bool:
    """Whether a stream is a terminal that shows colours, and its user has not declined them."""
    declined = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not declined


def render_text(
    explanation: Explanation, *, width: int = 80, colour: bool = False, shown: int = SHOWN_TERMS
) -> str:
    """Write an explanation in lines of at most ``width`` columns where the terms allow it.

    ``shown`` terms are listed each way, the rest summed up. Without ``colour`` there is not one
    escape sequence in it, whatever the document holds.
    """
    paint = _Paint(colour)
    table = _TermTable(explanation, width, shown)
    blocks = [
        _head_lines(explanation, paint),
        *(
            [paint(title, BOLD), *_wrapped(lines, width, INDENT)]
            for title, lines in blocks_of(explanation.circumstances).items()
        ),
        table.lines("Pushed up", explanation.up, paint, GREEN),
        table.lines("Pushed down", explanation.down, paint, RED),
        _sum_lines(explanation, paint),
        _wrapped([neutral_line(explanation), unknown_line(explanation)], width, ""),
        [paint("What would flip it", BOLD), *_wrapped(flip_lines(explanation), width, INDENT)],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _head_lines(explanation: Explanation, paint: _Paint) -> list[str]:
    """The decision, and what it is on."""
    document = explanation.document.id
    return [
        paint(visible(explanation.category), BOLD) + ": " + verdict(explanation),
        *([visible(explanation.note)] if explanation.note else []),
        *([f"document {visible(document)}"] if document else []),
    ]


def _wrapped(sentences: Sequence[str], width: int, indent: str) -> list[str]:
    """Sentences in lines of at most so many characters, the further ones of each set in."""
    return [
        line
        for sentence in sentences
        for line in textwrap.wrap(
            sentence, width, initial_indent=indent, subsequent_indent=indent + INDENT
        )
    ]


class _Paint:
    """Colours text, or leaves it."""

    def __init__(self, colour: bool) -> None:
        self._colour = colour

    def __call__(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._colour and text else text


class _TermTable:
    """Terms in columns: name, count, weight, value, what it added, and a bar of that."""

    def __init__(self, explanation: Explanation, width: int, shown: int) -> None:
        self._shown = shown
        listed = [*explanation.up[:shown], *explanation.down[:shown]]
        self._weights = Figures(share.weight for share in listed)
        self._values = Figures(share.value for share in listed)
        self._added = Figures(share.added for share in listed)
        self._largest = max((abs(share.added) for share in listed), default=0.0)
        rows = [self._cells(share) for share in listed]
        self._header = ["term", "count", "weight", "value", "added"]
        self._widths = [
            max(map(cell_width, column)) for column in zip(self._header, *rows, strict=True)
        ]
        used = len(INDENT) + sum(self._widths) + 2 * len(self._widths)
        self._bar = max(NARROWEST_BAR, width - used)

    def lines(self, title: str, shares: Sequence[TermShare], paint: _Paint, code: str) -> list[str]:
        """The strongest terms of one direction, and the sum of all."""
        if not shares:
            return []
        total = self._added.signed(math.fsum(share.added for share in shares))
        lines = [paint(f"{title}: {counted(len(shares), 'term')}, {total}", BOLD)]
        lines.append(self._line(self._header))
        for share in shares[: self._shown]:
            bar = bar_of(abs(share.added), self._largest, self._bar)
            lines.append(self._line(self._cells(share)) + INDENT + paint(bar, code))
        if len(shares) > self._shown:
            rest = shares[self._shown :]
            left = self._added.signed(math.fsum(share.added for share in rest))
            lines.append(f"{INDENT}… and {counted(len(rest), 'more term')}, {left}")
        return lines

    def _cells(self, share: TermShare) -> list[str]:
        return [
            shortened(visible(share.term), WIDEST_TERM),
            str(share.count),
            self._weights.plain(share.weight),
            self._values.plain(share.value),
            self._added.signed(share.added),
        ]

    def _line(self, cells: Sequence[str]) -> str:
        padding = [" " * (w - cell_width(c)) for w, c in zip(self._widths, cells, strict=True)]
        first = cells[0] + padding[0]
        others = (space + cell for space, cell in zip(padding[1:], cells[1:], strict=True))
        return INDENT + INDENT.join([first, *others])


def _sum_lines(explanation: Explanation, paint: _Paint) -> list[str]:
    """The margin, part by part."""
    parts = margin_parts(explanation) | {"threshold": explanation.threshold}
    write = figures_of(explanation)
    wide = max(len(write.signed(number)) for number in parts.values())
    named = max(map(len, parts))
    return [
        paint("The margin", BOLD),
        *(f"{INDENT}{n:{named}}  {write.signed(x):>{wide}}" for n, x in parts.items()),
    ]


def bar_of(size: float, largest: float, width: int) -> str:
    """A bar to scale, to an eighth of a column; anything at all shows."""
    if largest <= 0 or size <= 0:
        return ""
    eighths = max(1, round(size / largest * width * 8))
    return EIGHTHS[-1] * (eighths // 8) + EIGHTHS[eighths % 8].strip()


def cell_width(text: str) -> int:
    """The columns a text takes: two for a wide character, none for a mark."""
    from rich.cells import cell_len

    return cell_len(text)


def shortened(text: str, width: int) -> str:
    """The text in so many columns, its end given up for an ellipsis if need be."""
    from rich.cells import set_cell_size

    return text if cell_width(text) <= width else set_cell_size(text, width - 1).rstrip() + "…"
