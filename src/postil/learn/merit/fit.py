"""Training all categories for a figure of merit, over one shared matrix."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from postil.common.progress import Progress
from postil.common.threads import thread_count
from postil.common.types import Floats, Ints
from postil.errors import UsageError
from postil.features.selection import Selection
from postil.learn.combining import Rivals
from postil.learn.fit import FitReport, LinearFit
from postil.learn.job import Design, Job
from postil.learn.merit.method import MfomMethod
from postil.learn.merit.objective import Merit, Products, products_of
from postil.learn.merit.options import FORMS
from postil.learn.merit.restarts import LocalOptimum, maximise
from postil.learn.merit.starts import MeritTask
from postil.learn.tasks import CategoryTasks

# Bytes that tables of one block of problems may take together.
BLOCK_BYTES = 512 * 2**20
# What is told of a category by the share of training documents it accepts.
NOTES = {
    0.0: "accepts no training document: try other starts",
    1.0: "accepts every training document: try other starts",
}
# The score of a category that is never given, where it is a rival: as low as no other.
NO_RIVAL = -1e6


def fit_mfom(job: Job, method: MfomMethod) -> LinearFit:
    """Learn every category for the method's figure of merit.

    The job's ``progress`` counts steps. Categories that stand alone
    are trained in blocks, of ``BLOCK_BYTES`` at most; with rivals, or a pooled figure, all are one.
    The certificate is the slope that is left, as a share of that at the start.
    Nothing warns of what is left: to stop before the top holds weights back, and is what
    the iterations are for. Where there are several starts, reports say what each came to.

    Cost: a step is two products of the documents with a table of all categories (non-zeros ×
    categories), and documents × categories. The result does not depend on the number of threads.
    """
    if job.sample_weights.classes is not None:
        raise UsageError(
            "training for a figure of merit weighs members and others by the figure: leave class "
            "weights out, and name a figure such as f2 or cost(fp=1, fn=5)"
        )
    tasks = CategoryTasks(job.labels, job.sample_weights)
    run = _Run(job.design, tasks, method, job.selection, thread_count(job.threads), job.progress)
    return run.linear_fit()


def problem_bytes(design: Design, method: MfomMethod) -> int:
    """What the tables of one category take while it is trained."""
    pairs = getattr(method.solver_options, "pairs", 0)
    return 24 * design.documents + (48 + 8 * pairs) * design.terms


class _Run:
    """One fit: its blocks, and what becomes of them."""

    def __init__(
        self,
        design: Design,
        tasks: CategoryTasks,
        method: MfomMethod,
        selection: Selection | None,
        threads: int,
        progress: Progress | None,
    ) -> None:
        self.design = design
        self.tasks = tasks
        self.method = method
        self.selection = selection
        self.threads = threads
        self.progress = progress
        # One category that can be learned has no rivals: its score decides. One that all documents
        # have would claim each, so that no bar is left that others could be above.
        alone = len(tasks.learnable) < 2 or any(map(self._is_everywhere, range(len(tasks.labels))))
        self.form = FORMS["binary"] if alone else method.merit_form()
        self.figure = method.merit_figure()
        self.joint = self.form.has_rivals or self.figure.pooled

    def linear_fit(self) -> LinearFit:
        """Train block by block, and put the rows together."""
        count, terms = len(self.tasks.labels), self.design.terms
        blocks: dict[int, sp.csr_matrix[Any]] = {}
        intercepts = np.array([self._constant(c) for c in range(count)])
        reports = [self.tasks.constant_report(c, 0.0) for c in range(count)]
        sharpness: float | None = None
        with products_of(self.design, self.threads) as products:
            for chosen, done, of in self._blocks():
                begun = time.perf_counter()
                top = self._top(products, chosen, done, of)
                seconds = (time.perf_counter() - begun) / len(chosen)
                rows = sp.csr_matrix(top.weights.terms.T.astype(np.float32))
                intercepts[chosen] = top.weights.intercepts
                accepted = self._accepted(products, top)
                sharpness = top.sharpness
                for at, category in enumerate(chosen.tolist()):
                    blocks[category] = rows[at]
                    reports[category] = self._report(
                        top, at, category, float(accepted[at]), seconds
                    )
        empty: sp.csr_matrix[Any] = sp.csr_matrix(np.zeros((1, terms), dtype=np.float32))
        weights = sp.vstack([blocks.get(c, empty) for c in range(count)] or [empty[:0]], "csr")
        combination = None if sharpness is None else Rivals(count, sharpness, self.form.capped)
        return LinearFit(
            self.tasks.labels.names,
            weights,
            intercepts,
            tuple(reports),
            combination=combination,
        )

    def _is_everywhere(self, category: int) -> bool:
        return category not in self.tasks.learnable and self.tasks.constant(category) > 0

    def _constant(self, category: int) -> float:
        constant = self.tasks.constant(category)
        return NO_RIVAL if self.form.has_rivals and constant < 0 else constant

    def _blocks(self) -> Iterator[tuple[Ints, int, int]]:
        """Categories to train together, how many went before, and how many there are."""
        learnable = self.tasks.learnable
        size = max(1, len(learnable)) if self.joint else self._block_size()
        for first in range(0, len(learnable), size):
            yield learnable[first : first + size], first, len(learnable)

    def _block_size(self) -> int:
        return max(1, BLOCK_BYTES // problem_bytes(self.design, self.method))

    def _top(self, products: Products, chosen: Ints, done: int, of: int) -> LocalOptimum:
        beginning = MeritTask(
            self.design,
            products,
            self._merit(chosen),
            self.threads,
            kept_terms(self.selection, self.design.terms, chosen),
        )
        told = None
        if self.progress is not None:
            progress = self.progress

            def told(step: int, most: int) -> None:
                progress(done * most + step * len(chosen), of * most)

        return maximise(beginning, self.method, told)

    def _merit(self, chosen: Ints) -> Merit:
        members = self.tasks.labels.members[:, chosen].toarray()
        cases = np.where(members, np.int8(1), np.int8(-1))
        sharpness = self.method.sharpness if self.form.has_rivals else None
        return Merit(
            self.figure,
            cases,
            self.tasks.documents,
            sharpness=sharpness,
            capped=self.form.capped,
            absent=len(self.tasks.labels) - len(chosen) if self.form.has_rivals else 0,
            threads=self.threads,
        )

    def _accepted(self, products: Products, top: LocalOptimum) -> Floats:
        """The share of training documents that each category of a block accepts."""
        margins = np.asarray(top.weights.scores(products), dtype=np.float64)
        if top.sharpness is not None:
            rivals = Rivals(margins.shape[1], top.sharpness, self.form.capped)
            margins = rivals.combined(margins)
        counted = self.tasks.documents > 0
        return np.asarray((margins[counted] > 0).mean(axis=0), dtype=np.float64)

    def _report(
        self, top: LocalOptimum, at: int, category: int, accepted: float, seconds: float
    ) -> FitReport:
        weights = top.weights.terms[:, at]
        return FitReport(
            category=self.tasks.labels.names[category],
            members=int(self.tasks.sizes[category]),
            lam=self.method.lam,
            iterations=int(top.iterations[at]),
            objective=float(top.objectives[at]),
            certificate=float(top.certificates[at]),
            kind="slope left",
            stopped=top.stopped(at, self.method.asked_tolerance()),
            seconds=seconds,
            nonzeros=int(np.count_nonzero(weights)),
            note=NOTES.get(accepted, ""),
            shared=self.joint,
            **self._tried(top, at),
        )

    def _tried(self, top: LocalOptimum, at: int) -> dict[str, Any]:
        """What the starts came to, where there were several."""
        names = self.method.run_names()
        if len(names) == 1:
            return {}
        tried = dict(zip(names, top.tried[:, at].tolist(), strict=True))
        return {"start": names[int(top.starts[at])], "tried": tried}


def kept_terms(selection: Selection | None, terms: int, chosen: Ints) -> Floats | None:
    """Terms × problems, 0 where a category may not use a term; None where each may use all."""
    if selection is None:
        return None
    kept = np.zeros((terms, len(chosen)))
    for at, category in enumerate(chosen.tolist()):
        kept[selection[category], at] = 1.0
    return kept
