"""From linear scores to scores of categories, where there is more between them than a name.

A fit may have more rows of weights than categories (the nodes of trees), or scores that say
something beside each other alone (rivals). A combination takes documents × rows to documents ×
categories, positive where a document is accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postil import _native
from postil.common.types import Floats
from postil.errors import InputError, UsageError

Places = NDArray[np.int32]
Parts = tuple[dict[str, Any], dict[str, NDArray[Any]]]

LEAF = -1
# What a leaf of no gives at a score of exactly 0, which a threshold of 0 would accept.
JUST_BELOW = -float(np.finfo(np.float32).tiny)
# Beyond these a bar is the mean, or the highest, of all digits that there are; then it overflows.
LEAST_SHARP, MOST_SHARP = 1e-6, 1e6


class Combination(Protocol):
    """What makes scores of categories of the scores of rows."""

    @property
    def kind(self) -> str:
        """Its name in ``COMBINATIONS``."""

    @property
    def rows(self) -> int:
        """How many linear scores it takes."""

    @property
    def categories(self) -> int:
        """How many scores it gives."""

    def combined(self, scores: Floats) -> Floats:
        """Documents × rows to documents × categories."""

    def to_parts(self) -> Parts:
        """Plain settings and arrays, for a file."""


@dataclass(frozen=True, slots=True)
class Rivals:
    """A category's score less the bar that the others set (gao-wu-lee-chua-2003, eq. 4.13).

    The bar is ``(1/η) ln( 1/(N-1) Σ exp(η s_i) )`` over the other categories, which goes to the
    highest of their scores as η grows. ``capped``, it is held below 0 (as ``-ln(1 + exp(-η bar)) /
    η``, so that it stays smooth): rivals then matter for documents that none of them claims, and
    several categories may claim one. Cost: documents × categories.
    """

    categories: int
    sharpness: float
    capped: bool = False
    kind = "rivals"

    def __post_init__(self) -> None:
        if self.categories < 2:
            raise UsageError(f"rivals need two categories or more, got {self.categories}")
        if not LEAST_SHARP <= self.sharpness <= MOST_SHARP:
            raise UsageError(
                f"sharpness is a number from {LEAST_SHARP:g} to {MOST_SHARP:g}, got "
                f"{self.sharpness!r}"
            )

    @property
    def rows(self) -> int:
        """One for each category."""
        return self.categories

    def combined(self, scores: Floats) -> Floats:
        """How far each score is above its bar."""
        given = np.ascontiguousarray(scores, dtype=np.float64)
        margins = np.empty_like(given)
        _native.margins_over_rivals(given, self.sharpness, margins, 1, self.capped)
        return margins

    def bars(self, scores: Floats) -> Floats:
        """What each score has to be above."""
        return np.asarray(scores, dtype=np.float64) - self.combined(scores)

    def shares(self, category: int, scores: Floats) -> Floats:
        """The part each category has in the bar of one, for one document: they sum to 1.

        ``exp(η s_i) / Σ exp(η s_j)`` over the others, and 0 for the category itself.
        """
        given = np.array(scores, dtype=np.float64)
        given[category] = -np.inf
        parts = np.exp(self.sharpness * (given - given.max()))
        whole: Floats = parts / parts.sum()
        return whole

    def to_parts(self) -> Parts:
        """The sharpness and the number of categories."""
        return {
            "sharpness": float(self.sharpness),
            "categories": int(self.categories),
            "capped": bool(self.capped),
        }, {}

    @classmethod
    def from_parts(cls, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> Rivals:  # noqa: ARG003
        """Restore it; numbers of other kinds are refused."""
        names = ("categories", "sharpness", "capped")
        categories, sharpness, capped = (settings[name] for name in names)
        if (type(categories), type(sharpness), type(capped)) != (int, float, bool):
            raise InputError(
                f"rivals have a whole number of categories, a sharpness, and whether the bar is "
                f"capped, not {categories!r}, {sharpness!r} and {capped!r}"
            )
        return cls(categories, sharpness, capped)


@dataclass(frozen=True, slots=True)
class Step:
    """A node on the way of a document through a tree: its row, its score, and which way it went."""

    row: int
    score: float

    @property
    def accepted(self) -> bool:
        """Whether the document went the way of yes."""
        return self.score > 0


class Trees:
    """A binary tree of linear decisions for each category (gao-wu-lee-chua-2003, section 2.2).

    Row r of the weights is a node; a document with a score above 0 goes on to ``yes[r]``, others to
    ``no[r]``, and ends where that is ``LEAF``. The score of a category is that of the last node on
    the way, so that it is above 0 where the leaf is a yes, and below where it is a no: exactly 0,
    which is a no, becomes the least number below. Children stand behind their parents.
    Cost: documents × the depth of the deepest tree × categories.
    """

    kind = "trees"

    def __init__(self, roots: ArrayLike, yes: ArrayLike, no: ArrayLike) -> None:
        self.roots: Places = np.asarray(roots, dtype=np.int32)
        self.yes: Places = np.asarray(yes, dtype=np.int32)
        self.no: Places = np.asarray(no, dtype=np.int32)
        self._check()

    @property
    def rows(self) -> int:
        """The nodes of all trees."""
        return len(self.yes)

    @property
    def categories(self) -> int:
        """One tree for each."""
        return len(self.roots)

    def combined(self, scores: Floats) -> Floats:
        """The score of the last node on each document's way."""
        given = np.asarray(scores, dtype=np.float64)
        documents = np.arange(len(given))[:, None]
        nodes = np.broadcast_to(self.roots, (len(given), self.categories)).copy()
        found = given[documents, nodes]
        while True:
            following = np.where(found > 0, self.yes[nodes], self.no[nodes])
            going = following != LEAF
            if not going.any():
                return np.where(found == 0, JUST_BELOW, found)
            nodes = np.where(going, following, nodes)
            found = np.where(going, given[documents, nodes], found)

    def path(self, category: int, scores: Floats) -> list[Step]:
        """The way of one document, from the root to the node that decides."""
        steps = []
        node = int(self.roots[category])
        while node != LEAF:
            step = Step(node, float(scores[node]))
            steps.append(step)
            node = int(self.yes[node] if step.accepted else self.no[node])
        return steps

    def node_names(self, category: int) -> dict[int, str]:
        """The rows of one tree by the way to each: ``root``, ``yes``, ``no``, ``yes/no``."""
        ways: dict[int, tuple[str, ...]] = {int(self.roots[category]): ()}
        for node in self.nodes_of(category):
            for answer, child in (("yes", int(self.yes[node])), ("no", int(self.no[node]))):
                if child != LEAF:
                    ways[child] = (*ways[node], answer)
        return {node: "/".join(way) or "root" for node, way in ways.items()}

    def nodes_of(self, category: int) -> list[int]:
        """The rows of one tree, parents before children."""
        found = [int(self.roots[category])]
        for node in found:  # grows as it goes
            found += [int(child) for child in (self.yes[node], self.no[node]) if child != LEAF]
        return found

    def to_parts(self) -> Parts:
        """Where each tree begins, and the children of each node."""
        return {}, {"roots": self.roots, "yes": self.yes, "no": self.no}

    @classmethod
    def from_parts(cls, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> Trees:  # noqa: ARG003
        """Restore them; what is no forest is refused."""
        for name in ("roots", "yes", "no"):
            if arrays[name].dtype != np.int32 or arrays[name].ndim != 1:
                raise InputError(f"{name!r} of trees should be a list of whole numbers of 32 bits")
        return cls(arrays["roots"], arrays["yes"], arrays["no"])

    def _check(self) -> None:
        if len(self.yes) != len(self.no) or not self._are_trees():
            raise InputError(
                "nodes are no trees: each is the root of one category, or the child of one node "
                "that stands before it"
            )

    def _are_trees(self) -> bool:
        rows = np.arange(self.rows)
        children = np.concatenate([self.yes, self.no])
        behind = (children == LEAF) | (children > np.concatenate([rows, rows]))
        named = np.concatenate([self.roots, children[children != LEAF]])
        return bool(behind.all()) and np.array_equal(np.sort(named), rows)


Restore = Callable[[Mapping[str, Any], Mapping[str, Any]], Combination]
COMBINATIONS: Mapping[str, Restore] = MappingProxyType(
    {Rivals.kind: Rivals.from_parts, Trees.kind: Trees.from_parts}
)
