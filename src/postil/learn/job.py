"""The shared matrix of documents and terms, by rows and by columns.

How much documents and classes count.

Which documents belong to which categories.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil import _native
from postil.common.types import Floats
from postil.errors import UsageError
from postil.features.inputs import Csr, Sparse, checked_weights
from postil.vectors.matrices import check_indices


class Design:
    """A matrix that all categories and threads share; never copied for one of them.

    Memory: 16 bytes for each non-zero, in both orders together. ``rows`` is canonical CSR of
    float32; making the columns costs one pass.
    """

    def __init__(self, matrix: Sparse) -> None:
        with np.errstate(over="ignore"):
            single = checked_weights(matrix).astype(np.float32, copy=False)
        self.rows: Csr = checked_weights(single)  # finite in single precision too

    @property
    def documents(self) -> int:
        """The number of rows."""
        return int(self.rows.shape[0])

    @property
    def terms(self) -> int:
        """The number of columns."""
        return int(self.rows.shape[1])

    @cached_property
    def columns(self) -> Any:  # noqa: ANN401 - a scipy CSC matrix
        """The same matrix by columns."""
        return self.rows.tocsc()

    @cached_property
    def native(self) -> _native.Design:
        """What the native core looks at: these arrays, not copies of them."""
        return _native.Design(*_arrays(self.rows), *_arrays(self.columns))


def _arrays(matrix: Any) -> tuple[Any, Any, Any]:  # noqa: ANN401 - CSR or CSC
    return (
        matrix.indptr.astype(np.int64, copy=False),
        matrix.indices.astype(np.int32, copy=False),
        matrix.data,
    )


@dataclass(frozen=True, slots=True, eq=False)
class SampleWeights:
    """How much documents count, and within each category its members and the others.

    ``classes`` is one pair (members, others) for all categories, a pair for each, or
    ``"balanced"``: both sides weigh n/2 together.
    """

    documents: Floats | None = None
    classes: tuple[float, float] | Sequence[tuple[float, float]] | str | None = None

    def of_documents(self, count: int) -> Floats:
        """The weight of each document."""
        if self.documents is None:
            return np.ones(count)
        weights = np.ascontiguousarray(self.documents, dtype=np.float64)
        if weights.shape != (count,):
            raise UsageError(f"there are {count} documents and {weights.shape} document weights")
        if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
            raise UsageError("document weights are finite, at least 0, and not all 0")
        return weights

    def of_classes(self, inside: Floats, total: float) -> tuple[Floats, Floats]:
        """The weights of members and of others, by category; ``inside`` is the members' sum."""
        if self.classes is None:
            return np.ones(len(inside)), np.ones(len(inside))
        if isinstance(self.classes, str):
            if self.classes != "balanced":
                raise UsageError(f"class weights are numbers or 'balanced', not {self.classes!r}")
            with np.errstate(divide="ignore"):
                return total / (2.0 * inside), total / (2.0 * (total - inside))
        given = np.asarray(self.classes, dtype=np.float64)
        if given.shape not in ((2,), (len(inside), 2)):
            raise UsageError(
                f"class weights are a pair (members, others), or {len(inside)} of them, one for "
                f"each category; they came as {' × '.join(map(str, given.shape)) or 'one number'}"
            )
        pairs = np.broadcast_to(given, (len(inside), 2))
        if not np.isfinite(pairs).all() or (pairs < 0).any():
            raise UsageError("class weights are finite and at least 0")
        return pairs[:, 0].copy(), pairs[:, 1].copy()


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
