"""Findings about copies: across train and test, with other labels, and within the corpus."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from postil.check.finding import (
    MOST_GROUPS,
    Example,
    Finding,
    are,
    counted,
    grouped,
    listed,
    percent,
)
from postil.check.quick_model import Measured
from postil.check.reading import Facts
from postil.common.types import Ints
from postil.corpus.copies import SIMILAR

ALIKE = f"at least {SIMILAR:.0%} of their runs of three words are the same".replace("%", " %")


def same_in_train_and_test(facts: Facts, measured: Measured | None) -> Finding | None:
    """Find documents marked test that have a copy or near copy among the others.

    Parameters
    ----------
    facts : Facts
        The documents.
    measured : Measured, optional
        The score of a quick model on documents marked test.
    """
    test = facts.tested
    if not facts.has_splits:
        return None
    contaminated = contaminated_tests(facts)
    count = int(contaminated.sum())
    if not count:
        return None
    exact = int((test & np.isin(facts.copies.equal, facts.copies.equal[~test])).sum())
    summary = (
        f"{counted(count, 'document')} marked test ({percent(count, int(test.sum()))}) "
        f"{are(count, 'has', 'have')} a copy or near copy in training; "
        f"{exact:,} {are(exact)} word for word the same."
    )
    numbers: dict[str, float] = {"exact": exact}
    if measured is not None:
        summary += f" {measured.sentence()}"
        numbers |= measured.to_dict()
    pairs = []
    for row in _firsts(np.flatnonzero(contaminated), facts.copies.groups):
        learned = np.flatnonzero((facts.copies.groups == facts.copies.groups[row]) & ~test)
        nearest = max(learned[:20].tolist(), key=lambda each: facts.search.similarity(row, each))
        pairs.append([(nearest, ""), (row, _likeness(facts, row, nearest))])
    return Finding(
        "same_in_train_and_test",
        "The same text in train and test",
        count,
        "documents",
        summary,
        "A model knows these test documents by heart, so that the measured score is too high.",
        "Split again with postil corpus split, which keeps copies together, before anything else.",
        numbers,
        examples=grouped(pairs),
        groups=_ids(facts, facts.copies.groups, np.unique(facts.copies.groups[contaminated])),
    )


def contaminated_tests(facts: Facts) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return True for each document marked test with a near copy among the others."""
    groups, test = facts.copies.groups, facts.tested
    return np.asarray(test & np.isin(groups, groups[~test]))


def same_text_other_labels(facts: Facts) -> Finding | None:
    """Find texts that occur several times, with labels that differ."""
    copies, labelled = facts.copies, facts.label_counts > 0
    conflicting = _differing(copies.equal, facts.label_keys, labelled)
    count = int((np.isin(copies.equal, conflicting) & labelled).sum())
    if not count:
        return None
    near = len(_differing(copies.groups, facts.label_keys, labelled))
    groups = _ids(facts, copies.equal, conflicting, labelled)
    shown = []
    for first, ids in zip(conflicting[:MOST_GROUPS].tolist(), groups, strict=False):
        rows = np.flatnonzero((copies.equal == first) & labelled)
        # One document for each set of labels.
        rows = rows[np.unique(facts.label_keys[rows], return_index=True)[1]]
        notes = [f"{counted(len(ids), 'document')} with this text: {listed(ids)}", "", ""]
        shown.append(list(zip(np.sort(rows)[:3].tolist(), notes, strict=False)))
    more = near - len(conflicting)
    summary = (
        f"{counted(len(conflicting), 'text')} {are(len(conflicting), 'occurs', 'occur')} in "
        f"{counted(count, 'document')} with labels that differ"
    )
    if more > 0:
        summary += f"; {counted(more, 'more group')} of near copies {are(more, 'does', 'do')}"
    return Finding(
        "same_text_other_labels",
        "The same text under different labels",
        count,
        "documents",
        f"{summary}.",
        "No model can be right about all of them, so that they lower the score that can be "
        "reached, and they blur what is learned.",
        "Decide which labels are right: a person has to.",
        {"texts": len(conflicting), "groups_of_near_copies": near},
        examples=grouped(shown),
        groups=groups,
    )


