"""The rows of a matrix of vectors: the documents they come from, and the .npz file of both.

``scipy.sparse.load_npz`` reads the matrix of such a file; :func:`read_vectors` reads everything.
Names are stored as UTF-8 in one run of bytes with the end of each, since NumPy would give every
name the room of the longest.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from postil.common.escaping import escaped_json
from postil.common.files import output_file
from postil.corpus.document import Document
from postil.errors import CorpusError, InputError
from postil.vectors.fields import Fields
from postil.vectors.matrices import check_indices
from postil.vectors.vectorizer import TextChunk, Vectorizer

if TYPE_CHECKING:
    import scipy.sparse as sp

SPLITS = ("", "train", "test")
NAMES = ("terms", "ids", "categories")


class RowFacts:
    """Ids, splits, labels, weights and groups of the documents read so far, in order.

    Memory: the ids, some 40 bytes for each document, four to eight for each label of one.

    Attributes
    ----------
    ids, splits, weights
        Those of the documents.
    partly : list of bool
        True for documents that were judged for some categories only.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget everything, for another pass over the corpus."""
        self.ids: list[str] = []
        self.splits: list[str] = []
        self.weights = array("d")
        self.partly: list[bool] = []
        self._groups: dict[str, int] = {}
        self._group_of: dict[int, int] = {}
        self._label_ids: dict[str, int] = {}
        self._given: dict[str, None] = {}
        self._members: list[int] = []
        self._ends: list[int] = [0]
        self._excluded: list[tuple[int, int]] = []
        self._uncertain: list[tuple[int, int, float]] = []

    def add(self, document: Document) -> None:
        """Record a document."""
        row, ids = len(self.ids), self._label_ids
        self.ids.append(document.id)
        self.splits.append(document.split or "")
        self.weights.append(document.weight)
        self.partly.append(document.not_labels is not None)
        self._given.update(dict.fromkeys(document.labels))
        self._members += [ids.setdefault(label, len(ids)) for label in document.labels]
        self._ends.append(len(self._members))
        if document.group is not None:
            self._group_of[row] = self._groups.setdefault(document.group, len(self._groups))
        for label in document.not_labels or ():
            self._excluded.append((row, ids.setdefault(label, len(ids))))
        for label, chance in document.probabilities.items():
            self._given[label] = None
            self._uncertain.append((row, ids.setdefault(label, len(ids)), chance))

    @property
    def categories(self) -> list[str]:
        """The labels that documents have, sorted."""
        return sorted(self._given)

    def indicator(self, names: Sequence[str] | None = None) -> sp.csr_matrix[Any]:
        """Return the documents × categories matrix of labels, by default sorted by name."""
        rows = np.repeat(np.arange(len(self.ids)), np.diff(self._ends))
        return self._matrix(names, rows, self._members, np.ones(len(rows), dtype=np.int8))

    def judged(self, names: Sequence[str] | None = None) -> sp.csr_matrix[Any]:
        """Return 1 for each label that a document has, is known not to have, or may have."""
        cells = self._excluded + [cell[:2] for cell in self._uncertain]
        rows, numbers = np.array(cells, dtype=np.int64).reshape(-1, 2).T
        found = self._matrix(names, rows, numbers, np.ones(len(cells), dtype=np.int8))
        both: sp.csr_matrix[Any] = (found + self.indicator(names)).minimum(1).tocsr()
        return both

    def uncertain(self, names: Sequence[str] | None = None) -> sp.csr_matrix[Any]:
        """Return the probabilities of uncertain labels."""
        cells = np.array([cell[:2] for cell in self._uncertain], dtype=np.int64).reshape(-1, 2)
        chances = np.array([chance for _, _, chance in self._uncertain])
        return self._matrix(names, cells[:, 0], cells[:, 1], chances)

    def groups(self) -> NDArray[np.int64]:
        """Return the number of each document's group; those without one have numbers below 0."""
        numbers = -1 - np.arange(len(self.ids), dtype=np.int64)
        numbers[list(self._group_of)] = list(self._group_of.values())
        return numbers

    def _matrix(
        self,
        names: Sequence[str] | None,
        rows: NDArray[Any],
        labels: Sequence[int] | NDArray[Any],
        values: NDArray[Any],
    ) -> sp.csr_matrix[Any]:
        """Return documents × categories with values for labels by number; others are left out."""
        import scipy.sparse as sp

        names = self.categories if names is None else names
        column = {name: place for place, name in enumerate(names)}
        places = np.array([column.get(name, -1) for name in self._label_ids], dtype=np.int64)
        columns = places[np.asarray(labels, dtype=np.int64)]
        kept = columns >= 0
        cells = (rows[kept].astype(np.int64), columns[kept])
        found = sp.csr_matrix((values[kept], cells), shape=(len(self.ids), len(names)))
        found.sort_indices()
        return found


