"""What would flip a decision: terms taken away, or one more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from postil.common.types import Indices
from postil.explain.judging import (
    AbsentTerms,
    Goal,
    JudgedRow,
    find_additions,
    judged_additions,
    judged_removals,
    proven_length,
)
from postil.explain.reading import DocumentTerms
from postil.explain.removals import PROVEN_LENGTH, find_removals, margin_without
from postil.explain.rule import CategoryRule
from postil.explain.weighing import WeighedRow, weigh
from postil.vectors.vectorizer import Vectorizer


@dataclass(frozen=True, slots=True)
class Removal:
    """Terms of a document without which its decision is another, and the margin it then has.

    ``smallest`` says that no set of fewer terms would do; ``everything`` that these are all the
    terms that count.
    """

    terms: tuple[str, ...]
    margin: float
    smallest: bool
    everything: bool


@dataclass(frozen=True, slots=True)
class Addition:
    """A term the document does not hold, and the margin it would have with it."""

    term: str
    weight: float
    margin: float


@dataclass(frozen=True, slots=True)
class Flips:
    """What would flip the decision.

    ``removals`` have no term in common; where there is none, no set of the document's terms
    would do, if ``exhaustive``, else none was found. ``additions`` are the strongest of the
    ``additions_in_all`` absent terms each of which would do; ``nearest_addition`` comes nearest
    where none does. Terms in hash buckets have no names, so that ``named`` is false and nothing is
    known of absent ones.
    """

    removals: tuple[Removal, ...]
    additions: tuple[Addition, ...]
    additions_in_all: int
    nearest_addition: Addition | None
    named: bool
    exhaustive: bool = True


def find_flips(
    vectorizer: Vectorizer,
    document: DocumentTerms,
    rule: CategoryRule,
    accepted: bool,
    *,
    sets: int = 3,
    additions: int = 10,
) -> Flips:
    """Search for what would flip the decision on a document.

    Where the rule has a judge, candidates are scored by it.
    """
    row = weigh(vectorizer, document, rule)
    goal = Goal(rule.threshold, accepted)
    if rule.scorer is not None:
        judged = JudgedRow.of(row, document, rule.scorer)
        return _judged_flips(vectorizer, document, rule, judged, goal, sets, additions)
    found = find_removals(row, goal, sets)
    named = vectorizer.vocabulary is not None
    absent = AbsentTerms((), (), 0)
    if named and additions > 0:
        absent = find_additions(vectorizer, document, rule, row, goal, additions)
    added = _named(vectorizer, rule, absent)
    return Flips(
        removals=tuple(_removal(document, row, ids, found[0]) for ids in found),
        additions=added if absent.flipping else (),
        additions_in_all=absent.flipping,
        nearest_addition=None if absent.flipping or not added else added[0],
        named=named,
    )


def _judged_flips(
    vectorizer: Vectorizer,
    document: DocumentTerms,
    rule: CategoryRule,
    row: JudgedRow,
    goal: Goal,
    sets: int,
    additions: int,
) -> Flips:
    found = judged_removals(row, goal, sets)
    named = vectorizer.vocabulary is not None
    absent = AbsentTerms((), (), 0)
    if named and additions > 0:
        absent = judged_additions(vectorizer, document, row, goal, additions)
    added = _named(vectorizer, rule, absent)
    counting = int(np.count_nonzero(row.counting))
    return Flips(
        removals=tuple(
            Removal(
                terms=tuple(document.names[i] for i in ids.tolist()),
                margin=row.margin_without(ids),
                smallest=len(ids) == len(found[0]) <= proven_length(row),
                everything=len(ids) == counting,
            )
            for ids in found
        ),
        additions=added if absent.flipping else (),
        additions_in_all=absent.flipping,
        nearest_addition=None if absent.flipping or not added else added[0],
        named=named,
        exhaustive=not goal.reachable or counting == 0,
    )


def _removal(document: DocumentTerms, row: WeighedRow, ids: Indices, first: Indices) -> Removal:
    return Removal(
        terms=tuple(document.names[i] for i in ids.tolist()),
        margin=margin_without(row, ids),
        smallest=len(ids) == len(first) <= PROVEN_LENGTH[row.norm],
        everything=len(ids) == int(np.count_nonzero(row.counting)),
    )


def _named(vectorizer: Vectorizer, rule: CategoryRule, absent: AbsentTerms) -> tuple[Addition, ...]:
    if not absent.columns:
        return ()
    assert vectorizer.vocabulary is not None
    names = vectorizer.vocabulary.names
    return tuple(
        Addition(names[column], float(rule.weights[column]), margin)
        for column, margin in zip(absent.columns, absent.margins, strict=True)
    )
