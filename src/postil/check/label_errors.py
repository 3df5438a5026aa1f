"""Likely label errors: labels that disagree with models that had not seen the document.

Confident learning (Northcutt, Jiang and Chuang 2021): the threshold of a label is the mean
probability of those who have it. A document is suspected if a label it lacks reaches its threshold
while the one it has does not. Suspects are ranked by self-confidence, the probability of what was
given, the least first; with several labels it is averaged so that the worst of them counts most.
Where documents have several labels, each is judged on its own, and further bounds apply: of the
many labels that a document lacks, some always reach their thresholds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from postil.check.finding import Example, Finding, are, counted, percent
from postil.check.quick_model import Judged
from postil.check.reading import Facts
from postil.common.types import Floats, Ints

SHOWN = 20
KNOWN = 0.5  # the least mean probability of members, for a label to be judged by
SURE = 0.9  # a probability that is above every threshold
IMPROBABLE = 0.02  # a further bound where documents have several labels
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


class Doubts:
    """Collects the documents whose labels are doubtful.

    The thresholds are those of the documents that come first. Labels that their model does not
    know well enough (mean probability of members under ``KNOWN``) are not judged.

    Parameters
    ----------
    names : sequence of str
        The labels, by column.
    single : bool
        True if every document has exactly one label.
    """

    def __init__(self, names: Sequence[str], *, single: bool) -> None:
        self._names, self._single = names, single
        self._bounds: _Bounds | None = None
        self._found: list[Suspect] = []
        self.judged = 0

    def add(self, judged: Judged) -> None:
        """Look for doubtful labels of some documents."""
        if self._bounds is None:
            self._bounds = _Bounds.of(judged)
        self.judged += len(judged.rows)
        if self._single:
            # A label that the model has not learned cannot be judged.
            judged = judged.of_documents(np.flatnonzero(np.diff(judged.truth.indptr) == 1))
        step = max(1, AT_ONCE // len(self._names))
        for start in range(0, len(judged.rows), step):
            some = judged.of_documents(np.arange(start, min(start + step, len(judged.rows))))
            self._collect(some, self._bounds)

    def suspects(self) -> list[Suspect]:
        """Return the doubtful documents, the most doubtful first."""
        return sorted(self._found, key=lambda each: (each.quality, each.row))

    def _collect(self, judged: Judged, bounds: _Bounds) -> None:
        doubted = (_doubted_single if self._single else _doubted)(judged, bounds)
        rows = np.unique(doubted.nonzero()[0])
        if not len(rows):
            return
        truth, probabilities = judged.truth[rows], judged.probabilities[rows]
        if not self._single:
            known = np.flatnonzero(bounds.present >= KNOWN)
            truth, probabilities = truth[:, known], probabilities[:, known]
        quality = label_quality(truth, probabilities, single=self._single)
        for row, own in zip(rows.tolist(), quality.tolist(), strict=True):
            at = doubted.indices[doubted.indptr[row] : doubted.indptr[row + 1]]
            values = judged.probabilities[row, at]
            has = np.asarray(judged.truth[row, at].toarray()).ravel()
            lacks = self._named(at[~has], values[~has])
            wrong = self._named(at[has], values[has])
            self._found.append(Suspect(int(judged.rows[row]), lacks[::-1], wrong, own))

    def _named(self, columns: Ints, values: Floats) -> tuple[tuple[str, float], ...]:
        """Return the labels with their probabilities, the least first."""
        order = np.argsort(values, kind="stable").tolist()
        return tuple((self._names[columns[at]], float(values[at])) for at in order)


class _Bounds(NamedTuple):
    """Mean probabilities of each label: where it is present, and where it is absent."""

    present: Floats
    absent: Floats

    @classmethod
    def of(cls, judged: Judged) -> _Bounds:
        rows, columns = judged.truth.nonzero()
        documents, count = judged.truth.shape
        members = np.bincount(columns, minlength=count)
        sums = np.bincount(columns, judged.probabilities[rows, columns], count)
        others = judged.probabilities.sum(axis=0) - sums
        return cls(sums / np.maximum(members, 1), others / np.maximum(documents - members, 1))


def _doubted_single(judged: Judged, bounds: _Bounds) -> sp.csr_matrix[Any]:
    """Return documents × labels: the label given and the one that seems right."""
    given, known = judged.truth.indices, bounds.present >= KNOWN
    # Of the labels that reach their threshold, the most probable seems right.
    reached = judged.probabilities >= np.minimum(bounds.present, SURE)
    reach = np.where(reached & known, judged.probabilities, -1.0)
    right = reach.argmax(axis=1)
    rows = np.flatnonzero((reach.max(axis=1) > 0) & (right != given) & known[given])
    pairs = np.tile(rows, 2), np.concatenate([given[rows], right[rows]])
    shape = judged.truth.shape
    return sp.csr_matrix((np.ones(len(pairs[0]), dtype=np.bool_), pairs), shape=shape)


def _doubted(judged: Judged, bounds: _Bounds) -> sp.csr_matrix[Any]:
    """Return documents × labels: those lacking that seem right, and those given that seem wrong."""
    values, has = judged.probabilities, judged.truth.toarray()
    lacks = ~has & (values >= np.maximum(bounds.present, SURE)) & ~judged.partly[:, None]
    wrong = has & (values <= np.minimum(bounds.absent, IMPROBABLE))
    return sp.csr_matrix((lacks | wrong) & (bounds.present >= KNOWN))


def likely_errors(found: list[Suspect], judged: int, learned: int, facts: Facts) -> Finding | None:
    """Return the finding of the suspects among so many documents, by a model of so many."""
    if not found:
        return None
    count = len(found)
    tests = int(facts.tested[[each.row for each in found]].sum()) if facts.has_splits else 0
    summary = (
        f"{counted(count, 'document')} ({percent(count, judged)}) "
        f"{are(count, 'has', 'have')} labels that a model trained without "
        f"{are(count, 'it', 'them')} finds improbable, while others are probable"
    )
    if tests:
        summary += f"; {tests:,} of them {are(tests)} marked test"
    training = int(((facts.label_counts > 0) & ~(facts.tested & facts.has_splits)).sum())
    if learned < training:
        summary += f"; the model learned from {learned:,} of {training:,}"
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
