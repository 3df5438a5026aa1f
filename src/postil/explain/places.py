"""Where the terms of a document stand in the texts of its fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from postil.errors import UsageError
from postil.vectors.fields import Fields, Text

Numbers = NDArray[np.int64]


class TextPart(NamedTuple):
    """The text of one field, as it was received; the name is empty where the text is all."""

    field: str
    text: str


class FieldPlace(NamedTuple):
    """The characters [start, end) of a field's text."""

    field: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Stretches of the parts of a document, each covered by a term: four columns.

    A term that stands in two fields at once, as an n-gram over their border does, has a piece in
    either. Stretches without a character are left out.
    """

    terms: Numbers
    parts: Numbers
    starts: Numbers
    ends: Numbers

    @classmethod
    def of(cls, columns: tuple[Numbers, Numbers, Numbers, Numbers]) -> Pieces:
        """Those with at least one character, by part, place and term."""
        terms, parts, starts, ends = columns
        order = np.lexsort((terms, ends, starts, parts))
        order = order[ends[order] > starts[order]]
        return cls(terms[order], parts[order], starts[order], ends[order])


@dataclass(frozen=True, slots=True)
class Column:
    """What the vectorizer reads as one text: one part, or several joined by line ends."""

    space: int
    first_part: int
    texts: tuple[str, ...]

    @property
    def text(self) -> str:
        """The text the vectorizer reads."""
        return "\n".join(self.texts)

    def split(self, starts: Numbers, ends: Numbers) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """Cut stretches of the text into (which stretch, part, start, end).

        Cost: linear in the stretches and the parts they cover.
        """
        lengths = np.array([len(text) for text in self.texts], dtype=np.int64)
        offsets = np.concatenate([[0], np.cumsum(lengths + 1)[:-1]])
        first = np.searchsorted(offsets, starts, side="right") - 1
        last = np.maximum(np.searchsorted(offsets, ends, side="left") - 1, first)
        covered = last - first + 1
        which = np.repeat(np.arange(len(starts)), covered)
        within = np.arange(len(which)) - np.repeat(np.cumsum(covered) - covered, covered)
        parts = first[which] + within
        begins = np.maximum(starts[which] - offsets[parts], 0)
        finishes = np.minimum(ends[which] - offsets[parts], lengths[parts])
        return which, parts + self.first_part, begins, finishes


def arrange(
    document: Text | Mapping[str, Text], fields: Fields
) -> tuple[tuple[TextPart, ...], list[Column]]:
    """Lay a document out as the vectorizer reads it: its parts, and the columns they make.

    A field that is not there is empty, as in a corpus, but one of them has to be. Without named
    fields all are one text.
    """
    if isinstance(document, Mapping):
        given = {name: _as_str(text) for name, text in document.items()}
    elif len(fields.names) <= 1:
        given = {"".join(fields.names): _as_str(document)}
    else:
        raise UsageError(
            f"documents have the fields {', '.join(fields.names)}: pass a mapping of each field "
            "to its text"
        )
    if not fields.names:
        parts = tuple(TextPart(name, text) for name, text in given.items())
        return parts, [Column(0, 0, tuple(text for _, text in parts))] if parts else []
    if given and not given.keys() & set(fields.names):
        raise UsageError(
            f"the document has the fields {', '.join(given)}, the vectorizer takes "
            f"{', '.join(fields.names)}"
        )
    parts = tuple(TextPart(name, given.get(name, "")) for name in fields.names)
    return parts, [
        Column(space, number, (part.text,))
        for number, (part, space) in enumerate(zip(parts, fields.spaces, strict=True))
    ]


def _as_str(text: Text) -> str:
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else text
