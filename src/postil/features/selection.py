"""The terms that each category may use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from postil.features.inputs import Ids


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """Sorted term ids per category, in one flat array with offsets.

    Category c keeps ``ids[offsets[c]:offsets[c + 1]]`` of ``terms`` columns. Memory is four bytes
    per kept pair of category and term, plus eight per category.
    """

    ids: Ids
    offsets: NDArray[np.int64]
    terms: int

    @classmethod
    def of(cls, chosen: list[Ids], terms: int) -> Selection:
        """Make a selection from one sorted array of term ids per category."""
        offsets = np.zeros(len(chosen) + 1, dtype=np.int64)
        np.cumsum([len(ids) for ids in chosen], out=offsets[1:])
        flat = np.concatenate([np.empty(0, np.int32), *chosen])
        return cls(flat.astype(np.int32, copy=False), offsets, terms)

    def of_categories(self, chosen: Iterable[int]) -> Selection:
        """Return the selection of some of the categories."""
        return Selection.of([self[int(category)] for category in chosen], self.terms)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, category: int) -> Ids:
        if not 0 <= category < len(self):
            raise IndexError(f"category {category} of a selection that has {len(self)}")
        return self.ids[self.offsets[category] : self.offsets[category + 1]]

    def __iter__(self) -> Iterator[Ids]:
        return (self[category] for category in range(len(self)))
