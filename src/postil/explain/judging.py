"""What would flip a decision that is not linear in the terms: every candidate is scored anew.

Where a document is scaled to a length in LSI, or other categories set a bar, or a tree chooses the
weights, a term that goes changes more than its own part. So nothing is subtracted here: a judge
scores the documents that would be left, and what is shown was scored by the model itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from postil.explain.additions import AbsentTerms, best_places
from postil.explain.goal import Goal
from postil.explain.reading import UNKNOWN, DocumentTerms
from postil.explain.weighing import SHARES, Flags, WeighedRow, scales, sizes_of
from postil.vectors.vectorizer import Vectorizer
from postil.vectors.weighting import Norm

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]
Columns = NDArray[np.int64]

MOST_STEPS = 40
# Terms tried at each step, those that pushed most; of documents with fewer all are.
MOST_TRIED = 256


class Judge(Protocol):
    """Scores documents that there are not."""

    def margins(self, values: Floats, columns: Columns) -> Floats:
        """The margins of documents × terms, whose columns these are (-1 is unknown): quick."""

    def margins_with(
        self, row: Floats, columns: Columns, more: Columns, sizes: Floats, scale: Floats
    ) -> Floats:
        """The margins of a row and one more term, of each of these sizes, times a scale: quick."""

    def margin(self, values: Floats, columns: Columns) -> float:
        """The margin of one document, exactly as the model scores it."""


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """The terms of a document before the norm, and who scores what is left of them."""

    norm: Norm
    sizes: Floats
    columns: Columns
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

    def margin_without(self, removed: Ids) -> float:
        """The margin without some terms, exactly."""
        kept = np.ones((1, len(self.sizes)), dtype=bool)
        kept[0, removed] = False
        return self.judge.margin(self.values(kept)[0], self.columns)

    def flips(self, goal: Goal, removed: Ids) -> bool:
        """Whether the decision is another one without these terms."""
        return goal.reached(self.margin_without(removed))


def judged_removals(row: JudgedRow, goal: Goal, most: int) -> list[Ids]:
    """Find up to ``most`` sets of terms without which the decision is another; none in two.

    Each was scored anew. That none is found proves nothing: not all sets are tried. Cost for each
    set: ``MOST_STEPS`` times scoring as many documents as there are terms to try.
    """
    found: list[Ids] = []
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


def _sets(row: JudgedRow, goal: Goal, free: Flags) -> Iterator[Ids]:
    for search in (_one_by_one, _by_push):
        removed = search(row, goal, free)
        if removed is not None:
            yield removed
    ids = np.flatnonzero(free)
    if len(ids) and np.array_equal(free, row.counting) and row.flips(goal, ids):
        yield ids


def _tried(row: JudgedRow, ids: Ids) -> Ids:
    if len(ids) <= MOST_TRIED:
        return ids
    return ids[np.argsort(-np.abs(row.pushes[ids]), kind="stable")[:MOST_TRIED]]


def _without_each(kept: Flags, ids: Ids) -> Flags:
    """Documents × terms: each without one more."""
    left = np.tile(kept, (len(ids), 1))
    left[np.arange(len(ids)), ids] = False
    return left


def _one_by_one(row: JudgedRow, goal: Goal, free: Flags) -> Ids | None:
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


def _by_push(row: JudgedRow, goal: Goal, free: Flags) -> Ids | None:
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


def _without_needless(row: JudgedRow, goal: Goal, removed: list[int]) -> Ids:
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