def repeated(facts: Facts) -> Finding | None:
    """Find documents that repeat the text of an earlier one."""
    equal = facts.copies.equal
    repeats = equal != np.arange(len(equal))
    count = int(repeats.sum())
    if not count:
        return None
    firsts, sizes = np.unique(equal[repeats], return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    groups = _ids(facts, equal, firsts)
    shown = [
        Example(
            int(firsts[at]), f"{sizes[at] + 1:,} documents have this text: {listed(groups[at])}"
        )
        for at in order[:MOST_GROUPS].tolist()
    ]
    droppable = int(facts.droppable.sum())
    same = f"{are(droppable, 'has', 'have')} the same labels and split"
    fix = "--write drops those that have the same labels and split as the first."
    if not facts.labels.members.nnz:
        same = f"{are(droppable, 'has', 'have')} the same split, and no labels were read"
        fix = "If a column holds labels, name it (--label-column); these may differ."
    return Finding(
        "copies",
        "Copies",
        count,
        "documents",
        f"{counted(count, 'document')} ({percent(count, len(equal))}) "
        f"{are(count, 'repeats', 'repeat')} the text of an earlier one, but for case and white "
        f"space; {droppable:,} of them {same}.",
        "A text that occurs ten times counts ten times, in training and in the score.",
        fix,
        {"droppable": droppable},
        examples=tuple(shown),
        groups=groups,
    )


def nearly_repeated(facts: Facts) -> Finding | None:
    """Find documents that nearly repeat another."""
    copies = facts.copies
    texts = np.unique(copies.equal)
    groups, sizes = np.unique(copies.groups[texts], return_counts=True)
    several = sizes > 1
    if not several.any():
        return None
    groups, sizes = groups[several], sizes[several]
    order = np.argsort(-sizes, kind="stable")
    every = _ids(facts, copies.groups, groups)
    shown = []
    for at in order[:MOST_GROUPS].tolist():
        group = groups[at]
        first, *others = texts[copies.groups[texts] == group].tolist()
        nearest = max(others[:20], key=lambda each: facts.search.similarity(first, each))
        size = f"a group of {len(others) + 1:,} texts: {listed(every[at])}"
        shown.append([(first, size), (nearest, _likeness(facts, first, nearest))])
    count = int(sizes.sum())
    return Finding(
        "near_copies",
        "Near copies",
        count,
        "documents",
        f"{counted(count, 'text')} ({percent(count, len(texts))}) in "
        f"{counted(len(groups), 'group')} {are(count, 'is', 'are')} nearly the same as another: "
        f"{ALIKE}. The largest group has {sizes.max():,}.",
        "Copies on both sides of a split or of a fold make every score too high.",
        "postil keeps them together in its own splits; --write gives them a group, for other "
        "programs and for postil.",
        {"groups": len(groups), "largest": int(sizes.max())},
        examples=grouped(shown),
        groups=every,
    )


def _ids(
    facts: Facts,
    keys: Ints,
    wanted: Ints,
    among: np.ndarray[tuple[int], np.dtype[np.bool_]] | None = None,
) -> tuple[tuple[str, ...], ...]:
    """Return the ids of the documents of each wanted key, which rise."""
    held = np.isin(keys, wanted) if among is None else np.isin(keys, wanted) & among
    rows = np.flatnonzero(held)
    rows = rows[np.argsort(keys[rows], kind="stable")]
    parts = np.split(rows, np.searchsorted(keys[rows], wanted[1:]))
    return tuple(tuple(facts.ids[row] for row in part.tolist()) for part in parts)


def _differing(groups: Ints, keys: Ints, among: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Ints:
    """Return the groups whose documents, among some, have keys that differ."""
    pairs = np.unique(np.stack([groups[among], keys[among]]), axis=1)
    names, sizes = np.unique(pairs[0], return_counts=True)
    return np.asarray(names[sizes > 1])


def _firsts(rows: Ints, groups: Ints) -> Iterable[int]:
    """Return the first row of each of the first groups."""
    firsts = np.unique(groups[rows], return_index=True)[1]
    first: list[int] = rows[np.sort(firsts)[:MOST_GROUPS]].tolist()
    return first


def _likeness(facts: Facts, one: int, other: int) -> str:
    if facts.copies.equal[one] == facts.copies.equal[other]:
        return "the same text"
    return f"{percent(facts.search.similarity(one, other))} of the runs of three words are shared"
