"""Decisions on categories of which some are above others: the most specific that are accepted.

A document is a member of the categories above its labels, too, so that each of them has scores,
a threshold and probabilities of its own. A document is then given the accepted categories that are
above no other accepted one: where no category is sure enough, the one above it takes its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.common.types import Flags, Floats, Ints
from postil.corpus.label_vocabulary import LabelVocabulary
from postil.decide.decision import stored_array
from postil.decide.scores import Csr, frozen
from postil.errors import InputError


@dataclass(frozen=True, slots=True, eq=False)
class Hierarchy:
    """The categories above each category, and how they are decided.

    Parameters
    ----------
    above : sparse matrix
        Categories × categories, True where the second is above the first.
    members : array of int
        The training documents that have each category as a label, not for one below it.
    consistent : bool
        Give a category only if all categories above it are accepted.
    one : bool
        Give a document one category.
    """

    above: Csr
    members: Ints
    consistent: bool = False
    one: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "members", frozen(self.members, np.int64))
        count = len(self.members)
        if self.above.shape != (count, count):
            raise InputError(f"a hierarchy of {count} categories must say what is above each")

    @property
    def categories(self) -> int:
        """The number of categories."""
        return len(self.members)

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        labels: LabelVocabulary,
        members: Csr,
        *,
        consistent: bool = False,
        one: bool = False,
    ) -> Hierarchy:
        """Return the hierarchy of a label vocabulary.

        Parameters
        ----------
        names : sequence of str
            The categories.
        labels : LabelVocabulary
            The vocabulary.
        members : sparse matrix
            The training documents × categories, with those above the labels of each document.
        consistent, one : bool
            As for the class.
        """
        above = above_matrix(names, labels)
        own = specific(members, above)
        sizes = np.bincount(own.indices, minlength=len(names))
        return cls(above, sizes, consistent=consistent, one=one)

    def specific(self, members: Csr) -> Csr:
        """Return the memberships that are above no other of the same document."""
        return specific(members, self.above)

    def decided(self, accepted: Flags, ranks: Floats) -> Flags:
        """Return the categories to give of those that are accepted; linear in these.

        Parameters
        ----------
        accepted : array of bool
            Documents × categories.
        ranks : array
            The higher, the likelier, of the same shape: of several categories the one to give, if
            a document gets one.
        """
        import scipy.sparse as sp

        found: Csr = sp.csr_matrix(accepted)
        if self.consistent:
            needed = np.asarray(self.above.sum(axis=1)).ravel()
            present = (found.astype(np.int32) @ self.above.T.astype(np.int32)).toarray()
            agreed = accepted & (present == needed)
            if self.one:  # a document keeps something
                agreed |= accepted & ~agreed.any(axis=1, keepdims=True)
            found = sp.csr_matrix(agreed)
        given: Flags = specific(found, self.above).toarray().astype(np.bool_)
        if self.one:
            best = np.where(given, ranks, -np.inf).argmax(axis=1)
            rows = np.flatnonzero(given.any(axis=1))
            given[:] = False
            given[rows, best[rows]] = True
        return given

    def to_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Take the hierarchy apart for a file: settings that JSON can hold, and arrays."""
        arrays: dict[str, NDArray[Any]] = {
            "above": self.above.indices.astype(np.int32),
            "starts": self.above.indptr.astype(np.int64),
            "members": self.members,
        }
        return {"consistent": self.consistent, "one": self.one}, arrays

    @classmethod
    def from_parts(
        cls, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> Hierarchy:
        """Restore a hierarchy from the result of :meth:`to_parts`, or raise InputError."""
        import scipy.sparse as sp

        members = stored_array(arrays, "members", np.int64)
        count = len(members)
        starts = stored_array(arrays, "starts", np.int64, count + 1)
        above = stored_array(arrays, "above", np.int32)
        consistent, one = settings.get("consistent"), settings.get("one")
        rising = bool((starts[1:] >= starts[:-1]).all())
        inside = not len(above) or (above.min() >= 0 and above.max() < count)
        if not rising or starts[0] != 0 or starts[-1] != len(above) or not inside:
            raise InputError("the stored hierarchy is damaged: it names categories that are not")
        if not isinstance(consistent, bool) or not isinstance(one, bool) or (members < 0).any():
            raise InputError("the stored hierarchy is damaged: flags and counts are expected")
        ones = np.ones(len(above), dtype=np.bool_)
        matrix: Csr = sp.csr_matrix((ones, above, starts), shape=(count, count))
        if not matrix.has_canonical_format:
            raise InputError("the stored hierarchy is damaged: its rows do not rise")
        return cls(matrix, members, consistent, one)


def above_matrix(names: Sequence[str], labels: LabelVocabulary) -> Csr:
    """Return categories × categories: True where the second is above the first."""
    import scipy.sparse as sp

    place = {name: column for column, name in enumerate(names)}
    rows = [sorted(place[each] for each in labels.lineage(n) if each in place) for n in names]
    ends = np.cumsum([0, *map(len, rows)])
    columns = np.array([column for row in rows for column in row], dtype=np.int32)
    ones = np.ones(len(columns), dtype=np.bool_)
    matrix: Csr = sp.csr_matrix((ones, columns, ends), shape=(len(names), len(names)))
    return matrix


def specific(members: Csr, above: Csr) -> Csr:
    """Return the entries of each row that are above no other entry of it."""
    import scipy.sparse as sp

    own: Csr = sp.csr_matrix(members, dtype=np.bool_)
    covered = own.astype(np.int32) @ above.astype(np.int32)
    covered.data[:] = 1
    # 1 where an entry stays, and 0 where it is above another.
    left: Csr = own.astype(np.int32) - own.astype(np.int32).multiply(covered)
    left.eliminate_zeros()
    return left.astype(np.bool_)
