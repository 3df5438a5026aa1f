"""Near copies: documents that share most of their terms, which must not be in different folds.

A classifier knows a held-out document by heart if a copy of it is among those it learned from, and
every measure is then too high. Copies are found by MinHash (Broder 1997) and bands: two documents
are compared if four of their smallest hashes agree in one of eight bands, which finds 98 % of the
pairs with a Jaccard similarity of 0.8.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.common.types import Ints

BANDS, HASHES = 8, 4
SIMILAR = 0.8  # the share of the terms of two documents that both have
_MULTIPLIER = 0x9E3779B97F4A7C15


def groups_of_copies(matrix: Any) -> Ints:  # noqa: ANN401 - a CSR matrix or array
    """Return the number of the group of each document; near copies have the same number.

    Documents without terms are groups of their own. Cost: 32 passes over the non-zeros, and memory
    of a few numbers for each.

    Parameters
    ----------
    matrix : sparse matrix
        Documents × terms, with sorted indices.
    """
    documents = matrix.shape[0]
    filled = np.flatnonzero(np.diff(matrix.indptr))
    starts = matrix.indptr[filled]
    terms = np.arange(matrix.shape[1], dtype=np.uint64)
    left, right = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for band in range(BANDS):
        key = np.zeros(len(filled), dtype=np.uint64)
        for number in range(HASHES):
            salt = np.uint64((1 + band * HASHES + number) * _MULTIPLIER % 2**64)
            hashes = _mixed(terms ^ salt)[matrix.indices]
            smallest = np.minimum.reduceat(hashes, starts) if len(starts) else key
            key = _mixed(key ^ smallest)
        order = np.argsort(key, kind="stable")
        equal = key[order[1:]] == key[order[:-1]]
        left.append(filled[order[:-1][equal]])
        right.append(filled[order[1:][equal]])
    pairs = np.unique(np.stack([np.concatenate(left), np.concatenate(right)]), axis=1)
    alike = [_are_similar(matrix, a, b) for a, b in pairs.T.tolist()]
    kept = pairs[:, np.array(alike, dtype=np.bool_)]
    graph = sp.coo_matrix((np.ones(kept.shape[1]), kept), shape=(documents, documents))
    groups: Ints = sp.csgraph.connected_components(graph, directed=False)[1].astype(np.int64)
    return groups


def merged_groups(first: Ints | None, second: Ints | None) -> Ints | None:
    """Return groups that keep the documents of a group of either kind together."""
    if first is None or second is None:
        return second if first is None else first
    documents = len(first)
    nodes = np.concatenate([first, second + int(first.max(initial=-1)) + 1])
    count = int(nodes.max(initial=-1)) + 1
    cells = (np.ones(documents), (nodes[:documents], nodes[documents:]))
    graph = sp.coo_matrix(cells, shape=(count, count))
    groups: Ints = sp.csgraph.connected_components(graph, directed=False)[1][first].astype(np.int64)
    return np.unique(groups, return_inverse=True)[1].astype(np.int64)


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return hashes of numbers (the finalizer of MurmurHash3)."""
    mixed = (values ^ (values >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    mixed = (mixed ^ (mixed >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    result: NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(33))
    return result


def _are_similar(matrix: sp.csr_matrix[Any], a: int, b: int) -> bool:
    first = matrix.indices[matrix.indptr[a] : matrix.indptr[a + 1]]
    second = matrix.indices[matrix.indptr[b] : matrix.indptr[b + 1]]
    shared = len(np.intersect1d(first, second, assume_unique=True))
    return bool(shared >= SIMILAR * (len(first) + len(second) - shared))
