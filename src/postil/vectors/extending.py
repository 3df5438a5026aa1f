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
from postil.vectors.vectorizer import TextChunk, Vectorizer
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
    collector = _native.TermCollector(keep_rows=True)
    for chunk in chunks:
        collector.add(vectorizer.count(chunk.columns, tallies=True), vectorizer.threads)
    return _extended(vectorizer, collector)


def _extended(old: Vectorizer, collector: _native.TermCollector) -> Extended:
    known = old.vocabulary
    assert known is not None
    ranking = collector.rank(1, collector.documents, 1, EVERY_TERM, old.threads)
    total = known.total + collector.documents
    met = collector.vocabulary(ranking)
    spaces, terms = met.spaces().tolist(), met.terms()
    names = map(known.fields.term_name, spaces, terms)
    found = (known.column_of.get(name, OUTSIDE) for name in names)
    # The column of each term of the new documents; admitted unknown ones get new columns.
    columns = np.fromiter(found, dtype=np.int64, count=len(terms))
    unknown = np.flatnonzero(columns == OUTSIDE)
    counts = ranking.documents[unknown], ranking.occurrences[unknown]
    new = unknown[admitted_terms(old.bounds, *counts, total, len(known))]
    columns[new] = len(known) + np.arange(len(new))
    inside = columns != OUTSIDE

    def added(before: Counts, more: Counts) -> Counts:
        together = np.concatenate([before, np.zeros(len(new), dtype=np.uint64)])
        together[columns[inside]] += more[inside]
        return together

    places = new.tolist()
    native = _native.Vocabulary(
        [*known.native.spaces().tolist(), *(spaces[at] for at in places)],
        [*known.native.terms(), *(terms[at] for at in places)],
    )
    documents = added(known.documents, ranking.documents)
    occurrences = added(known.occurrences, ranking.occurrences)
    vocabulary = Vocabulary(lambda: native, documents, occurrences, total, known.fields)
    idf = None  # known terms keep their idf, new ones have that of all documents
    if old.idf is not None:
        later = old.idf_of(vocabulary, documents, total)
        assert later is not None
        idf = np.concatenate([old.idf, later[len(known) :]])
    vectorizer = old.with_fit(total, vocabulary=vocabulary, idf=idf)
    matrix = _matrix(vectorizer, collector, ranking, columns)
    return Extended(vectorizer, matrix, len(new), int(np.count_nonzero(~inside)))


def _matrix(
    vectorizer: Vectorizer,
    collector: _native.TermCollector,
    ranking: _native.Ranking,
    column_of: Ints,
) -> csr_matrix[Any]:
    """Return the collected rows, weighted, in the columns of the extended vectorizer."""
    import scipy.sparse as sp

    weighting, total = vectorizer.weighting, vectorizer.documents
    inside = column_of != OUTSIDE
    # Terms left out have the idf of terms outside a vocabulary: they count in the norm or not.
    idf = np.full(len(column_of), weighting.unseen_idf(total))
    idf[inside] = 1.0 if vectorizer.idf is None else vectorizer.idf[column_of[inside]]
    native = weighting.to_native(idf, total)
    starts, terms, values = collector.matrix(ranking, native, vectorizer.threads)
    columns = np.append(column_of, vectorizer.terms)[terms]  # the constant's is the last
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
