"""The kernel form of the dual methods: one-vs-rest over one matrix of products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil import _native
from postil.errors import UsageError
from postil.learn.category_tasks import CategoryTasks, Progress, within_range
from postil.learn.emphasis import Emphasis
from postil.learn.gram import as_rows, gram_matrix
from postil.learn.kernel_fit import KernelFit
from postil.learn.kernels import KernelFunction, Precomputed, kernel_from
from postil.learn.labels import Labels
from postil.learn.method import Method
from postil.learn.report import FitReport, warn_of_unfinished
from postil.learn.solvers import SOLVERS
from postil.learn.strength import Strengths
from postil.vectors.threads import thread_count

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

# 16,384 documents.
MOST_BYTES = 2 << 30


def fit_kernel(
    matrix: Any,  # noqa: ANN401 - sparse or dense
    labels: Labels,
    method: Method,
    kernel: str | KernelFunction = "linear",
    *,
    emphasis: Emphasis | None = None,
    strengths: Strengths | None = None,
    starts: Sequence[Floats] = (),
    threads: int | None = None,
    progress: Progress | None = None,
    quiet: bool = False,
    most_bytes: int = MOST_BYTES,
) -> KernelFit:
    """Learn every category with a kernel: ``λ‖w‖²`` in the kernel's space, as ``fit`` elsewhere.

    ``matrix`` is documents × terms, or with the kernel ``precomputed`` the products of all
    documents with each other. Memory is that of all products, 8 n² bytes for n documents (those
    of weight above 0), refused beyond ``most_bytes``; making them costs n² products, and a pass
    of the solver up to n² for each category.
    """
    function = kernel_from(kernel)
    _refuse_other_solvers(method)
    matrix = as_rows(matrix)
    if labels.documents != matrix.shape[0]:
        raise UsageError(f"there are {matrix.shape[0]} documents and labels of {labels.documents}")
    task = _Task(matrix, labels, method, function, emphasis or Emphasis())
    task.refuse_above(most_bytes)
    result = task.run(strengths, starts, thread_count(threads), progress)
    if not quiet:
        warn_of_unfinished(result.reports, method.solver_options().tolerance)
    return result


def _refuse_other_solvers(method: Method) -> None:
    if "kernels" not in SOLVERS[method.solver].provides:
        able = [solver.name for solver in SOLVERS.values() if "kernels" in solver.provides]
        raise UsageError(f"the solver {method.solver} has no kernel form: use {' or '.join(able)}")
    if method.regularization.is_norm_based:
        raise UsageError("a norm-based prior variance counts terms, and a kernel has none")


class _Task:
    """One call of ``fit_kernel``; documents of weight 0 are left out from the start."""

    def __init__(
        self,
        matrix: Any,  # noqa: ANN401 - sparse or dense
        labels: Labels,
        method: Method,
        kernel: KernelFunction,
        emphasis: Emphasis,
    ) -> None:
        self.matrix = matrix
        self.labels = labels
        self.method = method
        self.kernel = kernel
        every = emphasis.of_documents(labels.documents)
        self.present: Rows = np.flatnonzero(every)
        here = labels.of_documents(self.present)
        self.tasks = CategoryTasks(here, every[self.present], emphasis)
        self.learnable = self.tasks.learnable

    def refuse_above(self, most_bytes: int) -> None:
        count = len(self.present)
        if 8 * count * count > most_bytes:
            raise UsageError(
                f"a kernel matrix of {count} documents needs {8 * count * count / 2**30:.1f} GiB, "
                f"above the limit of {most_bytes / 2**30:.3g} GiB: learn from fewer documents, use "
                "a linear method, or raise most_bytes"
            )

    def run(
        self,
        strengths: Strengths | None,
        starts: Sequence[Floats],
        threads: int,
        progress: Progress | None,
    ) -> KernelFit:
        usual = self.method.regularization.strengths(len(self.labels))
        pairs = self.tasks.checked(strengths or usual, self.method)
        every = pairs[:, 0].sum(axis=1)
        fits = self._train(pairs, starts, threads, progress) if len(self.learnable) else None
        place = {int(category): at for at, category in enumerate(self.learnable)}
        rows, intercepts, reports, ends = [], [], [], []
        for category in range(len(self.labels)):
            at = place.get(category)
            if fits is None or at is None:
                rows.append(sp.csr_matrix((1, len(self.present))))
                intercepts.append(self.tasks.constant(category))
                reports.append(self.tasks.constant_report(category, every[category]))
                ends.append(np.empty(0))
                continue
            row = sp.csr_matrix(fits.factors(at)[None, :])
            rows.append(row)
            intercepts.append(fits.intercept(at))
            reports.append(self.tasks.report(category, every[category], fits, at, int(row.nnz)))
            ends.append(self._spread(fits.duals(at)))
        return self._kept(rows, np.array(intercepts), tuple(reports), tuple(ends))

    def _kept(
        self,
        rows: list[sp.csr_matrix[Any]],
        intercepts: Floats,
        reports: tuple[FitReport, ...],
        ends: tuple[Floats, ...],
    ) -> KernelFit:
        """Keep the documents that some category leans on, and no others."""
        shape = (0, len(self.present))
        factors = sp.csr_matrix(sp.vstack([sp.csr_matrix(shape), *rows], format="csr"))
        used = np.unique(factors.indices).astype(np.int64)
        places = self.present[used]
        return KernelFit(
            names=self.labels.names,
            kernel=self.kernel,
            support=None if isinstance(self.kernel, Precomputed) else self.matrix[places],
            support_rows=places,
            factors=factors[:, used],
            intercepts=intercepts,
            reports=reports,
            documents=int(self.matrix.shape[0]),
            starts=ends,
        )

    def _spread(self, duals: Floats) -> Floats:
        """By document, those that were left out included; nothing stays nothing."""
        if not len(duals):
            return duals
        spread = np.zeros(self.labels.documents)
        spread[self.present] = duals
        return spread

    def _starts(self, given: Sequence[Floats]) -> list[Floats]:
        if not given:
            return []
        if len(given) != len(self.labels):
            raise UsageError(f"there are {len(self.labels)} categories and {len(given)} starts")
        chosen = [given[int(category)] for category in self.learnable]
        if any(len(start) not in (0, self.labels.documents) for start in chosen):
            raise UsageError("a start has a dual variable for each document")
        if not all(len(start) for start in chosen):  # the solver has none to start from
            return []
        return [np.ascontiguousarray(start[self.present]) for start in chosen]

    def _train(
        self,
        strengths: Floats,
        starts: Sequence[Floats],
        threads: int,
        progress: Progress | None,
    ) -> _native.Fits:
        gram = gram_matrix(self.matrix, self.kernel, self.present)
        assignment = self.tasks.assignment(strengths, self._starts(starts))
        told = self.tasks.told(progress)
        with within_range():
            fits = _native.train_by_kernel(gram, assignment, self.method.to_native(), threads, told)
        if progress is not None:
            progress(len(self.learnable), len(self.learnable))
        return fits
