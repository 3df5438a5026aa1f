"""Choose each category's terms, for all categories in one pass over the matrix."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.errors import UsageError
from postil.features.absent import AbsentTerms
from postil.features.blocks import product_blocks
from postil.features.evidence import Basis
from postil.features.inputs import (
    Csr,
    Floats,
    Ids,
    Indices,
    Sparse,
    checked_members,
    checked_weights,
)
from postil.features.measures import Measure, measure_named
from postil.features.rules import Rule, rule_for
from postil.features.selection import Selection


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
    (:data:`postil.features.blocks.BLOCK_ENTRIES`) and the result.
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
