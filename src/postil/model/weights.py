"""The weights of all categories as plain arrays, and the variances beside them.

A weight of 0 has no entry, unless a file would hold all entries in fewer bytes than those that
are not 0 with their indices: then every weight has one, the zeros too. So equal weights have one
form, and what is read from a file adds up to the same scores to the last bit.

Variances have the entries of the weights and no others: in a file their values have the order of
the weights', without indices of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postil.common.types import Floats
from postil.errors import InputError, UsageError
from postil.model.stored import (
    Parts,
    Tensors,
    as_indices,
    check_rows,
    checked,
    narrowed,
    smallest_type,
)
from postil.vectors.matrices import check_indices, index_type

if TYPE_CHECKING:
    import scipy.sparse as sp

    from postil.model.model import Model

Matrix: TypeAlias = "sp.csr_matrix[Any] | sp.csc_matrix[Any]"

VALUE_BYTES = 4


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights, categories × terms, in compressed rows: categories (CSR) or terms (CSC).

    Plain arrays, so that scoring texts does not import SciPy; ``matrix`` makes a SciPy matrix of
    them when it is first asked for.

    Parameters
    ----------
    data, indices, starts
        The values, the place of each in its row, and the begin of each row with the end.
    shape
        Categories × terms.
    by_term
        Rows are terms instead of categories.
    """

    data: NDArray[np.float32]
    indices: NDArray[np.signedinteger[Any]]
    starts: NDArray[np.signedinteger[Any]]
    shape: tuple[int, int]
    by_term: bool = False

    @property
    def rows(self) -> tuple[int, int]:
        """The number of compressed rows, and their width."""
        return self.shape[::-1] if self.by_term else self.shape

    @property
    def row_of(self) -> NDArray[np.int64]:
        """The row of each entry."""
        return np.repeat(np.arange(self.rows[0]), np.diff(self.starts))

    @cached_property
    def matrix(self) -> Matrix:
        """The weights as a SciPy matrix that shares the arrays."""
        import scipy.sparse as sp

        kind = sp.csc_matrix if self.by_term else sp.csr_matrix
        matrix: Any = kind((self.data, self.indices, self.starts), shape=self.shape, copy=False)
        matrix.has_canonical_format = True
        return cast("Matrix", matrix)

    def with_term_rows(self) -> Weights:
        """Return the same weights with a row for each term; cost: a sort of the entries."""
        if self.by_term:
            return self
        order = np.argsort(self.indices, kind="stable")
        counts = np.bincount(self.indices, minlength=self.shape[1])
        index = index_type(len(self.data))
        return Weights(
            self.data[order],
            self.row_of[order].astype(index),
            np.concatenate([[0], np.cumsum(counts)]).astype(index),
            self.shape,
            by_term=True,
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "matrix"}


def canonical_weights(given: Any) -> Weights:  # noqa: ANN401 - a scipy sparse matrix or Weights
    """Return weights, categories × terms, as float32 in their one form, indices sorted.

    A CSC matrix has rows of terms, any other rows of categories. Arrays that fit are not copied.
    """
    weights = given if isinstance(given, Weights) else _from_matrix(given)
    if not np.isfinite(weights.data).all():
        raise InputError("weights must be finite as float32; some are not a number or infinite")
    zeros = weights.data == 0
    count, width = weights.rows
    dense = _is_dense(weights)
    entries = count * width if dense else len(zeros) - np.count_nonzero(zeros)
    if len(zeros) == entries and not np.signbit(weights.data[zeros]).any():
        return weights
    kept = ~zeros
    if dense:
        values = np.zeros((count, width), dtype=np.float32)
        values[weights.row_of[kept], weights.indices[kept]] = weights.data[kept]
        return _full_rows(values, by_term=weights.by_term)
    before = np.concatenate([[0], np.cumsum(kept)])
    return replace(
        weights,
        data=weights.data[kept],
        indices=weights.indices[kept],
        starts=before[weights.starts].astype(weights.starts.dtype),
    )


def _from_matrix(given: Any) -> Weights:  # noqa: ANN401 - any scipy sparse matrix
    matrix = _compressed(given, "weights")
    return Weights(
        matrix.data, matrix.indices, matrix.indptr, matrix.shape, by_term=matrix.format == "csc"
    )


def _compressed(given: Any, name: str) -> Any:  # noqa: ANN401 - any scipy sparse matrix
    """Return a checked matrix as float32 in CSC or CSR, without duplicate entries."""
    import scipy.sparse as sp

    if not sp.issparse(given):
        raise UsageError(
            f"{name} must be a scipy sparse matrix (categories × terms), got "
            f"{type(given).__name__}: wrap it in scipy.sparse.csr_matrix"
        )
    check_indices(given, name)
    matrix: Any = given  # issparse tells type checkers of less than it has
    matrix = matrix if matrix.format == "csc" else matrix.tocsr()
    with np.errstate(over="ignore"):  # infinite numbers are refused later
        matrix = matrix.astype(np.float32, copy=False)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def _is_dense(weights: Weights) -> bool:
    """Return True if a file holds all entries in fewer bytes than those that are not 0."""
    count, width = weights.rows
    nonzeros = int(np.count_nonzero(weights.data))
    start, index = (np.dtype(smallest_type(most)).itemsize for most in (nonzeros, width))
    sparse = start * (count + 1) + nonzeros * (index + VALUE_BYTES)
    return count * width * VALUE_BYTES < sparse


