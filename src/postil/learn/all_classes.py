"""One problem for all classes: what goes to the native core, and what comes back.

Documents that have exactly one class each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil import _native
from postil.common.progress import Progress
from postil.common.types import Floats
from postil.errors import InputError, UsageError
from postil.features.selection import Selection
from postil.learn.category_tasks import KINDS, STOPS, lists, within_range
from postil.learn.fit import FitReport, LinearFit
from postil.learn.job import Design, Labels, SampleWeights
from postil.learn.norm_based import norm_based
from postil.learn.strength import Regularization, Strengths
from postil.learn.term_priors.priors import TermPriors


@dataclass(frozen=True, slots=True, eq=False)
class SingleClass:
    """The class of each document that counts, and how much it counts.

    ``of_document`` holds places among ``learnable``, the categories that have members which count;
    it says nothing of documents of weight 0. ``weights`` are the documents' times those of their
    classes, ``total`` the sum of the documents' own. Costs the number of memberships.
    """

    learnable: NDArray[np.int64]
    of_document: NDArray[np.int32]
    weights: Floats
    total: float
    sizes: NDArray[np.int64]

    @classmethod
    def of(
        cls, labels: Labels, sample_weights: SampleWeights, kind: str = "polychotomous"
    ) -> SingleClass:
        """Refuse documents with no class or with several; those of weight 0 are not asked.

        ``kind`` is the learner's, for those who are refused.
        """
        documents = sample_weights.of_documents(labels.documents)
        counted = np.flatnonzero(documents > 0)
        _refuse_others(np.diff(labels.members.indptr)[counted], counted, len(documents), kind)
        columns = np.zeros(len(documents), dtype=np.int64)
        columns[counted] = labels.members.indices[labels.members.indptr[counted]]
        sizes = np.bincount(columns[counted], minlength=len(labels)).astype(np.int64)
        inside: Floats = np.bincount(columns, documents, len(labels)).astype(np.float64)
        learnable = np.flatnonzero(sizes)
        places = np.zeros(len(labels), dtype=np.int32)
        places[learnable] = np.arange(len(learnable))
        total = float(documents.sum())
        each = _class_weights(sample_weights, inside, total, len(learnable), kind)
        return cls(learnable, places[columns], documents * each[columns], total, sizes)


# What to learn one-vs-rest instead.
_LOSSES = {"polychotomous": "logistic", "multiclass-svm": "hinge"}


def _refuse_others(
    counts: NDArray[np.int64], rows: NDArray[np.int64], documents: int, kind: str
) -> None:
    wrong = np.flatnonzero(counts != 1)
    if not len(wrong):
        return
    none, several = int((counts == 0).sum()), int((counts > 1).sum())
    found = [f"{none} with none"] if none else []
    found += [f"{several} with more than one"] if several else []
    raise InputError(
        f"{kind} learning needs exactly one class for each document: of {documents} "
        f"documents there are {' and '.join(found)} (the first is number "
        f'{int(rows[wrong[0]]) + 1}); learn one-vs-rest instead (learner = "linear", loss = '
        f'"{_LOSSES[kind]}"), or leave these documents out'
    )


def _class_weights(
    sample_weights: SampleWeights, inside: Floats, total: float, classes: int, kind: str
) -> Floats:
    """How much members of each class count; balanced, all classes weigh the same together."""
    if sample_weights.classes is None:
        return np.ones(len(inside))
    if isinstance(sample_weights.classes, str) and sample_weights.classes == "balanced":
        with np.errstate(divide="ignore"):
            return np.where(inside > 0, total / (classes * inside), 0.0)
    raise UsageError(
        f"{kind} learning knows no members and others of a class: class weights are "
        f"'balanced' or none, not {sample_weights.classes!r}; weigh documents instead"
    )


Told = Callable[[int], None]
Train = Callable[[_native.Classes, Told | None], _native.PolychotomousFit]

# The score of a class without members: its probability is 0 beside any other.
NEVER = float(np.log(np.finfo(np.float64).tiny))
NO_REFERENCE = -1
HUNDREDTHS = 100


class ClassTask:
    """Documents of one class each, to be learned together; classes with members are learned.

    ``kind`` is the learner's, for those who are refused. A class without members scores -708; if
    one class has all members, it scores 0.
    """

    def __init__(
        self,
        design: Design,
        labels: Labels,
        selection: Selection | None,
        sample_weights: SampleWeights,
        kind: str,
    ) -> None:
        _check_sizes(design, labels, selection)
        self.design = design
        self.labels = labels
        self.selection = selection
        self.documents = sample_weights.of_documents(design.documents)
        self.classes = SingleClass.of(labels, sample_weights, kind)

    def run(
        self,
        pairs: Floats,
        progress: Progress | None,
        train: Train,
        priors: TermPriors | None = None,
        share: float = 0.0,
        reference: int = NO_REFERENCE,
    ) -> LinearFit:
        """Let the core train, unless there is nothing to learn.

        ``progress`` is told how many hundredths of the way are done.
        """
        if len(self.classes.learnable) < 2:
            return self._constant(pairs)
        told = None if progress is None else lambda done: progress(done, HUNDREDTHS)
        with within_range():
            fit = train(self._native_classes(pairs, priors, share, reference), told)
        if progress is not None:
            progress(HUNDREDTHS, HUNDREDTHS)
        return self._linear_fit(fit, pairs)

    def pairs(self, given: Strengths | None, usual: Regularization, share: float) -> Floats:
        """The strengths of each class: what is given, else what a method says itself."""
        strengths = given or self._usual(usual)
        if strengths.values.shape != (len(self.labels),):
            raise UsageError(
                f"{strengths.way} is one number for each of {len(self.labels)} classes, not "
                f"{' × '.join(map(str, strengths.values.shape)) or 1}"
            )
        return strengths.pairs(self.classes.total, share)

    def _usual(self, regularization: Regularization) -> Strengths:
        if not regularization.is_norm_based:
            return regularization.strengths(len(self.labels))
        return norm_based(self.design, self.documents, len(self.labels), self.selection)

    def _native_classes(
        self, pairs: Floats, priors: TermPriors | None, share: float, reference: int
    ) -> _native.Classes:
        chosen = self.classes.learnable
        terms = beliefs = None
        if self.selection is not None:
            kept = Selection.of([self.selection[int(c)] for c in chosen], self.design.terms)
            terms = lists(kept.offsets, kept.ids)
        if priors is not None:
            beliefs = priors.native(chosen.tolist(), self.classes.total, share)
        return _native.Classes(
            self.classes.of_document,
            self.classes.weights,
            self.classes.total,
            np.ascontiguousarray(pairs[chosen]),
            terms,
            beliefs,
            reference,
        )

    def _linear_fit(self, fit: _native.PolychotomousFit, pairs: Floats) -> LinearFit:
        chosen = self.classes.learnable
        counts = np.zeros(len(self.labels), dtype=np.int64)
        counts[chosen] = np.diff(fit.starts())
        starts = np.concatenate(([0], np.cumsum(counts)))
        shape = (len(self.labels), self.design.terms)
        weights: sp.csr_matrix[Any] = sp.csr_matrix(
            (fit.weights(), fit.terms(), starts), shape=shape
        )
        intercepts = np.full(len(self.labels), NEVER)
        intercepts[chosen] = fit.intercepts()
        reports = [
            FitReport(
                category=name,
                members=int(self.classes.sizes[c]),
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
            if self.classes.sizes[c]
            else self._constant_report(c, pairs)
            for c, name in enumerate(self.labels.names)
        ]
        return LinearFit(self.labels.names, weights, intercepts, tuple(reports))

    def _constant(self, pairs: Floats) -> LinearFit:
        """Nothing to learn: one class has all members, or there is no document."""
        weights: sp.csr_matrix[Any] = sp.csr_matrix((len(self.labels), self.design.terms))
        intercepts = np.where(self.classes.sizes > 0, 0.0, NEVER)
        reports = tuple(self._constant_report(c, pairs) for c in range(len(self.labels)))
        return LinearFit(self.labels.names, weights, intercepts, reports)

    def _constant_report(self, category: int, pairs: Floats) -> FitReport:
        members = int(self.classes.sizes[category])
        what = "nothing but members: always chosen" if members else "no member: never chosen"
        return FitReport(
            category=self.labels.names[category],
            members=members,
            lam=float(pairs[category].sum()),
            iterations=0,
            objective=0.0,
            certificate=0.0,
            kind="exact",
            stopped="constant",
            seconds=0.0,
            nonzeros=0,
            note=f"the category has {what}",
        )


def _check_sizes(design: Design, labels: Labels, selection: Selection | None) -> None:
    if labels.documents != design.documents:
        raise UsageError(f"there are {design.documents} documents and labels of {labels.documents}")
    if selection is not None and (len(selection), selection.terms) != (len(labels), design.terms):
        raise UsageError(
            f"the selection is of {len(selection)} categories and {selection.terms} terms, the "
            f"data of {len(labels)} and {design.terms}"
        )
