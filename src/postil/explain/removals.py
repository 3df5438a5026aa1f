"""Which terms a document would have to lose for its decision to flip.

Pushes a = w·u and shares q are as in ``weighing``; τ = threshold - base. Without a norm, or with
l1, a margin is under the threshold exactly where Σ (a - τq) is under 0 (with q = 0 and τ apart
without a norm): each term has its own part in that sum, so that taking the largest away first
finds the smallest set there is. Cosine has no such sum. There terms go one at a time, each time
the one whose loss moves the recomputed margin most, and what proved needless comes back.

Whether any set flips the decision at all is settled for every norm: the least of Σa / N over all
subsets is met by a set that keeps the terms with a/q under some bound (Σa / N is quasi-concave in
Σa and Σq where it is negative, so that its least value is at a corner of their hull), or by none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from postil.common.types import Flags, Indices
from postil.explain.judging import Goal
from postil.explain.weighing import WeighedRow
from postil.vectors.weighting import Norm

Search = Callable[[WeighedRow, Goal, Flags], Indices | None]

MOST_STEPS = 40
TRIES = 4


def find_removals(row: WeighedRow, goal: Goal, most: int) -> list[Indices]:
    """Find up to ``most`` sets of terms, none in two of them, the first the smallest found.

    Every set was verified: the margin without it, weighed anew, is on the other side. None means
    that no set is, whatever its size. Cost: terms × MOST_STEPS for each set.
    """
    found: list[Indices] = []
    free = row.counting.copy()
    while goal.reachable and len(found) < most:
        removed = _find(row, goal, free)
        if removed is None:
            break
        found.append(removed)
        free[removed] = False
    return found


def _find(row: WeighedRow, goal: Goal, free: Flags) -> Indices | None:
    for search in SEARCHES[row.norm]:
        removed = search(row, goal, free)
        if removed is not None:
            return removed
    return None


def flips(row: WeighedRow, goal: Goal, removed: Indices) -> bool:
    """Whether the decision is another one without these terms."""
    return goal.reached(margin_without(row, removed))


def margin_without(row: WeighedRow, removed: Indices) -> float:
    """The margin of what is left."""
    kept = np.ones(len(row.weights), dtype=bool)
    kept[removed] = False
    return row.margin_of(kept)


def _first_verified(row: WeighedRow, goal: Goal, sets: Iterator[Indices]) -> Indices | None:
    """The first set that flips; rounding may ask for one more term than a sum did."""
    for _, removed in zip(range(TRIES), sets, strict=False):
        if flips(row, goal, removed):
            return removed
    return None


def by_parts(row: WeighedRow, goal: Goal, free: Flags) -> Indices | None:
    """The smallest set, where the goal is a sum over terms."""
    bound = goal.threshold - row.base
    parts = -goal.sign * (row.pushes - bound * row.shares)
    rest = bound if row.norm == "none" else 0.0
    ids = np.flatnonzero(free & (parts > 0))
    ids = ids[np.argsort(-parts[ids], kind="stable")]
    left = parts.sum() + goal.sign * rest - np.cumsum(parts[ids])
    enough = np.flatnonzero(left < 0 if goal.accepted else left <= 0)
    first = int(enough[0]) if len(enough) else len(ids) - 1
    lengths = range(max(first, 0) + 1, len(ids) + 1)
    return _first_verified(row, goal, (ids[:length] for length in lengths))


def one_by_one(row: WeighedRow, goal: Goal, free: Flags) -> Indices | None:
    """A small set, found greedily, of which no term is needless."""
    kept = np.ones(len(row.weights), dtype=bool)
    removed: list[int] = []
    margin = float(row.margins(row.pushes.sum(), row.shares.sum()))
    while len(removed) < MOST_STEPS:
        ids = np.flatnonzero(free & kept)
        if len(ids) == 0:
            return None
        pushes, shares = row.pushes[kept].sum(), row.shares[kept].sum()
        after = row.margins(pushes - row.pushes[ids], shares - row.shares[ids])
        best = int(np.argmax(goal.sign * after))
        if goal.sign * (after[best] - margin) <= 0:
            return None
        margin = float(after[best])
        kept[ids[best]] = False
        removed.append(int(ids[best]))
        if goal.reached(margin) and flips(row, goal, np.array(removed)):
            return _without_needless(row, goal, removed)
    return None


def _without_needless(row: WeighedRow, goal: Goal, removed: list[int]) -> Indices:
    """Take back what the set does without, the last and weakest first."""
    for term in reversed(removed.copy()):
        fewer = [other for other in removed if other != term]
        if fewer and flips(row, goal, np.array(fewer)):
            removed = fewer
    return np.array(removed)


def by_ratio(row: WeighedRow, goal: Goal, free: Flags) -> Indices | None:
    """A set that leaves the terms with a/q beyond a bound: it exists wherever any set does."""
    ids = np.flatnonzero(free & (row.shares > 0))
    ratios = goal.sign * row.pushes[ids] / row.shares[ids]
    ids = ids[np.argsort(ratios, kind="stable")]  # the ones that hinder most go first
    rest = np.ones(len(row.weights), dtype=bool)
    rest[ids] = False
    margins = row.margins(
        row.pushes[rest].sum() + _sums_after(row.pushes[ids]),
        row.shares[rest].sum() + _sums_after(row.shares[ids]),
    )
    enough = np.flatnonzero(goal.all_reached(margins)) + 1
    furthest = int(np.argmax(goal.sign * margins)) + 1 if len(ids) else 0
    lengths = [*enough[: TRIES - 1].tolist(), furthest]
    return _first_verified(row, goal, (ids[:length] for length in lengths if length))


def _sums_after(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of what comes after each value; summed from the end, so that nothing cancels."""
    return np.append(np.cumsum(values[::-1])[::-1][1:], 0.0)[: len(values)]


def everything(row: WeighedRow, goal: Goal, free: Flags) -> Indices | None:
    """All terms at once, where none is spoken for."""
    ids = np.flatnonzero(free)
    whole = len(ids) > 0 and np.array_equal(free, row.counting)
    return ids if whole and flips(row, goal, ids) else None


SEARCHES: dict[Norm, tuple[Search, ...]] = {
    "none": (by_parts,),
    "l1": (by_parts, everything),
    "l2": (one_by_one, by_ratio, everything),
}
PROVEN_LENGTH: dict[Norm, float] = {"none": np.inf, "l1": np.inf, "l2": 2}
"""Up to which size the first set is the smallest there is. Of single terms all were tried."""
