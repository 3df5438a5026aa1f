"""The weights of all categories: one form in memory, the smallest of four in a file.

Whatever is stored is a matrix of rows; ``order`` says whether a row is a category (``csr`` in
memory) or a term (``csc``). Learning and inspecting go by category, scoring goes by term. Each
order is stored sparse or dense, as takes fewer bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.errors import InputError, UsageError
from postil.model.integers import as_indices, check_below, check_starts, narrowed, smallest_type
from postil.model.settings import checked
from postil.model.tensors import Arrays, Parts, Tensors

Csr: TypeAlias = "sp.csr_matrix[Any]"
Weights: TypeAlias = "sp.csr_matrix[Any] | sp.csc_matrix[Any]"

STARTS, INDICES, VALUES = "weights.starts", "weights.indices", "weights.values"
_SCHEMA = {"order": str, "storage": str}
_FORMATS = {"category": "csr", "term": "csc"}


def canonical_weights(weights: Any) -> Weights:  # noqa: ANN401 - any scipy sparse matrix
    """Take weights, categories × terms, as float32 with sorted indices and no entry twice.

    CSC stays CSC, anything else becomes CSR. What fits already is not copied.
    """
    if not sp.issparse(weights):
        raise UsageError(
            f"weights must be a scipy sparse matrix (categories × terms), got "
            f"{type(weights).__name__}: wrap it in scipy.sparse.csr_matrix"
        )
    given: Any = weights
    matrix = given if given.format == "csc" else given.tocsr()
    with np.errstate(over="ignore"):  # said in our own words below
        matrix = matrix.astype(np.float32, copy=False)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    if not np.isfinite(matrix.data).all():
        raise InputError("weights must be finite as float32; some are not a number or infinite")
    return cast("Weights", matrix)


def weights_to_parts(weights: Weights) -> Parts:
    """Take canonical weights apart in their order; zeros that are stored are left out."""
    order = next(order for order, name in _FORMATS.items() if name == weights.format)
    rows = cast("Csr", weights if order == "category" else weights.T)
    if not rows.data.all():
        rows = rows.copy()
        rows.eliminate_zeros()
    storage = "dense" if _dense_bytes(rows) < _sparse_bytes(rows) else "sparse"
    arrays = {VALUES: rows.toarray()} if storage == "dense" else _sparse_arrays(rows)
    return Parts({"order": order, "storage": storage}, arrays)


def weights_from_parts(settings: object, tensors: Tensors, shape: tuple[int, int]) -> Weights:
    """Restore weights of ``shape``, categories × terms; their values stay where they are.

    Indices are copied where they are stored narrower than 32 bits.
    """
    found = checked(settings, _SCHEMA, "weights")
    order, storage = found["order"], found["storage"]
    if order not in _FORMATS or storage not in _READERS:
        raise InputError(f"weights are stored in an unknown way, {order!r} {storage!r}")
    by_category = order == "category"
    rows = _READERS[storage](tensors, *(shape if by_category else shape[::-1]))
    if not np.isfinite(rows.data).all():
        raise InputError(f"{VALUES!r} holds numbers that are not finite")
    weights = rows if by_category else rows.T
    weights.has_canonical_format = True  # checked above, or so by construction
    return weights


def _sparse_bytes(rows: Csr) -> int:
    count, width = rows.shape
    starts = np.dtype(smallest_type(rows.nnz)).itemsize * (count + 1)
    return starts + rows.nnz * (np.dtype(smallest_type(max(width - 1, 0))).itemsize + 4)


def _dense_bytes(rows: Csr) -> int:
    return int(rows.shape[0]) * int(rows.shape[1]) * 4


def _sparse_arrays(rows: Csr) -> Arrays:
    return {STARTS: narrowed(rows.indptr), INDICES: narrowed(rows.indices), VALUES: rows.data}


def _read_sparse(tensors: Tensors, count: int, width: int) -> Csr:
    values = tensors.take(VALUES, "f4", None)
    starts = tensors.take(STARTS, "u", count + 1)
    indices = tensors.take(INDICES, "u", len(values))
    check_starts(starts, len(values), STARTS)
    check_below(indices, width, INDICES)
    rising = indices[1:] > indices[:-1]
    # From one row to the next an index may fall; empty rows at the ends have no step there.
    borders = starts[(starts > 0) & (starts < len(values))]
    rising[borders.astype(np.int64) - 1] = True
    if not rising.all():
        raise InputError(f"{INDICES!r} does not rise within every row")
    return _rows(values, as_indices(indices, len(values)), as_indices(starts, len(values)), width)


def _read_dense(tensors: Tensors, count: int, width: int) -> Csr:
    values = tensors.take(VALUES, "f4", count, width)
    starts = np.arange(count + 1, dtype=np.int64) * width
    indices = np.tile(np.arange(width, dtype=np.int32), count)
    cells = count * width
    return _rows(values.reshape(-1), as_indices(indices, cells), as_indices(starts, cells), width)


def _rows(values: NDArray[Any], indices: NDArray[Any], starts: NDArray[Any], width: int) -> Csr:
    return sp.csr_matrix((values, indices, starts), shape=(len(starts) - 1, width), copy=False)


_READERS: Mapping[str, Callable[[Tensors, int, int], Csr]] = MappingProxyType(
    {"sparse": _read_sparse, "dense": _read_dense}
)
