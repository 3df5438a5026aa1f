"""The folds of a search: which documents each holds out, and what fits attain on them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from threading import Event
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from postil.common.progress import Progress
from postil.common.threads import thread_count
from postil.common.types import Floats, Ints
from postil.corpus.split import stratify
from postil.errors import UsageError
from postil.features.selection import Selection
from postil.learn.job import Job, Labels
from postil.learn.search.measures import SearchMeasure, Unseen
from postil.learn.strength import Strengths

if TYPE_CHECKING:
    from postil.learn.method import BaseMethod

Cut = Literal["stratified", "random", "by-category"]


def make_parts(labels: Labels, count: int, seed: int, cut: Cut = "stratified") -> Ints:
    """Return the fold of each document, from 0 to ``count`` - 1; sizes differ by one at most.

    ``stratified``: every category keeps its share in every fold. ``random``: whatever the
    categories, so that a fold may have no member of one. ``by-category``: the same, anew for the
    name of the only category. The same labels, count, seed and cut give the same folds; random
    folds are NumPy's, and may change with its version. Time is linear in documents, or, stratified,
    in memberships times folds.
    """
    if labels.documents < count:
        raise UsageError(
            f"{labels.documents} documents cannot be cut in {count} folds: each fold needs one "
            "document or more"
        )
    return CUTS[cut](labels, count, seed)


def _stratified(labels: Labels, count: int, seed: int) -> Ints:
    names, columns = labels.names, labels.members.indices.tolist()
    bounds = pairwise(labels.members.indptr.tolist())
    sets = ([names[column] for column in columns[start:end]] for start, end in bounds)
    return stratify(sets, [1 / count] * count, seed)


def _random(labels: Labels, count: int, seed: int, name: str = "") -> Ints:
    if seed < 0:
        raise UsageError(f"a random cut needs a seed of 0 or more, not {seed}")
    random = np.random.default_rng([seed, *name.encode()])
    return random.permutation(labels.documents) % count


def _by_category(labels: Labels, count: int, seed: int) -> Ints:
    # By name: the folds of a category do not depend on the categories beside it.
    (name,) = labels.names
    return _random(labels, count, seed, name)


CUTS: dict[Cut, Callable[[Labels, int, int], Ints]] = {
    "stratified": _stratified,
    "random": _random,
    "by-category": _by_category,
}


Deal = Callable[[Labels], Ints]


class SelectionOf(Protocol):
    """Select terms by the rows of some documents, for all categories or some."""

    def __call__(self, rows: Ints, categories: Ints | None = None, /) -> Selection | None:
        """Return the terms; None keeps all."""


ALL = -1  # the round that holds out nothing


@dataclass(frozen=True, slots=True, eq=False)
class Tallies:
    """The counts of a measure: rounds × points × categories × its numbers.

    ``unfinished`` counts the fits that ran out of iterations, points × categories.
    """

    counts: Floats
    unfinished: Ints


class HeldOutFits:
    """The folds of a search: one cut of the documents for all strengths and categories.

    A held-out document has weight 0 in its fold's fits, so that all share one matrix.

    Parameters
    ----------
    method : BaseMethod
    job : Job
        All documents; its ``selection`` and ``strengths`` are not used.
    measure : SearchMeasure
    deal : callable
        Returns the fold of each document, for the labels of the documents of a weight above 0.
    rounds : int
        The number of folds that are run, from the first on.
    selection_of : callable, optional
        Returns the selected terms for the rows of a fold's training documents.
    """

    def __init__(
        self,
        method: BaseMethod,
        job: Job,
        measure: SearchMeasure,
        deal: Deal,
        rounds: int,
        selection_of: SelectionOf | None,
    ) -> None:
        self.method = method
        self.job = job
        self.measure = measure
        self.documents = job.document_weights()
        self.present = np.flatnonzero(self.documents)
        self.rounds = np.arange(rounds)  # the numbers of the folds that are run
        self._deal = deal
        self._selection_of = selection_of
        self._jobs: dict[int, Job] = {}

    @cached_property
    def held_out(self) -> list[Ints]:
        """The documents that each of the folds holds out."""
        part = self._deal(self.job.labels.of_documents(self.present))
        return [self.present[part == number] for number in self.rounds]

    def tallies(
        self,
        strengths: Strengths,
        chosen: Ints,
        progress: Progress | None = None,
        rounds: Ints | None = None,
    ) -> Tallies:
        """Measure points × categories strengths, for the ``chosen`` categories.

        ``rounds`` are all of them, or some. ``progress`` gets the number of fits that are done.
        Cost: for each round a path of the strengths for all categories. Memory: the scores of the
        held-out documents, and the weights that the method holds at a time.
        """
        wanted = (self.rounds if rounds is None else rounds).tolist()
        size = strengths.values.size
        left = np.zeros(strengths.values.shape, dtype=np.int64)
        found = []
        for at, number in enumerate(wanted):
            job = self._job_of(number).of_categories(chosen)
            part = _part(progress, at * size, size, len(wanted) * size)
            job = replace(job, strengths=strengths, progress=part)
            counts, ran_out = self.method.tallies(
                job, self.measure, self._unseen(job.labels, self.held_out[number])
            )
            found.append(counts)
            left += ran_out
        return Tallies(np.stack(found), left)

    def _unseen(self, labels: Labels, held_out: Ints) -> Unseen:
        members = labels.members[held_out].toarray().astype(bool)
        return Unseen(self.job.design.rows[held_out], members, self.documents[held_out])

    def of_all(self) -> Job:
        """Return the job of all documents; its terms are selected once."""
        return self._job_of(ALL)

    def _job_of(self, number: int) -> Job:
        """Return the job of a fold's training documents; its terms are selected once."""
        if number not in self._jobs:
            weights = self.documents.copy()
            if number != ALL:
                weights[self.held_out[number]] = 0.0
            rows = np.flatnonzero(weights)
            job = replace(
                self.job,
                sample_weights=replace(self.job.sample_weights, documents=weights),
                selection=None if self._selection_of is None else self._selection_of(rows),
            )
            self._jobs[number] = replace(job, term_priors=self.method.term_priors(job))
        return self._jobs[number]


