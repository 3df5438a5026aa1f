"""Explanations as one HTML page, of one document or of several, with the words highlighted.

The page runs no script, fetches nothing, and escapes everything that comes from outside.
"""

from __future__ import annotations

import html
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from postil.common.escaping import visible
from postil.common.pages import render_page
from postil.errors import UsageError
from postil.explain.explanation import (
    Explanation,
    answer,
    flip_lines,
    remarks,
    share_tables,
    sum_cells,
    verdict,
)
from postil.explain.rule import Figures, lines_by_title

LEVELS = 5
"""Strengths of colour, from the faintest to the strongest; the style sheet has as many."""
FAINT = 0.02
"""Below this part of the strongest push, a word is underlined and has no colour behind it."""
SHOWN_TERMS = 30
SHOWN_IN_SEVERAL = 10
TERMS_IN_TITLE = 3


def render_html(explanations: Sequence[Explanation], *, title: str = "") -> str:
    """Return a page on one document, with a tab for each category if there are several.

    The words stand highlighted in the text of each field. The page is complete in itself and shows
    in any browser, light or dark by the reader's choice; a printed page has every category. Cost:
    the text and its marks, for each category.

    Parameters
    ----------
    explanations:
        Explanations of one document, one for each category.
    title:
        Heading of the page; by default "Why" and the document's id.
    """
    if not explanations:
        raise UsageError("a page needs at least one explanation, received none")
    document = explanations[0].document
    if any(other.document is not document for other in explanations):
        raise UsageError(
            "a page is on one document, received explanations of several: call read once and "
            "explain each category of its result"
        )
    heading = title or (f"Why: {document.id}" if document.id else "Why")
    sections = [_section(explanation) for explanation in explanations]
    return render_page(
        "explanation.html",
        heading=heading,
        sections=sections,
        levels=LEVELS,
    )


class Explained(NamedTuple):
    """A document of a page on several: its id, given categories, labels, and explanations."""

    id: str
    given: tuple[str, ...]
    labels: tuple[str, ...]
    explanations: Sequence[Explanation]


def render_documents(documents: Iterable[Explained], *, title: str, note: str = "") -> str:
    """Return a page on several documents, with an index of what each was given.

    The documents are rendered one by one as they come; memory is the page.

    Parameters
    ----------
    documents:
        The documents with their explanations, of which none is kept.
    title, note:
        Heading of the page, and a sentence below it.
    """
    rendered = [_explained(number, each) for number, each in enumerate(documents, 1)]
    return render_page(
        "explanations.html",
        heading=title,
        note=note,
        documents=rendered,
        labelled=any(each["labels"] for each in rendered),
    )


def _explained(number: int, document: Explained) -> dict[str, Any]:
    """Return a row of the index, and the document as HTML."""
    from markupsafe import Markup

    shown: dict[str, Any] = {
        "id": visible(document.id) or f"document {number}",
        "given": ", ".join(map(visible, document.given)) or "no category",
        "labels": ", ".join(map(visible, document.labels)),
        "differs": bool(document.labels) and set(document.given) != set(document.labels),
        "anchor": f"document-{number}",
    }
    page = render_page(
        "explained.html",
        document=shown,
        anchor=shown["anchor"],
        sections=[_section(each, SHOWN_IN_SEVERAL) for each in document.explanations],
        levels=LEVELS,
    )
    return shown | {"page": Markup(page)}


def _section(explanation: Explanation, shown: int = SHOWN_TERMS) -> dict[str, Any]:
    """Return what the template shows of one category, with at most ``shown`` terms each way."""
    strongest, fields = marked_fields(explanation)
    both = zip(("u", "d"), share_tables(explanation, shown), strict=True)
    tables = [(css, table) for css, table in both if table.rows]
    return {
        "category": explanation.title,
        "answer": answer(explanation.accepted),
        "verdict": verdict(explanation),
        "note": explanation.note,
        "circumstances": lines_by_title(explanation.circumstances),
        "strongest": strongest,
        "push_figures": Figures([strongest]),
        "fields": fields,
        "tables": tables,
        "largest": max((abs(added) for _, table in tables for added in table.adds), default=0.0),
        "sum": sum_cells(explanation),
        "remarks": remarks(explanation),
        "flips": flip_lines(explanation),
    }


class Stretch(NamedTuple):
    """A stretch of a field's text; ``css`` is empty where no term with a push stands on it."""

    text: str
    css: str = ""
    title: str = ""


