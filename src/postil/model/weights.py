"""The weights of all categories in memory: one form for equal numbers.

A weight of 0 has no entry, unless a file would hold all entries in fewer bytes than those that
are not 0 with their indices: then every weight has one, the zeros too. So what is read from a
file is what was written, entry by entry, and adds up to the same scores to the last bit.

How uncertain each weight of a model is, beside the weights.

Variances have the entries of the weights and no others: what has no weight has no variance, and
in a file their values stand in the order of the weights', without indices of their own.

Weights in a file: rows of categories or of terms, sparse or dense.

``order`` says what a row is: a category (CSR in memory) or a term (CSC). Learning and inspecting
go by category, scoring goes by term. ``storage`` is what takes fewer bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from postil.common.types import Floats
from postil.errors import InputError, UsageError
from postil.model.settings import checked
from postil.model.tensors import (
    Arrays,
    Parts,
    Tensors,
    as_indices,
    check_below,
    check_starts,
    narrowed,
    smallest_type,
)
from postil.vectors.matrices import check_indices, index_type

if TYPE_CHECKING:
    from postil.model.model import Model


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


VARIANCES_VALUES, INTERCEPTS = "variances.values", "variances.intercepts"


def aligned_variances(variances: Any, weights: Weights) -> Weights:  # noqa: ANN401 - any scipy sparse matrix
    """Take variances, categories × terms, as float32 at the entries of canonical weights.

    A variance where there is no weight is left out; a weight without one has 0. Cost: one pass,
    or a search for each weight where the entries are others.
    """
    given: Any = variances
    if not sp.issparse(variances) or given.shape != weights.shape:
        raise UsageError(
            "variances are a scipy sparse matrix of the shape of the weights, "
            f"{' × '.join(map(str, weights.shape))}"
        )
    check_indices(variances, "variances")
    given = given.asformat(weights.format)
    if not given.has_canonical_format:
        given = given.copy()
        given.sum_duplicates()
    values = given.data
    if not _same_entries(given, weights):
        rows, columns = _entries(weights)
        values = np.asarray(given[rows, columns]).ravel() if len(rows) else np.empty(0)
    with np.errstate(over="ignore"):  # said in our own words below
        single = values.astype(np.float32, copy=False)
    if not np.isfinite(single).all() or (single < 0).any():
        raise InputError("variances must be finite as float32, and 0 or more; some are not")
    return _beside(weights, single)


def checked_intercept_variances(values: ArrayLike, categories: int) -> Floats:
    """One variance for each category's constant."""
    variances = np.array(values, dtype=np.float64)
    wrong = variances.shape != (categories,) or not np.isfinite(variances).all()
    if wrong or (variances < 0).any():
        raise UsageError(
            "variances of intercepts are one finite number of 0 or more for each category"
        )
    variances.flags.writeable = False
    return variances


def score_variances(model: Model, vectors: Any) -> Floats:  # noqa: ANN401 - a scipy CSR matrix
    """The variance of every score: Σⱼ xⱼ² vⱼ + v of the intercept; documents × categories.

    Linear in the variances that the documents' terms meet; memory is a dense array for the
    result and the squares once more.
    """
    if model.variances is None or model.intercept_variances is None:
        raise UsageError(
            "the model keeps no variances of its weights: train it with posterior = true in [learn]"
        )
    squares = sp.csr_matrix(vectors, dtype=np.float64, copy=True)
    squares.data **= 2
    sums: Floats = (squares @ model.variances.T.astype(np.float64)).toarray()
    return sums + model.intercept_variances


def variances_to_arrays(model: Model) -> Arrays:
    """What a file holds; nothing where there are no variances."""
    if model.variances is None or model.intercept_variances is None:
        return {}
    return {VARIANCES_VALUES: rows_of(model.variances).data, INTERCEPTS: model.intercept_variances}


def variances_from_tensors(
    tensors: Tensors, weights: Weights
) -> tuple[Weights, Floats] | tuple[None, None]:
    """Restore them beside the weights they are of, if the file has any."""
    if not tensors.has_group("variances"):
        return None, None
    values = tensors.take(VARIANCES_VALUES, "f4", len(weights.data))
    return _beside(weights, values), tensors.take(INTERCEPTS, "f8", weights.shape[0])


def _beside(weights: Weights, values: NDArray[Any]) -> Weights:
    """The values at the entries of the weights, whose indices are shared."""
    made: Any = type(weights)(
        (values, weights.indices, weights.indptr), shape=weights.shape, copy=False
    )
    made.has_canonical_format = True
    beside: Weights = made
    return beside


def _same_entries(given: Any, weights: Weights) -> bool:  # noqa: ANN401
    return np.array_equal(given.indptr, weights.indptr) and np.array_equal(
        given.indices, weights.indices
    )


def _entries(weights: Weights) -> tuple[NDArray[Any], NDArray[Any]]:
    """The category and the term of each entry, in order."""
    outer = np.repeat(np.arange(len(weights.indptr) - 1), np.diff(weights.indptr))
    return (outer, weights.indices) if weights.format == "csr" else (weights.indices, outer)


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
