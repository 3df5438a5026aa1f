"""The method of a recipe that learns with a kernel: one category against the rest, in the dual."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from postil.common.types import Floats, Ints
from postil.errors import UsageError
from postil.features.inputs import Csr
from postil.features.selection import Selection
from postil.learn.combining import KernelSums
from postil.learn.fit import LinearFit, unfinished
from postil.learn.job import Job
from postil.learn.kernel import MOST_BYTES, KernelFit, check_kernel_form, fit_kernel_path
from postil.learn.kernel_functions import ProductKernel, product_kernel
from postil.learn.method import BaseMethod, Method
from postil.learn.search.measures import HeldOut, SearchMeasure, Unseen
from postil.learn.solvers import InterceptKind
from postil.learn.strength import Regularization, Way


@dataclass(frozen=True)
class KernelMethod(BaseMethod):
    """A loss with a dual and a kernel: ``(1/n) Σ cᵢ loss(yᵢ (w·φ(xᵢ) + b)) + λ‖w‖²``.

    φ(x)·φ(y) is the kernel. The rows of a fit are the support documents, and its combination sums
    their kernels (:class:`postil.learn.combining.KernelSums`).

    Parameters
    ----------
    kernel : str
        The spec of a kernel that is a function of the product of two documents.
    loss, solver, regularization, intercept, constant, options, loss_options
        As for :class:`postil.learn.method.Method`; the solver must have a kernel form.
    """

    kernel: str = "polynomial(2)"
    loss: str = Method.loss
    solver: str = Method.solver
    regularization: Regularization = field(default_factory=Regularization)
    intercept: InterceptKind = "penalised"
    constant: float = 1.0
    options: Mapping[str, Any] = field(default_factory=dict)
    loss_options: Mapping[str, Any] = field(default_factory=dict)
    no_term_priors: ClassVar[str] = "a kernel has no weights of single terms, which priors are of"

    def __post_init__(self) -> None:
        check_kernel_form(self.linear)
        assert self.function

    @cached_property
    def function(self) -> ProductKernel:
        """The kernel."""
        return product_kernel(self.kernel)

    @cached_property
    def linear(self) -> Method:
        """The same method without its kernel."""
        return Method(
            self.loss,
            solver=self.solver,
            regularization=self.regularization,
            intercept=self.intercept,
            constant=self.constant,
            options=self.options,
            loss_options=self.loss_options,
        )

    @property
    def tolerance(self) -> float:
        """The bound of the certificate."""
        return self.linear.tolerance

    @property
    def calibrations(self) -> tuple[str, ...]:
        """The calibrations of these scores, the preferred one first."""
        return self.linear.calibrations

    def check_takes_strengths(self, way: str | None = None) -> None:
        """Raise UsageError if the method has no strength of this way."""
        self.linear.check_takes_strengths(way)

    def check_documents(self, count: int) -> None:
        """Raise UsageError if the products of all documents do not fit into memory."""
        most = int((MOST_BYTES / 8) ** 0.5)
        if count > most:
            raise UsageError(
                f"[learn] kernel: all products of {count} documents take {8 * count**2 / 2**30:.1f}"
                f" GiB, and the limit is {most} documents: learn from fewer (postil corpus split "
                'draws a sample), or use learner = "linear"'
            )

    def search_measure(self, name: str | None) -> SearchMeasure:
        """Return the measure of that name, by default F1, if the loss gives what it needs."""
        return self.linear.search_measure(name)

    @property
    def by_category(self) -> bool:
        """False: all categories are learned together."""
        return False

    def _fit(self, job: Job) -> LinearFit:
        (found,) = self._path(job)
        return found

    def tallies(self, job: Job, measure: SearchMeasure, unseen: Unseen) -> tuple[Floats, Ints]:
        """Learn paths of all categories, and count on documents not learned from."""
        fits = self._path(job)
        counts, left = [], []
        for fit in fits:
            scores = fit.scores(unseen.rows)
            held = HeldOut(scores, unseen.members, unseen.weights, self.linear)
            counts.append(measure.tally(held))
            ran_out = {id(report) for report in unfinished(fit.reports, self.tolerance)}
            left.append([id(report) in ran_out for report in fit.reports])
        return np.stack(counts), np.array(left, dtype=np.int64)

    def strongest(self, job: Job, way: Way) -> Floats:  # noqa: ARG002
        """Raise UsageError: the slopes of a kernel's weights are not computed."""
        raise UsageError(NO_AUTO)

    def _path(self, job: Job) -> tuple[LinearFit, ...]:
        fits = fit_kernel_path(
            with_terms(job.design.rows, job.selection),
            job.labels,
            self.linear,
            self.function,
            sample_weights=job.sample_weights,
            strengths=job.strengths,
            threads=job.threads,
            progress=job.progress,
        )
        return tuple(self._linear_fit(job, fit) for fit in fits)

    def _linear_fit(self, job: Job, found: KernelFit) -> LinearFit:
        """Return a fit whose rows are the support documents."""
        places = found.support_rows.tolist()
        ids = [job.design.ids[place] if job.design.ids else str(place + 1) for place in places]
        factors = found.factors
        return LinearFit(
            found.names,
            sp.csr_matrix(found.support, dtype=np.float64),
            np.zeros(len(places)),
            found.reports,
            combination=KernelSums(
                self.function, factors.indptr, factors.indices, factors.data, found.intercepts, ids
            ),
        )


NO_AUTO = 'a kernel has no weights to begin a path by: write grid = [1e-2, 1e-3, 1e-4], not "auto"'


def with_terms(matrix: Csr, selection: Selection | None) -> Csr:
    """Return the documents with the selected terms alone, which must be those of all categories."""
    if selection is None or not len(selection):
        return matrix
    if any(not np.array_equal(selection[0], selection[c]) for c in range(len(selection))):
        raise UsageError(ONE_SELECTION)
    kept = np.zeros(matrix.shape[1], dtype=matrix.dtype)
    kept[selection[0]] = 1.0
    chosen = sp.csr_matrix(matrix.multiply(kept))
    chosen.eliminate_zeros()
    chosen.sort_indices()
    return chosen


ONE_SELECTION = (
    "a kernel has one matrix of products for all categories, so that all must keep the same terms; "
    'write scope = "corpus", or leave the table out'
)
