"""svmlight (libsvm) files: one document a line, ``1,5,7 3:0.5 9:1.25 # comment``.

Labels are numbers joined by commas, possibly none; then come term numbers, rising, each with
its weight. Reading goes through scikit-learn's parser; writing is
:mod:`postil.vectors.svmlight`.

Writing svmlight (libsvm) files, a block of rows at a time.

Ours rather than scikit-learn's: that prints float32 weights with 16 digits where 9 bring back
the same bits, and writes a document with neither labels nor terms as an empty line, which every
reader, its own too, takes for no document at all.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from postil.common.files import output_file
from postil.corpus.files import textlines
from postil.corpus.files.streams import STDIN, Source
from postil.errors import DocumentError, PostilError, UsageError

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


__all__ = [
    "SvmlightData",
    "SvmlightWriter",
    "read_svmlight",
    "svmlight_writer",
    "write_svmlight",
]

LabelNames = Mapping[int, str] | Sequence[str]


@dataclass(frozen=True, eq=False)
class SvmlightData:
    """What a file held: vectors, a tuple of label names per document, and how it counted."""

    vectors: sp.csr_matrix[Any]
    labels: list[tuple[str, ...]]
    zero_based: bool


def read_svmlight(
    path: str | Path,
    *,
    label_names: LabelNames | None = None,
    zero_based: bool | Literal["auto"] = "auto",
    terms: int | None = None,
) -> SvmlightData:
    """Read a file, plain, gzip or zstd; ``-`` is standard input.

    ``label_names`` turns label numbers into names; without it a label is its number as text.
    ``zero_based="auto"`` takes the first term to be number 1 unless some document has a number
    0: where several files belong together, say which it is. ``terms`` sets the number of
    columns. Comments and ``qid`` are passed over; lines with nothing on them are no documents.

    Time is linear in the size of the file; memory is the result and a copy of it.
    """
    source = Source(None if str(path) == STDIN else Path(path))
    with source.open() as stream:
        lines = _NumberedLines(stream, source.name)
        matrix, numbers = _parsed(lines)
    _check_finite(matrix, lines)
    from_zero = _counts_from_zero(matrix, zero_based, lines)
    vectors = _with_columns(matrix, shift=not from_zero, terms=terms, name=source.name)
    return SvmlightData(vectors, _named(numbers, label_names, lines), from_zero)


class _NumberedLines:
    """The lines of a stream, remembering which line is at hand and which lines are documents."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self.name = name
        self.line = b""
        self.number = 0
        self.of_document = array("q")
        self._stream = stream

    def read(self, size: int = -1) -> bytes:
        # scikit-learn tells a stream from a path by this method; it only iterates.
        return self._stream.read(size)

    def __iter__(self) -> Iterator[bytes]:
        while line := self._stream.readline(textlines.LONGEST_LINE + 1):
            self.number += 1
            if len(line) > textlines.LONGEST_LINE:
                raise DocumentError(
                    self.name,
                    f"line {self.number}",
                    f"is longer than {textlines.LONGEST_LINE:,} bytes, the most a line may have",
                )
            self.line = line
            if line.partition(b"#")[0].strip():
                self.of_document.append(self.number)
            yield line

    def refusal(self, document: int, message: str) -> DocumentError:
        """Make the error for one document, saying its line."""
        return DocumentError(self.name, f"line {self.of_document[document]}", message)


def _parsed(lines: _NumberedLines) -> tuple[sp.csr_matrix[Any], list[tuple[float, ...]]]:
    import numpy as np
    import scipy.sparse as sp
    from sklearn.datasets import load_svmlight_file

    try:
        matrix, numbers = load_svmlight_file(
            lines, dtype=np.float32, multilabel=True, zero_based=True
        )
    except PostilError:
        raise
    except (ValueError, OverflowError) as error:
        raise DocumentError(lines.name, f"line {lines.number}", _complaint(lines.line)) from error
    return sp.csr_matrix(matrix), numbers


