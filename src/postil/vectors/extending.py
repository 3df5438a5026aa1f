"""Extend a fitted vectorizer by new documents: new terms come after the old ones.

Columns of known terms do not move, and neither does their idf: weights that were learned with them
keep their meaning. The idf of a new term comes from the counts of all documents, old and new. An
extended vectorizer therefore differs from one fitted on all documents at once; it depends on the
documents and on their order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from postil import _native
from postil.common.types import Ints
from postil.vectors.matrices import index_type, stack
from postil.vectors.vectorizer import TermCounter, TextChunk, Vectorizer
from postil.vectors.vocabulary import EVERY_TERM, Counts, TermBounds, Vocabulary

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

OUTSIDE = -1  # the column of a term that is in no vocabulary


class Extended(NamedTuple):
    """An extended vectorizer, the matrix of the new documents, and the number of new terms.

    ``left_out`` counts the unknown terms that the bounds keep out.
    """

    vectorizer: Vectorizer
    matrix: csr_matrix[Any]
    new_terms: int
    left_out: int


def extend(vectorizer: Vectorizer, chunks: Iterable[TextChunk]) -> Extended:
    """Extend a vectorizer by a stream of new documents; the vectorizer itself does not change.

    Known terms stay, whatever their counts. Unknown ones are held to the upper bounds of the
    vectorizer: in no more than ``max_df`` of the new documents, a share being of all, old and new;
    ``max_terms`` counts old and new terms together. Lower bounds do not apply: the old counts of
    an unknown term are not known, and a small update would add no term at all. Hash buckets and
    given vocabularies do not grow.

    Each text is read once. Cost: linear in the texts and in all terms; memory as of
    ``fit_transform_chunks``.
    """
    if vectorizer.buckets is not None or vectorizer.fixed_vocabulary:
        blocks = (vectorizer.transform_columns(chunk.columns) for chunk in chunks)
        matrix = stack(blocks, vectorizer.columns)
        seen = vectorizer.documents + matrix.shape[0]
        return Extended(vectorizer.with_fit(seen), matrix, 0, 0)
    counter = TermCounter(vectorizer.analyzer, vectorizer.fields, vectorizer.threads)
    collector = _native.TermCollector(keep_rows=True)
    for chunk in chunks:
        collector.add(counter.count(chunk.columns, tallies=True), vectorizer.threads)
    return _Extension(vectorizer, collector).extended()


class _Extension:
    """All terms of the new documents beside those of a vectorizer."""

    def __init__(self, old: Vectorizer, collector: _native.TermCollector) -> None:
        assert old.vocabulary is not None
        self.old = old
        self.known = old.vocabulary
        self.collector = collector
        self.ranking = collector.rank(1, collector.documents, 1, EVERY_TERM, old.threads)
        self.total = self.known.total + collector.documents
        met = collector.vocabulary(self.ranking)
        self.met_spaces, self.met_terms = met.spaces().tolist(), met.terms()
        self.columns = self._columns()

    def extended(self) -> Extended:
        new = int((self.columns >= len(self.known)).sum())
        vocabulary = self._vocabulary(new)
        idf = self._idf(vocabulary)
        vectorizer = self.old.with_fit(self.total, vocabulary=vocabulary, idf=idf)
        left_out = int((self.columns == OUTSIDE).sum())
        return Extended(vectorizer, self._matrix(vectorizer), new, left_out)

    def _columns(self) -> Ints:
        """Return the column of each term of the new documents; admitted unknown ones get new."""
        term_name, column_of = self.known.fields.term_name, self.known.column_of
        named = zip(self.met_spaces, self.met_terms, strict=True)
        found = (column_of.get(term_name(space, term), OUTSIDE) for space, term in named)
        columns = np.fromiter(found, dtype=np.int64, count=len(self.met_terms))
        unknown = np.flatnonzero(columns == OUTSIDE)
        admitted = unknown[
            admitted_terms(
                self.old.bounds,
                self.ranking.documents[unknown],
                self.ranking.occurrences[unknown],
                self.total,
                len(self.known),
            )
        ]
        columns[admitted] = len(self.known) + np.arange(len(admitted))
        return columns

    def _vocabulary(self, new: int) -> Vocabulary:
        places = np.flatnonzero(self.columns >= len(self.known)).tolist()  # by rising column
        native = _native.Vocabulary(
            [*self.known.native.spaces().tolist(), *(self.met_spaces[at] for at in places)],
            [*self.known.native.terms(), *(self.met_terms[at] for at in places)],
        )
        inside = self.columns != OUTSIDE

        def added(old: Counts, met: Counts) -> Counts:
            together = np.concatenate([old, np.zeros(new, dtype=np.uint64)])
            together[self.columns[inside]] += met[inside]
            return together

        documents = added(self.known.documents, self.ranking.documents)
        occurrences = added(self.known.occurrences, self.ranking.occurrences)
        return Vocabulary(lambda: native, documents, occurrences, self.total, self.known.fields)

    def _idf(self, vocabulary: Vocabulary) -> NDArray[np.float64] | None:
        """Return the old idf of known terms, and that of new ones from all documents."""
        if self.old.idf is None:
            return None
        new = self.old.weighting.idf_of(vocabulary.documents[len(self.known) :], self.total)
        assert new is not None
        return np.concatenate([self.old.idf, new])

    def _matrix(self, vectorizer: Vectorizer) -> csr_matrix[Any]:
        """Return the collected rows, weighted, in the columns of the extended vectorizer."""
        import scipy.sparse as sp

        weighting = vectorizer.weighting
        inside = self.columns != OUTSIDE
        # Terms left out have the idf of terms outside a vocabulary: they count in the norm or not.
        idf = np.full(len(self.columns), weighting.unseen_idf(self.total))
        idf[inside] = 1.0 if vectorizer.idf is None else vectorizer.idf[self.columns[inside]]
        native = weighting.to_native(idf, self.total)
        starts, terms, values = self.collector.matrix(self.ranking, native, vectorizer.threads)
        columns = np.append(self.columns, vectorizer.terms)[terms]  # the constant's is the last
        kept = columns != OUTSIDE
        before = np.concatenate([[0], np.cumsum(kept)])
        index = index_type(len(values))
        matrix = sp.csr_matrix(
            (values[kept], columns[kept].astype(index), before[starts].astype(index)),
            shape=(len(starts) - 1, vectorizer.columns),
        )
        matrix.sort_indices()
        return matrix


def admitted_terms(
    bounds: TermBounds, documents: Counts, occurrences: Counts, total: int, known: int
) -> NDArray[np.bool_]:
    """Return a flag for each unknown term that the upper bounds admit.

    Where ``max_terms`` has room for only some of them, those are admitted that occur most often,
    of equals the earlier.

    Parameters
    ----------
    bounds
        The bounds of the vectorizer.
    documents, occurrences
        The counts of each unknown term in the new documents.
    total
        The number of all documents, old and new.
    known
        The number of known terms.
    """
    _, most, _, most_terms = bounds.limits(total)
    admitted: NDArray[np.bool_] = documents <= most
    room = max(0, most_terms - known)
    if int(admitted.sum()) > room:
        often = np.where(admitted, occurrences.astype(np.int64), -1)
        admitted[np.argsort(-often, kind="stable")[room:]] = False
    return admitted
