"""Scores, truth and weights, checked once at the door."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from postil.common.types import Floats
from postil.errors import InputError, UsageError
from postil.vectors.matrices import check_indices

Csr: TypeAlias = "sp.csr_matrix[Any]"
Csc: TypeAlias = "sp.csc_matrix[Any]"
Sparse: TypeAlias = "Csr | Csc | sp.csr_array[Any, tuple[int, int]] | sp.csc_array[Any]"


def checked_scores(scores: ArrayLike, what: str = "scores") -> Floats:
    """Take scores as float64, documents × categories, every one a finite number.

    An array that is float64 already is not copied. Costs one pass over the scores.
    """
    values = np.asarray(scores)
    if values.ndim != 2 or values.dtype.kind not in "fiu":
        raise UsageError(
            f"{what} must be a real array of documents × categories, got {values.ndim} "
            f"dimensions of {values.dtype}: reshape a single category to one column"
        )
    values = values.astype(np.float64, copy=False)
    finite = np.isfinite(values)
    if not finite.all():
        document, category = (int(place[0]) for place in np.nonzero(~finite))
        raise InputError(
            f"{what}, document {document}, category {category}: the score is "
            f"{values[document, category]}; decisions need finite scores, so look at what "
            "the model or its input did there"
        )
    return values


def checked_truth(truth: Sparse, shape: tuple[int, int] | None = None) -> Csc:
    """Take the indicator of memberships as bool, by category; ``shape`` is what it must have.

    Entries are 0 and 1, or False and True. Costs the number of memberships.
    """
    if not sp.issparse(truth):
        raise UsageError(
            f"truth must be a scipy sparse indicator (documents × categories), got "
            f"{type(truth).__name__}: wrap it in scipy.sparse.csr_matrix"
        )
    if shape is not None and tuple(truth.shape) != shape:
        raise UsageError(
            f"scores are for {shape[0]} documents × {shape[1]} categories and truth is for "
            f"{' × '.join(map(str, truth.shape))}: both need the same documents and categories, "
            "in the same order"
        )
    check_indices(truth, "truth")
    by_category = sp.csc_matrix(truth, copy=True)
    by_category.sum_duplicates()
    if not np.isin(by_category.data, (0, 1)).all():
        raise UsageError("truth must hold 0 and 1 (member or not): turn ±1 into (truth > 0)")
    by_category.data = by_category.data.astype(np.bool_)
    by_category.eliminate_zeros()
    return by_category


def checked_weights(weights: ArrayLike | None, documents: int) -> Floats:
    """Take document weights as float64, 0 or more; ``None`` weighs every document 1."""
    if weights is None:
        return np.ones(documents)
    values = np.asarray(weights)
    if values.shape != (documents,) or values.dtype.kind not in "fiu":
        raise UsageError(
            f"weights must be one number for each of {documents} documents, got an array of "
            f"{values.dtype} of shape {values.shape}"
        )
    values = values.astype(np.float64, copy=False)
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(bad) > 0:
        raise InputError(
            f"weights, document {int(bad[0])}: the weight is {values[bad[0]]}; a weight is a "
            "finite number, 0 or more"
        )
    with np.errstate(over="ignore"):
        total = values.sum()
    if not np.isfinite(total):
        raise InputError("weights: their sum is beyond the largest number; scale them down")
    return values


def checked_width(scores: Floats, categories: int, who: str) -> Floats:
    """Refuse scores for another number of categories than ``who`` was fitted to."""
    if scores.shape[1] != categories:
        raise UsageError(
            f"{who} was fitted to {categories} categories and the scores are for "
            f"{scores.shape[1]}: use the scores of the model it was fitted with"
        )
    return scores


def frozen(values: ArrayLike, dtype: type[np.generic]) -> NDArray[Any]:
    """Copy values into an array of their own that nobody can write to."""
    copied = np.array(values, dtype=dtype)
    copied.flags.writeable = False
    return copied
