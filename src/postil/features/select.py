"""Choose each category's terms, for all categories in one pass over the matrix.

The product of memberships and terms, a block of categories at a time.

Scores of every term for every category, as a dense table to look at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from postil.common.types import Floats
from postil.errors import UsageError
from postil.features.evidence import Basis
from postil.features.inputs import Csr, Ids, Indices, Sparse, checked_members, checked_weights
from postil.features.measures import Measure, measure_named
from postil.features.rules import AbsentTerms, Rule, rule_for
from postil.features.selection import Selection

# Entries of the product held at once: about 100 MB with everything a measure needs for them.
BLOCK_ENTRIES = 1 << 20


class Block(NamedTuple):
    """The touched terms of neighbouring categories: a slice of the sparse product ``Yᵀ·X``."""

    categories: range
    offsets: Indices
    terms: Indices
    within: Floats

    def stretch(self, category: int) -> slice:
        """Where ``category`` lies in ``terms`` and ``within``."""
        row = category - self.categories.start
        return slice(int(self.offsets[row]), int(self.offsets[row + 1]))


def product_blocks(by_category: Csr, matrix: Csr, entries: int = BLOCK_ENTRIES) -> Iterator[Block]:
    """Walk through ``Yᵀ·X`` in blocks of at most about ``entries`` stored entries.

    Time is the sum over documents of labels times terms; a block also pays once for the width
    of X, so blocks are never narrower than that.
    """
    upper = _touched_at_most(by_category, matrix)
    for categories in _ranges(upper, max(entries, matrix.shape[1])):
        product = cast("Csr", by_category[categories.start : categories.stop] @ matrix)
        yield Block(
            categories, product.indptr, product.indices, product.data.astype(np.float64, copy=False)
        )


def _touched_at_most(by_category: Csr, matrix: Csr) -> NDArray[np.int64]:
    """For each category the entries of its documents together, at most all terms."""
    lengths = np.concatenate([[0], np.diff(matrix.indptr)[by_category.indices].cumsum()])
    totals = np.diff(lengths[by_category.indptr])
    return np.minimum(totals, matrix.shape[1]).astype(np.int64)


def _ranges(sizes: NDArray[np.int64], limit: int) -> Iterator[range]:
    """Neighbouring categories whose sizes add up to ``limit`` at most; a block is never empty."""
    start, total = 0, 0
    for category, size in enumerate(sizes.tolist()):
        if total + size > limit and category > start:
            yield range(start, category)
            start, total = category, 0
        total += size
    if start < len(sizes):
        yield range(start, len(sizes))


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
    """Choose the terms each category keeps: its best ``k``, or all that reach ``threshold``.

    ``X`` holds weights, documents × terms; ``Y`` says which document is in which category,
    documents × categories; both sparse. Say exactly one of ``k`` and ``threshold``.

    Equal scores go to the more frequent term, then to the lower id; where ids follow falling
    frequency, as in a vocabulary of postil, that is the lower id. Terms in fewer than
    ``min_documents`` documents are never kept, nor are terms in none. ``positive_only`` keeps
    only terms that occur in the category and score above 0, so there may be fewer than ``k``.
    A category without documents, or with all of them, has nothing to tell apart: it keeps no
    terms.

    Time follows the non-zeros: for each document its labels times its terms, then for each
    category the terms it touches plus ``k`` (:mod:`postil.features.measures` says why absent
    terms need no more). Memory is a second array of values for X, one block of the product
    (:data:`postil.features.select.BLOCK_ENTRIES`) and the result.
    """
    chosen_measure = measure_named(measure)
    rule = rule_for(k, threshold)
    if min_documents < 0:
        raise UsageError(f"min_documents must be 0 or more, got {min_documents!r}")
    weights = checked_weights(X)
    by_category = checked_members(Y, weights.shape[0])
    chooser = Chooser(chosen_measure, chosen_measure.basis(weights), min_documents, positive_only)
    return Selection.of(list(chooser.over(by_category, rule)), weights.shape[1])


class Chooser:
    """Applies one measure to category after category; a rule says what is kept."""

    def __init__(
        self,
        measure: Measure[Any],
        basis: Basis[Any],
        min_documents: int = 1,
        positive_only: bool = False,
    ) -> None:
        self.measure = measure
        self.basis = basis
        self.positive_only = positive_only
        self.eligible = basis.frequency >= max(min_documents, 1)
        self.tie_order = falling_frequency(basis.frequency)
        self.absent = AbsentTerms(measure, basis, self.tie_order, self.eligible)

    def over(self, by_category: Csr, rule: Rule) -> Iterator[Ids]:
        """Give the sorted terms of each category in turn."""
        for terms, scores in self.candidates(by_category, rule):
            yield np.sort(rule.keep(terms, scores, self.tie_order)).astype(np.int32)

    def candidates(self, by_category: Csr, rule: Rule) -> Iterator[tuple[Indices, Floats]]:
        """Give what the rule has to choose from for each category in turn, with the scores.

        A category without documents, or with all of them, has nothing to choose from.
        """
        sizes = np.diff(by_category.indptr).astype(np.float64)
        for block in product_blocks(by_category, self.basis.matrix):
            owner = sizes[block.categories.start : block.categories.stop]
            category = np.repeat(owner, np.diff(block.offsets))
            scores = self.measure.formula(self.basis.table(block.terms, category, block.within))
            for number in block.categories:
                stretch = block.stretch(number)
                size = int(sizes[number])
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
        others, their_scores = rule.absent(self.absent, touched, size)
        return np.concatenate([terms, others]), np.concatenate([scores, their_scores])


def falling_frequency(frequency: Floats) -> NDArray[np.intp]:
    """Each term's place when terms are sorted by falling frequency, then by id."""
    place = np.empty(len(frequency), dtype=np.intp)
    place[np.argsort(-frequency, kind="stable")] = np.arange(len(frequency))
    return place


def term_scores(
    X: Sparse,  # noqa: N803 - the names every scikit-learn user knows
    Y: Sparse,  # noqa: N803
    measure: str = "information-gain",
    *,
    signed: bool = False,
) -> Floats:
    """Score every term for every category: an array of categories × terms, float64.

    A two-sided measure gives absolute values, or with ``signed`` values above 0 where the term
    speaks for the category and below 0 where it speaks against it; a one-sided measure is
    always signed. All scores of a category with no documents, or with all, are 0 (but document
    frequency, which does not look at categories).

    Time and memory grow with categories × terms: eight bytes each. To choose terms, use
    :func:`postil.features.select_terms`, which does not build this table.
    """
    chosen = measure_named(measure)
    weights = checked_weights(X)
    by_category = checked_members(Y, weights.shape[0])
    basis = chosen.basis(weights)
    sizes = np.diff(by_category.indptr).astype(np.float64)
    everything: NDArray[np.intp] = np.arange(weights.shape[1])
    scores = np.empty((len(sizes), weights.shape[1]))
    for block in product_blocks(by_category, basis.matrix):
        for category in block.categories:
            within = np.zeros(weights.shape[1])
            stretch = block.stretch(category)
            within[block.terms[stretch]] = block.within[stretch]
            size = np.full(weights.shape[1], sizes[category])
            scores[category] = chosen.formula(basis.table(everything, size, within))
    return scores if signed else chosen.strength(scores)
