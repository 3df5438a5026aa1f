"""Documents as points of one length in the directions of LSI, and scores of them by their terms.

gao-wu-lee-chua-2003, section 3: a document is its vector's coordinates in the top directions. A
weight of directions is a weight of terms, too: with U the term vectors, v·(x U) = (U v)·x. Where
points are scaled to a length, ``z = x U · length / ‖x U‖``, a score is the terms' times a factor
of the document: ``v·z = factor(x) · (U v)·x``. So a model keeps weights of terms, and explains by
them.

Directions of LSI kept by the matrix they are of, so that they are computed once.

A file is named by the SHA-256 of the matrix (shape, starts, indices, values), the number of
directions, the seed and the tolerance; processes that compute the same write the same, each under a
temporary name first. The first columns of a larger one would be equal up to rounding only, and no
result may depend on what was computed before.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.common.files import output_file
from postil.common.threads import one_blas_thread
from postil.common.types import Floats
from postil.corpus.named.distributions import cache_folder
from postil.errors import InputError, UsageError
from postil.vectors.lsi import Csr, Lsi, Progress

FORMAT = 2
FOLDER = "directions"
# All files together: those used last are kept. 1,613 directions of Reuters-21578 take 73 MB.
MOST_BYTES = 4 << 30
# Directions × (documents + terms) below which computing is as quick as reading.
LEAST_NUMBERS = 2_000_000

_ENTRY = re.compile(r"[0-9a-f]{64}\.npz")
_ARRAYS = {"term_vectors": np.float32, "singular_values": np.float64}


class DirectionsCache:
    """A folder of directions: by default ``directions`` in the user's cache.

    What cannot be read is made anew, and what cannot be written is not kept: the cache has no part
    in any result but in the time it takes. ``most_bytes`` bounds it, ``least_numbers`` says what
    is worth keeping.
    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        most_bytes: int = MOST_BYTES,
        least_numbers: int = LEAST_NUMBERS,
    ) -> None:
        self.folder = cache_folder() / FOLDER if folder is None else folder
        self.most_bytes = most_bytes
        self.least_numbers = least_numbers

    def fit(self, lsi: Lsi, matrix: Csr, progress: Progress | None = None) -> Lsi:
        """Give LSI its directions: those kept for the matrix, else computed and kept.

        Cost where they are kept: a digest of the matrix and reading the file.
        """
        wanted = min(lsi.dimensions or min(matrix.shape), *matrix.shape)
        if wanted * sum(matrix.shape) < self.least_numbers:
            return lsi.fit(matrix, progress=progress)
        path = self.folder / f"{_key(matrix, lsi, wanted)}.npz"
        if not _taken(path, lsi, wanted, matrix.shape[1]):
            lsi.fit(matrix, progress=progress)
            self._keep(path, lsi)
        return lsi

    def _keep(self, path: Path, lsi: Lsi) -> None:
        content = io.BytesIO()
        np.savez(content, term_vectors=lsi.term_vectors, singular_values=lsi.singular_values)
        if content.tell() > self.most_bytes:
            return
        with suppress(OSError, UsageError):
            self.folder.mkdir(parents=True, exist_ok=True)
            with output_file(path) as file:
                file.write(content.getbuffer())
            self._prune(path)

    def _prune(self, newest: Path) -> None:
        """Take away the files used longest ago, until the rest is within bounds."""
        files = [path for path in self.folder.iterdir() if _ENTRY.fullmatch(path.name)]
        states = {path: path.stat() for path in files}
        files.sort(key=lambda path: (path != newest, -states[path].st_mtime_ns, path.name))
        size = 0
        for path in files:
            size += states[path].st_size
            if size > self.most_bytes:
                path.unlink(missing_ok=True)


def _key(matrix: Csr, lsi: Lsi, wanted: int) -> str:
    rows: Any = sp.csr_matrix(matrix)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    digest = hashlib.sha256(
        f"{FORMAT} {rows.shape} {wanted} {lsi.seed} {lsi.tolerance!r} {rows.dtype.str}".encode()
    )
    for array in (
        rows.indptr.astype(np.int64, copy=False),
        rows.indices.astype(np.int64, copy=False),
        rows.data,
    ):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _taken(path: Path, lsi: Lsi, wanted: int, terms: int) -> bool:
    """Give LSI what a file holds; False where it is absent, damaged or not what is wanted."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            vectors, values = (_checked(stored[name], name) for name in _ARRAYS)
        if vectors.shape != (terms, len(values)) or len(values) > wanted:
            return False
        lsi.take(values, vectors)
    except Exception:  # zipfile, zlib and NumPy have many for a damaged file
        return False
    with suppress(OSError):
        os.utime(path)  # used last
    return True


def _checked(array: NDArray[Any], name: str) -> NDArray[Any]:
    if array.dtype != _ARRAYS[name] or not np.isfinite(array).all():
        raise InputError(f"{name} are not finite numbers of the kind that is written")
    return array


StepProgress = Callable[[str, int, "int | None"], None]

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
        progress: StepProgress | None = None,
    ) -> Projection:
        """The top directions of documents × terms, or all there are (``"full"``).

        They come from the cache if it has them. Directions are those of the matrix alone, so that
        they need no seed of the caller's; it says only where the search for them begins.
        """
        if isinstance(dimensions, str) and dimensions != FULL:
            raise UsageError(f'lsi is a number of directions or "{FULL}", got {dimensions!r}')
        wanted = None if isinstance(dimensions, str) else dimensions
        tell = progress or _no_progress
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


def _no_progress(step: str, done: int, total: int | None) -> None:
    """Nobody looks."""


def _factors(points: NDArray[np.float32], length: float) -> Floats:
    norms = np.sqrt(np.einsum("dq,dq->d", points, points, dtype=np.float64))
    factors: Floats = np.divide(length, norms, out=np.zeros_like(norms), where=norms > 0)
    return factors