def marked_fields(
    explanation: Explanation, most: int | None = None
) -> tuple[float, list[tuple[str, list[Stretch]]]]:
    """Return the strongest push of a word, and the text of each field with its marks.

    Parameters
    ----------
    explanation:
        The explanation whose words are marked.
    most:
        The most characters of a field; the rest is cut off, and an ellipsis stands for it.
    """
    segments = segments_of(explanation)
    strongest = max((abs(s.added) for part in segments for s in part), default=0.0)
    mark = _marker(explanation, strongest)
    fields = []
    for part, cuts in zip(explanation.document.parts, segments, strict=True):
        if most is None or len(part.text) <= most:
            fields.append((part.field, mark(part.text, cuts)))
        else:
            kept = [cut for cut in cuts if cut.end <= most]
            fields.append((part.field, [*mark(part.text[:most], kept), Stretch("…")]))
    return strongest, fields


FRAME_HEIGHT = 480


def framed(page: str) -> str:
    """Return a page as a frame for a notebook, whose styles stay apart from the page's."""
    return (
        f'<iframe sandbox srcdoc="{html.escape(page)}" style="width: 100%; '
        f'height: {FRAME_HEIGHT}px; border: 0; resize: vertical"></iframe>'
    )


class Explanations(tuple[Explanation, ...]):
    """Explanations of one document; a notebook shows them as a page with a tab for each."""

    __slots__ = ()

    def __repr__(self) -> str:
        lines = [f"{visible(each.title)}: {verdict(each)}" for each in self]
        return "\n".join(lines) or "no explanation"

    def _repr_html_(self) -> str:
        return framed(render_html(self)) if self else ""


class Segment(NamedTuple):
    """Characters [start, end) of a field's text, and the terms that stand on all of them.

    ``terms`` are numbers of the document's terms, those that added most first; ``added`` is the
    sum of what they added, each counted once.
    """

    start: int
    end: int
    terms: tuple[int, ...]
    added: float


def segments_of(explanation: Explanation) -> list[list[Segment]]:
    """Return, for each part of the document, the segments on which some term with a push stands.

    Words are a segment each; n-grams overlap, and are cut into stretches with the same terms.
    Cost: linear in the pieces, times the number of terms that overlap in one place.
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
    """Walk from bound to bound and yield what lies between; ``starts`` rise."""
    closing = sorted(range(len(ends)), key=ends.__getitem__)
    active: Counter[int] = Counter()
    opened = closed = start = 0
    for bound in sorted({*starts, *ends}):
        if active:
            standing = tuple(sorted(active, key=lambda term: (-abs(added[term]), term)))
            yield Segment(start, bound, standing, sum(added[term] for term in standing))
        start = bound
        while closed < len(ends) and ends[closing[closed]] == bound:
            term = terms[closing[closed]]
            active[term] -= 1
            if active[term] == 0:
                del active[term]
            closed += 1
        while opened < len(starts) and starts[opened] == bound:
            active[terms[opened]] += 1
            opened += 1


def _marker(
    explanation: Explanation, strongest: float
) -> Callable[[str, Sequence[Segment]], list[Stretch]]:
    """Return the function that sets the marks of one explanation into a text."""
    write = Figures([strongest]).signed

    @cache
    def describe(term: int) -> str:
        return (
            f"{visible(explanation.document.names[term])} {write(explanation.added[term])} = "
            f"{explanation.weights[term]:.4g} × {explanation.values[term]:.4g}"
        )

    def title(segment: Segment) -> str:
        lines = [describe(term) for term in segment.terms[:TERMS_IN_TITLE]]
        more = len(segment.terms) - len(lines)
        if more > 0:
            lines.append(f"… and {more} more")
        if len(segment.terms) > 1:
            lines.append(f"together {write(segment.added)}")
        return "\n".join(lines)

    def mark(text: str, segments: Sequence[Segment]) -> list[Stretch]:
        stretches, end = [], 0
        for segment in segments:
            marked = text[segment.start : segment.end]
            css = level_class(segment.added, strongest)
            stretches += [Stretch(text[end : segment.start]), Stretch(marked, css, title(segment))]
            end = segment.end
        return [*stretches, Stretch(text[end:])]

    return mark


def level_class(added: float, strongest: float) -> str:
    """Return the CSS classes of a mark: its direction, and its strength from 1 to 5 or none."""
    way = "u" if added >= 0 else "d"
    part = abs(added) / strongest if strongest > 0 else 0.0
    return way if part < FAINT else f"{way} {way}{max(1, math.ceil(part * LEVELS))}"
