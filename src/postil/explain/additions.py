"""Which absent terms would flip a decision if the document held one of them, once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from postil.explain.goal import Goal
from postil.explain.reading import UNKNOWN, DocumentTerms
from postil.explain.rule import CategoryRule
from postil.explain.weighing import SHARES, WeighedRow, sizes_of
from postil.vectors.vectorizer import Vectorizer


@dataclass(frozen=True, slots=True)
class AbsentTerms:
    """Columns by how far each would move the margin the right way, and the margins they lead to.

    ``flipping`` says how many flip the decision; those stand first, and at least one column
    stands here where the model has any absent term with a weight.
    """

    columns: tuple[int, ...]
    margins: tuple[float, ...]
    flipping: int


def find_additions(
    vectorizer: Vectorizer,
    document: DocumentTerms,
    rule: CategoryRule,
    row: WeighedRow,
    goal: Goal,
    most: int,
) -> AbsentTerms:
    """Find the ``most`` absent terms that flip the decision furthest, or else the best one.

    Each is weighed with the document as the vectorizer would weigh it. Cost: linear in the
    model's terms.
    """
    absent = np.flatnonzero(rule.weights[: vectorizer.terms])
    absent = np.setdiff1d(absent, document.columns[document.columns != UNKNOWN])
    if not goal.reachable or len(absent) == 0:
        return AbsentTerms((), (), 0)
    sizes = sizes_of(vectorizer, absent, np.ones(len(absent)))
    margins = row.margins(
        row.pushes.sum() + rule.weights[absent] * sizes,
        row.shares.sum() + SHARES[row.norm](sizes),
    )
    best = best_places(goal.sign * margins, most)
    exact = [_with_one_more(row, float(rule.weights[absent[i]]), float(sizes[i])) for i in best]
    flipping = [margin for margin in exact if goal.reached(margin)]
    shown = max(1, len(flipping))
    return AbsentTerms(
        tuple(absent[best][:shown].tolist()),
        tuple(exact[:shown]),
        int(goal.all_reached(margins).sum()) if flipping else 0,
    )


def best_places(worth: NDArray[np.float64], most: int) -> list[int]:
    """The places of the largest, largest first; of equals the earlier, and so more frequent."""
    ids = np.arange(len(worth))
    if most < len(worth):
        bar = np.partition(worth, -most)[-most]
        ids = np.flatnonzero(worth >= bar)
    order: Iterable[int] = ids[np.argsort(-worth[ids], kind="stable")][:most].tolist()
    return list(order)


def _with_one_more(row: WeighedRow, weight: float, size: float) -> float:
    """The margin of the document and one more term, weighed anew."""
    longer = WeighedRow(
        row.norm, row.base, np.append(row.weights, weight), np.append(row.sizes, size)
    )
    return longer.margin_of(np.ones(len(longer.weights), dtype=bool))
