"""Labels of which not everything is known: unknown memberships and uncertain ones.

An unknown membership takes no part in the fit of its category, which is then learned from documents
of its own. An uncertain one, of probability p, is two documents: one with the label and the weight
p, and one without it and the weight 1 - p.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.common.threads import thread_count
from postil.common.types import Flags, Ints
from postil.learn.fit import LinearFit, joined

if TYPE_CHECKING:
    from postil.learn.job import Job

ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The memberships that are known, where some documents were not judged for every category.

    Parameters
    ----------
    partly : array of bool
        True for the documents that were judged for some categories only.
    known : sparse matrix
        Documents × categories: the known memberships of these documents, whether yes or no.
    """

    partly: Flags
    known: sp.csr_matrix[Any]

    def of(self, category: int) -> Flags:
        """Return True for the documents that are known to be in a category or not in it."""
        found = ~self.partly
        found[self.known[:, [category]].nonzero()[0]] = True
        return found

    def mask(self) -> Flags:
        """Return True for each known membership: a dense array of documents × categories."""
        found = np.repeat(~self.partly[:, np.newaxis], self.known.shape[1], axis=1)
        found[self.known.nonzero()] = True
        return found

    def of_documents(self, documents: NDArray[Any]) -> Judged:
        """Return the same of some documents."""
        return Judged(self.partly[documents], self.known[documents])

    def of_categories(self, chosen: Sequence[int] | Ints) -> Judged:
        """Return the same of some categories."""
        return Judged(self.partly, self.known[:, chosen])


def certain_job(job: Job) -> Job:
    """Return the job with weighted copies of the documents whose labels are uncertain.

    The copies of a document have certain labels, and their weights add up to its own, so that the
    weight of those with a label is its probability. Where probabilities add up to at most 1, each
    copy has one of the uncertain labels; else the copies have the likeliest, the two likeliest, and
    so on. Cost: a copy of the matrix.
    """
    labels = job.labels
    if labels.uncertain is None:
        return job
    rows, shares, sets = [], [], []
    for document in range(labels.documents):
        for share, extra in _outcomes(labels.uncertain, document):
            rows.append(document)
            shares.append(share)
            sets.append(extra)
    places = np.array(rows, dtype=np.int64)
    plain = labels.without_uncertain().of_documents(places)
    counts = [len(each) for each in sets]
    cells = (np.repeat(np.arange(len(sets)), counts), [column for each in sets for column in each])
    added = sp.csr_matrix((np.ones(sum(counts)), cells), shape=plain.members.shape)
    members = sp.csr_matrix(plain.members + added.astype(bool))
    weights = job.sample_weights.of_documents(labels.documents)[places] * np.array(shares)
    return replace(
        job,
        design=job.design.of_rows(places),
        labels=replace(plain, members=members),
        sample_weights=replace(job.sample_weights, documents=weights),
    )


def _outcomes(
    uncertain: sp.csr_matrix[Any], document: int
) -> list[tuple[float, NDArray[np.integer[Any]]]]:
    """Return sets of the uncertain labels of a document with probabilities that add up to 1."""
    cells = slice(uncertain.indptr[document], uncertain.indptr[document + 1])
    columns, chances = uncertain.indices[cells], uncertain.data[cells]
    if not len(columns):
        return [(1.0, columns)]
    total = float(chances.sum())
    if total <= 1 + ROUNDING:
        found = [(float(p), columns[[at]]) for at, p in enumerate(chances)]
        left = 1 - total
    else:
        order = np.argsort(-chances, kind="stable")
        steps = -np.diff(chances[order], append=0.0)
        found = [(float(step), columns[order[: at + 1]]) for at, step in enumerate(steps)]
        left = 1 - float(chances.max())
    found.append((left, columns[:0]))
    return [(share, extra) for share, extra in found if share > ROUNDING]


def fit_by_category(job: Job, fit: Callable[[Job], Sequence[LinearFit]]) -> tuple[LinearFit, ...]:
    """Fit each category to the documents whose membership is known; one fit for each point.

    Cost: that of one-vs-rest on the documents of each category, a thread each, and a pass over the
    documents for each category.
    """
    judged = job.labels.judged
    if judged is None:
        return tuple(fit(job))
    base, total = job.document_weights(), len(job.labels)
    stopped = Event()

    def check(_done: int, _of: int) -> None:
        if stopped.is_set():
            raise KeyboardInterrupt

    def learn(category: int) -> Sequence[LinearFit]:
        own = job.of_categories(np.array([category]))
        weights = replace(own.sample_weights, documents=base * judged.of(category))
        labels = replace(own.labels, judged=None)
        return fit(replace(own, labels=labels, sample_weights=weights, threads=1, progress=check))

    found: list[Sequence[LinearFit]] = []
    with ThreadPoolExecutor(thread_count(job.threads)) as pool:
        try:
            for each in pool.map(learn, range(total)):
                found.append(each)
                if job.progress is not None:
                    job.progress(len(found), total)
        except BaseException:
            stopped.set()  # the categories that are being learned end soon
            raise
    return tuple(joined(list(point)) for point in zip(*found, strict=True))


def without_partly_judged(job: Job, *, single: bool) -> Job:
    """Return the job with weight 0 for the documents that were judged for some categories only.

    It is for methods that learn all categories together. If a document has a ``single`` label, its
    label says that it has no other, and it stays.
    """
    labels = job.labels
    if labels.judged is None:
        return job
    left_out = labels.judged.partly.copy()
    if single:
        left_out &= np.diff(labels.members.indptr) == 0
    weights = job.document_weights() * ~left_out
    sample_weights = replace(job.sample_weights, documents=weights)
    return replace(job, labels=replace(labels, judged=None), sample_weights=sample_weights)
