"""Scores of every term for every category, as a dense table to look at."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from postil.features.blocks import product_blocks
from postil.features.inputs import Floats, Sparse, checked_members, checked_weights
from postil.features.measures import measure_named


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
