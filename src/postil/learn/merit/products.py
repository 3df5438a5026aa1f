"""Products of documents with tables that have a column for each problem.

Scores of all problems, and gradients of all, are one matrix product each. Sparse documents are
multiplied by the native core, dense ones (as LSI makes them) by BLAS, in pieces of a fixed size
with one thread each, so that results do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from postil import _native
from postil.learn.design import Design
from postil.vectors.threads import one_blas_thread

Singles = NDArray[np.float32]
Table = NDArray[Any]  # documents × problems or features × problems, of singles

# Where more than this share of the entries is not 0, a dense product is faster.
DENSE_SHARE = 0.25
PIECE = 1024  # documents of a piece of a dense product
SLICE = 128  # features of one


class Products(Protocol):
    """Documents × features, for products with tables."""

    documents: int
    features: int

    def scores(self, weights: Table) -> Singles:
        """Documents × features times features × problems."""

    def gradient(self, slopes: Table) -> Singles:
        """Features × documents times documents × problems."""


class SparseProducts:
    """Products of a sparse matrix. Cost: non-zeros × problems."""

    def __init__(self, design: Design, threads: int) -> None:
        self.documents, self.features = design.documents, design.terms
        self._design = design.native
        self._threads = threads

    def scores(self, weights: Table) -> Singles:
        """Documents × features times features × problems."""
        return _native.document_products(self._design, _singles(weights), self._threads)

    def gradient(self, slopes: Table) -> Singles:
        """Features × documents times documents × problems."""
        return _native.term_products(self._design, _singles(slopes), self._threads)


class DenseProducts:
    """Products of a dense matrix. Cost: documents × features × problems, memory of the matrix."""

    def __init__(self, points: Singles, threads: int) -> None:
        self.documents, self.features = points.shape
        self._points = np.ascontiguousarray(points, dtype=np.float32)
        self._threads = threads

    def scores(self, weights: Table) -> Singles:
        """Documents × features times features × problems."""
        table = _singles(weights)
        found = np.empty((self.documents, table.shape[1]), dtype=np.float32)

        def multiply(rows: slice) -> None:
            np.matmul(self._points[rows], table, out=found[rows])

        self._each(multiply, self.documents, PIECE)
        return found

    def gradient(self, slopes: Table) -> Singles:
        """Features × documents times documents × problems."""
        table = _singles(slopes)
        found = np.empty((self.features, table.shape[1]), dtype=np.float32)

        def multiply(columns: slice) -> None:
            np.matmul(self._points[:, columns].T, table, out=found[columns])

        self._each(multiply, self.features, SLICE)
        return found

    def _each(self, work: Callable[[slice], None], count: int, size: int) -> None:
        pieces = [slice(*ends) for ends in pairwise([*range(0, count, size), count])]
        if self._threads == 1 or len(pieces) == 1:
            for piece in pieces:
                work(piece)
            return
        with ThreadPoolExecutor(self._threads) as pool:
            for _ in pool.map(work, pieces):
                pass


@contextmanager
def products_of(design: Design, threads: int) -> Iterator[Products]:
    """Products of a shared matrix; while they are used, BLAS keeps to one thread a piece."""
    entries = design.documents * design.terms
    if design.rows.nnz <= DENSE_SHARE * entries:
        yield SparseProducts(design, threads)
        return
    with one_blas_thread():
        yield DenseProducts(design.rows.toarray(), threads)


def _singles(table: Table) -> Singles:
    return np.ascontiguousarray(table, dtype=np.float32)
