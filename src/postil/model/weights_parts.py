"""Weights in a file: rows of categories or of terms, sparse or dense.

``order`` says what a row is: a category (CSR in memory) or a term (CSC). Learning and inspecting
go by category, scoring goes by term. ``storage`` is what takes fewer bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
import scipy.sparse as sp

from postil.errors import InputError
from postil.model.integers import as_indices, check_below, check_starts, narrowed, smallest_type
from postil.model.settings import checked
from postil.model.tensors import Parts, Tensors
from postil.model.weights import Csr, Weights, full_rows, is_dense, rows_of

STARTS, INDICES, VALUES = "weights.starts", "weights.indices", "weights.values"
_SCHEMA = {"order": str, "storage": str}
_ORDERS = {"csr": "category", "csc": "term"}


def weights_to_parts(weights: Weights) -> Parts:
    """Take canonical weights apart; their values are not copied."""
    rows = rows_of(weights)
    order = _ORDERS[weights.format]
    if is_dense(rows):
        return Parts({"order": order, "storage": "dense"}, {VALUES: rows.data.reshape(rows.shape)})
    arrays = {
        STARTS: narrowed(rows.indptr),
        INDICES: rows.indices.astype(smallest_type(rows.shape[1]), copy=False),
        VALUES: rows.data,
    }
    return Parts({"order": order, "storage": "sparse"}, arrays)


def weights_from_parts(settings: object, tensors: Tensors, shape: tuple[int, int]) -> Weights:
    """Restore weights of ``shape``, categories × terms; their values stay where they are.

    Indices are copied where they are stored narrower than 32 bits.
    """
    found = checked(settings, _SCHEMA, "weights")
    order, storage = found["order"], found["storage"]
    if order not in _ORDERS.values() or storage not in _READERS:
        raise InputError(f"weights are stored in an unknown way, {order!r} {storage!r}")
    by_category = order == "category"
    rows = _READERS[storage](tensors, *(shape if by_category else shape[::-1]))
    weights = rows if by_category else rows.T
    weights.has_canonical_format = True  # checked, or so by construction
    return weights


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
    arrays = values, as_indices(indices, len(values)), as_indices(starts, len(values))
    return sp.csr_matrix(arrays, shape=(count, width), copy=False)


def _read_dense(tensors: Tensors, count: int, width: int) -> Csr:
    return full_rows(tensors.take(VALUES, "f4", count, width))


_READERS: Mapping[str, Callable[[Tensors, int, int], Csr]] = MappingProxyType(
    {"sparse": _read_sparse, "dense": _read_dense}
)
