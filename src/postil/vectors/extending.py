"""A fitted vectorizer that meets new documents: new terms come after the old ones.

Columns of known terms do not move, and neither does their idf: weights that were learned with them
keep their meaning. The idf of a new term comes from the counts of all documents, old and new. So an
extended vectorizer is not the one that all documents at once would have given; it is defined by
them and by their order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil import _native
from postil.common.types import Ints
from postil.vectors.counting import TermCounter
from postil.vectors.matrices import index_type, stack
from postil.vectors.vectorizer import TextChunk, Vectorizer
from postil.vectors.vocabulary import EVERY_TERM, TermBounds, Vocabulary

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


Counts = NDArray[np.uint64]

OUTSIDE = -1  # the column of a term that no vocabulary has


class Extended(NamedTuple):
    """A vectorizer that knows the new documents, their matrix, and how many terms are new.

    ``left_out`` counts the unknown terms that the bounds keep out.
    """

    vectorizer: Vectorizer
    matrix: csr_matrix[Any]
    new_terms: int
    left_out: int


def extend(vectorizer: Vectorizer, chunks: Iterable[TextChunk]) -> Extended:
    """Take in a stream of new documents; the vectorizer itself stays as it is.

    Known terms stay, whatever their counts. Unknown ones are held to the upper bounds of the
    vectorizer: in no more than ``max_df`` of the new documents, a share being of all, old and new;
    ``max_terms`` counts old and new terms together. Its lower bounds are not asked: nobody knows
    how often such a term was there before, and a small update would bring none at all. Hash
    buckets and given vocabularies do not grow.

    Each text is read once. Cost: linear in the texts and in all terms; memory as of
    ``fit_transform_chunks``.
    """
    if vectorizer.buckets is not None or vectorizer.fixed_vocabulary:
        blocks = (vectorizer.transform_columns(chunk.columns) for chunk in chunks)
        matrix = stack(blocks, vectorizer.columns)
        seen = vectorizer.documents + matrix.shape[0]
        return Extended(vectorizer.knowing(seen), matrix, 0, 0)
    counter = TermCounter(vectorizer.analyzer, vectorizer.fields, vectorizer.threads)
    collector = _native.TermCollector(keep_rows=True)
    for chunk in chunks:
        collector.add(counter.count(chunk.columns, tallies=True), vectorizer.threads)
    return _Growth(vectorizer, collector).extended()


class _Growth:
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
        left_out = int((self.columns == OUTSIDE).sum())
        new = int((self.columns >= len(self.known)).sum())
        vocabulary = self._vocabulary(new)
        idf = self._idf(vocabulary)
        vectorizer = self.old.knowing(self.total, vocabulary, idf)
        return Extended(vectorizer, self._matrix(vectorizer), new, left_out)

    def _columns(self) -> Ints:
        """The column of each term of the new documents; unknown ones that pass get new columns."""
        term_name, column_of = self.known.fields.term_name, self.known.column_of
        named = zip(self.met_spaces, self.met_terms, strict=True)
        found = (column_of.get(term_name(space, term), OUTSIDE) for space, term in named)
        columns = np.fromiter(found, dtype=np.int64, count=len(self.met_terms))
        unknown = np.flatnonzero(columns == OUTSIDE)
        kept = unknown[
            passing(
                self.old.bounds,
                self.ranking.documents[unknown],
                self.ranking.occurrences[unknown],
                self.total,
                len(self.known),
            )
        ]
        columns[kept] = len(self.known) + np.arange(len(kept))
        return columns

    def _vocabulary(self, new: int) -> Vocabulary:
        first = len(self.known)
        places = np.flatnonzero(self.columns >= first).tolist()  # in the order of their columns
        native = _native.Vocabulary(
            [*self.known.native.spaces().tolist(), *(self.met_spaces[at] for at in places)],
            [*self.known.native.terms(), *(self.met_terms[at] for at in places)],
        )
        counted = self.columns != OUTSIDE
        sums = []
        for old, met in (
            (self.known.documents, self.ranking.documents),
            (self.known.occurrences, self.ranking.occurrences),
        ):
            together = np.concatenate([old, np.zeros(new, dtype=np.uint64)])
            together[self.columns[counted]] += met[counted]
            sums.append(together)
        return Vocabulary(lambda: native, sums[0], sums[1], self.total, self.known.fields)

    def _idf(self, vocabulary: Vocabulary) -> NDArray[np.float64] | None:
        """Of known terms as it was, of new ones from all documents."""
        if self.old.idf is None:
            return None
        first = len(self.known)
        new = self.old.weighting.idf_of(vocabulary.documents[first:], self.total)
        assert new is not None
        return np.concatenate([self.old.idf, new])

    def _matrix(self, vectorizer: Vectorizer) -> csr_matrix[Any]:
        """The collected rows, weighed, in the columns of the extended vectorizer."""
        weighting = vectorizer.weighting
        inside = self.columns != OUTSIDE
        # What is left out weighs as terms outside a vocabulary do: nothing, or in the norm alone.
        idf = np.full(len(self.columns), weighting.unseen_idf(self.total))
        idf[inside] = 1.0 if vectorizer.idf is None else vectorizer.idf[self.columns[inside]]
        native = weighting.to_native(idf, self.total)
        starts, terms, values = self.collector.matrix(self.ranking, native, vectorizer.threads)
        column_of = np.append(self.columns, vectorizer.terms)  # the constant's is the last
        return _moved(starts, column_of[terms], values, vectorizer.columns)


def passing(
    bounds: TermBounds, documents: Counts, occurrences: Counts, total: int, known: int
) -> NDArray[np.bool_]:
    """Which unknown terms with these counts come in beside ``known`` ones, of ``total`` documents.

    Upper bounds alone decide.

    Where ``max_terms`` leaves room for some of them, those come in that occur most often, of equals
    the earlier.
    """
    _, most, _, most_terms = bounds.limits(total)
    passed: NDArray[np.bool_] = documents <= most
    room = max(0, most_terms - known)
    if int(passed.sum()) > room:
        often = np.where(passed, occurrences.astype(np.int64), -1)
        passed[np.argsort(-often, kind="stable")[room:]] = False
    return passed


def _moved(
    starts: NDArray[np.int64], columns: Ints, values: NDArray[np.float32], width: int
) -> csr_matrix[Any]:
    """Rows whose entries have other columns, those outside left out; indices sorted."""
    kept = columns != OUTSIDE
    before = np.concatenate([[0], np.cumsum(kept)])
    index = index_type(len(values))
    matrix = sp.csr_matrix(
        (values[kept], columns[kept].astype(index), before[starts].astype(index)),
        shape=(len(starts) - 1, width),
    )
    matrix.sort_indices()
    return matrix
