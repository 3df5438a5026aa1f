"""Learning problems as the native core takes them: one for each category, or one for all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil import _native
from postil.common.progress import Progress
from postil.common.types import Floats
from postil.errors import InputError, UsageError
from postil.features.selection import Selection
from postil.learn.fit import CertificateKind, FitReport, LinearFit, StopReason
from postil.learn.job import Job, Labels, SampleWeights
from postil.learn.strength import Strengths

if TYPE_CHECKING:
    from postil.learn.method import Method

# The scores of a category that has nothing to learn.
NEVER, ALWAYS = -1.0, 1.0
# The score of a class without members: its probability is 0 beside any other.
NO_MEMBER = float(np.log(np.finfo(np.float64).tiny))
HUNDREDTHS = 100

STOPS: Mapping[_native.Stop, StopReason] = {
    _native.Stop.certified: "certified",
    _native.Stop.movement: "movement",
    _native.Stop.iterations: "iterations",
    _native.Stop.precision: "precision",
}
KINDS: Mapping[_native.Certificate, CertificateKind] = {
    _native.Certificate.duality_gap: "duality gap",
    _native.Certificate.kkt_residual: "KKT residual",
    _native.Certificate.mistakes: "share of mistakes",
}


class CategoryTasks:
    """Every category against the rest.

    ``learnable`` holds the categories with members and others of a weight above 0; the others get a
    constant score. Cost: the number of memberships.
    """

    def __init__(self, labels: Labels, sample_weights: SampleWeights) -> None:
        self.labels = labels
        self.documents = documents = sample_weights.of_documents(labels.documents)
        self.total = float(documents.sum())
        present = (documents > 0).astype(np.int64)
        self.sizes = np.asarray(present @ labels.members.astype(np.int64)).ravel()
        inside = np.asarray(documents @ labels.members.astype(np.float64)).ravel()
        self.member_weights, self.other_weights = sample_weights.of_classes(inside, self.total)
        others = int(present.sum()) - self.sizes
        self.learnable = np.flatnonzero(
            (self.sizes > 0) & (others > 0) & (self.member_weights > 0) & (self.other_weights > 0)
        )

    def resume(self, resumed: NDArray[np.bool_]) -> None:
        """Make categories that resume learnable, even if they have only members or only others."""
        if self.total > 0:
            resumed[self.learnable] = True
            self.learnable = np.flatnonzero(resumed)

    def pairs(self, given: Strengths, method: Method) -> Floats:
        """Return the strengths of each category's points: categories × points × 2."""
        values = np.atleast_2d(given.values)
        if values.ndim != 2 or values.shape[1] != len(self.labels):
            raise UsageError(
                f"{given.way} needs one number for each of {len(self.labels)} categories, and has "
                f"{values.shape[-1] if values.ndim else 1}"
            )
        pairs = Strengths(given.way, values).pairs(self.total, method.share)
        if not method.has_strength:
            pairs = np.zeros_like(pairs)
        return np.ascontiguousarray(pairs.transpose(1, 0, 2))

    def assignment(
        self,
        pairs: Floats,
        warm_starts: list[Floats],
        term_priors: _native.TermPriors | None = None,
        resume_from: list[Floats] | None = None,
    ) -> _native.Assignment:
        """Return the learnable categories as the native core takes them."""
        members = self.labels.by_category()[:, self.learnable]
        return _native.Assignment(
            lists(members.indptr, members.indices),
            self.documents,
            self.member_weights[self.learnable],
            self.other_weights[self.learnable],
            np.ascontiguousarray(pairs[self.learnable]),
            term_priors,
            warm_starts,
            resume_from or [],
        )

    def native_progress(self, progress: Progress | None) -> Callable[[int], None] | None:
        """Return what the native core calls with the number of categories that are done."""
        if progress is None:
            return None
        return lambda done: progress(done, len(self.learnable))

    def constant(self, category: int) -> float:
        """Return the score of a category that has nothing to learn."""
        return ALWAYS if self._has_members(category) else NEVER

    def report(
        self, category: int, lam: float, fits: _native.Fits, at: int, nonzeros: int
    ) -> FitReport:
        """Return the report of a category, whose fit is at a place among those of the core."""
        return FitReport(
            category=self.labels.names[category],
            members=int(self.sizes[category]),
            lam=float(lam),
            iterations=fits.iterations(at),
            objective=fits.objective(at),
            certificate=fits.certificate(at),
            kind=KINDS[fits.kind(at)],
            stopped=STOPS[fits.stop(at)],
            seconds=fits.seconds(at),
            nonzeros=nonzeros,
            smoothing=fits.smoothing(at),
        )

    def constant_report(self, category: int, lam: float) -> FitReport:
        """Return the report of a category that has nothing to learn."""
        name, members = self.labels.names[category], int(self.sizes[category])
        return constant_report(name, members, lam, has_members=self._has_members(category))

    def _has_members(self, category: int) -> bool:
        return bool(self.sizes[category] > 0 and self.member_weights[category] > 0)


