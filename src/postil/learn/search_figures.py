"""A figure of merit as what a search goes by.

Each category is cut where the figure is best among the documents a fold holds out, as with
break-even: thresholds are tuned afterwards, so that a strength is judged by how well it ranks. The
counts of these cuts are added up over folds and categories, and the figure is taken of the sums.
The cut has seen the documents it is measured on, so values are hopeful: alike for each strength,
which is all that a search compares.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from postil.learn.merit.figures import Figure, SmoothCounts
from postil.learn.merit.naming import unpooled

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Counting = Callable[[Floats, Flags, Floats], Floats]


def counts_at_best(figure: Figure) -> Counting:
    """TP, FP, FN and TN of each category at its best cut; n log n for n documents and category."""
    alone = unpooled(figure)

    def count(scores: Floats, members: Flags, weights: Floats) -> Floats:
        rows = [
            _at_best(alone, scores[:, c], members[:, c], weights) for c in range(scores.shape[1])
        ]
        return np.array(rows, dtype=np.float64).reshape(len(rows), 4)

    return count


def value_of_counts(figure: Figure) -> Callable[[Floats], Floats]:
    """The figure of TP, FP, FN and TN on the last axis; undefined (nan) without members.

    Of a share of errors it is the share, of which less is better.
    """
    alone = unpooled(figure)
    sign = -1.0 if figure.falls else 1.0

    def value(counts: Floats) -> Floats:
        found, wrong, missed, rejected = np.moveaxis(counts, -1, 0)
        members = found + missed
        values = sign * alone.values(SmoothCounts(found, wrong, members, wrong + rejected))
        result: Floats = np.where(members > 0, values, np.nan)
        return result

    return value


def _at_best(
    figure: Figure, scores: Floats, members: Flags, weights: Floats
) -> tuple[float, float, float, float]:
    """Of equally good cuts the one with fewer errors."""
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    # Documents of equal score stand or fall together.
    last = np.append(ranked[1:] != ranked[:-1], np.ones(min(1, len(ranked)), dtype=bool))
    inside = np.where(members, weights, 0.0)[order]
    found = np.concatenate(([0.0], np.cumsum(inside)[last]))
    wrong = np.concatenate(([0.0], np.cumsum(weights[order] - inside)[last]))
    total, others = inside.sum(), weights.sum() - inside.sum()
    counts = SmoothCounts(found, wrong, np.full_like(found, total), np.full_like(found, others))
    best = np.lexsort((wrong + total - found, -figure.values(counts)))[0]
    return (
        float(found[best]),
        float(wrong[best]),
        float(total - found[best]),
        float(others - wrong[best]),
    )
