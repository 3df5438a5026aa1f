"""How uncertain each weight of a model is, beside the weights.

Variances have the entries of the weights and no others: what has no weight has no variance, and
in a file their values stand in the order of the weights', without indices of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from postil.errors import InputError, UsageError
from postil.model.tensors import Arrays, Tensors
from postil.model.weights import Weights, rows_of
from postil.vectors.matrices import check_indices

if TYPE_CHECKING:
    from postil.model.model import Model

Floats = NDArray[np.float64]

VALUES, INTERCEPTS = "variances.values", "variances.intercepts"


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
    return {VALUES: rows_of(model.variances).data, INTERCEPTS: model.intercept_variances}


def variances_from_tensors(
    tensors: Tensors, weights: Weights
) -> tuple[Weights, Floats] | tuple[None, None]:
    """Restore them beside the weights they are of, if the file has any."""
    if not tensors.has_group("variances"):
        return None, None
    values = tensors.take(VALUES, "f4", len(weights.data))
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
