"""Explanations as one HTML page: no script, nothing fetched, everything from outside escaped.

Text from outside on its way into HTML.

The colours and the layout of the HTML page.

Up is green with a solid line beneath, down is red with a dashed one: colour is never the only
sign. Every text keeps a contrast of at least 4.5 to 1 with what is behind it, in either scheme.

A field's text cut where terms begin and end, so that each stretch can be shown by its push.

The parts of a category's section on the HTML page.
"""

from __future__ import annotations

import html
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from postil.common.escaping import visible
from postil.errors import UsageError
from postil.explain.explanation import Explanation, TermShare
from postil.explain.rule import Figures, blocks_of, counted
from postil.explain.sentences import (
    answer,
    figures_of,
    flip_lines,
    margin_parts,
    neutral_line,
    unknown_line,
    verdict,
)

# What HTML cannot hold or a browser would not show: control characters but tab and line ends,
# and surrogates, which UTF-8 cannot hold either.
_UNFIT = re.compile("[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def safe(text: str) -> str:
    """The text for an element or a quoted attribute; what HTML cannot hold becomes U+FFFD."""
    return html.escape(_UNFIT.sub("\ufffd", text))


def bdi(text: str) -> str:
    """The text as an element of its own, so that its direction stays its own affair."""
    return f"<bdi>{safe(text)}</bdi>"


LEVELS = 5


@dataclass(frozen=True, slots=True)
class Scheme:
    """Colours for one of light and dark; ``up`` and ``down`` from the faintest to the strongest."""

    text: str
    quiet: str
    page: str
    panel: str
    line: str
    up: tuple[str, ...]
    down: tuple[str, ...]
    up_line: str
    down_line: str


LIGHT = Scheme(
    text="#16181c",
    quiet="#50555e",
    page="#ffffff",
    panel="#f4f5f7",
    line="#c9cdd4",
    up=("#e4f6ea", "#c5ebd2", "#a0ddb6", "#7acd98", "#57bb7d"),
    down=("#fdebe8", "#fbd3cc", "#f7b5aa", "#f29688", "#ec7a69"),
    up_line="#0b6b3a",
    down_line="#a3200f",
)
DARK = Scheme(
    text="#f1f3f5",
    quiet="#b3b9c2",
    page="#15171a",
    panel="#1f2226",
    line="#454b54",
    up=("#13301f", "#15402a", "#175134", "#19613f", "#1b6f48"),
    down=("#3a1a16", "#511e18", "#69231b", "#80281e", "#962d22"),
    up_line="#5ad491",
    down_line="#ff9a8a",
)

_LAYOUT = """
:root { color-scheme: light dark; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--page);
  color: var(--text); font: 1rem/1.55 system-ui, sans-serif; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.15rem; } h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
.quiet { color: var(--quiet); }
.tabs { position: absolute; opacity: 0; }
.labels { display: flex; flex-wrap: wrap; gap: .3rem; border-bottom: 1px solid var(--line); }
.labels label { padding: .3rem .7rem; cursor: pointer; border: 1px solid transparent;
  border-bottom: 0; border-radius: .4rem .4rem 0 0; }
.field { background: var(--panel); border: 1px solid var(--line); border-radius: .4rem;
  padding: .6rem .8rem; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
mark { color: inherit; background: none; border-radius: .15rem; padding: .05em 0; }
.u { border-bottom: 2px solid var(--up-line); }
.d { border-bottom: 2px dashed var(--down-line); }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .15rem .5rem; text-align: right; font-variant-numeric: tabular-nums; }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; min-width: 6rem; }
th { border-bottom: 1px solid var(--line); font-weight: 600; }
td.bar { width: 35%; text-align: left; }
td.bar span { display: block; height: .8rem; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .4rem 1rem; padding: 0; }
/* On a narrow screen what a term added matters more than how it came about. */
@media (max-width: 36rem) {
  table.terms :is(th, td):is(:nth-child(3), :nth-child(4)) { display: none; }
}
@media print { section.of, .labels { display: block !important; } .labels { border: 0; } }
"""


def style_sheet(tabs: int) -> str:
    """The whole style sheet of a page with so many tabs."""
    dark = f"@media (prefers-color-scheme: dark) {{ {_variables(DARK)} }}"
    return "\n".join([_variables(LIGHT), dark, _LAYOUT, *_levels(), *_tab_rules(tabs)])


def _variables(scheme: Scheme) -> str:
    named = {
        "text": scheme.text,
        "quiet": scheme.quiet,
        "page": scheme.page,
        "panel": scheme.panel,
        "line": scheme.line,
        "up-line": scheme.up_line,
        "down-line": scheme.down_line,
        **{f"up-{level}": colour for level, colour in enumerate(scheme.up, 1)},
        **{f"down-{level}": colour for level, colour in enumerate(scheme.down, 1)},
    }
    return ":root { " + " ".join(f"--{name}: {colour};" for name, colour in named.items()) + " }"


def _levels() -> list[str]:
    return [
        f".{letter}{level} {{ background: var(--{way}-{level}); }}"
        for letter, way in (("u", "up"), ("d", "down"))
        for level in range(1, LEVELS + 1)
    ]


def _tab_rules(tabs: int) -> list[str]:
    """Show the section whose tab is chosen, mark that tab, and the one the keyboard is on."""
    if tabs < 2:
        return []
    rules = ["section.of { display: none; }"]
    for number in range(tabs):
        rules += [
            f"#tab{number}:checked ~ #of{number} {{ display: block; }}",
            f"#tab{number}:checked ~ .labels label[for=tab{number}] "
            "{ background: var(--panel); border-color: var(--line); font-weight: 600; }",
            f"#tab{number}:focus-visible ~ .labels label[for=tab{number}] "
            "{ outline: 2px solid var(--text); }",
        ]
    return rules


@dataclass(frozen=True, slots=True)
class Segment:
    """Characters [start, end) of a field's text, and the terms that stand on all of them.

    ``terms`` are numbers of the document's terms, those that added most first; ``added`` is what
    they added together, each counted once.
    """

    start: int
    end: int
    terms: tuple[int, ...]
    added: float


def segments_of(explanation: Explanation) -> list[list[Segment]]:
    """The segments of every part of the document that some term with a push stands on, in order.

    Words are a segment each; n-grams overlap, and are cut into stretches with the same terms.
    Cost: linear in the pieces, times how many overlap in one place.
    """
    pieces = explanation.document.pieces
    pushing = explanation.added[pieces.terms] != 0
    columns = (pieces.parts, pieces.starts, pieces.ends, pieces.terms)
    parts, starts, ends, terms = (column[pushing] for column in columns)
    bounds = np.searchsorted(parts, np.arange(len(explanation.document.parts) + 1))
    added = explanation.added.tolist()
    return [
        list(_cut(starts[a:b].tolist(), ends[a:b].tolist(), terms[a:b].tolist(), added))
        for a, b in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
    ]


def _cut(
    starts: list[int], ends: list[int], terms: list[int], added: list[float]
) -> Iterator[Segment]:
    """Walk from bound to bound; ``starts`` rise."""
    closing = sorted(range(len(ends)), key=ends.__getitem__)
    active: Counter[int] = Counter()
    opened = closed = at = 0
    for bound in sorted({*starts, *ends}):
        if active:
            yield _segment(at, bound, active, added)
        at = bound
        while closed < len(ends) and ends[closing[closed]] == bound:
            _leave(active, terms[closing[closed]])
            closed += 1
        while opened < len(starts) and starts[opened] == bound:
            active[terms[opened]] += 1
            opened += 1


def _leave(active: Counter[int], term: int) -> None:
    active[term] -= 1
    if active[term] == 0:
        del active[term]


def _segment(start: int, end: int, active: Counter[int], added: list[float]) -> Segment:
    terms = tuple(sorted(active, key=lambda term: (-abs(added[term]), term)))
    return Segment(start, end, terms, sum(added[term] for term in terms))


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


POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def render_html(explanations: Sequence[Explanation], *, title: str = "") -> str:
    """Write a page on one document, with a tab for each category if there are several.

    The words stand highlighted in the text of each field. The page is whole in itself and shows
    in any browser, by its reader's choice light or dark; printed, it has every category. Cost:
    the text and its marks, for each category.
    """
    if not explanations:
        raise UsageError("a page needs at least one explanation, received none")
    document = explanations[0].document
    if any(other.document is not document for other in explanations):
        raise UsageError(
            "a page is on one document: explain its categories together, with explain_all or "
            "with what one call of read gave"
        )
    heading = title or (f"Why: {document.id}" if document.id else "Why")
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{safe(heading)}</title>",
            f"<style>\n{style_sheet(len(explanations))}\n</style>",
            "</head>",
            "<body>",
            f"<h1>{bdi(heading)}</h1>",
            *_tabs(explanations),
            *(_section(number, each) for number, each in enumerate(explanations)),
            "</body>",
            "</html>",
            "",
        ]
    )


