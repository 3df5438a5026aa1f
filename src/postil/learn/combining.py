"""Combinations of linear scores to scores of categories.

A fit may have more rows of weights than categories (the nodes of trees, the support documents of a
kernel), or scores that only count in comparison (rivals). A combination turns documents × rows into
documents × categories, positive where a document is accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postil import _native
from postil.common.types import Floats
from postil.errors import InputError, UsageError
from postil.learn.kernel_functions import ProductKernel, kernel_name, product_kernel

if TYPE_CHECKING:
    import scipy.sparse as sp

Places = NDArray[np.int32]
Parts = tuple[dict[str, Any], dict[str, NDArray[Any]]]

# The scores of rows that are held at a time, 64 MB, before they are combined.
MOST_SCORES = 1 << 23
LEAF = -1
# The score of a "no" leaf at a node's score of exactly 0, which a threshold of 0 would accept.
JUST_BELOW = -float(np.finfo(np.float32).tiny)
# Beyond these the bar is the mean, or the highest, to the last digit; then it overflows.
LEAST_SHARP, MOST_SHARP = 1e-6, 1e6
# Of a document that is far longer than those of the training: sums stay finite.
LARGEST_KERNEL = 1e100
_RIVALS: Mapping[str, type[Any]] = {"categories": int, "sharpness": float, "capped": bool}


@dataclass(frozen=True, slots=True)
class Rivals:
    """Each category's score less the bar that the others set (gao-wu-lee-chua-2003, eq. 4.13).

    The bar is ``(1/η) ln( 1/(N-1) Σ exp(η s_i) )`` over the other categories, which tends to the
    highest of their scores as the ``sharpness`` η grows. A ``capped`` bar is kept below 0,
    smoothly, as ``-ln(1 + exp(-η bar)) / η``: rivals then matter for documents that none of them
    claims, and several categories may claim one. The cost is documents × categories.
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
                f"sharpness must be from {LEAST_SHARP:g} to {MOST_SHARP:g}, got {self.sharpness!r}"
            )

    @property
    def rows(self) -> int:
        """The number of linear scores: one for each category."""
        return self.categories

    def combined(self, scores: Floats) -> Floats:
        """Return how far each score is above its bar."""
        given = np.ascontiguousarray(scores, dtype=np.float64)
        margins = np.empty_like(given)
        _native.margins_over_rivals(given, self.sharpness, margins, 1, self.capped)
        return margins

    def bars(self, scores: Floats) -> Floats:
        """Return the bar of each score."""
        return np.asarray(scores, dtype=np.float64) - self.combined(scores)

    def shares(self, category: int, scores: Floats) -> Floats:
        """Return each category's share in the bar of one, for one document; they sum to 1.

        ``exp(η s_i) / Σ exp(η s_j)`` over the others, and 0 for the category itself.
        """
        given = np.array(scores, dtype=np.float64)
        given[category] = -np.inf
        parts = np.exp(self.sharpness * (given - given.max()))
        whole: Floats = parts / parts.sum()
        return whole

    def to_parts(self) -> Parts:
        """Return plain settings and arrays, for a file."""
        return {name: kind(getattr(self, name)) for name, kind in _RIVALS.items()}, {}

    @classmethod
    def from_parts(cls, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> Rivals:  # noqa: ARG003
        """Restore rivals from the parts of a file."""
        given = {name: settings[name] for name in _RIVALS}
        if any(type(given[name]) is not kind for name, kind in _RIVALS.items()):
            raise InputError(
                "rivals need a whole number of categories, a number of sharpness and a boolean "
                f"capped, got {', '.join(map(repr, given.values()))}"
            )
        return cls(**given)


@dataclass(frozen=True, slots=True)
class Step:
    """A node on a document's path through a tree: its row, and the document's score there."""

    row: int
    score: float

    @property
    def accepted(self) -> bool:
        """True if the document went to the node's yes side."""
        return self.score > 0


class Trees:
    """A binary tree of linear decisions for each category (gao-wu-lee-chua-2003, section 2.2).

    Row r of the weights is a node; a document with a score above 0 goes on to ``yes[r]``, others to
    ``no[r]``, and stops where that is ``LEAF``. The score of a category is that of the last node on
    the path: above 0 at a yes leaf, and below 0 at a no leaf, where exactly 0 becomes
    ``JUST_BELOW``. Children come after their parents. The cost is documents × the depth of the
    deepest tree × categories.
    """

    kind = "trees"

    def __init__(self, roots: ArrayLike, yes: ArrayLike, no: ArrayLike) -> None:
        self.roots, self.yes, self.no = (
            np.asarray(nodes, dtype=np.int32) for nodes in (roots, yes, no)
        )
        if len(self.yes) != len(self.no) or not self._are_trees():
            raise InputError(
                "the nodes do not form trees: each node must be the root of one category, or the "
                "child of one node before it"
            )

    @property
    def rows(self) -> int:
        """The number of nodes of all trees."""
        return len(self.yes)

    @property
    def categories(self) -> int:
        """The number of trees, one for each category."""
        return len(self.roots)

    def combined(self, scores: Floats) -> Floats:
        """Return the score of the last node on each document's path."""
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
        """Return the path of one document, from the root to the node that decides."""
        steps = []
        node = int(self.roots[category])
        while node != LEAF:
            step = Step(node, float(scores[node]))
            steps.append(step)
            node = int(self.yes[node] if step.accepted else self.no[node])
        return steps

    def node_names(self, category: int) -> dict[int, str]:
        """Return the rows of one tree with their paths: ``root``, ``yes``, ``no``, ``yes/no``."""
        ways: dict[int, tuple[str, ...]] = {int(self.roots[category]): ()}
        for node in self.nodes_of(category):
            for answer, child in (("yes", int(self.yes[node])), ("no", int(self.no[node]))):
                if child != LEAF:
                    ways[child] = (*ways[node], answer)
        return {node: "/".join(way) or "root" for node, way in ways.items()}

    def nodes_of(self, category: int) -> list[int]:
        """Return the rows of one tree, parents before children."""
        found = [int(self.roots[category])]
        for node in found:  # grows as it goes
            found += [int(child) for child in (self.yes[node], self.no[node]) if child != LEAF]
        return found

    def to_parts(self) -> Parts:
        """Return plain settings and arrays, for a file."""
        return {}, {"roots": self.roots, "yes": self.yes, "no": self.no}

    @classmethod
    def from_parts(cls, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> Trees:  # noqa: ARG003
        """Restore trees from the parts of a file."""
        for name in ("roots", "yes", "no"):
            if arrays[name].dtype != np.int32 or arrays[name].ndim != 1:
                raise InputError(f"{name!r} of trees must be a list of 32-bit whole numbers")
        return cls(arrays["roots"], arrays["yes"], arrays["no"])

    def _are_trees(self) -> bool:
        rows = np.arange(self.rows)
        children = np.concatenate([self.yes, self.no])
        behind = (children == LEAF) | (children > np.concatenate([rows, rows]))
        named = np.concatenate([self.roots, children[children != LEAF]])
        return bool(behind.all()) and np.array_equal(np.sort(named), rows)


_KERNEL_ARRAYS = {
    **{"starts": np.int64, "support": np.int32, "factors": np.float64, "intercepts": np.float64},
    **{"id_bytes": np.uint8, "id_ends": np.int64},
}


class KernelSums:
    """Sums of kernels with support documents (zhang-oles-2001, section 3).

    Row r of the weights is a support document, and its score the product x·sᵣ. The score of
    category c is ``Σᵣ factors[c, r] f(x·sᵣ) + intercepts[c]``. The cost is documents × rows for f,
    and documents × the factors.

    Parameters
    ----------
    kernel : ProductKernel
        f, a function of the product of two documents.
    starts, support, factors : arrays
        The factors of each category in compressed rows: the begin of each row with the end, the
        support document of each factor, and the factors.
    intercepts : array
        The constant's score of each category.
    ids : sequence of str
        The ids of the support documents.
    """

    kind = "kernel"

    def __init__(
        self,
        kernel: ProductKernel,
        starts: ArrayLike,
        support: ArrayLike,
        factors: ArrayLike,
        intercepts: ArrayLike,
        ids: Sequence[str],
    ) -> None:
        self.kernel = kernel
        self.starts, self.support, self.factors, self.intercepts = (
            np.asarray(values, dtype=_KERNEL_ARRAYS[name])
            for name, values in (
                *(("starts", starts), ("support", support)),
                *(("factors", factors), ("intercepts", intercepts)),
            )
        )
        self.ids = tuple(ids)
        if not self._are_rows():
            raise InputError(
                "the factors of a kernel must be rows of rising support documents, one row for each"
                " intercept, and all of them finite"
            )

    @property
    def rows(self) -> int:
        """The number of support documents."""
        return len(self.ids)

    @property
    def categories(self) -> int:
        """The number of categories."""
        return len(self.intercepts)

    @cached_property
    def matrix(self) -> sp.csr_matrix[Any]:
        """The factors, categories × support documents."""
        import scipy.sparse as sp

        shape = (self.categories, self.rows)
        return sp.csr_matrix((self.factors, self.support, self.starts), shape=shape)

    def combined(self, scores: Floats) -> Floats:
        """Return the sums of each category; each kernel is at most ``LARGEST_KERNEL``."""
        with np.errstate(over="ignore"):
            products = self.kernel.of_products(np.asarray(scores, dtype=np.float64))
        kept = np.clip(products, -LARGEST_KERNEL, LARGEST_KERNEL)
        sums: Floats = (self.matrix @ kept.T).T + self.intercepts
        return sums

    def linear_rule(self, category: int, scores: Floats) -> tuple[Floats, float]:
        """Return the score of one document as a sum over rows, ``Σᵣ aᵣ (x·sᵣ) + b``: a and b.

        ``f(p) = f(0) + p (f(p) - f(0)) / p``, so that a depends on the document.
        """
        own = self._factors_of(category)
        alone = float(own.sum() * self.kernel.of_products(np.zeros(1))[0])
        return own * self.kernel.slopes(scores), alone + float(self.intercepts[category])

    def to_parts(self) -> Parts:
        """Return plain settings and arrays, for a file."""
        encoded = [name.encode("utf-8", "surrogatepass") for name in self.ids]
        arrays = {
            name: getattr(self, name) for name in _KERNEL_ARRAYS if not name.startswith("id_")
        }
        return {"kernel": kernel_name(self.kernel)}, {
            **arrays,
            "id_bytes": np.frombuffer(b"".join(encoded), dtype=np.uint8),
            "id_ends": np.cumsum([len(name) for name in encoded], dtype=np.int64),
        }

    @classmethod
    def from_parts(cls, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> KernelSums:
        """Restore the sums of a kernel from the parts of a file."""
        for name, kind in _KERNEL_ARRAYS.items():
            if arrays[name].dtype != kind or arrays[name].ndim != 1:
                raise InputError(f"{name!r} of a kernel must be a list of {kind.__name__} numbers")
        if type(settings["kernel"]) is not str:
            raise InputError(f"a kernel must be a text, is {settings['kernel']!r}")
        content, ends = arrays["id_bytes"].tobytes(), [0, *arrays["id_ends"].tolist()]
        if ends != sorted(ends) or ends[-1] != len(content):
            raise InputError(f"'id_ends' of a kernel does not rise from 0 to {len(content)}")
        ids = [content[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(ends)]
        given = {name: arrays[name] for name in ("starts", "support", "factors", "intercepts")}
        return cls(product_kernel(settings["kernel"]), **given, ids=ids)

    def _factors_of(self, category: int) -> Floats:
        entries = slice(int(self.starts[category]), int(self.starts[category + 1]))
        own = np.zeros(self.rows)
        own[self.support[entries]] = self.factors[entries]
        return own

    def _are_rows(self) -> bool:
        count, starts, support = len(self.factors), self.starts, self.support
        if len(starts) != self.categories + 1 or len(support) != count:
            return False
        if starts[0] != 0 or starts[-1] != count or (np.diff(starts) < 0).any():
            return False
        if count and not 0 <= support.min() <= support.max() < self.rows:
            return False
        # A place in the whole matrix, row after row.
        places = np.repeat(np.arange(self.categories) * self.rows, np.diff(starts)) + support
        finite = np.isfinite(self.factors).all() and np.isfinite(self.intercepts).all()
        return bool(finite and (np.diff(places) > 0).all())


Combination: TypeAlias = Rivals | Trees | KernelSums
COMBINATIONS: Mapping[str, Callable[[Mapping[str, Any], Mapping[str, Any]], Combination]] = (
    MappingProxyType({kind.kind: kind.from_parts for kind in (Rivals, Trees, KernelSums)})
)


def combined_in_blocks(
    combination: Combination, documents: int, scores_of: Callable[[slice], Floats]
) -> Floats:
    """Return documents × categories, with the scores of all rows for some documents at a time."""
    step = max(1, MOST_SCORES // max(1, combination.rows))
    return np.concatenate(
        [
            np.empty((0, combination.categories)),
            *(
                combination.combined(scores_of(slice(first, first + step)))
                for first in range(0, documents, step)
            ),
        ]
    )