def _full_rows(values: NDArray[np.float32], *, by_term: bool) -> Weights:
    """Return weights with an entry for every value of an array, in the array's own memory."""
    count, width = values.shape
    index = index_type(values.size)
    starts = np.arange(count + 1, dtype=index) * index(width)
    indices = np.tile(np.arange(width, dtype=index), count)
    shape = (width, count) if by_term else (count, width)
    return Weights(values.reshape(-1), indices, starts, shape, by_term)


def aligned_variances(given: Any, weights: Weights) -> Weights:  # noqa: ANN401
    """Return variances, categories × terms, as float32 at the entries of canonical weights.

    A variance without a weight is left out; a weight without a variance has 0. Cost: one pass, or
    a search for each weight where the entries differ.

    Parameters
    ----------
    given
        A scipy sparse matrix of the shape of the weights, or Weights with the same entries.
    weights
        The canonical weights.
    """
    values = given.data if isinstance(given, Weights) else _values_at(given, weights)
    if not np.isfinite(values).all() or (values < 0).any():
        raise InputError("variances must be finite as float32, and 0 or more; some are not")
    return replace(weights, data=values)


def _values_at(given: Any, weights: Weights) -> NDArray[np.float32]:  # noqa: ANN401
    matrix = _compressed(given, "variances")
    if matrix.shape != weights.shape:
        raise UsageError(
            f"variances must have the shape of the weights, {weights.shape[0]} × "
            f"{weights.shape[1]}, got {matrix.shape[0]} × {matrix.shape[1]}"
        )
    matrix = matrix.asformat("csc" if weights.by_term else "csr")
    values: NDArray[np.float32] = matrix.data
    same = np.array_equal(matrix.indptr, weights.starts)
    if same and np.array_equal(matrix.indices, weights.indices):
        return values
    if not len(weights.data):
        return np.empty(0, dtype=np.float32)
    places = (weights.row_of, weights.indices)
    return np.asarray(matrix[places[::-1] if weights.by_term else places]).ravel()


def finite_vector(name: str, values: ArrayLike, count: int, least: float | None = None) -> Floats:
    """Return ``count`` finite numbers, of at least ``least``, as an array that stays as it is."""
    vector = np.array(values, dtype=np.float64)
    fits = vector.shape == (count,) and bool(np.isfinite(vector).all())
    if not fits or (least is not None and (vector < least).any()):
        bound = "" if least is None else " of 0 or more" if least == 0 else " above 0"
        raise UsageError(
            f"{name} must be one finite number{bound} for each of {count} rows of weights, got "
            f"an array of shape {vector.shape}"
        )
    vector.flags.writeable = False
    return vector


def score_variances(model: Model, vectors: Any) -> Floats:  # noqa: ANN401 - a scipy CSR matrix
    """Return the variance of every score: Σⱼ xⱼ² vⱼ + v of the intercept; documents × categories.

    Linear in the variances that the documents' terms meet; memory is a dense array for the
    result and the squares once more.
    """
    import scipy.sparse as sp

    if model.variances is None or model.intercept_variances is None:
        raise UsageError(
            "the model keeps no variances of its weights: train it with posterior = true in [learn]"
        )
    squares = sp.csr_matrix(vectors, dtype=np.float64, copy=True)
    squares.data **= 2
    sums: Floats = (squares @ model.variances.T.astype(np.float64)).toarray()
    return sums + model.intercept_variances


STARTS, INDICES, VALUES = "weights.starts", "weights.indices", "weights.values"
_SCHEMA = {"order": str, "storage": str}
_ORDERS = ("category", "term")


def weights_to_parts(weights: Weights) -> Parts:
    """Return the settings and arrays of canonical weights; their values are not copied.

    ``order`` says what a row is: learning and inspecting go by category, scoring by term.
    ``storage`` is what takes fewer bytes.
    """
    settings = {"order": _ORDERS[weights.by_term], "storage": "dense"}
    if _is_dense(weights):
        return Parts(settings, {VALUES: weights.data.reshape(weights.rows)})
    arrays = {
        STARTS: narrowed(weights.starts),
        INDICES: weights.indices.astype(smallest_type(weights.rows[1]), copy=False),
        VALUES: weights.data,
    }
    return Parts(settings | {"storage": "sparse"}, arrays)


def weights_from_parts(settings: object, tensors: Tensors, shape: tuple[int, int]) -> Weights:
    """Restore weights of ``shape``, categories × terms; their values stay where they are.

    Indices are copied where they are stored narrower than 32 bits.
    """
    found = checked(settings, _SCHEMA, "weights")
    order, storage = found["order"], found["storage"]
    if order not in _ORDERS or storage not in ("sparse", "dense"):
        raise InputError(f"weights are stored in an unknown way, {order!r} {storage!r}")
    by_term = order == "term"
    count, width = shape[::-1] if by_term else shape
    if storage == "dense":
        return _full_rows(tensors.take(VALUES, "f4", count, width), by_term=by_term)
    values = tensors.take(VALUES, "f4", None)
    starts = tensors.take(STARTS, "u", count + 1)
    indices = tensors.take(INDICES, "u", len(values))
    check_rows(starts, indices, width, (STARTS, INDICES))
    places, begins = (as_indices(array, len(values)) for array in (indices, starts))
    return Weights(values, places, begins, shape, by_term)
