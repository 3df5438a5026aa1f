"""Kernel matrices: the products of documents, made block by block and checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.errors import InputError, UsageError
from postil.learn.kernels import KernelFunction, Precomputed, is_sparse, kernel_name

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

# Documents whose products are asked for at a time: a sparse product of all would take more memory
# than the matrix it fills.
BLOCK = 512


def gram_matrix(matrix: Any, kernel: KernelFunction, rows: Rows) -> Floats:  # noqa: ANN401
    """The products of some documents with each other, checked; made block by block."""
    if isinstance(kernel, Precomputed):
        gram = _precomputed(matrix, rows)
    else:
        documents = matrix if len(rows) == matrix.shape[0] else matrix[rows]
        gram = np.empty((len(rows), len(rows)))
        for begin in range(0, len(rows), BLOCK):
            block = documents[begin : begin + BLOCK]
            gram[begin : begin + BLOCK] = products_of(kernel, block, documents)
    _require_kernel(gram, kernel)
    return gram


def _precomputed(matrix: Any, rows: Rows) -> Floats:  # noqa: ANN401 - sparse or dense
    if matrix.shape[0] != matrix.shape[1]:
        raise UsageError(
            f"a precomputed kernel is square, training documents × training documents, not "
            f"{matrix.shape[0]} × {matrix.shape[1]}"
        )
    whole = len(rows) == matrix.shape[0]
    return np.ascontiguousarray(as_dense(matrix if whole else matrix[rows][:, rows]))


def _require_kernel(gram: Floats, kernel: KernelFunction) -> None:
    """Finite, symmetric, nothing negative on the diagonal; that is all n² steps can tell."""
    name = kernel_name(kernel)
    if not np.isfinite(gram).all():
        raise InputError(f"the kernel {name} gave products that are not finite")
    for begin in range(0, len(gram), BLOCK):
        rows = gram[begin : begin + BLOCK]
        scale = float(np.abs(rows).max(initial=0.0))
        if not np.allclose(rows, gram[:, begin : begin + BLOCK].T, rtol=1e-6, atol=1e-9 * scale):
            raise InputError(f"the kernel {name} is not symmetric: K(x, y) must be K(y, x)")
    if (np.diagonal(gram) < 0).any():
        raise InputError(
            f"the kernel {name} is not positive semi-definite: some K(x, x) is below 0"
        )


def products_of(kernel: KernelFunction, first: Any, second: Any) -> Floats:  # noqa: ANN401
    """The products that a kernel gives, dense, if they have the right shape."""
    products = as_dense(kernel(first, second))
    expected = (first.shape[0], second.shape[0])
    if products.shape != expected:
        raise UsageError(
            f"the kernel {kernel_name(kernel)} gave a matrix of shape {products.shape} for "
            f"{expected[0]} and {expected[1]} documents: it gives rows × rows"
        )
    return products


def as_rows(matrix: Any) -> Any:  # noqa: ANN401 - sparse or dense
    """Rows that can be cut out: CSR, or a NumPy matrix."""
    if is_sparse(matrix):
        return matrix.tocsr()
    dense = np.asarray(matrix)
    if dense.ndim != 2:
        raise UsageError(f"documents are a matrix, not an array of {dense.ndim} dimensions")
    return dense


def as_dense(matrix: Any) -> Floats:  # noqa: ANN401 - sparse or dense
    """A NumPy matrix of doubles."""
    return np.asarray(matrix.toarray() if is_sparse(matrix) else matrix, dtype=np.float64)