class FoldsByCategory(HeldOutFits):
    """The folds of a search that deals them for each category by itself.

    Categories do not share the weights of documents, so each is a job of its own, on one thread.
    """

    def tallies(
        self,
        strengths: Strengths,
        chosen: Ints,
        progress: Progress | None = None,
        rounds: Ints | None = None,
    ) -> Tallies:
        """Measure points × categories strengths, as those of one cut for all categories."""
        stopped = Event()
        size, total = strengths.values.size, len(chosen)
        size *= len(self.rounds if rounds is None else rounds)

        def check(_done: int, _of: int) -> None:
            if stopped.is_set():
                raise KeyboardInterrupt

        def measure(at: int) -> Tallies:
            own = replace(strengths, values=strengths.values[:, [at]])
            return self._alone(int(chosen[at])).tallies(own, np.zeros(1, np.int64), check, rounds)

        found = []
        with ThreadPoolExecutor(thread_count(self.job.threads)) as pool:
            try:
                for each in pool.map(measure, range(total)):
                    found.append(each)
                    if progress is not None:
                        progress(size * len(found) // total, size)
            except BaseException:
                stopped.set()  # the categories that are being learned end soon
                raise
        return Tallies(
            np.concatenate([each.counts for each in found], axis=2),
            np.concatenate([each.unfinished for each in found], axis=1),
        )

    def _alone(self, category: int) -> HeldOutFits:
        """Return the folds of one category."""
        only, selection_of = np.array([category]), self._selection_of
        job = replace(self.job.of_categories(only), threads=1)
        if job.labels.judged is not None:
            known = self.documents * job.labels.judged.of(0)
            weights = replace(job.sample_weights, documents=known)
            job = replace(job, labels=replace(job.labels, judged=None), sample_weights=weights)

        def select(rows: Ints, _: Ints | None = None) -> Selection | None:
            return None if selection_of is None else selection_of(rows, only)

        return HeldOutFits(self.method, job, self.measure, self._deal, len(self.rounds), select)


def _part(progress: Progress | None, before: int, size: int, total: int) -> Progress | None:
    if progress is None:
        return None
    return lambda done, of: progress(before + size * done // max(1, of), total)
