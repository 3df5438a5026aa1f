"""Which documents belong to which categories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.errors import UsageError
from postil.vectors.matrices import check_indices


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Categories by name, and their members: documents × categories, one stored True each.

    Memory and every step here cost the number of memberships, not documents × categories.
    """

    names: tuple[str, ...]
    members: sp.csr_matrix[Any]

    def __post_init__(self) -> None:
        if self.members.shape[1] != len(self.names):
            raise UsageError(
                f"there are {len(self.names)} category names and {self.members.shape[1]} columns"
            )
        if len(set(self.names)) != len(self.names):
            raise UsageError("a category name stands twice")
        check_indices(self.members, "labels")

    @classmethod
    def of(cls, labels: Iterable[Iterable[str]], names: Sequence[str] | None = None) -> Labels:
        """From the label set of each document; the names are sorted unless they are given.

        With given names, labels that are not among them are left out: a test set is seen through
        the categories of its training set.
        """
        sets = [tuple(dict.fromkeys(document)) for document in labels]
        if names is None:
            names = sorted({name for document in sets for name in document})
        column = {name: place for place, name in enumerate(names)}
        known = [[column[name] for name in document if name in column] for document in sets]
        starts = np.concatenate(([0], np.cumsum([len(document) for document in known])))
        places = np.fromiter((c for d in known for c in d), dtype=np.int32, count=int(starts[-1]))
        shape = (len(sets), len(column))
        members = sp.csr_matrix((np.ones(len(places), dtype=bool), places, starts), shape=shape)
        members.sort_indices()
        return cls(tuple(names), members)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def documents(self) -> int:
        """The number of documents."""
        return int(self.members.shape[0])

    def sizes(self) -> NDArray[np.int64]:
        """How many members each category has."""
        return np.bincount(self.members.indices, minlength=len(self)).astype(np.int64)

    def by_category(self) -> sp.csc_matrix[Any]:
        """The same memberships, category by category."""
        return self.members.tocsc()

    def of_documents(self, documents: NDArray[Any]) -> Labels:
        """The same categories for some of the documents."""
        return Labels(self.names, self.members[documents])
