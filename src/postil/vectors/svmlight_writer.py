"""Writing svmlight (libsvm) files, a block of rows at a time.

Ours rather than scikit-learn's: that prints float32 weights with 16 digits where 9 bring back
the same bits, and writes a document with neither labels nor terms as an empty line, which every
reader, its own too, takes for no document at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from postil.corpus.files.atomic import output_file
from postil.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    import scipy.sparse as sp
    from numpy.typing import NDArray

BLOCK_ENTRIES = 1 << 16


class SvmlightWriter:
    """Writes blocks of rows to an open stream; see :func:`svmlight_writer`."""

    def __init__(self, stream: BinaryIO, label_ids: Mapping[str, int] | None, first: int) -> None:
        self._stream = stream
        self._first = first
        self._fixed = label_ids is not None
        self.label_ids: dict[str, int] = dict(label_ids or {})

    def write(self, X: sp.csr_matrix[Any], labels: Sequence[Iterable[str]]) -> None:  # noqa: N803
        """Append the rows of X, each with its labels; costs no more memory than a few rows."""
        import numpy as np

        if X.shape[0] != len(labels):
            raise UsageError(
                f"X has {X.shape[0]} documents and labels are given for {len(labels)}: "
                "one set of labels per document is needed"
            )
        if not np.isfinite(X.data).all():
            raise UsageError("X has a weight that is not a finite number; it is not written")
        tidy = X if X.has_canonical_format else X.copy()
        tidy.sum_duplicates()
        for start, stop in _row_blocks(tidy.indptr):
            self._stream.write(self._block(tidy, labels, start, stop))

    def _block(
        self, matrix: sp.csr_matrix[Any], labels: Sequence[Iterable[str]], start: int, stop: int
    ) -> bytes:
        starts = matrix.indptr[start : stop + 1].tolist()
        entries = slice(starts[0], starts[-1])
        columns = (matrix.indices[entries] + self._first).tolist()
        values = matrix.data[entries].tolist()
        cells = [
            f"{column}:{value:.9g}" if value else ""
            for column, value in zip(columns, values, strict=True)
        ]
        lines = []
        for row in range(start, stop):
            own = cells[starts[row - start] - starts[0] : starts[row - start + 1] - starts[0]]
            lines.append(self._line(labels[row], [cell for cell in own if cell]))
        return "".join(lines).encode("ascii")

    def _line(self, labels: Iterable[str], cells: list[str]) -> str:
        numbers = ",".join(str(number) for number in sorted({self._id(name) for name in labels}))
        if not numbers and not cells:
            cells = [f"{self._first}:0"]
        return f"{numbers} {' '.join(cells)}".rstrip(" ") + "\n"

    def _id(self, name: str) -> int:
        if name in self.label_ids:
            return self.label_ids[name]
        if self._fixed:
            raise UsageError(f"the label {name!r} has no number: add it to label_ids")
        self.label_ids[name] = len(self.label_ids)
        return self.label_ids[name]


@contextmanager
def svmlight_writer(
    path: str | Path,
    *,
    label_ids: Mapping[str, int] | None = None,
    zero_based: bool = False,
) -> Iterator[SvmlightWriter]:
    """Open a file for blocks of rows; it appears, complete, when the context ends.

    ``.gz`` and ``.zst`` are compressed; ``-`` is standard output. Labels are written as their
    numbers in ``label_ids``; without it they are numbered from 0 as they come, and the writer's
    ``label_ids`` holds the result. Weights are written with nine digits, so that reading gives
    back the same float32; zeros are not written, but for one where a document has neither
    labels nor terms. Memory does not grow with the documents.
    """
    with output_file(path) as stream:
        yield SvmlightWriter(stream, label_ids, 0 if zero_based else 1)


def write_svmlight(
    path: str | Path,
    X: sp.csr_matrix[Any],  # noqa: N803 - the name every scikit-learn user knows
    labels: Sequence[Iterable[str]],
    *,
    label_ids: Mapping[str, int] | None = None,
    zero_based: bool = False,
) -> dict[str, int]:
    """Write a matrix and its label sets as one file; returns the labels' numbers."""
    with svmlight_writer(path, label_ids=label_ids, zero_based=zero_based) as writer:
        writer.write(X, labels)
    return writer.label_ids


def _row_blocks(row_starts: NDArray[np.integer[Any]]) -> Iterator[tuple[int, int]]:
    """Cut rows into stretches of about BLOCK_ENTRIES entries, and at most as many rows."""
    import numpy as np

    start, rows = 0, len(row_starts) - 1
    while start < rows:
        limit = row_starts[start] + BLOCK_ENTRIES
        reach = int(np.searchsorted(row_starts, limit, side="right")) - 1
        stop = max(start + 1, min(reach, start + BLOCK_ENTRIES, rows))
        yield start, stop
        start = stop