def _tabs(explanations: Sequence[Explanation]) -> list[str]:
    """Radio buttons and their labels: arrow keys go from one category to the next."""
    if len(explanations) < 2:
        return []
    buttons = [
        f'<input class="tabs" type="radio" name="category" id="tab{number}"'
        f"{' checked' if number == 0 else ''}>"
        for number in range(len(explanations))
    ]
    labels = [
        f'<label for="tab{number}">{bdi(each.category)}: {answer(each.accepted)}</label>'
        for number, each in enumerate(explanations)
    ]
    return [*buttons, '<div class="labels">', *labels, "</div>"]


def _section(number: int, explanation: Explanation) -> str:
    """Everything about one category."""
    quiet = filter(None, [neutral_line(explanation), unknown_line(explanation)])
    return "\n".join(
        [
            f'<section class="of" id="of{number}">',
            f"<h2>{bdi(explanation.category)}: {safe(verdict(explanation))}</h2>",
            *([f"<p>{bdi(explanation.note)}</p>"] if explanation.note else []),
            *circumstance_panels(explanation),
            *field_panels(explanation),
            *term_panel("Pushed up", "u", explanation.up, explanation),
            *term_panel("Pushed down", "d", explanation.down, explanation),
            *sum_panel(explanation),
            *(f'<p class="quiet">{bdi(line)}</p>' for line in quiet),
            *flip_panel(explanation),
            "</section>",
        ]
    )
