"""Latent semantic indexing: documents as points in the space of the strongest directions.

gao-wu-lee-chua-2003, section 3: the term-document matrix is decomposed as ``H = U S Vᵀ``
(eq. 3.1), with the singular values of S falling, and only the top Q are kept. Here documents
are rows, so the matrix decomposed is ``X = Hᵀ``; a row of U still belongs to a term.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.errors import InputError, UsageError
from postil.vectors.matrices import check_indices
from postil.vectors.top_directions import Csr, Floats, Progress, top_directions

__all__ = ["Csr", "Floats", "Lsi", "Progress"]


class Lsi:
    """The top ``dimensions`` directions of a document-term matrix, and documents seen in them.

    A document x becomes ``x U S⁻¹``, the coordinates its row has in V; new documents are folded
    in the same way. With ``scaled`` it becomes ``x U``: the coordinates times the singular
    values, as in V S. ``dimensions=None`` asks for full rank. Directions whose singular value is
    not above ``tolerance`` times the largest are left out, so there may be fewer than asked for.

    Fitting takes Lanczos steps (PROPACK) while Q is at most a quarter of the smaller side of X:
    about Q passes over the non-zeros and ``Q²·(documents + terms)`` operations. Beyond that it
    finds the eigenvectors of the square matrix of the smaller side, whose cost is that side
    cubed and whose memory is four times that side squared, 8 bytes each. X is never made dense. A
    transform costs the non-zeros times Q. The same data, ``seed`` and settings give the same
    vectors: in each direction the entry furthest from 0 is positive.
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
            raise UsageError(f"LSI needs a whole number of dimensions, 1 or more: {dimensions!r}")
        if not 0 <= tolerance < 1:
            raise UsageError(
                f"the tolerance is a share of the largest singular value, from 0 to below 1, "
                f"got {tolerance!r}"
            )
        self.dimensions = dimensions
        self.scaled = scaled
        self.seed = seed
        self.tolerance = tolerance
        self._term_vectors: NDArray[np.float32] | None = None
        self._singular_values: Floats | None = None

    @property
    def term_vectors(self) -> NDArray[np.float32]:
        """U: a row for each term, a column for each direction."""
        if self._term_vectors is None:
            raise UsageError("this LSI has no directions yet: fit it first")
        return self._term_vectors

    @property
    def singular_values(self) -> Floats:
        """The diagonal of S, falling."""
        if self._singular_values is None:
            raise UsageError("this LSI has no directions yet: fit it first")
        return self._singular_values

    def fit(
        self,
        X: Csr,  # noqa: N803 - as scikit-learn's
        y: object = None,  # noqa: ARG002
        *,
        progress: Progress | None = None,
    ) -> Lsi:
        """Find the directions of a document-term matrix; ``y`` is ignored, for pipelines.

        ``progress`` is told, now and then, how many Lanczos steps were taken; nobody knows of how
        many. Ctrl-C works.
        """
        matrix = _checked(X)
        wanted = min(matrix.shape) if self.dimensions is None else self.dimensions
        values, vectors = top_directions(matrix, min(wanted, *matrix.shape), self.seed, progress)
        real = values > self.tolerance * values[:1]
        self._singular_values = values[real]
        self._term_vectors = _with_fixed_signs(vectors[:, real]).astype(np.float32)
        return self

    def take(self, values: NDArray[Any], vectors: NDArray[Any]) -> None:
        """Take singular values and term vectors that were found before, as they are."""
        _check_together(values, vectors)
        self._singular_values = values.astype(np.float64, copy=False)
        self._term_vectors = np.ascontiguousarray(vectors, dtype=np.float32)

    def transform(self, X: Csr) -> NDArray[np.float32]:  # noqa: N803
        """See documents in the directions: an array of documents × dimensions."""
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
        """Find the directions of X and see its documents in them."""
        return self.fit(X).transform(X)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything a model file must hold to transform documents again."""
        return {
            "term_vectors": self.term_vectors,
            "singular_values": self.singular_values,
            "scaled": np.array([self.scaled], dtype=np.uint8),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Lsi:
        """Restore what :meth:`to_arrays` gave; arrays that do not fit together are refused."""
        vectors, values = arrays["term_vectors"], arrays["singular_values"]
        _check_together(values, vectors)
        restored = cls(len(values) or None, scaled=bool(arrays["scaled"][0]))
        restored.take(values, vectors)
        return restored


def _check_together(values: NDArray[Any], vectors: NDArray[Any]) -> None:
    falling = values.ndim == 1 and bool((np.diff(values) <= 0).all() and (values > 0).all())
    if not falling or vectors.ndim != 2 or vectors.shape[1] != len(values):
        raise InputError(
            f"the stored LSI is damaged: term vectors of shape {vectors.shape} and singular "
            f"values of shape {values.shape} do not belong together"
        )


def _checked(matrix: Csr) -> Csr:
    if not sp.issparse(matrix):
        raise UsageError(
            f"LSI needs a scipy sparse matrix (documents × terms), got {type(matrix).__name__}: "
            "wrap it in scipy.sparse.csr_matrix"
        )
    check_indices(matrix, "X")
    doubled = matrix.tocsr().astype(np.float64)
    if not np.isfinite(doubled.data).all():
        row = np.searchsorted(
            doubled.indptr, np.flatnonzero(~np.isfinite(doubled.data))[0], "right"
        )
        raise InputError(f"document {row - 1} has a weight that is not a finite number")
    return doubled


def _with_fixed_signs(vectors: Floats) -> Floats:
    """Turn each direction so that its entry furthest from 0 (the first of them) is positive."""
    if vectors.size == 0:
        return vectors
    furthest = np.abs(vectors).argmax(axis=0)
    return vectors * np.where(vectors[furthest, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)
