"""A document as the vectorizer sees it: its terms, their columns, values and places in the text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from postil import _native
from postil.common.types import Floats, Ints
from postil.errors import UsageError
from postil.text.spans import term_spans
from postil.vectors.fields import Fields, Text
from postil.vectors.vectorizer import Vectorizer

UNKNOWN = -1
"""The column of a term that the vocabulary does not hold."""
SHARED_BUCKET = " | "


class TextPart(NamedTuple):
    """The text of one field, as it was received; the name is empty where the text is all."""

    field: str
    text: str


class FieldPlace(NamedTuple):
    """The characters [start, end) of a field's text."""

    field: str
    start: int
    end: int


class Pieces(NamedTuple):
    """Stretches of the parts of a document, each covered by a term: four columns.

    A term that stands in two fields at once, as an n-gram over their border does, has a piece in
    each. Stretches without a character are left out.
    """

    terms: Ints
    parts: Ints
    starts: Ints
    ends: Ints

    def in_order(self) -> Pieces:
        """Return those with at least one character, by part, place and term."""
        order = np.lexsort((self.terms, self.ends, self.starts, self.parts))
        order = order[self.ends[order] > self.starts[order]]
        return Pieces(*(column[order] for column in self))


@dataclass(frozen=True, slots=True, eq=False)
class DocumentTerms:
    """The distinct terms of one document, in the order they first stand in it.

    ``columns`` is ``UNKNOWN`` for a term the vocabulary does not hold. ``values`` are those of the
    vector the model scores, 0 for an unknown term. Terms that share a hash bucket are one term
    here, named by all of them. ``sizes`` are the weights before the norm, for a document that was
    given as a vector and has no counts.
    """

    id: str
    parts: tuple[TextPart, ...]
    names: list[str]
    columns: Ints
    counts: Ints
    values: Floats
    pieces: Pieces
    sizes: Floats | None = None

    def __len__(self) -> int:
        return len(self.names)


def given_terms(
    names: list[str], columns: Ints, values: Floats, document_id: str = ""
) -> DocumentTerms:
    """Return the terms of a document that is a vector: they stand in no text, each counts once."""
    nowhere = np.empty(0, dtype=np.int64)
    return DocumentTerms(
        document_id,
        (),
        names,
        columns,
        np.ones(len(names), dtype=np.int64),
        np.where(columns == UNKNOWN, 0.0, values),
        Pieces(nowhere, nowhere, nowhere, nowhere),
        sizes=values,
    )


def read_document(
    vectorizer: Vectorizer, document: Text | Mapping[str, Text], document_id: str = ""
) -> DocumentTerms:
    """Find a document's terms and their places.

    Cost: linear in the texts, times the sizes of n-grams.

    Parameters
    ----------
    vectorizer:
        A fitted vectorizer, or one with hash buckets.
    document:
        The text, or a mapping of each field to its text.
    document_id:
        Name of the document in explanations.
    """
    parts, columns = _arranged(document, vectorizer.fields)
    numbers: dict[tuple[int, str], int] = {}
    nothing = np.empty(0, dtype=np.int64)
    occurrences = [nothing]
    pieces = [Pieces(nothing, nothing, nothing, nothing)]
    analyzers = vectorizer.analyzer.parts
    for part, number, space in vectorizer.fields.readings if columns else ():
        column = columns[number]
        spans = term_spans(analyzers[part], column.text)
        keys = ((space, token) for token in spans.tokens)
        terms = np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
        which, piece_parts, starts, ends = column.split(spans.starts, spans.ends)
        occurrences.append(terms)
        pieces.append(Pieces(terms[which], piece_parts, starts, ends))
    names = [vectorizer.fields.term_name(space, term) for space, term in numbers]
    found = _columns_of(vectorizer, list(numbers))
    groups, firsts = _groups(found)
    shared: list[list[str]] = [[] for _ in firsts]
    for name, group in zip(names, groups.tolist(), strict=True):
        shared[group].append(name)
    counts = np.bincount(groups[np.concatenate(occurrences)], minlength=len(firsts))
    joined = Pieces(*map(np.concatenate, zip(*pieces, strict=True)))
    return DocumentTerms(
        document_id,
        parts,
        [SHARED_BUCKET.join(together) for together in shared],
        found[firsts],
        counts.astype(np.int64),
        _values(vectorizer, [column.text for column in columns], found[firsts]),
        joined._replace(terms=groups[joined.terms]).in_order(),
    )


@dataclass(frozen=True, slots=True)
class _Column:
    """A text that the vectorizer reads as one: one part, or several joined by line ends."""

    first_part: int
    texts: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.texts)

    def split(self, starts: Ints, ends: Ints) -> tuple[Ints, Ints, Ints, Ints]:
        """Cut stretches of the text into (number of the stretch, part, start, end).

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


def _arranged(
    document: Text | Mapping[str, Text], fields: Fields
) -> tuple[tuple[TextPart, ...], list[_Column]]:
    """Return the parts of a document, and the columns that the vectorizer reads them as.

    A missing field is empty, as in a corpus, but at least one has to be there. Without named fields
    all are one text.
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
        if not parts:
            return parts, []
        whole = _Column(0, tuple(text for _, text in parts))
        return parts, [whole, *_columns_apart(fields, list(given), parts)]
    if given and not given.keys() & set(fields.names):
        raise UsageError(
            f"the document has the fields {', '.join(given)}, the vectorizer takes "
            f"{', '.join(fields.names)}"
        )
    parts = tuple(TextPart(name, given.get(name, "")) for name in fields.names)
    joined = [_Column(number, (part.text,)) for number, part in enumerate(parts)]
    return parts, joined + _columns_apart(fields, list(fields.names), parts)


def _columns_apart(
    fields: Fields, present: list[str], parts: tuple[TextPart, ...]
) -> list[_Column]:
    """Return the columns of the fields that are counted once more, apart."""
    columns = []
    for name in fields.also:
        number = present.index(name) if name in present else 0
        columns.append(_Column(number, (parts[number].text if name in present else "",)))
    return columns


def _as_str(text: Text) -> str:
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else text


def _values(vectorizer: Vectorizer, texts: list[str], columns: Ints) -> Floats:
    """Return the vectorizer's own values: an explanation is of what the model really sees."""
    values = np.zeros(len(columns))
    if not texts:
        return values
    row = vectorizer.transform_columns([[text] for text in texts])
    known = np.flatnonzero(columns != UNKNOWN)
    known = known[np.argsort(columns[known])]
    # The constant, where there is one, is the last entry and no term.
    assert np.array_equal(columns[known], row.indices[: len(known)])
    values[known] = row.data[: len(known)]
    return values


def _groups(columns: Ints) -> tuple[Ints, Ints]:
    """Return the group of each term, and the first term of each group.

    Terms of one column are a group; each unknown term is a group of its own.
    """
    own = np.where(columns == UNKNOWN, -1 - np.arange(len(columns)), columns)
    _, firsts, groups = np.unique(own, return_index=True, return_inverse=True)
    order = np.argsort(firsts)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[groups.reshape(-1)], firsts[order]


def _columns_of(vectorizer: Vectorizer, keys: list[tuple[int, str]]) -> Ints:
    spaces, terms = [space for space, _ in keys], [term for _, term in keys]
    if vectorizer.buckets is not None:
        return _native.hash_terms(vectorizer.buckets, spaces, terms)
    assert vectorizer.vocabulary is not None
    return _native.find_terms(vectorizer.vocabulary.native, spaces, terms)
