"""Search for what would flip a decision: terms of the document removed, or one absent term added.

Pushes a = w·u and shares q are as in ``variants``; τ = threshold - base. Without a norm, or with
l1, a margin is below the threshold exactly where Σ (a - τq) is below 0 (with q = 0, and τ as a
constant, without a norm): each term has its own part in that sum, so that removing the largest
first finds the smallest set there is. Cosine has no such sum. There terms are removed one at a
time, each time the one whose removal moves the recomputed margin most, and those that prove
needless are put back.

For every norm the search settles whether any set flips the decision: the least of Σa / N over all
subsets is met by a set that keeps the terms with a/q below some bound (Σa / N is quasi-concave in
Σa and Σq where it is negative, so that its least value is at a corner of their hull), or by the
empty set. For a rule that is not linear in the terms not every set is tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from postil.common.types import Flags, Floats, Indices
from postil.explain.reading import UNKNOWN, DocumentTerms
from postil.explain.rule import CategoryRule
from postil.explain.variants import (
    MOST_TRIED,
    ScoredVariants,
    Variants,
    sizes_of,
    variants_of,
)
from postil.vectors.vectorizer import Vectorizer
from postil.vectors.weighting import Norm

MOST_STEPS = 40
TRIES = 4


@dataclass(frozen=True, slots=True)
class Removal:
    """Terms of a document whose removal flips its decision, and the margin without them.

    ``smallest`` means that no set of fewer terms flips the decision, ``everything`` that these are
    all the terms that count.
    """

    terms: tuple[str, ...]
    margin: float
    smallest: bool
    everything: bool


@dataclass(frozen=True, slots=True)
class Addition:
    """A term the document does not hold, and the margin with it added."""

    term: str
    weight: float
    margin: float


@dataclass(frozen=True, slots=True)
class Flips:
    """The changes of a document that would flip its decision.

    ``removals`` have no term in common. If there are none and ``exhaustive`` is true, no set of the
    document's terms flips the decision; otherwise none was found. ``additions`` are the strongest
    of the ``additions_in_all`` absent terms that would each flip it; if no term would,
    ``nearest_addition`` comes nearest. Terms in hash buckets have no names: ``named`` is false
    and absent terms are not known.
    """

    removals: tuple[Removal, ...]
    additions: tuple[Addition, ...]
    additions_in_all: int
    nearest_addition: Addition | None
    named: bool
    exhaustive: bool = True


@dataclass(frozen=True, slots=True)
class Goal:
    """The other side of a threshold: below it for an accepted document, else at or above it."""

    threshold: float
    accepted: bool

    @property
    def reachable(self) -> bool:
        """True unless the threshold is infinite, so that no margin is on the other side."""
        return math.isfinite(self.threshold)

    @property
    def sign(self) -> float:
        """+1 where margins have to rise, -1 where they have to fall."""
        return -1.0 if self.accepted else 1.0

    def reached(self, margins: Floats | float) -> Flags:
        """Return True for each margin that is on the other side."""
        return np.not_equal(np.greater_equal(margins, self.threshold), self.accepted)


def find_flips(
    vectorizer: Vectorizer,
    document: DocumentTerms,
    rule: CategoryRule,
    accepted: bool,
    *,
    sets: int,
    additions: int,
) -> Flips:
    """Search for up to ``sets`` disjoint sets of terms to remove and ``additions`` terms to add."""
    row = variants_of(vectorizer, document, rule)
    goal = Goal(rule.threshold, accepted)
    found = find_removals(row, goal, sets)
    counting = int(np.count_nonzero(row.counting))
    named = vectorizer.vocabulary is not None
    added: list[Addition] = []
    flipping = 0
    if named and additions > 0 and goal.reachable:
        added, flipping = _find_additions(vectorizer, document, rule, row, goal, additions)
    return Flips(
        removals=tuple(
            Removal(
                terms=tuple(document.names[i] for i in ids.tolist()),
                margin=row.margin_without(ids),
                smallest=len(ids) == len(found[0]) <= row.proven_length,
                everything=len(ids) == counting,
            )
            for ids in found
        ),
        additions=tuple(added) if flipping else (),
        additions_in_all=flipping,
        nearest_addition=added[0] if added and not flipping else None,
        named=named,
        exhaustive=rule.scorer is None or not goal.reachable or counting == 0,
    )


def _find_additions(
    vectorizer: Vectorizer,
    document: DocumentTerms,
    rule: CategoryRule,
    row: Variants,
    goal: Goal,
    most: int,
) -> tuple[list[Addition], int]:
    """Return the ``most`` absent terms that flip the decision furthest, and the number of all.

    If no term flips it, return the one that comes nearest, and 0. Every absent term is weighed with
    the document as the vectorizer would weigh it. Cost: linear in the model's terms, or in their
    number times rows of weights and directions where the rule has a scorer.
    """
    assert vectorizer.vocabulary is not None
    weights = rule.weights[: vectorizer.terms]
    # Under a scorer a term without weight moves the margin, too.
    candidates = np.flatnonzero(weights) if rule.scorer is None else np.arange(len(weights))
    absent = np.setdiff1d(candidates, document.columns[document.columns != UNKNOWN])
    if len(absent) == 0:
        return [], 0
    sizes = sizes_of(vectorizer, absent, np.ones(len(absent)))
    margins = row.margins_with_each(absent, weights[absent], sizes)
    exact = []
    for place in _best_places(goal.sign * margins, most):
        column = int(absent[place])
        weight = float(weights[column])
        margin = row.margin_with(column, weight, float(sizes[place]))
        exact.append(Addition(vectorizer.vocabulary.names[column], weight, margin))
    exact.sort(key=lambda addition: -goal.sign * addition.margin)
    flipping = sum(bool(goal.reached(addition.margin)) for addition in exact)
    in_all = max(flipping, int(goal.reached(margins).sum())) if flipping else 0
    return exact[: max(1, flipping)], in_all


def _best_places(worth: Floats, most: int) -> list[int]:
    """Return the places of the largest; of equals the earlier, and so more frequent, term."""
    ids = np.arange(len(worth))
    if most < len(worth):
        bar = np.partition(worth, -most)[-most]
        ids = np.flatnonzero(worth >= bar)
    order: list[int] = ids[np.argsort(-worth[ids], kind="stable")][:most].tolist()
    return order


def find_removals(row: Variants, goal: Goal, most: int) -> list[Indices]:
    """Return up to ``most`` disjoint sets of terms whose removal flips the decision.

    The first is the smallest found. Every set was verified: the exact margin without it is on the
    other side. Cost for each set: terms × MOST_STEPS, or MOST_STEPS times the scoring of as many
    documents as there are terms to try.
    """
    found: list[Indices] = []
    free = row.counting.copy()
    searches = SCORED_SEARCHES if isinstance(row, ScoredVariants) else SEARCHES[row.norm]
    while goal.reachable and len(found) < most:
        sets = (search(row, goal, free) for search in searches)
        removed = next((ids for ids in sets if ids is not None), None)
        if removed is None:
            break
        found.append(removed)
        free[removed] = False
    return found


def _flips(row: Variants, goal: Goal, removed: Indices) -> bool:
    return bool(goal.reached(row.margin_without(removed)))


def _first_verified(row: Variants, goal: Goal, sets: Iterable[Indices]) -> Indices | None:
    """Return the first set that flips; rounding may ask for one more term than a sum did."""
    for _, removed in zip(range(TRIES), sets, strict=False):
        if _flips(row, goal, removed):
            return removed
    return None


def by_parts(row: Variants, goal: Goal, free: Flags) -> Indices | None:
    """Return the smallest set, where the goal is a sum over terms."""
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


def one_by_one(row: Variants, goal: Goal, free: Flags) -> Indices | None:
    """Return a small set, found greedily, without needless terms."""
    kept = np.ones(len(row.sizes), dtype=bool)
    removed: list[int] = []
    margin = row.margin()
    while len(removed) < MOST_STEPS:
        ids = _tried(row, np.flatnonzero(free & kept))
        if len(ids) == 0:
            return None
        after = row.margins_without_each(kept, ids)
        best = int(np.argmax(goal.sign * after))
        if goal.sign * (after[best] - margin) <= 0:
            return None
        margin = float(after[best])
        kept[ids[best]] = False
        removed.append(int(ids[best]))
        if goal.reached(margin) and _flips(row, goal, np.array(removed)):
            return _without_needless(row, goal, removed)
    return None


def _tried(row: Variants, ids: Indices) -> Indices:
    """Return the terms to try: where each costs a scoring, those with the strongest pushes."""
    if not isinstance(row, ScoredVariants) or len(ids) <= MOST_TRIED:
        return ids
    return ids[np.argsort(-np.abs(row.pushes[ids]), kind="stable")[:MOST_TRIED]]


def _without_needless(row: Variants, goal: Goal, removed: list[int]) -> Indices:
    """Return the set without the terms it does not need, the last and weakest tried first."""
    for term in reversed(removed.copy()):
        fewer = [other for other in removed if other != term]
        if fewer and _flips(row, goal, np.array(fewer)):
            removed = fewer
    return np.array(removed)


def by_ratio(row: Variants, goal: Goal, free: Flags) -> Indices | None:
    """Return a set of the terms with a/q beyond a bound, which exists if any set does."""
    ids = np.flatnonzero(free & (row.shares > 0))
    ratios = goal.sign * row.pushes[ids] / row.shares[ids]
    ids = ids[np.argsort(ratios, kind="stable")]  # the terms that hinder most go first
    rest = np.ones(len(row.weights), dtype=bool)
    rest[ids] = False
    margins = row.margins_of_sums(
        row.pushes[rest].sum() + _sums_after(row.pushes[ids]),
        row.shares[rest].sum() + _sums_after(row.shares[ids]),
    )
    enough = np.flatnonzero(goal.reached(margins)) + 1
    furthest = int(np.argmax(goal.sign * margins)) + 1 if len(ids) else 0
    lengths = [*enough[: TRIES - 1].tolist(), furthest]
    return _first_verified(row, goal, (ids[:length] for length in lengths if length))


def _sums_after(values: Floats) -> Floats:
    """Return the sum of what comes after each value, summed from the end: nothing cancels."""
    return np.append(np.cumsum(values[::-1])[::-1][1:], 0.0)[: len(values)]


def by_push(row: ScoredVariants, goal: Goal, free: Flags) -> Indices | None:
    """Return the terms that hinder most, as many as it takes, without needless terms."""
    ids = np.flatnonzero(free)
    ids = _tried(row, ids[np.argsort(goal.sign * row.pushes[ids], kind="stable")])
    if len(ids) == 0:
        return None
    kept = np.ones((len(ids), len(row.sizes)), dtype=bool)
    kept[:, ids] = ~np.tri(len(ids), dtype=bool)
    enough = np.flatnonzero(goal.reached(row.margins_of(kept)))
    removed = ids[: enough[0] + 1] if len(enough) else ids[:0]
    if len(removed) and _flips(row, goal, removed):
        return _without_needless(row, goal, removed.tolist())
    return None


def everything(row: Variants, goal: Goal, free: Flags) -> Indices | None:
    """Return all terms that count, if no other set holds one of them."""
    ids = np.flatnonzero(free)
    whole = len(ids) > 0 and np.array_equal(free, row.counting)
    return ids if whole and _flips(row, goal, ids) else None


Search = Callable[[Any, Goal, Flags], Indices | None]
SEARCHES: dict[Norm, tuple[Search, ...]] = {
    "none": (by_parts,),
    "l1": (by_parts, everything),
    "l2": (one_by_one, by_ratio, everything),
}
SCORED_SEARCHES: tuple[Search, ...] = (one_by_one, by_push, everything)
