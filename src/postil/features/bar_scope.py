"""One bar for all categories: each keeps its own terms, those that score above the same number.

The best k terms of every category are as many for a category of two documents as for one of
thousands, and most of them tell nothing of the small one. Here scores are compared across
categories: the bar is as low as it can be with no category keeping more than k,

    bar = max_c (the score in place k + 1 for category c),

and a category keeps the terms that score above it. Where scores grow with a category, as the gains
do, the largest category keeps k and the small ones fewer, down to none.
"""

from __future__ import annotations

import numpy as np

from postil.features.inputs import Csr, Sparse, checked_members, checked_weights
from postil.features.measures import measure_named
from postil.features.rules import Above, Best, Rule, rule_for
from postil.features.select import Chooser
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
