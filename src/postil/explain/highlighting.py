"""A field's text cut where terms begin and end, so that each stretch can be shown by its push."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from postil.explain.explanation import Explanation


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
