"""Directions of LSI kept by the matrix they are of, so that they are computed once.

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
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.corpus.files.atomic import output_file
from postil.corpus.named.locations import cache_folder
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
