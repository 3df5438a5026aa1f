"""A document as the vectorizer sees it: its terms, their columns and values, and their places.

Where the terms of a document stand in the texts of its fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from postil import _native
from postil.common.types import Ints
from postil.errors import UsageError
from postil.text.spans import term_spans
from postil.vectors.fields import Fields, Text
from postil.vectors.vectorizer import Vectorizer


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

    terms: Ints
    parts: Ints
    starts: Ints
    ends: Ints

    @classmethod
    def of(cls, columns: tuple[Ints, Ints, Ints, Ints]) -> Pieces:
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

    def split(self, starts: Ints, ends: Ints) -> tuple[Ints, Ints, Ints, Ints]:
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


UNKNOWN = -1
SHARED_BUCKET = " | "


@dataclass(frozen=True, slots=True, eq=False)
class DocumentTerms:
    """The distinct terms of one document, in the order they first stand in it.

    ``columns`` is -1 for a term the vocabulary does not hold. ``values`` are those of the vector
    the model scores, 0 for such a term. Terms that share a hash bucket are one term here, named
    by all of them. ``sizes`` are the weights before the norm where no counts make them.
    """

    id: str
    parts: tuple[TextPart, ...]
    names: list[str]
    columns: Ints
    counts: Ints
    values: NDArray[np.float64]
    pieces: Pieces
    sizes: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.names)


def given_terms(
    names: list[str], columns: Ints, values: NDArray[np.float64], document_id: str = ""
) -> DocumentTerms:
    """The terms of a document that is a vector: they stand in no text, each of them once."""
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
    """Find a document's terms and where they stand.

    Cost: linear in the texts, times the sizes of n-grams.
    """
    parts, columns = arrange(document, vectorizer.fields)
    gathered = _Gatherer(vectorizer)
    for column in columns:
        gathered.read(column)
    return gathered.result(parts, columns, document_id)


class _Gatherer:
    """Collects the terms of the columns, numbered in the order they come."""

    def __init__(self, vectorizer: Vectorizer) -> None:
        self._vectorizer = vectorizer
        self._number_of: dict[tuple[int, str], int] = {}
        self._occurrences: list[Ints] = []
        self._pieces: list[tuple[Ints, Ints, Ints, Ints]] = []

    def read(self, column: Column) -> None:
        spans = term_spans(self._vectorizer.analyzer, column.text)
        numbers = self._number_of
        terms = np.fromiter(
            (numbers.setdefault((column.space, t), len(numbers)) for t in spans.tokens),
            dtype=np.int64,
            count=len(spans),
        )
        which, parts, starts, ends = column.split(spans.starts, spans.ends)
        self._occurrences.append(terms)
        self._pieces.append((terms[which], parts, starts, ends))

    def result(
        self, parts: tuple[TextPart, ...], columns: list[Column], document_id: str
    ) -> DocumentTerms:
        fields = self._vectorizer.fields
        spaces, terms = [s for s, _ in self._number_of], [t for _, t in self._number_of]
        names = [fields.term_name(space, term) for space, term in self._number_of]
        found = _columns_of(self._vectorizer, spaces, terms)
        counts = np.bincount(_joined(self._occurrences), minlength=len(names))
        pieces = [_joined(list(column)) for column in zip(*self._pieces, strict=True)]
        terms_of, parts_of, starts, ends = pieces or [_joined([])] * 4
        group = _groups(found)
        return DocumentTerms(
            document_id,
            parts,
            _group_names(names, group),
            found[group.firsts],
            np.bincount(group.of, weights=counts, minlength=len(group.firsts)).astype(np.int64),
            self._values([column.text for column in columns], found[group.firsts]),
            Pieces.of((group.of[terms_of], parts_of, starts, ends)),
        )

    def _values(self, texts: list[str], columns: Ints) -> NDArray[np.float64]:
        """The vectorizer's own values: an explanation is of what the model really sees."""
        values = np.zeros(len(columns))
        if not texts:
            return values
        row = self._vectorizer.transform_columns([[text] for text in texts])
        known = np.flatnonzero(columns != UNKNOWN)
        known = known[np.argsort(columns[known])]
        # The constant, where there is one, is the last entry and no term.
        assert np.array_equal(columns[known], row.indices[: len(known)])
        values[known] = row.data[: len(known)]
        return values


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """Which terms are one: the group of each, and the first term of each group."""

    of: Ints
    firsts: Ints


def _groups(columns: Ints) -> _Groups:
    """Put terms of one column together; each unknown one stands for itself."""
    own = np.where(columns == UNKNOWN, -1 - np.arange(len(columns)), columns)
    _, firsts, of = np.unique(own, return_index=True, return_inverse=True)
    order = np.argsort(firsts)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return _Groups(rank[of.reshape(-1)], firsts[order])


def _group_names(names: list[str], group: _Groups) -> list[str]:
    if len(group.firsts) == len(names):
        return names
    shared: list[list[str]] = [[] for _ in group.firsts]
    for name, number in zip(names, group.of.tolist(), strict=True):
        shared[number].append(name)
    return [SHARED_BUCKET.join(together) for together in shared]


def _columns_of(vectorizer: Vectorizer, spaces: list[int], terms: list[str]) -> Ints:
    if vectorizer.buckets is not None:
        return _native.hash_terms(vectorizer.buckets, spaces, terms)
    assert vectorizer.vocabulary is not None
    return _native.find_terms(vectorizer.vocabulary.native, spaces, terms)


def _joined(columns: list[Ints]) -> Ints:
    return np.concatenate([np.empty(0, dtype=np.int64), *columns])
