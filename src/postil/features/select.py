"""Selection of each category's terms, for all categories in one pass over the matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from postil.common.types import Flags, Floats
from postil.errors import UsageError
from postil.features.evidence import Basis
from postil.features.inputs import Csr, Ids, Indices, Sparse, checked_members, checked_weights
from postil.features.measures import Measure, measure_named
from postil.features.selection import Selection

# Entries of the product held at once: about 100 MB with everything a measure needs for them.
BLOCK_ENTRIES = 1 << 20
# Absent terms that a threshold is compared with at first; the number doubles while they reach it.
FIRST_STRETCH = 1024


class Block(NamedTuple):
    """The touched terms of neighbouring categories: a slice of the sparse product ``Yᵀ·X``."""

    categories: range
    offsets: Indices
    terms: Indices
    within: Floats

    def stretch(self, category: int) -> slice:
        """Return the place of ``category`` in ``terms`` and ``within``."""
        row = category - self.categories.start
        return slice(int(self.offsets[row]), int(self.offsets[row + 1]))


def product_blocks(by_category: Csr, matrix: Csr, entries: int = BLOCK_ENTRIES) -> Iterator[Block]:
    """Yield ``Yᵀ·X`` in blocks of at most about ``entries`` stored entries.

    Time is the sum over documents of labels times terms; a block also pays once for the width
    of X, so blocks are never narrower than that.
    """
    # A category touches at most the entries of its documents together, and at most all terms.
    lengths = np.concatenate([[0], np.diff(matrix.indptr)[by_category.indices].cumsum()])
    touched = np.minimum(np.diff(lengths[by_category.indptr]), matrix.shape[1]).astype(np.int64)
    for categories in _ranges(touched, max(entries, matrix.shape[1])):
        product = cast("Csr", by_category[categories.start : categories.stop] @ matrix)
        yield Block(
            categories, product.indptr, product.indices, product.data.astype(np.float64, copy=False)
        )


def _ranges(sizes: NDArray[np.int64], limit: int) -> Iterator[range]:
    """Yield neighbouring categories whose sizes add up to ``limit`` at most, never none."""
    start, total = 0, 0
    for category, size in enumerate(sizes.tolist()):
        if total + size > limit and category > start:
            yield range(start, category)
            start, total = category, 0
        total += size
    if start < len(sizes):
        yield range(start, len(sizes))


class AbsentTerms:
    """Terms that a category never uses, best first, without a look at all of them.

    The orders that the measure declares are shared by all categories: sorting costs
    ``terms·log(terms)`` once. The best k of a category that touches t terms cost ``k + t``.
    """

    def __init__(
        self, measure: Measure, basis: Basis, tie_order: NDArray[np.intp], eligible: Flags
    ) -> None:
        self._measure = measure
        self._basis = basis
        orders = [np.lexsort((tie_order, -sign * basis.absent_key)) for sign in measure.absent]
        self._orders = [order[eligible[order]] for order in orders]
        self._taken = np.zeros(len(eligible), dtype=np.bool_)

    def best(self, count: int, touched: Indices, category: float) -> tuple[Indices, Floats]:
        """Return a set that holds the best ``count`` absent terms, and their scores."""
        reach = count + len(touched)
        return self._collect([order[:reach] for order in self._orders], count, touched, category)

    def above(self, threshold: float, touched: Indices, category: float) -> tuple[Indices, Floats]:
        """Return a set that holds every absent term of ``threshold`` or more, and the scores."""
        stretches = [order[: self._reach(order, threshold, category)] for order in self._orders]
        return self._collect(stretches, len(self._taken), touched, category)

    def _reach(self, order: Indices, threshold: float, category: float) -> int:
        """Return how many terms at the front of ``order`` score the threshold or more."""
        start, stop = 0, FIRST_STRETCH
        while start < len(order):
            over = self._scores(order[start:stop], category) >= threshold
            if not over.all():
                return start + int(np.argmin(over))
            start, stop = stop, 2 * stop
        return len(order)

    def _collect(
        self, stretches: Sequence[Indices], count: int, touched: Indices, category: float
    ) -> tuple[Indices, Floats]:
        self._taken[touched] = True
        kept: list[Indices] = []
        for stretch in stretches:
            kept.append(stretch[~self._taken[stretch]][:count])
            self._taken[kept[-1]] = True
        terms = np.concatenate(kept)
        self._taken[touched] = False
        self._taken[terms] = False
        return terms, self._scores(terms, category)

    def _scores(self, terms: Indices, category: float) -> Floats:
        table = self._basis.table(terms, np.full(len(terms), category), np.zeros(len(terms)))
        return self._measure.strength(self._measure.formula(table))


@dataclass(frozen=True)
class Rule:
    """Rule that keeps the ``k`` highest scores, or all scores that reach ``threshold``."""

    k: int | None = None
    threshold: float | None = None

    def __post_init__(self) -> None:
        if (self.k is None) == (self.threshold is None):
            raise UsageError(
                f"give exactly one of k and threshold, got k={self.k!r} and "
                f"threshold={self.threshold!r}"
            )
        if self.k is not None and self.k < 0:
            raise UsageError(f"k is the number of terms to keep, 0 or more, got {self.k!r}")
        if self.threshold is not None and np.isnan(self.threshold):
            raise UsageError("the threshold is not a number: give the lowest score to keep")

    def absent(self, terms: AbsentTerms, touched: Indices, size: int) -> tuple[Indices, Floats]:
        """Return the absent terms that the rule may keep, with their scores."""
        if self.threshold is not None:
            return terms.above(self.threshold, touched, size)
        return terms.best(self.k or 0, touched, size)

    def keep(self, terms: Indices, scores: Floats, tie_order: NDArray[np.intp]) -> Indices:
        """Return the candidates to keep; of equal scores those first in ``tie_order``.

        The cost is linear in the candidates: only the ties for the last places are sorted.
        """
        if self.threshold is not None:
            return terms[scores >= self.threshold]
        if not self.k:
            return terms[:0]
        spare = len(terms) - self.k
        if spare <= 0:
            return terms
        last = np.partition(scores, spare)[spare]
        sure = terms[scores > last]
        tied = terms[scores == last]
        places = self.k - len(sure)
        return np.concatenate([sure, tied[np.argsort(tie_order[tied])[:places]]])


class Candidates:
    """The scores of a measure for category after category, for a rule to choose from.

    The parameters are those of :func:`select_terms`; the matrices are checked.
    """

    def __init__(
        self,
        X: Sparse,  # noqa: N803 - the names every scikit-learn user knows
        Y: Sparse,  # noqa: N803
        measure: str,
        min_documents: int = 1,
        positive_only: bool = False,
    ) -> None:
        self.measure = measure_named(measure)
        weights = checked_weights(X)
        self.terms = weights.shape[1]
        self.by_category = checked_members(Y, weights.shape[0])
        self.sizes = np.diff(self.by_category.indptr).astype(np.float64)
        self.basis = self.measure.basis(weights)
        self.eligible = self.basis.frequency >= max(min_documents, 1)
        self.positive_only = positive_only

    @cached_property
    def tie_order(self) -> NDArray[np.intp]:
        """Each term's place when terms are sorted by falling frequency, then by id."""
        place = np.empty(self.terms, dtype=np.intp)
        place[np.argsort(-self.basis.frequency, kind="stable")] = np.arange(self.terms)
        return place

    @cached_property
    def _absent(self) -> AbsentTerms:
        return AbsentTerms(self.measure, self.basis, self.tie_order, self.eligible)

    def blocks(self) -> Iterator[Block]:
        """Yield the touched terms of all categories, block by block."""
        return product_blocks(self.by_category, self.basis.matrix)

    def kept(self, rule: Rule) -> Selection:
        """Return the terms that a rule keeps of each category."""
        chosen: list[Ids] = [
            np.sort(rule.keep(terms, scores, self.tie_order)).astype(np.int32)
            for terms, scores in self.of_categories(rule)
        ]
        return Selection.of(chosen, self.terms)

    def of_categories(self, rule: Rule) -> Iterator[tuple[Indices, Floats]]:
        """Yield the candidates of each category in turn, with their scores.

        A category without documents, or with all of them, has no candidates.
        """
        for block in self.blocks():
            owner = self.sizes[block.categories.start : block.categories.stop]
            category = np.repeat(owner, np.diff(block.offsets))
            scores = self.measure.formula(self.basis.table(block.terms, category, block.within))
            for number in block.categories:
                stretch = block.stretch(number)
                size = int(self.sizes[number])
                if 0 < size < self.basis.documents:
                    yield self._of_one(block.terms[stretch], scores[stretch], size, rule)
                else:
                    yield np.empty(0, dtype=np.intp), np.empty(0)

    def _of_one(
        self, touched: Indices, signed: Floats, size: int, rule: Rule
    ) -> tuple[Indices, Floats]:
        wanted = self.eligible[touched]
        if self.positive_only:
            wanted &= signed > 0
        terms, scores = touched[wanted], self.measure.strength(signed[wanted])
        if self.positive_only:
            return terms, scores
        others, their_scores = rule.absent(self._absent, touched, size)
        return np.concatenate([terms, others]), np.concatenate([scores, their_scores])