class ClassTask:
    """All classes as one problem; every document of a weight above 0 has exactly one class.

    ``learnable`` are the classes with members, and ``of_document`` holds the place of each
    document's class among them. ``weights`` are the documents' weights times those of their
    classes, ``total`` is the sum of the documents' own. A class without members scores -708; a
    class that has all members scores 0. Cost: the number of memberships.
    """

    def __init__(self, job: Job, learner: str, loss: str) -> None:
        self.job = job
        documents = job.document_weights()
        labels = job.labels
        counted = np.flatnonzero(documents > 0)
        _check_single_class(labels, counted, learner, loss)
        columns = np.zeros(len(documents), dtype=np.int64)
        columns[counted] = labels.members.indices[labels.members.indptr[counted]]
        self.sizes = np.bincount(columns[counted], minlength=len(labels)).astype(np.int64)
        self.learnable = np.flatnonzero(self.sizes)
        places = np.zeros(len(labels), dtype=np.int32)
        places[self.learnable] = np.arange(len(self.learnable))
        self.of_document = places[columns]
        self.total = float(documents.sum())
        inside: Floats = np.bincount(columns, documents, len(labels)).astype(np.float64)
        self.weights = documents * self._class_weights(inside, learner)[columns]

    def _class_weights(self, inside: Floats, learner: str) -> Floats:
        """Return the weight of each class; balanced classes have the same weight in all."""
        classes = self.job.sample_weights.classes
        if classes is None:
            return np.ones(len(inside))
        if isinstance(classes, str) and classes == "balanced":
            with np.errstate(divide="ignore"):
                return np.where(inside > 0, self.total / (len(self.learnable) * inside), 0.0)
        raise UsageError(
            f"{learner} learning has no members and others of a class: class weights must be "
            f"'balanced' or None, not {classes!r}; weigh documents instead"
        )

    def pairs(self, given: Strengths, share: float) -> Floats:
        """Return the strengths of each class: classes × 2."""
        if given.values.shape != (len(self.job.labels),):
            raise UsageError(
                f"{given.way} needs one number for each of {len(self.job.labels)} classes, and has "
                f"{' × '.join(map(str, given.values.shape)) or 1}"
            )
        return given.pairs(self.total, share)

    def native(self, pairs: Floats, share: float, reference: int) -> _native.Classes:
        """Return the learnable classes as the native core takes them."""
        chosen, priors = self.learnable, self.job.term_priors
        return _native.Classes(
            self.of_document,
            self.weights,
            self.total,
            np.ascontiguousarray(pairs[chosen]),
            term_lists(self.job.selected(chosen)),
            None if priors is None else priors.native(chosen.tolist(), self.total, share),
            reference,
        )

    def linear_fit(self, fit: _native.PolychotomousFit, pairs: Floats) -> LinearFit:
        """Return the fit of the native core as that of all classes."""
        labels, chosen = self.job.labels, self.learnable
        counts = np.zeros(len(labels), dtype=np.int64)
        counts[chosen] = np.diff(fit.starts())
        starts = np.concatenate(([0], np.cumsum(counts)))
        shape = (len(labels), self.job.design.terms)
        weights: sp.csr_matrix[Any] = sp.csr_matrix(
            (fit.weights(), fit.terms(), starts), shape=shape
        )
        intercepts = np.full(len(labels), NO_MEMBER)
        intercepts[chosen] = fit.intercepts()
        reports = [
            FitReport(
                category=name,
                members=int(self.sizes[c]),
                lam=float(pairs[c].sum()),
                iterations=fit.iterations,
                objective=fit.objective,
                certificate=fit.certificate,
                kind=KINDS[fit.kind],
                stopped=STOPS[fit.stop],
                seconds=fit.seconds,
                nonzeros=int(counts[c]),
                shared=True,
                smoothing=fit.smoothing,
            )
            if self.sizes[c]
            else self._constant_report(c, pairs)
            for c, name in enumerate(labels.names)
        ]
        return LinearFit(labels.names, weights, intercepts, tuple(reports))

    def constant_fit(self, pairs: Floats) -> LinearFit:
        """Return the fit of classes of which one has all members, or of no documents."""
        labels = self.job.labels
        weights: sp.csr_matrix[Any] = sp.csr_matrix((len(labels), self.job.design.terms))
        intercepts = np.where(self.sizes > 0, 0.0, NO_MEMBER)
        reports = tuple(self._constant_report(c, pairs) for c in range(len(labels)))
        return LinearFit(labels.names, weights, intercepts, reports)

    def _constant_report(self, category: int, pairs: Floats) -> FitReport:
        name, members = self.job.labels.names[category], int(self.sizes[category])
        lam = float(pairs[category].sum())
        return constant_report(name, members, lam, has_members=members > 0)


