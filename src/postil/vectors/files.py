"""Vectors with their names in one .npz file that other tools can open.

``scipy.sparse.load_npz`` reads the matrix; ``read_vectors`` reads everything. Names stand as
UTF-8 in one run of bytes with the end of each, since NumPy would give every name the room of
the longest.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.common.escaping import escaped_json
from postil.common.files import output_file
from postil.errors import CorpusError, InputError
from postil.vectors.matrices import check_indices

SPLITS = ("", "train", "test")


@dataclass(frozen=True, slots=True)
class VectorFile:
    """A matrix, the names of its rows and columns, and the labels of its rows.

    ``labels`` is a documents × categories indicator. ``splits`` holds "train", "test" or "" for
    each document.
    """

    matrix: sp.csr_matrix[Any]
    terms: list[str]
    ids: list[str]
    labels: sp.csr_matrix[Any]
    categories: list[str]
    splits: list[str]

    def only(self, split: str) -> VectorFile:
        """Those of one split; terms and categories keep their numbers."""
        rows = [row for row, each in enumerate(self.splits) if each == split]
        return replace(
            self,
            matrix=self.matrix[rows],
            ids=[self.ids[row] for row in rows],
            labels=self.labels[rows],
            splits=[split] * len(rows),
        )

    def label_sets(self) -> list[list[str]]:
        """The labels of each document by name."""
        starts = self.labels.indptr.tolist()
        return [
            [self.categories[category] for category in self.labels.indices[first:end]]
            for first, end in pairwise(starts)
        ]


def write_vectors(path: Path, vectors: VectorFile, *, compress: bool = False) -> None:
    """Write vectors; the file appears under its name only when it is complete."""
    matrix, labels = vectors.matrix, vectors.labels
    arrays: dict[str, Any] = {
        "format": np.array(b"csr"),
        "shape": np.array(matrix.shape),
        "data": matrix.data,
        "indices": matrix.indices,
        "indptr": matrix.indptr,
        "label_indices": labels.indices,
        "label_indptr": labels.indptr,
        "split": np.array([SPLITS.index(split) for split in vectors.splits], dtype=np.uint8),
    }
    for name in ("terms", "ids", "categories"):
        arrays[f"{name}_utf8"], arrays[f"{name}_ends"] = _pack(getattr(vectors, name))
    save = np.savez_compressed if compress else np.savez
    with output_file(path) as file:
        save(file, **arrays)


def read_vectors(path: Path) -> VectorFile:
    """Read what ``write_vectors`` wrote; nothing in the file is executed."""
    try:
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return _vector_file(arrays)
    except FileNotFoundError:
        raise CorpusError(f"{path}: there is no such file") from None
    except Exception as error:  # zipfile, zlib and NumPy have many for a damaged file
        raise CorpusError(
            f"{path}: is damaged, or no .npz file that postil vectorize wrote (svmlight files are "
            "read by postil.vectors.svmlight.read_svmlight)"
        ) from error


def write_names(beside: Path, what: str, names: Sequence[str], first: int) -> None:
    """Write numbered names to a file beside another, a line each: number, tab, name as JSON."""
    with output_file(beside.with_name(f"{beside.name}.{what}.tsv")) as file:
        for number, name in enumerate(names, first):
            shown = escaped_json(json.dumps(name, ensure_ascii=False))
            file.write(f"{number}\t{shown}\n".encode())


def _vector_file(arrays: Any) -> VectorFile:  # noqa: ANN401 - NumPy's own mapping type is private
    shape = tuple(int(size) for size in arrays["shape"])
    categories = _unpack(arrays["categories_utf8"], arrays["categories_ends"])
    members = arrays["label_indices"]
    read = VectorFile(
        matrix=sp.csr_matrix(
            (arrays["data"], arrays["indices"], arrays["indptr"]), shape=(shape[0], shape[1])
        ),
        terms=_unpack(arrays["terms_utf8"], arrays["terms_ends"]),
        ids=_unpack(arrays["ids_utf8"], arrays["ids_ends"]),
        labels=sp.csr_matrix(
            (np.ones(len(members), dtype=np.int8), members, arrays["label_indptr"]),
            shape=(shape[0], len(categories)),
        ),
        categories=categories,
        splits=[SPLITS[code] for code in arrays["split"]],
    )
    check_indices(read.matrix, "vectors")
    check_indices(read.labels, "labels")
    if not len(read.ids) == len(read.splits) == shape[0]:
        raise InputError("ids and splits are not of as many documents as there are vectors")
    return read


def _pack(names: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    encoded = [name.encode("utf-8", "surrogatepass") for name in names]
    ends = np.cumsum([len(name) for name in encoded], dtype=np.int64)
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), ends


def _unpack(packed: NDArray[np.uint8], ends: NDArray[np.int64]) -> list[str]:
    text, start, names = packed.tobytes(), 0, []
    for end in ends.tolist():
        names.append(text[start:end].decode("utf-8", "surrogatepass"))
        start = end
    return names
