"""Naive Bayes, multinomial (zhang-oles-2001, section 4.1), and a form with sparse weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import scipy.sparse as sp

from postil.common.types import Floats
from postil.errors import UsageError
from postil.features.selection import Selection
from postil.learn.fit import FitReport, LinearFit
from postil.learn.job import Job, Labels
from postil.learn.method import BaseMethod
from postil.learn.tasks import ALWAYS, NEVER

Form = Literal["multi-class", "one-vs-rest", "background"]


@dataclass(frozen=True, slots=True)
class NaiveBayes(BaseMethod):
    """Naive Bayes-1 (``multi-class``), Naive Bayes-2 (``one-vs-rest``), and a sparse form.

    With N the summed weight of a term in a class and λ added to each of them::

        multi-class   score_c = ln P(c) + Σ x ln P(term | c)
        one-vs-rest   score_c = ln P(c)/P(not c) + Σ x ln P(term | c)/P(term | not c)

    ``background`` adds nothing to counts. It mixes the terms of a class with those of all
    documents, whose share is λ (Jelinek and Mercer 1980), and takes all classes for equally
    likely::

        background    score_c = Σ x ln((1 - λ) P(term | c) + λ P(term)) / (λ P(term))

    A term that a class does not have has the weight 0 there, and no weight is negative.

    Scores are linear in x, so that a fit is like any other. They are log odds, but of a model too
    naive to take them for probabilities. A category whose selection keeps no term has the log odds
    of its size as the score of every document. Cost: one pass over the non-zeros, and the number of
    categories times their terms; with ``background``, times the terms that each of them has.
    """

    smoothing: float = 1e-2
    form: Form = "one-vs-rest"

    no_strength: ClassVar[str] = (
        "Naive Bayes has no λ to search for: leave [search] out and give smoothing in [learn]"
    )
    no_term_priors: ClassVar[str] = "Naive Bayes counts terms, and takes no per-term priors"

    def __post_init__(self) -> None:
        if not (np.isfinite(self.smoothing) and self.smoothing > 0):
            raise UsageError(f"smoothing must be a finite number above 0, not {self.smoothing!r}")
        if self.form not in get_args(Form):
            raise UsageError(f"form must be one of {', '.join(get_args(Form))}, not {self.form!r}")
        if self.form == "background" and self.smoothing >= 1:
            raise UsageError(
                f"smoothing is a share with the form background, below 1, not {self.smoothing!r}"
            )

    @property
    def takes_selection(self) -> bool:
        """True if each category can have terms of its own."""
        return self.form == "one-vs-rest"

    @property
    def by_category(self) -> bool:
        """True if the fit of a category does not depend on the other categories."""
        return self.form != "multi-class"

    def _fit(self, job: Job) -> LinearFit:
        design, labels, selection = job.design, job.labels, job.selection
        if (design.rows.data < 0).any():
            raise UsageError("Naive Bayes counts terms: their weights must not be negative")
        weights = job.document_weights()
        weighted = sp.diags_array(weights) @ labels.members.astype(np.float64)
        inside = sp.csr_matrix(weighted.T @ design.rows)
        sizes = np.asarray(weighted.sum(axis=0)).ravel()
        if selection is not None and not self.takes_selection:
            raise UsageError(f"{self.form} Naive Bayes uses the same terms for all categories")
        if self.form == "multi-class":
            return self._multi_class(labels, inside, sizes)
        total = np.asarray(weights @ design.rows).ravel()
        if self.form == "background":
            return self._background(labels, inside, total, sizes)
        return self._one_vs_rest(labels, inside, total, sizes, float(weights.sum()), selection)

    def _background(
        self, labels: Labels, inside: sp.csr_matrix[Any], total: Floats, sizes: Floats
    ) -> LinearFit:
        inside.eliminate_zeros()
        lengths = np.asarray(inside.sum(axis=1), dtype=np.float64).ravel()
        share = inside.data / np.repeat(lengths, np.diff(inside.indptr))
        ratio = share / (total[inside.indices] / total.sum())
        values = np.log1p((1 - self.smoothing) / self.smoothing * ratio)
        weights = sp.csr_matrix((values, inside.indices, inside.indptr), shape=inside.shape)
        notes = [_nothing_to_learn(size) for size in sizes]
        return _fit_of(labels, weights, np.zeros(len(labels)), notes)

    def _multi_class(self, labels: Labels, inside: sp.csr_matrix[Any], sizes: Floats) -> LinearFit:
        rows = [
            _log_share(inside[[c]].toarray().ravel(), self.smoothing) for c in range(len(labels))
        ]
        shares = sizes / max(sizes.sum(), 1.0)
        with np.errstate(divide="ignore"):
            intercepts = np.where(sizes > 0, np.log(shares), np.log(np.finfo(float).tiny))
        weights = sp.csr_matrix(np.array(rows).reshape(len(labels), inside.shape[1]))
        return _fit_of(labels, weights, intercepts, [_nothing_to_learn(size) for size in sizes])

    def _one_vs_rest(
        self,
        labels: Labels,
        inside: sp.csr_matrix[Any],
        total: Floats,
        sizes: Floats,
        documents: float,
        selection: Selection | None,
    ) -> LinearFit:
        every = np.arange(len(total), dtype=np.int32)
        terms, values = [], []
        intercepts = np.empty(len(labels))
        for category in range(len(labels)):
            if not 0 < sizes[category] < documents:
                intercepts[category] = ALWAYS if sizes[category] > 0 else NEVER
                terms.append(every[:0])
                values.append(np.empty(0))
                continue
            chosen = every if selection is None else selection[category]
            ours = inside[[category]].toarray().ravel()[chosen]
            theirs = total[chosen] - ours
            values.append(_log_share(ours, self.smoothing) - _log_share(theirs, self.smoothing))
            terms.append(chosen)
            intercepts[category] = np.log(sizes[category] / (documents - sizes[category]))
        starts = np.concatenate(([0], np.cumsum([len(ids) for ids in terms])))
        shape = (len(labels), len(total))
        flat = (np.concatenate([np.empty(0), *values]), np.concatenate([every[:0], *terms]), starts)
        notes = [_nothing_to_learn(size, documents) for size in sizes]
        return _fit_of(labels, sp.csr_matrix(flat, shape=shape), intercepts, notes)


def _log_share(counts: Floats, smoothing: float) -> Floats:
    """Return ln P(term | class), every count raised by λ; empty where there are no terms."""
    raised = np.maximum(counts, 0.0) + smoothing
    if not len(raised):
        return raised
    share: Floats = np.log(raised) - np.log(raised.sum())
    return share


def _nothing_to_learn(size: float, documents: float = np.inf) -> str:
    """Return why a category is constant; empty if it is not."""
    if size <= 0:
        return "the category has no member: never chosen"
    return "the category has nothing but members: always chosen" if size >= documents else ""


def _fit_of(
    labels: Labels, weights: sp.csr_matrix[Any], intercepts: Floats, notes: list[str]
) -> LinearFit:
    counts = labels.sizes()
    reports = tuple(
        FitReport(
            category=name,
            members=int(counts[c]),
            lam=0.0,
            iterations=1,
            objective=0.0,
            certificate=0.0,
            kind="exact",
            stopped="constant" if notes[c] else "certified",
            seconds=0.0,
            nonzeros=int(weights.indptr[c + 1] - weights.indptr[c]),
            note=notes[c],
        )
        for c, name in enumerate(labels.names)
    )
    return LinearFit(labels.names, weights, intercepts, reports)
