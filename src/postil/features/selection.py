"""The terms each category may use: a view of the shared matrix, never a copy of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.errors import UsageError
from postil.features.inputs import Csc, Csr, Ids, Indices


@dataclass(frozen=True, slots=True, eq=False)
class ColumnView:
    """Some columns of a CSC matrix: their ids, and the matrix's own three arrays.

    A solver walks ``values[starts[j]:starts[j + 1]]`` for each j in ``ids``. Making one costs
    nothing that grows with the matrix.
    """

    ids: Ids
    values: NDArray[Any]
    rows: Indices
    starts: Indices
    documents: int

    def __len__(self) -> int:
        return len(self.ids)

    def column(self, position: int) -> tuple[Indices, NDArray[Any]]:
        """Rows and values of the view's column at ``position``, as views of the shared arrays."""
        term = self.ids[position]
        stretch = slice(int(self.starts[term]), int(self.starts[term + 1]))
        return self.rows[stretch], self.values[stretch]

    @property
    def entries(self) -> int:
        """How many stored entries the columns have together; costs the number of columns."""
        return int((self.starts[self.ids + 1] - self.starts[self.ids]).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """Sorted term ids per category, in one flat array with offsets.

    Category c keeps ``ids[offsets[c]:offsets[c + 1]]``. Memory is four bytes per kept pair of
    category and term, plus eight per category.
    """

    ids: Ids
    offsets: NDArray[np.int64]
    terms: int

    @classmethod
    def of(cls, chosen: list[Ids], terms: int) -> Selection:
        """From one sorted array of term ids per category."""
        offsets = np.zeros(len(chosen) + 1, dtype=np.int64)
        np.cumsum([len(ids) for ids in chosen], out=offsets[1:])
        flat = np.concatenate([np.empty(0, np.int32), *chosen])
        return cls(flat.astype(np.int32, copy=False), offsets, terms)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, category: int) -> Ids:
        if not 0 <= category < len(self):
            raise IndexError(f"category {category} of a selection that has {len(self)}")
        return self.ids[self.offsets[category] : self.offsets[category + 1]]

    def __iter__(self) -> Iterator[Ids]:
        return (self[category] for category in range(len(self)))

    def view(self, matrix: Csc, category: int) -> ColumnView:
        """Look at the category's columns of a CSC matrix, sharing its arrays."""
        if getattr(matrix, "format", None) != "csc":
            raise UsageError(
                f"a column view needs a CSC matrix, got {getattr(matrix, 'format', type(matrix))}: "
                "convert once with X.tocsc() and share it among the categories"
            )
        self._check_width(matrix)
        return ColumnView(
            self[category], matrix.data, matrix.indices, matrix.indptr, matrix.shape[0]
        )

    def matrix(self, matrix: Csr | Csc, category: int) -> Csr | Csc:
        """Copy the category's columns out, for tools that need a matrix of their own."""
        self._check_width(matrix)
        return matrix[:, self[category]]

    def _check_width(self, matrix: Csr | Csc) -> None:
        if matrix.shape[1] != self.terms:
            raise UsageError(
                f"the selection was made over {self.terms} terms and the matrix has "
                f"{matrix.shape[1]}: use vectors of the same vocabulary"
            )