def _complaint(line: bytes) -> str:
    """Find what is wrong with a line the parser refused."""
    words = line.partition(b"#")[0].split() or [b""]
    labels, cells = ([], words) if b":" in words[0] else (words[0].split(b","), words[1:])
    for label in labels:
        if not _is_number(label):
            return f"the label {_shown(label)} is not a number; labels are numbers joined by commas"
    if cells and cells[0].startswith(b"qid:"):
        cells = cells[1:]
    last = -1
    for cell in cells:
        column, colon, value = cell.partition(b":")
        if not colon or not column.isdigit() or not _is_number(value):
            return f"{_shown(cell)} is not a term number, a colon and a weight"
        column = column.lstrip(b"0") or b"0"
        if len(column) > 10 or int(column) > 2**31 - 1:
            return f"the term number of {_shown(cell)} is too large"
        if int(column) <= last:
            return f"term number {int(column)} follows {last}; sort them and write each once"
        last = int(column)
    return "cannot be read as labels and term:weight pairs"


def _is_number(word: bytes) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _shown(word: bytes) -> str:
    return repr(word[:40].decode("utf-8", "backslashreplace"))


def _check_finite(matrix: sp.csr_matrix[Any], lines: _NumberedLines) -> None:
    import numpy as np

    wrong = np.flatnonzero(~np.isfinite(matrix.data))
    if len(wrong):
        raise lines.refusal(
            _row_of(matrix, int(wrong[0])),
            f"the weight of a term is {matrix.data[wrong[0]]}, not a finite number (of float32); "
            "repair it or drop the document",
        )


def _counts_from_zero(
    matrix: sp.csr_matrix[Any], zero_based: bool | Literal["auto"], lines: _NumberedLines
) -> bool:
    import numpy as np

    zeros = np.flatnonzero(matrix.indices == 0)
    if zero_based == "auto":
        return len(zeros) > 0
    if not zero_based and len(zeros):
        raise lines.refusal(
            _row_of(matrix, int(zeros[0])),
            "has a term number 0 in a file that counts from 1; read it with zero_based=True",
        )
    return zero_based


def _with_columns(
    matrix: sp.csr_matrix[Any], *, shift: bool, terms: int | None, name: str
) -> sp.csr_matrix[Any]:
    import scipy.sparse as sp

    columns = int(matrix.indices.max()) + (not shift) if matrix.nnz else 0
    if terms is not None and terms < columns:
        raise UsageError(f"{name}: it has {columns} terms, more than the {terms} asked for")
    shifted = sp.csr_matrix(
        (matrix.data, matrix.indices - int(shift), matrix.indptr),
        shape=(matrix.shape[0], columns if terms is None else terms),
    )
    shifted.eliminate_zeros()
    return shifted


def _named(
    numbers: list[tuple[float, ...]], names: LabelNames | None, lines: _NumberedLines
) -> list[tuple[str, ...]]:
    known = _names_by_number(names)
    labels = []
    for document, own in enumerate(numbers):
        for number in own:
            if number not in known:
                if names is not None or not math.isfinite(number):
                    raise lines.refusal(document, _nameless(number))
                known[number] = str(int(number)) if number.is_integer() else repr(number)
        labels.append(tuple(dict.fromkeys(known[number] for number in own)))
    return labels


def _nameless(number: float) -> str:
    if not math.isfinite(number):
        return f"the label is {number}; labels are numbers joined by commas"
    return f"the label number {number:g} has no name in label_names; add it"


def _names_by_number(names: LabelNames | None) -> dict[float, str]:
    if names is None:
        return {}
    pairs = names.items() if isinstance(names, Mapping) else enumerate(names)
    return {float(number): name for number, name in pairs}


def _row_of(matrix: sp.csr_matrix[Any], entry: int) -> int:
    import numpy as np

    return int(np.searchsorted(matrix.indptr, entry, side="right")) - 1
