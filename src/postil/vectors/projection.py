"""Documents as points of one length in the directions of LSI, scored by weights of their terms.

gao-wu-lee-chua-2003, section 3: a document is its vector's coordinates in the top directions. A
weight of directions is a weight of terms, too: with U the term vectors, v·(x U) = (U v)·x. Where
points are scaled to a length, ``z = x U · length / ‖x U‖``, a score is the terms' times a factor
of the document: ``v·z = factor(x) · (U v)·x``. So a model keeps weights of terms, and explains by
them.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from postil.common.files import output_file
from postil.common.threads import one_blas_thread
from postil.common.types import Floats
from postil.corpus.named.entry import cache_folder
from postil.errors import InputError, UsageError
from postil.vectors.lsi import Lsi, Progress
from postil.vectors.matrices import Csr

if TYPE_CHECKING:
    import scipy.sparse as sp

FORMAT = 2
FOLDER = "directions"
# All cached files together; the least recently used go first. 1,613 directions of Reuters-21578
# take 73 MB.
MOST_BYTES = 4 << 30
# Directions × (documents + terms) below which computing is as quick as reading.
LEAST_NUMBERS = 2_000_000

_ENTRY = re.compile(r"[0-9a-f]{64}\.npz")
_ARRAYS = {"term_vectors": np.float32, "singular_values": np.float64}

StepProgress = Callable[[str, int, "int | None"], None]

FULL = "full"
STEP = "finding directions"
# Documents whose points are in memory at a time while lengths are computed: 26 MB at 1,600.
BLOCK = 4096
LONGEST = float(np.finfo(np.float32).max)  # points are float32


class Projection:
    """Directions, and the length that the points of documents are scaled to in them.

    A document without a term that the directions know is the point 0, whatever the length. Cost
    of points and factors: non-zeros × directions; memory of factors: a block of points.

    Parameters
    ----------
    lsi
        A fitted LSI with ``scaled=True``.
    length
        The length of all points; None leaves them as they are projected.
    """

    def __init__(self, lsi: Lsi, length: float | None = None) -> None:
        if not lsi.scaled:
            raise UsageError("a projection takes LSI with scaled=True: its points are x U")
        if length is not None and not 0 < length <= LONGEST:
            raise UsageError(f"length must be a finite number above 0, got {length!r}")
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
        """Find the top directions of a matrix, or read them from the cache.

        Directions depend on the matrix alone; the seed of LSI only sets the start of the search.

        Parameters
        ----------
        matrix
            Documents × terms.
        dimensions
            The number of directions, or ``"full"`` for all.
        length
            The length that points are scaled to.
        cache
            The cache to read from and write to; by default the user's.
        progress
            Called with the name of the step and the number of Lanczos steps done.
        """
        if isinstance(dimensions, str) and dimensions != FULL:
            raise UsageError(f'lsi must be a number of directions or "{FULL}", got {dimensions!r}')
        lsi = Lsi(None if isinstance(dimensions, str) else dimensions, scaled=True)

        def report(steps: int) -> None:
            if progress is not None:
                progress(STEP, steps, None)

        report(0)
        (cache or DirectionsCache()).fit(lsi, matrix, report)
        if not len(lsi.singular_values):
            raise InputError("the documents have no terms, so LSI finds no direction to learn in")
        return cls(lsi, length)

    @property
    def directions(self) -> int:
        """The number of directions."""
        return len(self.lsi.singular_values)

    @property
    def terms(self) -> int:
        """The number of terms."""
        return len(self.lsi.term_vectors)

    def points(self, matrix: Csr) -> NDArray[np.float32]:
        """Return documents × directions, each row of the length if there is one."""
        points = self.lsi.transform(matrix)
        if self.length is not None:
            points *= _factors(points, self.length)[:, np.newaxis].astype(np.float32)
        return points

    def factors(self, matrix: Csr) -> Floats:
        """Return the factor of each document's score by terms; 0 for the point 0."""
        documents = matrix.shape[0]
        if self.length is None:
            return np.ones(documents)
        found = np.empty(documents)
        for start in range(0, documents, BLOCK):
            rows = slice(start, start + BLOCK)
            found[rows] = _factors(self.lsi.transform(matrix[rows]), self.length)
        return found

    def fold(self, weights: Any) -> sp.csr_matrix[Any]:  # noqa: ANN401 - a scipy sparse matrix
        """Turn rows of weights of directions into rows of weights of terms, float32.

        Cost: rows × directions × terms.
        """
        import scipy.sparse as sp

        if weights.shape[1] != self.directions:
            raise UsageError(
                f"the weights are of {weights.shape[1]} directions, and the projection has "
                f"{self.directions}"
            )
        dense = sp.csr_matrix(weights).toarray().astype(np.float64)
        with one_blas_thread():
            rows = (np.asarray(self.lsi.term_vectors, dtype=np.float64) @ dense.T).T
        return sp.csr_matrix(rows.astype(np.float32))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that a model file keeps beside the length."""
        return {name: getattr(self.lsi, name) for name in _ARRAYS}

    @classmethod
    def from_arrays(
        cls, term_vectors: NDArray[Any], singular_values: NDArray[Any], length: float | None
    ) -> Projection:
        """Restore a projection; raise InputError if its arrays do not fit together."""
        if not (np.isfinite(term_vectors).all() and np.isfinite(singular_values).all()):
            raise InputError("the directions of the projection are not all finite numbers")
        if not len(singular_values):
            raise InputError("the projection has no direction")
        lsi = Lsi(len(singular_values), scaled=True)
        lsi.set_directions(singular_values, term_vectors)
        return cls(lsi, length)


def _factors(points: NDArray[np.float32], length: float) -> Floats:
    norms = np.sqrt(np.einsum("dq,dq->d", points, points, dtype=np.float64))
    factors: Floats = np.divide(length, norms, out=np.zeros_like(norms), where=norms > 0)
    return factors


class DirectionsCache:
    """A folder of directions, each file named by a digest of its matrix and settings.

    A file that cannot be read is computed again, and one that cannot be written is not kept, so
    the cache changes no result. Files of more directions are not used for fewer: their first
    columns are equal up to rounding only.

    Not ``joblib.Memory``: its files have no checksum, so a flipped bit would go unnoticed.

    Parameters
    ----------
    folder
        The folder; by default ``directions`` in the user's cache.
    most_bytes
        The bound on the size of all files.
    least_numbers
        Directions × (documents + terms) below which nothing is kept.
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
        """Give LSI the directions cached for the matrix, or compute and cache them."""
        wanted = min(lsi.dimensions or min(matrix.shape), *matrix.shape)
        if wanted * sum(matrix.shape) < self.least_numbers:
            return lsi.fit(matrix, progress=progress)
        path = self.folder / f"{_key(matrix, lsi, wanted)}.npz"
        if not _restored(path, lsi, wanted, matrix.shape[1]):
            lsi.fit(matrix, progress=progress)
            self._keep(path, lsi)
        return lsi

    def _keep(self, path: Path, lsi: Lsi) -> None:
        content = io.BytesIO()
        np.savez(content, **{name: getattr(lsi, name) for name in _ARRAYS})
        if content.tell() > self.most_bytes:
            return
        with suppress(OSError, UsageError):
            self.folder.mkdir(parents=True, exist_ok=True)
            with output_file(path) as file:
                file.write(content.getbuffer())
            self._prune(path)

    def _prune(self, newest: Path) -> None:
        """Remove the least recently used files until the rest is within bounds."""
        files = [path for path in self.folder.iterdir() if _ENTRY.fullmatch(path.name)]
        states = {path: path.stat() for path in files}
        files.sort(key=lambda path: (path != newest, -states[path].st_mtime_ns, path.name))
        size = 0
        for path in files:
            size += states[path].st_size
            if size > self.most_bytes:
                path.unlink(missing_ok=True)


def _key(matrix: Csr, lsi: Lsi, wanted: int) -> str:
    import scipy.sparse as sp

    rows: Any = sp.csr_matrix(matrix)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    digest = hashlib.sha256(
        f"{FORMAT} {rows.shape} {wanted} {lsi.seed} {lsi.tolerance!r} {rows.dtype.str}".encode()
    )
    for array in (rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _restored(path: Path, lsi: Lsi, wanted: int, terms: int) -> bool:
    """Give LSI the directions of a file; return False if it is absent, damaged or another's."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in _ARRAYS}
        for name, array in arrays.items():
            if array.dtype != _ARRAYS[name] or not np.isfinite(array).all():
                return False
        vectors, values = arrays.values()
        if vectors.shape != (terms, len(values)) or len(values) > wanted:
            return False
        lsi.set_directions(values, vectors)
    except Exception:  # zipfile, zlib and NumPy have many for a damaged file
        return False
    with suppress(OSError):
        os.utime(path)  # the time of last use
    return True
