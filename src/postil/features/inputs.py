"""Checks of the two matrices that every term score starts from."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.errors import InputError, UsageError
from postil.vectors.matrices import check_indices

Csr: TypeAlias = "sp.csr_matrix[Any] | sp.csr_array[Any, tuple[int, int]]"
Csc: TypeAlias = "sp.csc_matrix[Any] | sp.csc_array[Any]"
Sparse: TypeAlias = "Csr | Csc"
Ids: TypeAlias = NDArray[np.int32]
Indices: TypeAlias = NDArray[np.integer[Any]]


def checked_weights(weights: Sparse) -> Csr:
    """Return the document-term matrix as CSR with finite entries and without duplicates.

    Costs one pass over the non-zeros; a CSR matrix in canonical form is not copied.
    """
    if not sp.issparse(weights):
        raise UsageError(
            f"X must be a scipy sparse matrix (documents × terms), got {type(weights).__name__}: "
            "wrap it in scipy.sparse.csr_matrix"
        )
    check_indices(weights, "X")
    matrix = weights.tocsr()
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    finite = np.isfinite(matrix.data)
    if not finite.all():
        entry = int(np.flatnonzero(~finite)[0])
        row = int(np.searchsorted(matrix.indptr, entry, side="right")) - 1
        raise InputError(
            f"X, document {row}, term {int(matrix.indices[entry])}: the weight is "
            f"{matrix.data[entry]}; term scores need finite weights, so repair or drop the document"
        )
    return matrix


def checked_members(members: Sparse, documents: int) -> Csr:
    """Return the indicator matrix as categories × documents, one stored 1 per membership.

    Entries are 0 and 1, or False and True. Costs the number of memberships.
    """
    if not sp.issparse(members):
        raise UsageError(
            f"Y must be a scipy sparse indicator (documents × categories), got "
            f"{type(members).__name__}: wrap it in scipy.sparse.csr_matrix"
        )
    if members.shape[0] != documents:
        raise UsageError(
            f"X has {documents} documents and Y has {members.shape[0]}: both need one row per "
            "document, in the same order"
        )
    check_indices(members, "Y")
    by_category = members.T.tocsr(copy=True)
    by_category.sum_duplicates()
    if not np.isin(by_category.data, (0, 1)).all():
        raise UsageError("Y must hold 0 and 1 (member or not): turn ±1 into (Y > 0)")
    by_category.data = (by_category.data != 0).astype(np.int32)
    by_category.eliminate_zeros()
    return by_category
