"""Documents as points of one length in the directions of LSI, and scores of them by their terms.

gao-wu-lee-chua-2003, section 3: a document is its vector's coordinates in the top directions. A
weight of directions is a weight of terms, too: with U the term vectors, v·(x U) = (U v)·x. Where
points are scaled to a length, ``z = x U · length / ‖x U‖``, a score is the terms' times a factor
of the document: ``v·z = factor(x) · (U v)·x``. So a model keeps weights of terms, and explains by
them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.errors import InputError, UsageError
from postil.vectors.directions_cache import DirectionsCache
from postil.vectors.lsi import Csr, Floats, Lsi
from postil.vectors.threads import one_blas_thread

Watch = Callable[[str, int, "int | None"], None]

FULL = "full"
STEP = "finding directions"
# Documents whose points are held at a time where only their lengths are wanted: 26 MB at 1,600.
BLOCK = 4096
LONGEST = float(np.finfo(np.float32).max)  # points are float32


class Projection:
    """Directions, and what length the points of documents are scaled to in them.

    Without a ``length`` points are as they are projected. A document without a term that the
    directions know is the point 0, whatever the length. Cost of points and factors: non-zeros ×
    directions; memory of factors that of a block of points.
    """

    def __init__(self, lsi: Lsi, length: float | None = None) -> None:
        if not lsi.scaled:
            raise UsageError("a projection takes LSI with scaled=True: its points are x U")
        if length is not None and not 0 < length <= LONGEST:
            raise UsageError(f"a length is a finite number above 0, got {length!r}")
        self.lsi = lsi
        self.length = None if length is None else float(length)

    @classmethod
    def learned(
        cls,
        matrix: Csr,
        dimensions: int | str,
        length: float | None = None,
        *,
        cache: DirectionsCache | None = None,
        watch: Watch | None = None,
    ) -> Projection:
        """The top directions of documents × terms, or all there are (``"full"``).

        They come from the cache if it has them. Directions are those of the matrix alone, so that
        they need no seed of the caller's; it says only where the search for them begins.
        """
        if isinstance(dimensions, str) and dimensions != FULL:
            raise UsageError(f'lsi is a number of directions or "{FULL}", got {dimensions!r}')
        wanted = None if isinstance(dimensions, str) else dimensions
        tell = watch or _unwatched
        tell(STEP, 0, None)
        lsi = Lsi(wanted, scaled=True)
        kept = DirectionsCache() if cache is None else cache
        kept.fit(lsi, matrix, lambda steps: tell(STEP, steps, None))
        if not len(lsi.singular_values):
            raise InputError("the documents have no term at all, and so no direction to learn in")
        return cls(lsi, length)

    @property
    def directions(self) -> int:
        """How many there are."""
        return len(self.lsi.singular_values)

    @property
    def terms(self) -> int:
        """Of how many terms they are."""
        return len(self.lsi.term_vectors)

    @property
    def scales(self) -> bool:
        """Whether scores need factors: without a length all of them are 1."""
        return self.length is not None

    def points(self, matrix: Csr) -> NDArray[np.float32]:
        """Documents × directions, each of the length if there is one."""
        points = self.lsi.transform(matrix)
        if self.length is None:
            return points
        scaled: NDArray[np.float32] = points * _factors(points, self.length)[:, np.newaxis].astype(
            np.float32
        )
        return scaled

    def factors(self, matrix: Csr) -> Floats:
        """What each document's score by terms is to be multiplied by; 0 for the point 0."""
        documents = matrix.shape[0]
        if self.length is None:
            return np.ones(documents)
        found = np.empty(documents)
        for start in range(0, documents, BLOCK):
            rows = slice(start, start + BLOCK)
            found[rows] = _factors(self.lsi.transform(matrix[rows]), self.length)
        return found

    def fold(self, weights: Any) -> sp.csr_matrix[Any]:  # noqa: ANN401 - a scipy sparse matrix
        """Rows of weights of directions as rows of weights of terms: rows × terms, float32.

        Cost: rows × directions × terms.
        """
        if weights.shape[1] != self.directions:
            raise UsageError(
                f"weights are of {weights.shape[1]} directions, and there are {self.directions}"
            )
        dense = sp.csr_matrix(weights).toarray().astype(np.float64)
        with one_blas_thread():
            rows = (np.asarray(self.lsi.term_vectors, dtype=np.float64) @ dense.T).T
        return sp.csr_matrix(rows.astype(np.float32))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """What a model file must hold beside the length."""
        return {
            "term_vectors": self.lsi.term_vectors,
            "singular_values": self.lsi.singular_values,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], length: float | None) -> Projection:
        """Restore it; arrays that do not fit together are refused."""
        if not all(np.isfinite(array).all() for array in arrays.values()):
            raise InputError("the directions of the projection are not all finite numbers")
        lsi = Lsi.from_arrays({**arrays, "scaled": np.array([True])})
        if not len(lsi.singular_values):
            raise InputError("the projection has no direction")
        return cls(lsi, length)


def _unwatched(step: str, done: int, total: int | None) -> None:
    """Nobody looks."""


def _factors(points: NDArray[np.float32], length: float) -> Floats:
    norms = np.sqrt(np.einsum("dq,dq->d", points, points, dtype=np.float64))
    factors: Floats = np.divide(length, norms, out=np.zeros_like(norms), where=norms > 0)
    return factors
