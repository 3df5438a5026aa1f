"""Findings about labels: spelled alike, always together, rare, or missing."""

from __future__ import annotations

import math

import numpy as np

from postil.check.finding import MOST_ROWS, Example, Finding, are, counted, percent, some
from postil.check.reading import Facts
from postil.common.types import Ints
from postil.corpus.likeness import mistyped, spelled_alike

LEAST_LEARNED = 10
LEAST_TOGETHER = 5
BY_CHANCE = 1e-4
MOST_UNLABELLED = 5


def alike(facts: Facts) -> Finding | None:
    """Find labels that differ only in spelling, or look mistyped."""
    names = facts.labels.names
    documents = dict(zip(names, facts.labels.sizes().tolist(), strict=True))
    rows = []
    for group in spelled_alike(names):
        main, *others = sorted(group, key=lambda name: (-documents[name], name))
        rows += [(other, main, "spelled alike") for other in others]
    known = {row[0] for row in rows}
    slips = [row for row in mistyped(documents) if row.name not in known]
    rows += [(name, meant, "mistyped?") for name, meant in slips]
    if not rows:
        return None
    rows.sort(key=lambda row: (-documents[row[0]], row[0]))
    count = len(rows)
    return Finding(
        "labels_alike",
        "Labels that look like the same",
        count,
        "labels",
        f"{counted(count, 'label')} {are(count, 'differs', 'differ')} from another only by case, "
        f"space, separators or a letter: {some([name for name, *_ in rows])}.",
        "The examples of one category are torn in two, and whichever a model gives, half of them "
        "count as wrong.",
        "Rename them in the source if they mean the same.",
        {"mistyped": len(slips)},
        ("label", "documents", "looks like", "its documents", "why"),
        tuple(
            (name, f"{documents[name]:,}", meant, f"{documents[meant]:,}", why)
            for name, meant, why in rows[:MOST_ROWS]
        ),
    )


def always_together(facts: Facts) -> Finding | None:
    """Find labels that never come without a certain other one, more often than chance allows."""
    members = facts.labels.members.astype(np.int64)
    sizes = facts.labels.sizes()
    shared = (members.T @ members).tocoo()
    one, other, both = shared.row, shared.col, shared.data
    # log P(all documents of one have the other, if labels were independent)
    rate = np.log(np.maximum(sizes, 1) / max(facts.documents, 1))
    kept = (
        (one != other)
        & (both == sizes[one])
        & (sizes[one] >= LEAST_TOGETHER)
        & (sizes[one] * rate[other] < math.log(BY_CHANCE))
    )
    mutual = kept & (sizes[one] == sizes[other])
    kept &= ~mutual | (one < other)  # a pair of labels that stand for each other is one row
    order = np.lexsort((other[kept], one[kept], -sizes[one[kept]], ~mutual[kept]))
    rows = [
        (names_of(facts, a), names_of(facts, b), int(sizes[a]), int(sizes[b]))
        for a, b in zip(one[kept][order].tolist(), other[kept][order].tolist(), strict=True)
    ]
    if not rows:
        return None
    same = int((mutual & (one < other)).sum())
    count = len({row[0] for row in rows})
    first = rows[0]
    summary = (
        f"{counted(count, 'label')} never {are(count, 'comes', 'come')} without another, as "
        f"{first[0]!r} with {first[1]!r}"
    )
    if same:
        summary += (
            f"; {counted(same, 'pair')} {are(same, 'has', 'have')} exactly the same documents"
        )
    return Finding(
        "always_together",
        "Labels that always come together",
        count,
        "labels",
        f"{summary}.",
        "Two labels with the same documents cannot be told apart. A label that implies another may "
        "be its part: then that is fine.",
        "Keep one of two labels that mean the same.",
        {"same_documents": same},
        ("label", "documents", "never without", "its documents"),
        tuple((a, f"{n:,}", b, f"{m:,}") for a, b, n, m in rows[:MOST_ROWS]),
    )


def names_of(facts: Facts, column: int) -> str:
    """Return the name of a label."""
    return facts.labels.names[column]


def rare(facts: Facts) -> Finding | None:
    """Find labels with too few training documents, and those that only documents marked test have.

    A label needs a training document in each of five folds for its threshold to be tuned, and a
    second one to tell chance from knowledge.
    """
    learned = facts.labels.members[~facts.tested] if facts.has_splits else facts.labels.members
    sizes: Ints = np.asarray(learned.sum(axis=0), dtype=np.int64).ravel()
    few = np.flatnonzero(sizes < LEAST_LEARNED)
    if not len(few):
        return None
    count, needed = len(few), int((LEAST_LEARNED - sizes[few]).sum())
    none = int((sizes == 0).sum())
    order = few[np.lexsort((few, sizes[few]))]
    summary = (
        f"{count:,} of {counted(len(sizes), 'label')} {are(count, 'has', 'have')} fewer than "
        f"{LEAST_LEARNED} training documents; to give {LEAST_LEARNED} to each takes {needed:,} more"
    )
    if none:
        summary += f". {none:,} {are(none, 'has', 'have')} none and cannot be learned"
    return Finding(
        "rare_labels",
        "Rare labels",
        count,
        "labels",
        f"{summary}.",
        "postil tunes the threshold of a label on five folds: with fewer than two documents in "
        "each, it is tuned on chance, and its score has a wide interval.",
        "Label more examples of them, or leave them out or join them to a broader label.",
        {"needed": needed, "without_training_documents": none},
        ("label", "training documents", "more needed"),
        tuple(
            (names_of(facts, label), f"{sizes[label]:,}", f"{LEAST_LEARNED - sizes[label]:,}")
            for label in order[:MOST_ROWS].tolist()
        ),
    )


def unlabelled(facts: Facts) -> Finding | None:
    """Find documents without labels, where others have some."""
    without = np.flatnonzero((facts.label_counts == 0) & ~facts.partly)
    if not len(without) or not facts.labels.members.nnz:
        return None
    count = len(without)
    harm = "postil learns that they belong to no category."
    if facts.single:
        harm = "All others have exactly one. " + harm
    return Finding(
        "unlabelled",
        "Documents without a label",
        count,
        "documents",
        f"{counted(count, 'document')} ({percent(count, facts.documents)}) "
        f"{are(count, 'has', 'have')} no label.",
        harm,
        "Leave them out if nobody has looked at them yet.",
        examples=tuple(Example(row) for row in without[:MOST_UNLABELLED].tolist()),
    )
