"""Likely label errors: labels that disagree with models that had not seen the document.

Confident learning (Northcutt, Jiang and Chuang 2021): the threshold of a label is the mean
probability of those who have it. A document is suspected if a label it lacks reaches its threshold
while the one it has does not. Suspects are ranked by self-confidence, the probability of what was
given, the least first; with several labels it is averaged so that the worst of them counts most.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from postil.check.finding import Example, Finding, are, counted, percent
from postil.check.quick_model import Judged, looked_at
from postil.check.reading import Facts
from postil.common.types import Floats, Ints

SHOWN = 20
KNOWN = 0.5  # the least mean probability of members, for a label to be judged by
PROBABLE = 0.5
ALPHA = 0.8  # of the moving average over the labels of a document, as cleanlab has it
AT_ONCE = 1 << 22  # probabilities


class Suspect(NamedTuple):
    """A document whose labels are doubtful.

    Parameters
    ----------
    row : int
        Its position in the corpus.
    lacks, has : tuple
        The labels that it lacks and probably has, and that it has and probably should not; each
        with its probability.
    quality : float
        The self-confidence of its labels, from 0 to 1.
    """

    row: int
    lacks: tuple[tuple[str, float], ...]
    has: tuple[tuple[str, float], ...]
    quality: float


def label_quality(truth: sp.csr_matrix[Any], probabilities: Floats, *, single: bool) -> Floats:
    """Return the self-confidence of the labels of each document: the less, the more doubtful.

    Parameters
    ----------
    truth : sparse matrix
        Documents × labels.
    probabilities : array
        The same; by models that had not seen the documents.
    single : bool
        True if every document has exactly one label.
    """
    if single:
        return probabilities[np.arange(len(probabilities)), truth.indices]
    own = np.where(truth.toarray(), probabilities, 1 - probabilities)
    own = -np.sort(-own, axis=1)
    average: Floats = own[:, 0]
    for column in own.T[1:]:
        average = ALPHA * column + (1 - ALPHA) * average
    return average


def suspects(judged: Judged, *, single: bool) -> list[Suspect]:
    """Return the documents whose labels are doubtful, the most doubtful first.

    Labels that the model does not know well enough (mean probability of members under ``KNOWN``)
    are not judged.
    """
    own = single and bool((np.diff(judged.truth.indptr) == 1).all())
    doubted = _doubted_single(judged) if own else _doubted(judged)
    rows = np.unique(doubted.nonzero()[0])
    quality = label_quality(judged.truth[rows], judged.probabilities[rows], single=own)
    found = []
    for at in np.argsort(quality, kind="stable").tolist():
        row = int(rows[at])
        columns = doubted.indices[doubted.indptr[row] : doubted.indptr[row + 1]]
        values = judged.probabilities[row, columns]
        has = np.asarray(judged.truth[row, columns].toarray()).ravel()
        found.append(
            Suspect(
                int(judged.rows[row]),
                _named(judged, columns[~has], values[~has], descending=True),
                _named(judged, columns[has], values[has], descending=False),
                float(quality[at]),
            )
        )
    return found


def _thresholds(judged: Judged) -> Floats:
    """Return the mean probability of each label in the documents that have it."""
    rows, columns = judged.truth.nonzero()
    count = len(judged.names)
    sums = np.bincount(columns, judged.probabilities[rows, columns], count)
    thresholds: Floats = sums / np.maximum(np.bincount(columns, minlength=count), 1)
    return thresholds


def _doubted_single(judged: Judged) -> sp.csr_matrix[Any]:
    """Return documents × labels: the label given and the one that seems right."""
    bound = _thresholds(judged)
    given = judged.truth.indices
    # Of the labels that reach their threshold, the most probable seems right.
    reach = np.where(judged.probabilities >= bound, judged.probabilities, -1.0)
    reach[:, bound < KNOWN] = -1.0
    right = reach.argmax(axis=1)
    rows = np.flatnonzero((reach.max(axis=1) > 0) & (right != given) & (bound[given] >= KNOWN))
    pairs = np.tile(rows, 2), np.concatenate([given[rows], right[rows]])
    shape = judged.truth.shape
    return sp.csr_matrix((np.ones(len(pairs[0]), dtype=np.bool_), pairs), shape=shape)


def _doubted(judged: Judged) -> sp.csr_matrix[Any]:
    """Return documents × labels: those lacking that seem right, and those given that seem wrong."""
    truth, count = judged.truth, judged.truth.shape[0]
    bound = _thresholds(judged)
    members = np.asarray(truth.sum(axis=0)).ravel()
    sums = judged.probabilities.sum(axis=0)
    absent = 1 - (sums - bound * members) / np.maximum(count - members, 1)  # of those without it
    blocks = []
    step = max(1, AT_ONCE // truth.shape[1])
    for start in range(0, count, step):
        some = judged.probabilities[start : start + step]
        has = truth[start : start + step].toarray()
        lacks = ~has & (some >= np.maximum(bound, PROBABLE))
        wrong = has & (1 - some >= absent) & (some < bound)
        blocks.append(sp.csr_matrix((lacks | wrong) & (bound >= KNOWN)))
    return sp.csr_matrix(sp.vstack(blocks))


def _named(
    judged: Judged, columns: Ints, values: Floats, *, descending: bool
) -> tuple[tuple[str, float], ...]:
    order = np.argsort(-values if descending else values, kind="stable")
    return tuple((judged.names[columns[at]], float(values[at])) for at in order.tolist())


def likely_errors(found: list[Suspect], judged: Judged, facts: Facts) -> Finding | None:
    """Return the finding of the suspects."""
    if not found:
        return None
    count = len(found)
    tests = int(facts.tested[[each.row for each in found]].sum()) if facts.has_splits else 0
    summary = (
        f"{counted(count, 'document')} ({percent(count, len(judged.rows))}) "
        f"{are(count, 'has', 'have')} labels that a model trained without "
        f"{are(count, 'it', 'them')} finds improbable, while others are probable"
    )
    if tests:
        summary += f"; {tests:,} of them {are(tests)} marked test"
    if looked := looked_at(judged, facts):
        summary += f"; {looked}"
    return Finding(
        "label_errors",
        "Likely label errors",
        count,
        "documents",
        f"{summary}.",
        "A wrong label teaches the wrong thing; in a test document it counts a right decision as "
        "wrong.",
        "Look at them, the worst first; --write lists them all in a file beside.",
        {"marked_test": tests},
        examples=tuple(Example(each.row, note(each)) for each in found[:SHOWN]),
    )


def note(suspect: Suspect) -> str:
    """Return what is doubtful about a document."""
    parts = []
    if suspect.lacks:
        parts.append("probably " + ", ".join(f"{name} ({p:.2f})" for name, p in suspect.lacks[:3]))
    if suspect.has:
        parts.append("hardly " + ", ".join(f"{name} ({p:.2f})" for name, p in suspect.has[:3]))
    return "; ".join(parts)
