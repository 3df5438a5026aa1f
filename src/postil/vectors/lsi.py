"""Latent semantic indexing: documents as points in the space of the strongest directions.

gao-wu-lee-chua-2003, section 3: the term-document matrix is decomposed as ``H = U S Vᵀ``
(eq. 3.1), with the singular values of S falling, and only the top Q are kept. Here documents
are rows, so the matrix decomposed is ``X = Hᵀ``; a row of U still belongs to a term.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from postil.common.threads import interruptible, one_blas_thread
from postil.common.types import Floats
from postil.errors import InputError, UsageError
from postil.vectors.matrices import Csr, check_indices

Progress: TypeAlias = Callable[[int], None]

# Lanczos is faster while it has to find at most this share of all directions.
LANCZOS_SHARE = 0.25
STEPS_PER_DIRECTION = 10
FEWEST_STEPS = 200
# The widest square matrix the dense method makes: 3.2 GB, and as much again for its vectors.
WIDEST_DENSE = 20_000
# The widest whose eigenvectors are found by divide and conquer: 3.2 GB in all.
WIDEST_BY_HALVES = 10_000


class Lsi:
    """The top directions of a document-term matrix, and documents projected onto them.

    A document x becomes ``x U S⁻¹``, the coordinates its row has in V; new documents are folded
    in the same way.

    Fitting takes Lanczos steps (PROPACK) while Q is at most a quarter of the smaller side of X:
    about Q passes over the non-zeros and ``Q²·(documents + terms)`` operations. Beyond that it
    finds the eigenvectors of the square matrix of the smaller side, whose cost is that side
    cubed and whose memory is four times that side squared, 8 bytes each. X is never made dense. A
    transform costs the non-zeros times Q. The same data, ``seed`` and settings give the same
    vectors: in each direction the entry furthest from 0 is positive.

    Parameters
    ----------
    dimensions
        The number Q of directions; None asks for full rank.
    scaled
        Make a document ``x U``: the coordinates times the singular values, as in V S.
    seed
        Seeds the first vector of the Lanczos steps.
    tolerance
        Leave out directions whose singular value is not above this share of the largest, so that
        there may be fewer than ``dimensions``.
    """

    def __init__(
        self,
        dimensions: int | None = None,
        *,
        scaled: bool = False,
        seed: int = 0,
        tolerance: float = 1e-6,
    ) -> None:
        if dimensions is not None and not (
            isinstance(dimensions, (int, np.integer)) and dimensions >= 1
        ):
            raise UsageError(
                f"dimensions must be a whole number of at least 1, or None, got {dimensions!r}"
            )
        if not 0 <= tolerance < 1:
            raise UsageError(
                "tolerance must be a share of the largest singular value, from 0 to below 1, "
                f"got {tolerance!r}"
            )
        self.dimensions = dimensions
        self.scaled = scaled
        self.seed = seed
        self.tolerance = tolerance
        self._directions: tuple[NDArray[np.float32], Floats] | None = None

    @property
    def _fitted(self) -> tuple[NDArray[np.float32], Floats]:
        if self._directions is None:
            raise UsageError("this LSI is not fitted: call fit first")
        return self._directions

    @property
    def term_vectors(self) -> NDArray[np.float32]:
        """The matrix U: a row for each term, a column for each direction."""
        return self._fitted[0]

    @property
    def singular_values(self) -> Floats:
        """The diagonal of S, falling."""
        return self._fitted[1]

    def fit(
        self,
        X: Csr,  # noqa: N803 - as scikit-learn's
        y: object = None,  # noqa: ARG002
        *,
        progress: Progress | None = None,
    ) -> Lsi:
        """Find the directions of a document-term matrix; Ctrl-C stops it.

        Parameters
        ----------
        X
            A scipy sparse matrix, documents × terms.
        y
            Ignored; present for pipelines.
        progress
            Called now and then with the number of Lanczos steps taken; their total is not known.
        """
        matrix = _checked(X)
        wanted = min(matrix.shape) if self.dimensions is None else self.dimensions
        values, vectors = _top_directions(matrix, min(wanted, *matrix.shape), self.seed, progress)
        kept = values > self.tolerance * values[:1]
        vectors = vectors[:, kept]
        if vectors.size:  # in each direction the first entry furthest from 0 is positive
            furthest = vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])]
            vectors = vectors * np.where(furthest < 0, -1.0, 1.0)
        self._directions = vectors.astype(np.float32), values[kept]
        return self

    def set_directions(self, values: NDArray[Any], vectors: NDArray[Any]) -> None:
        """Take over singular values and term vectors that were found before."""
        falling = values.ndim == 1 and bool((np.diff(values) <= 0).all() and (values > 0).all())
        if not falling or vectors.ndim != 2 or vectors.shape[1] != len(values):
            raise InputError(
                f"the stored LSI is damaged: term vectors of shape {vectors.shape} and singular "
                f"values of shape {values.shape} do not belong together"
            )
        single = np.ascontiguousarray(vectors, dtype=np.float32)
        self._directions = single, values.astype(np.float64, copy=False)

    def transform(self, X: Csr) -> NDArray[np.float32]:  # noqa: N803
        """Project documents onto the directions; return an array of documents × dimensions."""
        if X.shape[1] != len(self.term_vectors):
            raise UsageError(
                f"this LSI was fitted on {len(self.term_vectors)} terms and the matrix has "
                f"{X.shape[1]}: use vectors of the same vocabulary"
            )
        check_indices(X, "X")
        points: NDArray[np.float32] = X.astype(np.float32, copy=False) @ self.term_vectors
        if not self.scaled:
            points /= self.singular_values.astype(np.float32)
        return points

    def fit_transform(self, X: Csr, y: object = None) -> NDArray[np.float32]:  # noqa: ARG002, N803
        """Find the directions of X and project its documents onto them."""
        return self.fit(X).transform(X)


def _checked(matrix: Csr) -> Csr:
    import scipy.sparse as sp

    if not sp.issparse(matrix):
        raise UsageError(
            f"LSI needs a scipy sparse matrix (documents × terms), got {type(matrix).__name__}: "
            "wrap it in scipy.sparse.csr_matrix"
        )
    check_indices(matrix, "X")
    doubled = matrix.tocsr().astype(np.float64)
    infinite = np.flatnonzero(~np.isfinite(doubled.data))
    if len(infinite):
        row = np.searchsorted(doubled.indptr, infinite[0], "right") - 1
        raise InputError(f"document {row} has a weight that is not a finite number")
    return doubled


def _top_directions(
    matrix: Csr, wanted: int, seed: int, progress: Progress | None
) -> tuple[Floats, Floats]:
    """Find the ``wanted`` largest singular values, falling, and their term vectors.

    They are the same bits whatever the number of threads BLAS has.
    """
    smaller = min(matrix.shape)
    if wanted == 0 or matrix.nnz == 0:
        return np.empty(0), np.empty((matrix.shape[1], 0))
    with one_blas_thread():
        if wanted > LANCZOS_SHARE * smaller:
            return _by_eigenvectors(matrix, wanted)
        try:
            return _by_lanczos(matrix, wanted, seed, progress)
        except np.linalg.LinAlgError:
            # PROPACK does not end where X has fewer directions than it is asked for.
            if smaller <= WIDEST_DENSE:
                return _by_eigenvectors(matrix, wanted)
            return _by_restarted_lanczos(matrix, wanted, seed)


def _by_lanczos(
    matrix: Csr, wanted: int, seed: int, progress: Progress | None
) -> tuple[Floats, Floats]:
    """Bidiagonalize X by Lanczos steps (PROPACK): the fastest exact method in SciPy.

    Blocks of steps, whose products are of matrices, are no faster: the wider the block, the more
    steps it takes, and their result is a dense matrix to be decomposed once more.
    """
    from scipy.sparse.linalg import LinearOperator, svds

    transposed = matrix.T.tocsr()
    steps = 0

    def product(vector: Floats) -> Floats:
        nonlocal steps
        steps += 1
        result: Floats = matrix @ vector
        return result

    operator: Any = LinearOperator(
        matrix.shape,
        matvec=product,
        rmatvec=lambda vector: transposed @ vector,
        dtype=np.float64,
    )
    start = np.random.default_rng(seed).standard_normal(matrix.shape[0])
    most = max(STEPS_PER_DIRECTION * wanted, FEWEST_STEPS)
    found = interruptible(
        lambda: svds(operator, wanted, v0=start, solver="propack", maxiter=most, random_state=seed),
        lambda: None if progress is None else progress(steps),
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
    inverse = np.divide(1, values, out=np.zeros_like(values), where=values > 0)
    return values, np.asarray(matrix.T @ vectors) * inverse


def _top_eigenvectors(square: Floats, wanted: int) -> tuple[Floats, Floats]:
    """Return the ``wanted`` largest eigenvalues, rising, and their vectors.

    NumPy's divide and conquer is faster, takes four times the square's memory, and lets other
    threads run; for the widest squares SciPy finds the wanted ones in twice the memory, and Ctrl-C
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
