"""Sparse matrices: made from the arrays of the native core, stacked, and checked.

SciPy is imported where a matrix is made, so that scoring texts does not load it.
"""

from __future__ import annotations

import copy
from collections import deque
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from postil.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import scipy.sparse as sp

CsrArrays = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]
Csr: TypeAlias = "sp.csr_matrix[Any] | sp.csr_array[Any, tuple[int, int]]"

LARGEST_INT32 = np.iinfo(np.int32).max


def to_csr(arrays: CsrArrays, columns: int) -> sp.csr_matrix[Any]:
    """Return the matrix of (row starts, terms, values), which shares the arrays.

    SciPy wants both index arrays of one type: 32 bits while the entries can be numbered so.
    """
    import scipy.sparse as sp

    row_starts, terms, values = arrays
    index = index_type(len(values))
    starts, indices = row_starts.astype(index), terms.astype(index, copy=False)
    rows = len(row_starts) - 1
    matrix: Any
    if rows == 1:
        # SciPy's constructor takes longer than making the vector of one document does.
        matrix = copy.copy(_empty_row(columns))
        matrix.data, matrix.indices, matrix.indptr = values, indices, starts
    else:
        matrix = sp.csr_matrix((values, indices, starts), shape=(rows, columns))
    matrix.has_sorted_indices = True
    matrix.has_canonical_format = True
    return cast("sp.csr_matrix[Any]", matrix)


@lru_cache(maxsize=64)
def _empty_row(columns: int) -> sp.csr_matrix[Any]:
    import scipy.sparse as sp

    nothing = (np.empty(0, np.float32), np.empty(0, np.int32), np.zeros(2, np.int32))
    return sp.csr_matrix(nothing, shape=(1, columns))


def index_type(entries: int) -> type[np.signedinteger[Any]]:
    """Return the narrowest index type that numbers this many entries."""
    return np.int32 if entries <= LARGEST_INT32 else np.int64


def check_indices(matrix: Any, what: str) -> None:  # noqa: ANN401 - any matrix, sparse or not
    """Raise InputError if an index of a sparse matrix lies outside it.

    SciPy and the native core trust indices and would read and write memory that is not theirs, so
    every sparse matrix of a caller is checked first. Cost: a pass over the indices; formats other
    than CSR, CSC, BSR and COO are converted once more.

    Parameters
    ----------
    matrix
        Any matrix; one that is not sparse and two-dimensional passes.
    what
        The name of the matrix in the error message.
    """
    import scipy.sparse as sp

    given: Any = matrix  # type checkers know fewer attributes of sparse matrices
    if not sp.issparse(matrix) or given.ndim != 2:
        return
    rows, columns = given.shape
    if given.format in ("csr", "csc", "bsr"):
        height, width = given.blocksize if given.format == "bsr" else (1, 1)
        sides = (rows // height, columns // width)
        _check_compressed(given, *(sides[::-1] if given.format == "csc" else sides), what)
    elif given.format == "coo":
        if not len(given.row) == len(given.col) == len(given.data):
            raise InputError(
                f"{what}: the sparse matrix has different numbers of rows, columns and values"
            )
        _check_range(given.row, rows, given.shape, what)
        _check_range(given.col, columns, given.shape, what)
    else:
        try:
            entries = given.tocoo()
        except (ValueError, IndexError) as error:
            raise InputError(f"{what}: the sparse matrix is damaged ({error})") from error
        check_indices(entries, what)


def _check_compressed(given: Any, count: int, width: int, what: str) -> None:  # noqa: ANN401
    starts = given.indptr
    rising = len(starts) == count + 1 and starts[0] == 0 and bool((starts[1:] >= starts[:-1]).all())
    if not rising or starts[-1] > min(len(given.indices), len(given.data)):
        raise InputError(
            f"{what}: indptr of the sparse matrix does not rise from 0 to the number of its "
            f"entries, {len(given.indices)}; build the matrix again"
        )
    _check_range(given.indices[: starts[-1]], width, given.shape, what)


def _check_range(indices: NDArray[Any], bound: int, shape: tuple[int, ...], what: str) -> None:
    if len(indices) == 0:
        return
    least, most = indices.min(), indices.max()
    if indices.dtype.kind not in "iu" or least < 0 or most >= bound:
        raise InputError(
            f"{what}: the indices of the sparse matrix go from {least} to {most}, and its shape "
            f"is {' × '.join(map(str, shape))}; build the matrix again"
        )


def as_new(rows: Csr, every: Csr, least: int = 1) -> sp.csr_matrix[Any]:
    """Return held-out documents as they would be if they were new.

    A new document has terms that no other has, which the vocabulary does not hold and the length
    of a vector does not count. Here the vocabulary holds them: terms that fewer than ``least`` of
    the other documents have are left out, and the lengths of vectors stay as they were.

    Parameters
    ----------
    rows : sparse matrix
        The held-out documents.
    every : sparse matrix
        All documents, these among them.
    least : int
        The least number of documents that a term of the vocabulary has.
    """
    import scipy.sparse as sp

    if not rows.nnz:
        return sp.csr_matrix(rows)
    others = _documents_of_terms(every) - _documents_of_terms(rows)
    kept = others[rows.indices] >= least
    place = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    squares = rows.data.astype(np.float64) ** 2
    before = np.bincount(place, squares, rows.shape[0])
    after = np.bincount(place[kept], squares[kept], rows.shape[0])
    factors = np.sqrt(np.divide(before, after, out=np.ones_like(before), where=after > 0))
    data = (rows.data * factors[place] * kept).astype(rows.data.dtype)
    return sp.csr_matrix((data, rows.indices, rows.indptr), shape=rows.shape)


def _documents_of_terms(rows: Csr) -> NDArray[np.int64]:
    return np.bincount(rows.indices, minlength=rows.shape[1])


def stack(blocks: Iterator[sp.csr_matrix[Any]], columns: int) -> sp.csr_matrix[Any]:
    """Stack blocks of rows; each block is released once copied, so the peak is about one matrix.

    ``blocks`` is an iterator because a list would keep every block alive to the end.
    """
    import scipy.sparse as sp

    waiting = deque(blocks)
    entries = sum(block.nnz for block in waiting)
    rows = sum(block.shape[0] for block in waiting)
    index = index_type(entries)
    row_starts = np.zeros(rows + 1, dtype=index)
    terms = np.empty(entries, dtype=index)
    values = np.empty(entries, dtype=np.float32)
    row = entry = 0
    while waiting:
        block = waiting.popleft()
        end = entry + block.nnz
        terms[entry:end] = block.indices
        values[entry:end] = block.data
        row_starts[row + 1 : row + 1 + block.shape[0]] = block.indptr[1:] + np.int64(entry)
        row, entry = row + block.shape[0], end
    return sp.csr_matrix((values, terms, row_starts), shape=(rows, columns))