def chunks_of(
    documents: Iterable[Document],
    fields: Fields,
    size: int,
    facts: RowFacts,
    *,
    any_field: bool = False,
) -> Iterator[TextChunk]:
    """Yield the texts of documents in chunks; test documents are not learned from.

    Parameters
    ----------
    documents
        The documents to read, once.
    fields
        The fields to take; a field that no document has is an error in the end.
    size
        The number of documents in a chunk.
    facts
        Receives the id, split and labels of every document.
    any_field
        Raise the error only if no document has any of the fields.
    """
    stream = iter(documents)
    seen_fields: set[str] = set()
    while chunk := list(islice(stream, size)):
        for document in chunk:
            facts.add(document)
            seen_fields.update(document.fields)
        learned = [document.split != "test" for document in chunk]
        yield TextChunk(fields.columns_of(chunk), None if all(learned) else learned)
    missing = [name for name in fields.names if name not in seen_fields]
    if facts.ids and missing and not (any_field and len(missing) < len(fields.names)):
        raise CorpusError(
            f"no document has the field {', '.join(missing)}; there are: "
            f"{', '.join(sorted(seen_fields))}"
        )


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

    @classmethod
    def of(cls, matrix: sp.csr_matrix[Any], vectorizer: Vectorizer, facts: RowFacts) -> VectorFile:
        """Join a matrix with the names of its rows and columns."""
        return cls(
            matrix=matrix,
            terms=[] if vectorizer.vocabulary is None else vectorizer.vocabulary.names,
            ids=facts.ids,
            labels=facts.indicator(),
            categories=facts.categories,
            splits=facts.splits,
        )

    def only(self, split: str) -> VectorFile:
        """Return the documents of one split; terms and categories keep their numbers."""
        rows = [row for row, each in enumerate(self.splits) if each == split]
        return replace(
            self,
            matrix=self.matrix[rows],
            ids=[self.ids[row] for row in rows],
            labels=self.labels[rows],
            splits=[split] * len(rows),
        )

    def label_sets(self) -> list[list[str]]:
        """Return the labels of each document by name."""
        return [
            [self.categories[category] for category in self.labels.indices[first:end]]
            for first, end in pairwise(self.labels.indptr.tolist())
        ]


def write_vectors(path: Path, vectors: VectorFile, *, compress: bool = False) -> None:
    """Write vectors to an .npz file, which appears under its name only when it is complete."""
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
    for name in NAMES:
        encoded = [each.encode("utf-8", "surrogatepass") for each in getattr(vectors, name)]
        arrays[f"{name}_utf8"] = np.frombuffer(b"".join(encoded), dtype=np.uint8)
        arrays[f"{name}_ends"] = np.cumsum([len(each) for each in encoded], dtype=np.int64)
    save = np.savez_compressed if compress else np.savez
    with output_file(path) as file:
        save(file, **arrays)


def read_vectors(path: Path) -> VectorFile:
    """Read the file that :func:`write_vectors` wrote; nothing in it is executed."""
    try:
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return _vector_file(arrays)
    except FileNotFoundError:
        raise CorpusError(f"{path}: the file does not exist") from None
    except Exception as error:  # zipfile, zlib and NumPy have many for a damaged file
        raise CorpusError(
            f"{path}: the file is damaged, or postil vectorize did not write it (read svmlight "
            "files with postil.vectors.svmlight.read_svmlight)"
        ) from error


def write_names(beside: Path, what: str, names: Sequence[str], first: int) -> None:
    """Write numbered names to a file beside another, a line each: number, tab, name as JSON."""
    with output_file(beside.with_name(f"{beside.name}.{what}.tsv")) as file:
        for number, name in enumerate(names, first):
            shown = escaped_json(json.dumps(name, ensure_ascii=False))
            file.write(f"{number}\t{shown}\n".encode())


def _vector_file(arrays: Any) -> VectorFile:  # noqa: ANN401 - NumPy's own mapping type is private
    import scipy.sparse as sp

    rows, columns = (int(size) for size in arrays["shape"])
    names = {name: _unpack(arrays[f"{name}_utf8"], arrays[f"{name}_ends"]) for name in NAMES}
    stored = tuple(arrays[name] for name in ("data", "indices", "indptr"))
    members = (arrays["label_indices"], arrays["label_indptr"])
    read = VectorFile(
        matrix=sp.csr_matrix(stored, shape=(rows, columns)),
        labels=_indicator(*members, rows, len(names["categories"])),
        splits=[SPLITS[code] for code in arrays["split"]],
        **names,
    )
    check_indices(read.matrix, "vectors")
    check_indices(read.labels, "labels")
    if not len(read.ids) == len(read.splits) == rows:
        raise InputError("ids, splits and vectors are of different numbers of documents")
    return read


def _indicator(
    members: NDArray[Any], ends: NDArray[Any], rows: int, columns: int
) -> sp.csr_matrix[Any]:
    import scipy.sparse as sp

    ones = np.ones(len(members), dtype=np.int8)
    return sp.csr_matrix((ones, members, ends), shape=(rows, columns))


def _unpack(packed: NDArray[np.uint8], ends: NDArray[np.int64]) -> list[str]:
    text = packed.tobytes()
    return [
        text[start:end].decode("utf-8", "surrogatepass")
        for start, end in pairwise([0, *ends.tolist()])
    ]
