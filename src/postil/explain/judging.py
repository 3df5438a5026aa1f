"""What would flip a decision that is not linear in the terms: every candidate is scored anew.

Where a document is scaled to a length in LSI, or other categories set a bar, or a tree chooses the
weights, a term that goes changes more than its own part. So nothing is subtracted here: a judge
scores the documents that would be left, and what is shown was scored by the model itself.

What it takes to flip a decision.

Which absent terms would flip a decision if the document held one of them, once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from postil.common.types import Flags, Floats, Indices, Ints
from postil.explain.reading import UNKNOWN, DocumentTerms
from postil.explain.rule import CategoryRule
from postil.explain.weighing import SHARES, WeighedRow, scales, sizes_of
from postil.vectors.vectorizer import Vectorizer
from postil.vectors.weighting import Norm


@dataclass(frozen=True, slots=True)
class Goal:
    """The other side of a threshold: under it for an accepted document, else on it or over."""

    threshold: float
    accepted: bool

    @property
    def reachable(self) -> bool:
        """Whether any margin is on the other side: an infinite threshold has none."""
        return math.isfinite(self.threshold)

    @property
    def sign(self) -> float:
        """+1 where margins have to rise, -1 where they have to fall."""
        return -1.0 if self.accepted else 1.0

    def reached(self, margin: float) -> bool:
        """Whether the margin is on the other side."""
        return (margin >= self.threshold) != self.accepted

    def all_reached(self, margins: Floats) -> NDArray[np.bool_]:
        """Whether each margin is on the other side."""
        return np.not_equal(margins >= self.threshold, self.accepted)


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
    exact = [
        _additions_with_one_more(row, float(rule.weights[absent[i]]), float(sizes[i])) for i in best
    ]
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


def _additions_with_one_more(row: WeighedRow, weight: float, size: float) -> float:
    """The margin of the document and one more term, weighed anew."""
    longer = WeighedRow(
        row.norm, row.base, np.append(row.weights, weight), np.append(row.sizes, size)
    )
    return longer.margin_of(np.ones(len(longer.weights), dtype=bool))


MOST_STEPS = 40
# Terms tried at each step, those that pushed most; of documents with fewer all are.
MOST_TRIED = 256


class Judge(Protocol):
    """Scores documents that there are not."""

    def margins(self, values: Floats, columns: Ints) -> Floats:
        """The margins of documents × terms, whose columns these are (-1 is unknown): quick."""

    def margins_with(
        self, row: Floats, columns: Ints, more: Ints, sizes: Floats, scale: Floats
    ) -> Floats:
        """The margins of a row and one more term, of each of these sizes, times a scale: quick."""

    def margin(self, values: Floats, columns: Ints) -> float:
        """The margin of one document, exactly as the model scores it."""


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """The terms of a document before the norm, and who scores what is left of them."""

    norm: Norm
    sizes: Floats
    columns: Ints
    pushes: Floats
    judge: Judge

    @classmethod
    def of(cls, row: WeighedRow, document: DocumentTerms, judge: Judge) -> JudgedRow:
        """The terms of a document, as one category's weights push them."""
        return cls(row.norm, row.sizes, document.columns, row.pushes, judge)

    @property
    def counting(self) -> Flags:
        """The terms that can make a difference."""
        known = np.not_equal(self.columns, UNKNOWN)
        shared = np.not_equal(SHARES[self.norm](self.sizes), 0)
        return (known | shared) & np.not_equal(self.sizes, 0)

    def values(self, kept: Flags) -> Floats:
        """The vectors of documents with these terms only, documents × terms, rounded."""
        sums = kept @ SHARES[self.norm](self.sizes)
        weighed = np.where(kept, self.sizes.astype(np.float32).astype(np.float64), 0.0)
        rounded = (weighed * scales(self.norm, sums)[:, np.newaxis]).astype(np.float32)
        return rounded.astype(np.float64)

    def margins(self, kept: Flags) -> Floats:
        """The margins of documents × terms kept: quick."""
        return self.judge.margins(self.values(kept), self.columns)

    def margin_without(self, removed: Indices) -> float:
        """The margin without some terms, exactly."""
        kept = np.ones((1, len(self.sizes)), dtype=bool)
        kept[0, removed] = False
        return self.judge.margin(self.values(kept)[0], self.columns)

    def flips(self, goal: Goal, removed: Indices) -> bool:
        """Whether the decision is another one without these terms."""
        return goal.reached(self.margin_without(removed))


def judged_removals(row: JudgedRow, goal: Goal, most: int) -> list[Indices]:
    """Find up to ``most`` sets of terms without which the decision is another; none in two.

    Each was scored anew. That none is found proves nothing: not all sets are tried. Cost for each
    set: ``MOST_STEPS`` times scoring as many documents as there are terms to try.
    """
    found: list[Indices] = []
    free = row.counting
    while goal.reachable and len(found) < most:
        removed = next(_sets(row, goal, free), None)
        if removed is None:
            break
        found.append(removed)
        free[removed] = False
    return found


