"""One bar for all categories: each keeps its own terms, those that score above the same number.

The best k terms of every category are as many for a category of two documents as for one of
thousands, and most of them tell nothing of the small one. Here scores are compared across
categories: the bar is as low as it can be with no category keeping more than k,

    bar = max_c (the score in place k + 1 for category c),

and a category keeps the terms that score above it. Where scores grow with a category, as the gains
do, the largest category keeps k and the small ones fewer, down to none.

One set of terms for all categories: what each measure comes to over all of them.

A term's score is ``Σ_c P(c) s(t, c)``: the strength of the measure for each category, weighted by
the category's share of the documents (Yang and Pedersen 1997 average chi-square like this). Of
information gain ``s`` is ``Σ_T P(T | c) log2(P(T | c) / P(T))``, over the term's presence and
absence, so that the sum is their multi-class ``G(t)``: where every document has one category, the
entropy of the categories less what is left of it once the term is known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from postil.common.types import Floats
from postil.features.evidence import Basis
from postil.features.inputs import Csr, Sparse, checked_members, checked_weights
from postil.features.measures import Measure, information_gain, information_within, measure_named
from postil.features.rules import Above, Best, Rule, rule_for
from postil.features.select import Chooser, falling_frequency, product_blocks
from postil.features.selection import Selection


def common_bar(
    X: Sparse,  # noqa: N803 - the names every scikit-learn user knows
    Y: Sparse,  # noqa: N803
    *,
    measure: str = "information-gain",
    k: int,
) -> float:
    """Find the lowest bar above which no category has more than ``k`` terms.

    It is -inf where no category has more than ``k`` to choose from. Cost: that of
    :func:`postil.features.select_terms`.
    """
    rule_for(k, None)
    weights = checked_weights(X)
    by_category = checked_members(Y, weights.shape[0])
    chosen = measure_named(measure)
    return _bar(Chooser(chosen, chosen.basis(weights)), by_category, k)


def select_above_bar(
    X: Sparse,  # noqa: N803
    Y: Sparse,  # noqa: N803
    *,
    measure: str = "information-gain",
    k: int | None = None,
    threshold: float | None = None,
) -> Selection:
    """Choose the terms that score above one bar for all: at most ``k`` for each category.

    Terms that score what the bar is are not kept, so that a tie in place ``k`` may leave every
    category with fewer; nor are terms in no document. A ``threshold`` is a bar for all already:
    what reaches it is kept, as by :func:`postil.features.select_terms`.

    Time is twice that of :func:`postil.features.select_terms`, once for the bar and once for the
    terms; memory is a block of the product, the result, and ``k`` scores of one category.
    """
    rule = rule_for(k, threshold)
    weights = checked_weights(X)
    by_category = checked_members(Y, weights.shape[0])
    chosen = measure_named(measure)
    chooser = Chooser(chosen, chosen.basis(weights))
    above: Rule = rule if k is None else Above(_bar(chooser, by_category, k))
    return Selection.of(list(chooser.over(by_category, above)), weights.shape[1])


def _bar(chooser: Chooser, by_category: Csr, k: int) -> float:
    bar = -np.inf
    for _, scores in chooser.candidates(by_category, Best(k + 1)):
        spare = len(scores) - k
        if spare > 0:
            bar = max(bar, float(np.partition(scores, spare - 1)[spare - 1]))
    return bar


Strength = Callable[[Any], Floats]


def corpus_scores(
    X: Sparse,  # noqa: N803 - the names every scikit-learn user knows
    Y: Sparse,  # noqa: N803
    measure: str = "information-gain",
) -> Floats:
    """Score every term for all categories together.

    Time follows the non-zeros, for each document its labels times its terms, and terms times the
    different sizes that categories have. Memory is that of a block
    (:data:`postil.features.select.BLOCK_ENTRIES`) and eight bytes for each term.
    """
    weights = checked_weights(X)
    chosen = measure_named(measure)
    return _scores(chosen, chosen.basis(weights), checked_members(Y, weights.shape[0]))


def select_for_all(
    X: Sparse,  # noqa: N803
    Y: Sparse,  # noqa: N803
    *,
    measure: str = "information-gain",
    k: int | None = None,
    threshold: float | None = None,
) -> Selection:
    """Choose the terms that all categories keep: the best ``k``, or all that reach ``threshold``.

    Ties go as in :func:`postil.features.select_terms`; terms in no document are not kept. Time and
    memory are those of :func:`corpus_scores`, and four bytes for each category and kept term.
    """
    rule = rule_for(k, threshold)
    weights = checked_weights(X)
    by_category = checked_members(Y, weights.shape[0])
    chosen = measure_named(measure)
    basis = chosen.basis(weights)
    present = np.flatnonzero(basis.frequency > 0)
    scores = _scores(chosen, basis, by_category)[present]
    kept = np.sort(rule.keep(present, scores, falling_frequency(basis.frequency))).astype(np.int32)
    return Selection.of([kept] * by_category.shape[0], weights.shape[1])


def _scores(measure: Measure[Any], basis: Basis[Any], by_category: Csr) -> Floats:
    """As if no term occurred in any category, and what is gained where one does."""
    strength = _strength_of(measure)
    sizes = np.diff(by_category.indptr).astype(np.float64)
    shares = sizes / max(basis.documents, 1)
    scores = _absent(strength, basis, sizes)
    for block in product_blocks(by_category, basis.matrix):
        category = np.repeat(np.asarray(block.categories), np.diff(block.offsets))
        size = sizes[category]
        with_term = strength(basis.table(block.terms, size, block.within))
        without = strength(basis.table(block.terms, size, np.zeros_like(block.within)))
        gained = shares[category] * (with_term - without)
        scores += np.bincount(block.terms, gained, minlength=len(scores))
    return scores


def _absent(strength: Strength, basis: Basis[Any], sizes: Floats) -> Floats:
    everything = np.arange(len(basis.frequency))
    scores = np.zeros(len(everything))
    nothing = np.zeros(len(everything))
    for size, count in zip(*np.unique(sizes, return_counts=True), strict=True):
        table = basis.table(everything, np.full(len(everything), size), nothing)
        scores += count * size / max(basis.documents, 1) * strength(table)
    return scores


def _strength_of(measure: Measure[Any]) -> Strength:
    if measure.formula is information_gain:
        return information_within
    return lambda table: measure.strength(measure.formula(table))
