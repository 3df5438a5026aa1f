"""The parts of a category's section on the HTML page."""

from __future__ import annotations

import math
from collections.abc import Sequence

from postil.escaping import visible
from postil.explain.circumstances import blocks_of
from postil.explain.explanation import Explanation, TermShare
from postil.explain.figures import Figures, counted
from postil.explain.highlighting import Segment, segments_of
from postil.explain.markup import bdi, safe
from postil.explain.page_style import LEVELS
from postil.explain.sentences import figures_of, flip_lines, margin_parts

SHOWN_TERMS = 30
TERMS_IN_TITLE = 3
HEADER = ("term", "count", "weight", "value", "added")
FAINT = 0.02
"""Under this part of the strongest push a word has its line only, and no colour behind it."""


def field_panels(explanation: Explanation) -> list[str]:
    """The texts of the document with the words that count highlighted, and what that means."""
    segments = segments_of(explanation)
    strongest = max((abs(s.added) for part in segments for s in part), default=0.0)
    marker = _Marker(explanation, strongest)
    lines = _legend(strongest) if strongest > 0 else []
    for part, cuts in zip(explanation.document.parts, segments, strict=True):
        if part.field:
            lines.append(f"<h3>{bdi(part.field)}</h3>")
        lines.append(f'<div class="field" lang="" dir="auto">{marker.mark(part.text, cuts)}</div>')
    return lines


class _Marker:
    """Sets the marks of one explanation into its texts."""

    def __init__(self, explanation: Explanation, strongest: float) -> None:
        self._document = explanation.document
        self._weights = explanation.weights
        self._values = explanation.values
        self._added = explanation.added
        self._strongest = strongest
        self._figures = Figures([strongest])
        self._told_of: dict[int, str] = {}

    def mark(self, text: str, segments: Sequence[Segment]) -> str:
        pieces, at = [], 0
        for segment in segments:
            pieces.append(safe(text[at : segment.start]))
            shown = safe(text[segment.start : segment.end])
            pieces.append(
                f'<mark class="{level_class(segment.added, self._strongest)}" '
                f'title="{safe(self._title(segment))}">{shown}</mark>'
            )
            at = segment.end
        pieces.append(safe(text[at:]))
        return "".join(pieces)

    def _title(self, segment: Segment) -> str:
        lines = [self._told(term) for term in segment.terms[:TERMS_IN_TITLE]]
        more = len(segment.terms) - len(lines)
        if more > 0:
            lines.append(f"… and {more} more")
        if len(segment.terms) > 1:
            lines.append(f"together {self._figures.signed(segment.added)}")
        return "\n".join(lines)

    def _told(self, term: int) -> str:
        told = self._told_of.get(term)
        if told is None:
            document = self._document
            told = self._told_of[term] = (
                f"{visible(document.names[term])} {self._figures.signed(self._added[term])} = "
                f"{self._weights[term]:.4g} × {self._values[term]:.4g}"
            )
        return told


def level_class(added: float, strongest: float) -> str:
    """The classes of a mark: its direction, and its strength from 1 to 5 or none."""
    way = "u" if added >= 0 else "d"
    part = abs(added) / strongest if strongest > 0 else 0.0
    return way if part < FAINT else f"{way} {way}{max(1, math.ceil(part * LEVELS))}"


def _legend(strongest: float) -> list[str]:
    write = Figures([strongest]).signed
    samples = [
        f'<li><mark class="{way} {way}{level}">{sign}</mark> {write(size * level / LEVELS)}</li>'
        for way, sign, size in (("u", "up", strongest), ("d", "down", -strongest))
        for level in (1, 3, LEVELS)
    ]
    return [
        '<p class="quiet">A solid line: the word pushed the margin up. A dashed one: down. The '
        "stronger the colour, the more it added; hold the pointer over a word for the number.</p>",
        '<ul class="legend">',
        *samples,
        "</ul>",
    ]


def term_panel(
    title: str, way: str, shares: Sequence[TermShare], explanation: Explanation
) -> list[str]:
    """The strongest terms of one direction, with bars."""
    if not shares:
        return []
    shown, rest = shares[:SHOWN_TERMS], shares[SHOWN_TERMS:]
    strongest = max(abs(share.added) for share in explanation.terms)
    weights, values, added = (
        Figures(share.weight for share in shown),
        Figures(share.value for share in shown),
        Figures(share.added for share in shown),
    )
    rows = [
        f"<tr><td>{bdi(visible(share.term))}</td><td>{share.count}</td>"
        f"<td>{weights.plain(share.weight)}</td><td>{values.plain(share.value)}</td>"
        f"<td>{added.signed(share.added)}</td>"
        f'<td class="bar"><span class="{way} {way}{LEVELS}" '
        f'style="width:{100 * abs(share.added) / strongest:.1f}%"></span></td></tr>'
        for share in shown
    ]
    total = added.signed(math.fsum(share.added for share in shares))
    left = added.signed(math.fsum(share.added for share in rest))
    more = [f'<p class="quiet">… and {counted(len(rest), "more term")}, {left}</p>'] if rest else []
    return [
        f"<h3>{title}: {counted(len(shares), 'term')}, {total}</h3>",
        '<table class="terms">',
        "<tr>" + "".join(f'<th scope="col">{name}</th>' for name in HEADER) + "<td></td></tr>",
        *rows,
        "</table>",
        *more,
    ]


def circumstance_panels(explanation: Explanation) -> list[str]:
    """What the decision rests on beside the terms."""
    lines = []
    for title, said in blocks_of(explanation.circumstances).items():
        listed = [f"<li>{bdi(line)}</li>" for line in said]
        lines += [f"<h3>{title}</h3>", "<ul>", *listed, "</ul>"]
    return lines


def sum_panel(explanation: Explanation) -> list[str]:
    """The margin, part by part."""
    parts = margin_parts(explanation) | {"threshold": explanation.threshold}
    write = figures_of(explanation).signed
    return [
        "<h3>The margin</h3>",
        "<table>",
        *(f"<tr><td>{name}</td><td>{write(part)}</td></tr>" for name, part in parts.items()),
        "</table>",
    ]


def flip_panel(explanation: Explanation) -> list[str]:
    """What would flip the decision."""
    lines = [f"<li>{bdi(line)}</li>" for line in flip_lines(explanation)]
    return ["<h3>What would flip it</h3>", "<ul>", *lines, "</ul>"]
