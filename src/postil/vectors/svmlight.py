"""Read and write svmlight (libsvm) files: one document a line, ``1,5,7 3:0.5 9:1.25 # comment``.

Labels are numbers joined by commas, possibly none; then come term numbers, rising, each with
its weight. Reading goes through scikit-learn's parser. Writing does not: scikit-learn prints
float32 weights with 16 digits where 9 bring back the same bits, and writes a document with neither
labels nor terms as an empty line, which every reader skips.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import numpy as np

from postil.common.files import output_file
from postil.corpus.files import textlines
from postil.corpus.files.streams import STDIN, Source
from postil.errors import DocumentError, PostilError, UsageError
from postil.vectors.matrices import check_indices

if TYPE_CHECKING:
    import scipy.sparse as sp
    from numpy.typing import NDArray

BLOCK_ENTRIES = 1 << 16

LabelNames = Mapping[int, str] | Sequence[str]


def write_svmlight(
    path: str | Path,
    X: sp.csr_matrix[Any],  # noqa: N803 - the name every scikit-learn user knows
    labels: Sequence[Iterable[str]],
    *,
    label_ids: Mapping[str, int] | None = None,
    zero_based: bool = False,
) -> dict[str, int]:
    """Write a matrix and its label sets as one file, and return the numbers of the labels.

    Weights are written with nine digits, so that reading gives back the same float32; zeros are
    not written, but for one where a document has neither labels nor terms.

    Parameters
    ----------
    path
        The file, which appears when it is complete; ``.gz`` and ``.zst`` are compressed, ``-`` is
        standard output.
    X
        Documents × terms.
    labels
        The labels of each document.
    label_ids
        The number of each label; by default labels are numbered from 0 in order of appearance.
    zero_based
        Number terms from 0 instead of 1.
    """
    check_indices(X, "X")
    if X.shape[0] != len(labels):
        raise UsageError(
            f"X has {X.shape[0]} documents and labels has {len(labels)} sets: give one set of "
            "labels for each document"
        )
    if not np.isfinite(X.data).all():
        raise UsageError("X has a weight that is not a finite number: repair it before writing")
    tidy = X if X.has_canonical_format else X.copy()
    tidy.sum_duplicates()
    numbers = dict(label_ids or {})

    def number_of(name: str) -> int:
        if name not in numbers and label_ids is not None:
            raise UsageError(f"the label {name!r} has no number: add it to label_ids")
        return numbers.setdefault(name, len(numbers))

    first = 0 if zero_based else 1
    with output_file(path) as stream:
        for start, stop in _row_blocks(tidy.indptr):
            own = [sorted({number_of(name) for name in names}) for names in labels[start:stop]]
            stream.write(_block(tidy[start:stop], own, first))
    return numbers


def _block(matrix: sp.csr_matrix[Any], labels: list[list[int]], first: int) -> bytes:
    starts = matrix.indptr.tolist()
    columns = (matrix.indices + first).tolist()
    cells = [
        f"{column}:{value:.9g}" if value else ""
        for column, value in zip(columns, matrix.data.tolist(), strict=True)
    ]
    lines = []
    for row, numbers in enumerate(labels):
        own = [cell for cell in cells[starts[row] : starts[row + 1]] if cell]
        if not numbers and not own:
            own = [f"{first}:0"]
        lines.append(f"{','.join(map(str, numbers))} {' '.join(own)}".rstrip(" ") + "\n")
    return "".join(lines).encode("ascii")


def _row_blocks(row_starts: NDArray[np.integer[Any]]) -> Iterator[tuple[int, int]]:
    """Cut rows into stretches of about BLOCK_ENTRIES entries, and at most as many rows."""
    start, rows = 0, len(row_starts) - 1
    while start < rows:
        limit = row_starts[start] + BLOCK_ENTRIES
        reach = int(np.searchsorted(row_starts, limit, side="right")) - 1
        stop = max(start + 1, min(reach, start + BLOCK_ENTRIES, rows))
        yield start, stop
        start = stop


@dataclass(frozen=True, eq=False)
class SvmlightData:
    """The vectors of a file, the label names of each document, and the first term number."""

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
    """Read a file, plain, gzip or zstd.

    Comments and ``qid`` are skipped, and so are empty lines. Time is linear in the size of the
    file; memory is the result and a copy of it.

    Parameters
    ----------
    path
        The file; ``-`` is standard input.
    label_names
        The name of each label number; by default a label is its number as text.
    zero_based
        The first term is number 0. ``"auto"`` assumes 1 unless some document has a number 0; set
        it where several files belong together.
    terms
        The number of columns; by default the largest term number decides.
    """
    import scipy.sparse as sp

    source = Source(None if str(path) == STDIN else Path(path))
    with source.open() as stream:
        lines = _NumberedLines(stream, source.name)
        matrix, numbers = _parsed(lines)
    zeros = np.flatnonzero(matrix.indices == 0)
    from_zero = len(zeros) > 0 if zero_based == "auto" else zero_based
    if len(zeros) and not from_zero:
        raise lines.error(
            _row_of(matrix, int(zeros[0])),
            "has a term number 0 in a file that counts from 1; read it with zero_based=True",
        )
    columns = int(matrix.indices.max()) + from_zero if matrix.nnz else 0
    if terms is not None and terms < columns:
        raise UsageError(f"{source.name}: the file has {columns} terms, more than terms={terms}")
    vectors = sp.csr_matrix(
        (matrix.data, matrix.indices - int(not from_zero), matrix.indptr),
        shape=(matrix.shape[0], columns if terms is None else terms),
    )
    vectors.eliminate_zeros()
    return SvmlightData(vectors, _named(numbers, label_names, lines), from_zero)


class _NumberedLines:
    """The lines of a stream, with the number of the current line and of every document's line."""

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

    def error(self, document: int, message: str) -> DocumentError:
        """Return the error for one document, with its line."""
        return DocumentError(self.name, f"line {self.of_document[document]}", message)


