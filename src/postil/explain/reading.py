"""A document as the vectorizer sees it: its terms, their columns and values, and their places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from postil import _native
from postil.explain.places import Column, Numbers, Pieces, TextPart, arrange
from postil.text.spans import term_spans
from postil.vectors.fields import Text
from postil.vectors.vectorizer import Vectorizer

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
    columns: Numbers
    counts: Numbers
    values: NDArray[np.float64]
    pieces: Pieces
    sizes: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.names)


def given_terms(
    names: list[str], columns: Numbers, values: NDArray[np.float64], document_id: str = ""
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
        self._occurrences: list[Numbers] = []
        self._pieces: list[tuple[Numbers, Numbers, Numbers, Numbers]] = []

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

    def _values(self, texts: list[str], columns: Numbers) -> NDArray[np.float64]:
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

    of: Numbers
    firsts: Numbers


def _groups(columns: Numbers) -> _Groups:
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


def _columns_of(vectorizer: Vectorizer, spaces: list[int], terms: list[str]) -> Numbers:
    if vectorizer.buckets is not None:
        return _native.hash_terms(vectorizer.buckets, spaces, terms)
    assert vectorizer.vocabulary is not None
    return _native.find_terms(vectorizer.vocabulary.native, spaces, terms)


def _joined(columns: list[Numbers]) -> Numbers:
    return np.concatenate([np.empty(0, dtype=np.int64), *columns])
