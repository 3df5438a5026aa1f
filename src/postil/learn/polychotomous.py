"""Polychotomous logistic regression: all classes in one problem, over one shared matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil import _native
from postil.errors import InputError, UsageError
from postil.features.selection import Selection
from postil.learn.category_tasks import KINDS, STOPS, Progress, lists
from postil.learn.design import Design
from postil.learn.emphasis import Emphasis
from postil.learn.labels import Labels
from postil.learn.linear_fit import LinearFit
from postil.learn.norm_based import norm_based
from postil.learn.polychotomous_method import PolychotomousMethod
from postil.learn.report import FitReport, warn_of_unfinished
from postil.learn.single_class import SingleClass
from postil.learn.strength import Strengths
from postil.learn.term_priors import TermPriors
from postil.text.suggest import advice
from postil.vectors.threads import thread_count

Floats = NDArray[np.float64]

# The score of a class without members: its probability is 0 beside any other.
NEVER = float(np.log(np.finfo(np.float64).tiny))
NO_REFERENCE = -1
HUNDREDTHS = 100


def fit_polychotomous(
    design: Design,
    labels: Labels,
    method: PolychotomousMethod,
    *,
    selection: Selection | None = None,
    emphasis: Emphasis | None = None,
    strengths: Strengths | None = None,
    priors: TermPriors | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    quiet: bool = False,
) -> LinearFit:
    """Learn all classes together; every document that counts has exactly one.

    ``strengths`` gives each class a strength of its own, in place of the method's; ``priors`` say
    what is believed of single terms, by all classes or by one. ``progress`` is told how many
    hundredths of the way to the tolerance are done. All reports are of the one problem, ``shared``:
    iterations, objective, certificate and seconds are the same in each; ``nonzeros`` and
    ``members`` are the class's own.

    A class without members is left out, as one of probability 0: it scores -708. If one class has
    all members, it scores 0.

    Cost: a Newton step takes documents × classes, and the non-zeros of the weights at work for each
    inner pass; memory is 40 bytes for each document and class, 24 for each term and class, and 80
    for each weight that is not 0. The result does not depend on the number of threads.
    """
    task = _Task(design, labels, method, selection, emphasis or Emphasis(), priors)
    result = task.run(strengths, thread_count(threads), progress)
    if not quiet:
        warn_of_unfinished(result.reports, method.solver_options().tolerance)
    return result


class _Task:
    """One call of ``fit_polychotomous``: classes with members go to the native core."""

    def __init__(
        self,
        design: Design,
        labels: Labels,
        method: PolychotomousMethod,
        selection: Selection | None,
        emphasis: Emphasis,
        priors: TermPriors | None,
    ) -> None:
        _check_sizes(design, labels, selection, priors)
        self.design = design
        self.labels = labels
        self.method = method
        self.selection = selection
        self.documents = emphasis.of_documents(design.documents)
        self.priors = priors
        self.classes = SingleClass.of(labels, emphasis)
        self.reference = self._reference()

    def run(
        self, strengths: Strengths | None, threads: int, progress: Progress | None
    ) -> LinearFit:
        pairs = self._pairs(strengths or self._usual_strengths())
        if len(self.classes.learnable) < 2:
            return self._constant(pairs)
        fit = _native.train_polychotomous(
            self.design.native,
            self._native_classes(pairs),
            self.method.to_native(),
            threads,
            None if progress is None else lambda done: progress(done, HUNDREDTHS),
        )
        if progress is not None:
            progress(HUNDREDTHS, HUNDREDTHS)
        return self._linear_fit(fit, pairs)

    def _reference(self) -> int:
        """The place of the reference among the classes that are learned."""
        name = self.method.reference
        if name is None:
            return NO_REFERENCE
        if name not in self.labels.names:
            raise UsageError(f"there is no class {name!r}{advice(name, self.labels.names)}")
        category = self.labels.names.index(name)
        if not self.classes.sizes[category]:
            raise InputError(
                f"the reference class {name} has no member, so that nothing can be learned "
                "against it: take another, or none"
            )
        if self.priors is not None and self.priors.own.get(category):
            raise UsageError(
                f"the weights of the reference class {name} stay at 0: give it no priors of its own"
            )
        return int(np.searchsorted(self.classes.learnable, category))

    def _usual_strengths(self) -> Strengths:
        regularization = self.method.regularization
        if not regularization.is_norm_based:
            return regularization.strengths(len(self.labels))
        return norm_based(self.design, self.documents, len(self.labels), self.selection)

    def _pairs(self, given: Strengths) -> Floats:
        if given.values.shape != (len(self.labels),):
            raise UsageError(
                f"{given.way} is one number for each of {len(self.labels)} classes, not "
                f"{' × '.join(map(str, given.values.shape)) or 1}"
            )
        return given.pairs(self.classes.total, self.method.share)

    def _native_classes(self, pairs: Floats) -> _native.Classes:
        chosen = self.classes.learnable
        terms = beliefs = None
        if self.selection is not None:
            kept = Selection.of([self.selection[int(c)] for c in chosen], self.design.terms)
            terms = lists(kept.offsets, kept.ids)
        if self.priors is not None:
            share, total = self.method.share, self.classes.total
            beliefs = self.priors.native(chosen.tolist(), total, share)
        return _native.Classes(
            self.classes.of_document,
            self.classes.weights,
            self.classes.total,
            np.ascontiguousarray(pairs[chosen]),
            terms,
            beliefs,
            self.reference,
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


def _check_sizes(
    design: Design, labels: Labels, selection: Selection | None, priors: TermPriors | None
) -> None:
    if labels.documents != design.documents:
        raise UsageError(f"there are {design.documents} documents and labels of {labels.documents}")
    if selection is not None and (len(selection), selection.terms) != (len(labels), design.terms):
        raise UsageError(
            f"the selection is of {len(selection)} categories and {selection.terms} terms, the "
            f"data of {len(labels)} and {design.terms}"
        )
    if priors is not None and priors.terms != design.terms:
        raise UsageError(f"there are {design.terms} terms and priors of {priors.terms}")
