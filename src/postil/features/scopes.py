"""Selections that compare scores across categories: one bar for all, or one set of terms for all.

**One bar** (``scope = "bar"``). Each category keeps its own terms, those that score above the same
number, which is as low as it can be with no category keeping more than k terms::

    bar = max_c (the score in place k + 1 for category c)

Where scores grow with a category, as the gains do, the largest category keeps k terms and the small
ones fewer, down to none; the best k terms of a category of two documents tell little about it.

**One set** (``scope = "corpus"``). A term's score is ``Σ_c P(c) s(t, c)``: the strength of the
measure for each category, weighted by the category's share of the documents (Yang and Pedersen 1997
average chi-square like this). For information gain ``s`` is ``Σ_T P(T | c) log2(P(T | c) / P(T))``
over the term's presence and absence, so that the sum is their multi-class ``G(t)``: where every
document has one category, the entropy of the categories less what is left once the term is known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from postil.common.types import Floats
from postil.features.inputs import Sparse
from postil.features.measures import Measure, information_gain, information_within
from postil.features.select import Candidates, Rule
from postil.features.selection import Selection


def common_bar(
    X: Sparse,  # noqa: N803 - the names every scikit-learn user knows
    Y: Sparse,  # noqa: N803
    *,
    measure: str = "information-gain",
    k: int,
) -> float:
    """Return the lowest bar above which no category has more than ``k`` terms.

    It is -inf where no category has more than ``k`` terms to choose from. The cost is that of
    :func:`postil.features.select.select_terms`.
    """
    Rule(k)
    return _bar(Candidates(X, Y, measure), k)


def select_above_bar(
    X: Sparse,  # noqa: N803
    Y: Sparse,  # noqa: N803
    *,
    measure: str = "information-gain",
    k: int | None = None,
    threshold: float | None = None,
) -> Selection:
    """Select the terms that score above one bar for all categories: at most ``k`` for each.

    Terms that score exactly the bar are not kept, so a tie in place ``k`` may leave every category
    with fewer; nor are terms in no document. A ``threshold`` is itself a bar for all: terms that
    reach it are kept, as by :func:`postil.features.select.select_terms`.

    Time is twice that of ``select_terms``, once for the bar and once for the terms; memory is a
    block of the product, the result, and ``k`` scores of one category.
    """
    rule = Rule(k, threshold)
    candidates = Candidates(X, Y, measure)
    if k is not None:
        rule = Rule(threshold=float(np.nextafter(_bar(candidates, k), np.inf)))
    return candidates.kept(rule)


def _bar(candidates: Candidates, k: int) -> float:
    bar = -np.inf
    for _, scores in candidates.of_categories(Rule(k + 1)):
        spare = len(scores) - k
        if spare > 0:
            bar = max(bar, float(np.partition(scores, spare - 1)[spare - 1]))
    return bar


def corpus_scores(
    X: Sparse,  # noqa: N803 - the names every scikit-learn user knows
    Y: Sparse,  # noqa: N803
    measure: str = "information-gain",
) -> Floats:
    """Return the score of every term for all categories together.

    Time follows the non-zeros, for each document its labels times its terms, and terms times the
    different sizes that categories have. Memory is that of a block
    (:data:`postil.features.select.BLOCK_ENTRIES`) and eight bytes for each term.
    """
    return _scores(Candidates(X, Y, measure))


def select_for_all(
    X: Sparse,  # noqa: N803
    Y: Sparse,  # noqa: N803
    *,
    measure: str = "information-gain",
    k: int | None = None,
    threshold: float | None = None,
) -> Selection:
    """Select the terms that all categories keep: the best ``k``, or all that reach ``threshold``.

    Ties are broken as by :func:`postil.features.select.select_terms`; terms in no document are not
    kept. Time and memory are those of :func:`corpus_scores`, and four bytes for each category and
    kept term.
    """
    rule = Rule(k, threshold)
    candidates = Candidates(X, Y, measure)
    present = np.flatnonzero(candidates.eligible)
    scores = _scores(candidates)[present]
    kept = np.sort(rule.keep(present, scores, candidates.tie_order)).astype(np.int32)
    return Selection.of([kept] * len(candidates.sizes), candidates.terms)


def _scores(candidates: Candidates) -> Floats:
    """Return the scores as if no term occurred in any category, plus the gain where one does."""
    strength, basis, sizes = _strength_of(candidates.measure), candidates.basis, candidates.sizes
    scores = np.zeros(candidates.terms)
    everything, nothing = np.arange(candidates.terms), np.zeros(candidates.terms)
    for size, count in zip(*np.unique(sizes, return_counts=True), strict=True):
        table = basis.table(everything, np.full(candidates.terms, size), nothing)
        scores += count * size / max(basis.documents, 1) * strength(table)
    shares = sizes / max(basis.documents, 1)
    for block in candidates.blocks():
        category = np.repeat(np.asarray(block.categories), np.diff(block.offsets))
        with_term = strength(basis.table(block.terms, sizes[category], block.within))
        without = strength(basis.table(block.terms, sizes[category], np.zeros_like(block.within)))
        gained = shares[category] * (with_term - without)
        scores += np.bincount(block.terms, gained, minlength=len(scores))
    return scores


def _strength_of(measure: Measure) -> Callable[[Any], Floats]:
    if measure.formula is information_gain:
        return information_within
    return lambda table: measure.strength(measure.formula(table))