def _parsed(lines: _NumberedLines) -> tuple[sp.csr_matrix[Any], list[tuple[float, ...]]]:
    import scipy.sparse as sp
    from sklearn.datasets import load_svmlight_file

    try:
        parsed, numbers = load_svmlight_file(
            lines, dtype=np.float32, multilabel=True, zero_based=True
        )
    except PostilError:
        raise
    except (ValueError, OverflowError) as error:
        raise DocumentError(lines.name, f"line {lines.number}", _complaint(lines.line)) from error
    matrix = sp.csr_matrix(parsed)
    infinite = np.flatnonzero(~np.isfinite(matrix.data))
    if len(infinite):
        raise lines.error(
            _row_of(matrix, int(infinite[0])),
            f"the weight of a term is {matrix.data[infinite[0]]}, not a finite number (of "
            "float32); repair it or drop the document",
        )
    return matrix, numbers


def _complaint(line: bytes) -> str:
    """Return the fault of a line that the parser refused."""
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


def _named(
    numbers: list[tuple[float, ...]], names: LabelNames | None, lines: _NumberedLines
) -> list[tuple[str, ...]]:
    pairs = names.items() if isinstance(names, Mapping) else enumerate(names or ())
    known = {float(number): name for number, name in pairs}
    labels = []
    for document, own in enumerate(numbers):
        for number in own:
            if not math.isfinite(number):
                message = f"the label is {number}; labels are numbers joined by commas"
                raise lines.error(document, message)
            if number not in known:
                if names is not None:
                    message = f"the label number {number:g} has no name in label_names; add it"
                    raise lines.error(document, message)
                known[number] = str(int(number)) if number.is_integer() else repr(number)
        labels.append(tuple(dict.fromkeys(known[number] for number in own)))
    return labels


def _row_of(matrix: sp.csr_matrix[Any], entry: int) -> int:
    return int(np.searchsorted(matrix.indptr, entry, side="right")) - 1