def select_terms(
    X: Sparse,  # noqa: N803 - the names every scikit-learn user knows
    Y: Sparse,  # noqa: N803
    *,
    measure: str = "information-gain",
    k: int | None = None,
    threshold: float | None = None,
    min_documents: int = 1,
    positive_only: bool = False,
) -> Selection:
    """Select the terms of each category: its best ``k``, or all that reach ``threshold``.

    Equal scores go to the more frequent term, then to the lower id; where ids follow falling
    frequency, as in a vocabulary of postil, that is the lower id. A category without documents,
    or with all of them, keeps no terms.

    Time follows the non-zeros: for each document its labels times its terms, then for each
    category the terms it touches plus ``k`` (:mod:`postil.features.measures` says why absent
    terms need no more). Memory is a second array of values for X, one block of the product
    (:data:`postil.features.select.BLOCK_ENTRIES`) and the result.

    Parameters
    ----------
    X : sparse matrix
        Weights, documents × terms.
    Y : sparse matrix
        Memberships, documents × categories.
    measure : str
        A name of :data:`postil.features.measures.MEASURES`.
    k, threshold : int, float
        The number of terms to keep, or the lowest score to keep: exactly one of them.
    min_documents : int
        Terms in fewer documents are never kept, nor are terms in none.
    positive_only : bool
        Keep only terms that occur in the category and score above 0, so that there may be
        fewer than ``k``.
    """
    rule = Rule(k, threshold)
    if min_documents < 0:
        raise UsageError(f"min_documents must be 0 or more, got {min_documents!r}")
    return Candidates(X, Y, measure, min_documents, positive_only).kept(rule)


def term_scores(
    X: Sparse,  # noqa: N803 - the names every scikit-learn user knows
    Y: Sparse,  # noqa: N803
    measure: str = "information-gain",
    *,
    signed: bool = False,
) -> Floats:
    """Return the score of every term for every category: categories × terms, float64.

    A two-sided measure gives absolute values, or with ``signed`` values above 0 where the term
    speaks for the category and below 0 where it speaks against it; a one-sided measure is
    always signed. All scores of a category with no documents, or with all, are 0 (except document
    frequency, which ignores categories).

    Time and memory grow with categories × terms: eight bytes each. To choose terms, use
    :func:`select_terms`, which does not build this table.
    """
    given = Candidates(X, Y, measure)
    everything: NDArray[np.intp] = np.arange(given.terms)
    scores = np.empty((len(given.sizes), given.terms))
    for block in given.blocks():
        for category in block.categories:
            within = np.zeros(given.terms)
            stretch = block.stretch(category)
            within[block.terms[stretch]] = block.within[stretch]
            size = np.full(given.terms, given.sizes[category])
            table = given.basis.table(everything, size, within)
            scores[category] = given.measure.formula(table)
    return scores if signed else given.measure.strength(scores)