def proven_length(row: JudgedRow) -> int:
    """Up to which size the first set is the smallest there is: of single terms all were tried."""
    return 2 if np.count_nonzero(row.counting) <= MOST_TRIED else 1


def _sets(row: JudgedRow, goal: Goal, free: Flags) -> Iterator[Indices]:
    for search in (_one_by_one, _by_push):
        removed = search(row, goal, free)
        if removed is not None:
            yield removed
    ids = np.flatnonzero(free)
    if len(ids) and np.array_equal(free, row.counting) and row.flips(goal, ids):
        yield ids


def _tried(row: JudgedRow, ids: Indices) -> Indices:
    if len(ids) <= MOST_TRIED:
        return ids
    return ids[np.argsort(-np.abs(row.pushes[ids]), kind="stable")[:MOST_TRIED]]


def _without_each(kept: Flags, ids: Indices) -> Flags:
    """Documents × terms: each without one more."""
    left = np.tile(kept, (len(ids), 1))
    left[np.arange(len(ids)), ids] = False
    return left


def _one_by_one(row: JudgedRow, goal: Goal, free: Flags) -> Indices | None:
    """A small set, found greedily, of which no term is needless."""
    kept = np.ones(len(row.sizes), dtype=bool)
    removed: list[int] = []
    margin = float(row.margins(kept[np.newaxis])[0])
    while len(removed) < MOST_STEPS:
        ids = _tried(row, np.flatnonzero(free & kept))
        if not len(ids):
            return None
        after = goal.sign * row.margins(_without_each(kept, ids))
        best = int(np.argmax(after))
        if after[best] <= goal.sign * margin:
            return None
        margin = goal.sign * float(after[best])
        kept[ids[best]] = False
        removed.append(int(ids[best]))
        if goal.reached(margin) and row.flips(goal, np.array(removed)):
            return _without_needless(row, goal, removed)
    return None


def _by_push(row: JudgedRow, goal: Goal, free: Flags) -> Indices | None:
    """The terms that hinder most, as many as it takes, without those that prove needless."""
    ids = np.flatnonzero(free)
    ids = _tried(row, ids[np.argsort(goal.sign * row.pushes[ids], kind="stable")])
    if not len(ids):
        return None
    kept = np.ones((len(ids), len(row.sizes)), dtype=bool)
    kept[:, ids] = ~np.tri(len(ids), dtype=bool)
    enough = np.flatnonzero(goal.all_reached(row.margins(kept)))
    for length in (enough[:1] + 1).tolist():
        if row.flips(goal, ids[:length]):
            return _without_needless(row, goal, ids[:length].tolist())
    return None


def _without_needless(row: JudgedRow, goal: Goal, removed: list[int]) -> Indices:
    """Take back what the set does without, the last first."""
    for term in reversed(removed.copy()):
        fewer = [other for other in removed if other != term]
        if fewer and row.flips(goal, np.array(fewer)):
            removed = fewer
    return np.array(removed)


def judged_additions(
    vectorizer: Vectorizer, document: DocumentTerms, row: JudgedRow, goal: Goal, most: int
) -> AbsentTerms:
    """Find the ``most`` absent terms that flip the decision furthest, or else the best one.

    Every absent term is tried; those that are shown were scored by the model. Cost: terms of the
    model × (rows of weights + directions).
    """
    absent = np.setdiff1d(np.arange(vectorizer.terms), document.columns[document.columns >= 0])
    if not goal.reachable or not len(absent):
        return AbsentTerms((), (), 0)
    sizes = sizes_of(vectorizer, absent, np.ones(len(absent)))
    shares = SHARES[row.norm]
    scale = scales(row.norm, shares(row.sizes).sum() + shares(sizes))
    margins = row.judge.margins_with(row.sizes, row.columns, absent, sizes, scale)
    best = best_places(goal.sign * margins, most)
    exact = [_with_one_more(row, int(absent[place]), float(sizes[place])) for place in best]
    flipping = sum(map(goal.reached, exact))
    order = sorted(range(len(best)), key=lambda i: -goal.sign * exact[i])
    shown = order[: max(1, flipping)]
    return AbsentTerms(
        tuple(int(absent[best[i]]) for i in shown),
        tuple(exact[i] for i in shown),
        max(flipping, int(goal.all_reached(margins).sum())) if flipping else 0,
    )


def _with_one_more(row: JudgedRow, column: int, size: float) -> float:
    longer = JudgedRow(
        row.norm,
        np.append(row.sizes, size),
        np.append(row.columns, column),
        np.append(row.pushes, 0.0),
        row.judge,
    )
    return longer.margin_without(np.empty(0, dtype=np.intp))
