"""The weights of all categories in memory: one form for equal numbers.

A weight of 0 has no entry, unless a file would hold all entries in fewer bytes than those that
are not 0 with their indices: then every weight has one, the zeros too. So what is read from a
file is what was written, entry by entry, and adds up to the same scores to the last bit.
"""

from __future__ import annotations

from typing import Any, TypeAlias, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.errors import InputError, UsageError
from postil.model.integers import smallest_type
from postil.vectors.matrices import check_indices, index_type

Csr: TypeAlias = "sp.csr_matrix[Any]"
Weights: TypeAlias = "sp.csr_matrix[Any] | sp.csc_matrix[Any]"

VALUE_BYTES = 4


def canonical_weights(weights: Any) -> Weights:  # noqa: ANN401 - any scipy sparse matrix
    """Take weights, categories × terms, as float32 in their one form, indices sorted.

    CSC stays CSC, anything else becomes CSR. What fits already is not copied.
    """
    if not sp.issparse(weights):
        raise UsageError(
            f"weights must be a scipy sparse matrix (categories × terms), got "
            f"{type(weights).__name__}: wrap it in scipy.sparse.csr_matrix"
        )
    check_indices(weights, "weights")
    given: Any = weights
    matrix = given if given.format == "csc" else given.tocsr()
    with np.errstate(over="ignore"):  # said in our own words below
        matrix = matrix.astype(np.float32, copy=False)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    if not np.isfinite(matrix.data).all():
        raise InputError("weights must be finite as float32; some are not a number or infinite")
    formed = _formed(rows_of(matrix))
    return formed if matrix.format == "csr" else cast("Weights", _marked(formed.T))


def rows_of(weights: Weights) -> Csr:
    """The matrix whose rows stand one after another: categories in CSR, terms in CSC."""
    return weights if weights.format == "csr" else cast("Csr", _marked(weights.T))


def is_dense(rows: Csr) -> bool:
    """Whether a file holds all entries in fewer bytes than those that are not 0."""
    count, width = rows.shape
    nonzeros = int(np.count_nonzero(rows.data))
    starts = _bytes(nonzeros) * (count + 1)
    return count * width * VALUE_BYTES < starts + nonzeros * (_bytes(width) + VALUE_BYTES)


def full_rows(values: NDArray[Any]) -> Csr:
    """The rows of an array with an entry for every value, in the array's own memory."""
    count, width = values.shape
    index = index_type(values.size)
    starts = np.arange(count + 1, dtype=index) * index(width)
    indices = np.tile(np.arange(width, dtype=index), count)
    rows = sp.csr_matrix((values.reshape(-1), indices, starts), shape=values.shape, copy=False)
    return cast("Csr", _marked(rows))


def _formed(rows: Csr) -> Csr:
    zeros = rows.data == 0
    dense = is_dense(rows)
    entries = rows.shape[0] * rows.shape[1] if dense else rows.nnz - np.count_nonzero(zeros)
    if rows.nnz == entries and not np.signbit(rows.data[zeros]).any():
        return rows
    rows = rows.copy()
    rows.eliminate_zeros()
    return full_rows(rows.toarray()) if dense else rows


def _marked(matrix: Any) -> Any:  # noqa: ANN401 - CSR or CSC, whose flags a turn forgets
    matrix.has_canonical_format = True
    return matrix


def _bytes(largest: int) -> int:
    return np.dtype(smallest_type(largest)).itemsize