def _check_single_class(
    labels: Labels, counted: NDArray[np.int64], learner: str, loss: str
) -> None:
    """Raise InputError if a document has no class or several."""
    counts = np.diff(labels.members.indptr)[counted]
    wrong = np.flatnonzero(counts != 1)
    if not len(wrong):
        return
    none, several = int((counts == 0).sum()), int((counts > 1).sum())
    found = [f"{none} have none"] if none else []
    found += [f"{several} have more than one"] if several else []
    raise InputError(
        f"{learner} learning needs exactly one class for each document, and of "
        f"{labels.documents} documents {' and '.join(found)} (the first is number "
        f'{int(counted[wrong[0]]) + 1}); learn one-vs-rest instead (learner = "linear", loss = '
        f'"{loss}"), or leave these documents out'
    )


def constant_report(name: str, members: int, lam: float, *, has_members: bool) -> FitReport:
    """Return the report of a category with nothing to learn, which says why."""
    what = "nothing but members: always chosen" if has_members else "no member: never chosen"
    return FitReport(
        category=name,
        members=members,
        lam=float(lam),
        iterations=0,
        objective=0.0,
        certificate=0.0,
        kind="exact",
        stopped="constant",
        seconds=0.0,
        nonzeros=0,
        note=f"the category has {what}",
    )


@contextmanager
def within_range() -> Iterator[None]:
    """Raise UsageError instead of OverflowError where weights left the range of numbers."""
    try:
        yield
    except OverflowError as overflow:
        raise UsageError(str(overflow)) from None


def lists(starts: NDArray[Any], places: NDArray[Any]) -> _native.Lists:
    """Return lists of places, given one after the other, as the native core takes them."""
    return _native.Lists(starts.astype(np.int64, copy=False), places.astype(np.int32, copy=False))


def term_lists(selection: Selection | None) -> _native.Lists | None:
    """Return the terms of each category as the native core takes them."""
    return None if selection is None else lists(selection.offsets, selection.ids)
