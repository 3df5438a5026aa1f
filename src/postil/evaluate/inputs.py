"""What every measure starts from, checked once at the door.

``truth`` and ``decisions`` are sparse indicators (documents × categories), ``scores`` and
``probabilities`` dense arrays of the same shape.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from postil.common.types import Flags, Floats, Ints
from postil.errors import InputError, UsageError
from postil.features.inputs import Csr, Sparse
from postil.vectors.matrices import check_indices


def checked_indicator(matrix: Sparse, what: str) -> Csr:
    """Take an indicator as CSR of booleans that stores every True once and no False.

    Entries are 0 and 1, or False and True. Costs the number of stored entries.
    """
    if not sp.issparse(matrix):
        raise UsageError(
            f"{what} must be a scipy sparse indicator (documents × categories), got "
            f"{type(matrix).__name__}: wrap it in scipy.sparse.csr_matrix"
        )
    check_indices(matrix, what)
    csr = matrix.tocsr(copy=True)
    if not np.isin(csr.data, (0, 1)).all():
        raise UsageError(f"{what} must hold 0 and 1 (member or not): turn ±1 into ({what} > 0)")
    csr.data = csr.data.astype(np.bool_)
    csr.sum_duplicates()
    csr.eliminate_zeros()
    return csr


def checked_pair(truth: Sparse, decisions: Sparse, what: str = "decisions") -> tuple[Csr, Csr]:
    """Take two indicators of one shape."""
    members, decided = checked_indicator(truth, "truth"), checked_indicator(decisions, what)
    if members.shape != decided.shape:
        raise UsageError(
            f"truth is {_size(members.shape)} and {what} are {_size(decided.shape)} (documents × "
            "categories): both need the same rows and columns in the same order"
        )
    return members, decided


def checked_scores(scores: ArrayLike, shape: tuple[int, int], what: str = "scores") -> Floats:
    """Take scores as a float64 array of the given shape; infinite ones pass, NaN does not."""
    array = np.asarray(scores, dtype=np.float64)
    if array.shape != shape:
        raise UsageError(
            f"{what} are {_size(array.shape)} and truth is {_size(shape)} (documents × "
            "categories): both need the same rows and columns in the same order"
        )
    wrong = np.isnan(array)
    if wrong.any():
        _refuse(array, wrong, what, "a number that can be ranked")
    return array


def checked_probabilities(probabilities: ArrayLike, shape: tuple[int, int]) -> Floats:
    """Take probabilities as a float64 array of the given shape, each from 0 to 1."""
    array = checked_scores(probabilities, shape, "probabilities")
    wrong = (array < 0) | (array > 1)
    if wrong.any():
        _refuse(array, wrong, "probabilities", "a value from 0 to 1; calibrate the scores first")
    return array


def checked_names(categories: Sequence[str] | None, columns: int) -> tuple[str, ...]:
    """Take a name for each column; without names a column is called by its number."""
    if categories is None:
        return tuple(str(column) for column in range(columns))
    if len(categories) != columns:
        raise UsageError(
            f"categories: {len(categories)} names for {columns} columns of truth: give one name "
            "for each column, in column order"
        )
    return tuple(categories)


def checked_sizes(sizes: ArrayLike, columns: int) -> Ints:
    """Take the training documents of each category."""
    array = np.asarray(sizes)
    if array.shape != (columns,):
        raise UsageError(
            f"training sizes have shape {array.shape} for {columns} categories: give the number "
            "of training documents of each category, in column order"
        )
    return array.astype(np.int64)


def checked_flags(flags: ArrayLike | None, columns: int, what: str) -> Flags:
    """Take yes or no for each category; without any it is yes."""
    array = np.ones(columns, np.bool_) if flags is None else np.asarray(flags, np.bool_)
    if array.shape != (columns,):
        raise UsageError(
            f"{what} has shape {array.shape} for {columns} categories: give True or False for "
            "each category, in column order"
        )
    return array


def _refuse(array: Floats, wrong: Flags, what: str, rule: str) -> None:
    row, column = (int(place[0]) for place in np.nonzero(wrong))
    raise InputError(
        f"{what}, document {row}, category {column}: received {array[row, column]}, but each "
        f"must be {rule}"
    )


def _size(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape))
