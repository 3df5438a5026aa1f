"""How the strongest directions of a matrix are found: Lanczos for few, eigenvectors for many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.errors import UsageError
from postil.vectors.interruptible import interruptible
from postil.vectors.threads import one_blas_thread

Csr: TypeAlias = "sp.csr_matrix[Any] | sp.csr_array[Any, tuple[int, int]]"
Floats: TypeAlias = NDArray[np.float64]
Progress: TypeAlias = Callable[[int], None]

# Lanczos is faster while it has to find at most this share of all directions.
LANCZOS_SHARE = 0.25
STEPS_PER_DIRECTION = 10
FEWEST_STEPS = 200
# The widest square matrix the dense route makes: 3.2 GB, and as much again for its vectors.
WIDEST_DENSE = 20_000
# The widest whose eigenvectors are found by divide and conquer: 3.2 GB in all.
WIDEST_BY_HALVES = 10_000


def top_directions(
    matrix: Csr, wanted: int, seed: int, progress: Progress | None = None
) -> tuple[Floats, Floats]:
    """Find the ``wanted`` largest singular values, falling, and their term vectors.

    They are the same bits whatever the number of threads BLAS has.
    """
    if wanted == 0 or matrix.nnz == 0:
        return np.empty(0), np.empty((matrix.shape[1], 0))
    with one_blas_thread():
        return _top_directions(matrix, wanted, seed, progress)


def _top_directions(
    matrix: Csr, wanted: int, seed: int, progress: Progress | None
) -> tuple[Floats, Floats]:
    smaller = min(matrix.shape)
    if wanted > LANCZOS_SHARE * smaller:
        return _by_eigenvectors(matrix, wanted)
    try:
        return _by_lanczos(matrix, wanted, seed, progress)
    except np.linalg.LinAlgError:
        # PROPACK does not end where X has fewer directions than it is asked for.
        if smaller <= WIDEST_DENSE:
            return _by_eigenvectors(matrix, wanted)
        return _by_restarted_lanczos(matrix, wanted, seed)


class _Products:
    """The products of a matrix and its transpose with vectors, counted."""

    def __init__(self, matrix: Csr) -> None:
        self._matrix = matrix
        self._turned = matrix.T.tocsr()
        self.steps = 0

    def operator(self) -> Any:  # noqa: ANN401 - a LinearOperator
        from scipy.sparse.linalg import LinearOperator

        return LinearOperator(
            self._matrix.shape,
            matvec=self._forth,
            rmatvec=lambda vector: self._turned @ vector,
            dtype=np.float64,
        )

    def _forth(self, vector: Floats) -> Floats:
        self.steps += 1
        product: Floats = self._matrix @ vector
        return product


def _by_lanczos(
    matrix: Csr, wanted: int, seed: int, progress: Progress | None
) -> tuple[Floats, Floats]:
    """Bidiagonalize X by Lanczos steps (PROPACK): the fastest of what SciPy has, and exact.

    Blocks of steps, whose products are of matrices, do no better: the wider the block, the more
    steps it takes, and what they find is a dense matrix to be decomposed once more.
    """
    from scipy.sparse.linalg import svds

    start = np.random.default_rng(seed).standard_normal(matrix.shape[0])
    steps = max(STEPS_PER_DIRECTION * wanted, FEWEST_STEPS)
    products = _Products(matrix)
    operator = products.operator()
    found = interruptible(
        lambda: svds(
            operator, wanted, v0=start, solver="propack", maxiter=steps, random_state=seed
        ),
        lambda: None if progress is None else progress(products.steps),
    )
    return _falling(found[1], found[2])


def _by_restarted_lanczos(matrix: Csr, wanted: int, seed: int) -> tuple[Floats, Floats]:
    """Take Lanczos steps on ``XᵀX`` (ARPACK): ten times slower, but it ends at a low rank too."""
    from scipy.sparse.linalg import ArpackNoConvergence, svds

    start = np.random.default_rng(seed).standard_normal(min(matrix.shape))
    try:
        found = interruptible(
            lambda: svds(matrix, wanted, v0=start, solver="arpack", random_state=seed)
        )
    except ArpackNoConvergence as failure:
        raise UsageError(
            f"LSI did not find {wanted} directions in a matrix of {matrix.shape[0]} documents "
            f"and {matrix.shape[1]} terms ({failure}): ask for fewer dimensions"
        ) from failure
    return _falling(found[1], found[2])


def _falling(values: NDArray[Any], rows: NDArray[Any]) -> tuple[Floats, Floats]:
    order = np.argsort(-values, kind="stable")
    return values[order].astype(np.float64), rows[order].T


def _by_eigenvectors(matrix: Csr, wanted: int) -> tuple[Floats, Floats]:
    """Decompose ``XᵀX = U S² Uᵀ``, or ``XXᵀ = V S² Vᵀ`` with ``U = XᵀV S⁻¹`` if that is smaller.

    Squaring costs half of the digits: singular values under about 1e-7 of the largest are noise.
    """
    documents, terms = matrix.shape
    side = min(documents, terms)
    if side > WIDEST_DENSE:
        raise UsageError(
            f"{wanted} dimensions of a matrix of {documents} documents and {terms} terms need a "
            f"dense square of {8e-9 * side * side:.0f} GB: ask for at most "
            f"{int(LANCZOS_SHARE * side)}"
        )
    square = (matrix.T @ matrix if terms <= documents else matrix @ matrix.T).toarray()
    squares, vectors = interruptible(lambda: _top_eigenvectors(square, wanted))
    values = np.sqrt(np.maximum(squares[::-1], 0))
    vectors = vectors[:, ::-1]
    if terms <= documents:
        return values, vectors
    spread = np.divide(1, values, out=np.zeros_like(values), where=values > 0)
    return values, np.asarray(matrix.T @ vectors) * spread


def _top_eigenvectors(square: Floats, wanted: int) -> tuple[Floats, Floats]:
    """The ``wanted`` largest eigenvalues, rising, and their vectors.

    NumPy's divide and conquer is the faster, wants four times the square's memory, and lets other
    threads run; of the widest squares SciPy finds those wanted in twice the memory, and Ctrl-C
    has to wait for it.
    """
    side = len(square)
    if side <= WIDEST_BY_HALVES:
        values, vectors = np.linalg.eigh(square)
        return values[side - wanted :], vectors[:, side - wanted :]
    from scipy.linalg import eigh

    found: tuple[Floats, Floats] = eigh(
        square, subset_by_index=(side - wanted, side - 1), overwrite_a=True, check_finite=False
    )
    return found
