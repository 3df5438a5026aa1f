"""The kernel form of the dual methods: one-vs-rest over one matrix of products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil import _native
from postil.errors import UsageError
from postil.learn.emphasis import Emphasis
from postil.learn.gram import as_rows, gram_matrix
from postil.learn.kernel_fit import KernelFit
from postil.learn.kernels import KernelFunction, Precomputed, kernel_from
from postil.learn.labels import Labels
from postil.learn.method import Method
from postil.learn.one_vs_rest import _KINDS, _STOPS, ALWAYS, NEVER, Progress
from postil.learn.report import FitReport, warn_of_unfinished
from postil.learn.solvers import SOLVERS
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
    lambdas: Floats | None = None,
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
    result = task.run(lambdas, starts, thread_count(threads), progress)
    if not quiet:
        warn_of_unfinished(result.reports, method.solver_options().tolerance)
    return result


def _refuse_other_solvers(method: Method) -> None:
    if "kernels" not in SOLVERS[method.solver].provides:
        able = [solver.name for solver in SOLVERS.values() if "kernels" in solver.provides]
        raise UsageError(f"the solver {method.solver} has no kernel form: use {' or '.join(able)}")


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
        self.documents = every[self.present]
        self.total = float(self.documents.sum())
        members = labels.of_documents(self.present).members
        self.by_category = members.tocsc()
        self.sizes = np.diff(self.by_category.indptr)
        inside = np.asarray(self.documents @ members.astype(np.float64)).ravel()
        self.member_weights, self.other_weights = emphasis.of_classes(inside, self.total)
        self.learnable = np.flatnonzero(
            (self.sizes > 0)
            & (self.sizes < len(self.present))
            & (self.member_weights > 0)
            & (self.other_weights > 0)
        )

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
        lambdas: Floats | None,
        starts: Sequence[Floats],
        threads: int,
        progress: Progress | None,
    ) -> KernelFit:
        every = self._lambdas(lambdas)
        fits = self._train(every, starts, threads, progress) if len(self.learnable) else None
        place = {int(category): at for at, category in enumerate(self.learnable)}
        rows, intercepts, reports, ends = [], [], [], []
        for category, name in enumerate(self.labels.names):
            at = place.get(category)
            members, lam = int(self.sizes[category]), float(every[category])
            if fits is None or at is None:
                rows.append(sp.csr_matrix((1, len(self.present))))
                counts = members > 0 and bool(self.member_weights[category] > 0)
                intercepts.append(ALWAYS if counts else NEVER)
                reports.append(_constant_report(name, members, lam, counts))
                ends.append(np.empty(0))
                continue
            row = sp.csr_matrix(fits.factors(at)[None, :])
            rows.append(row)
            intercepts.append(fits.intercept(at))
            reports.append(_report(name, members, lam, fits, at, int(row.nnz)))
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

    def _lambdas(self, given: Floats | None) -> Floats:
        if given is None:
            return np.full(len(self.labels), self.method.regularization.lambda_for(self.total))
        if given.shape != (len(self.labels),) or not (np.isfinite(given) & (given > 0)).all():
            raise UsageError("lambdas are one finite number above 0 for each category")
        return given

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
        lambdas: Floats,
        starts: Sequence[Floats],
        threads: int,
        progress: Progress | None,
    ) -> _native.Fits:
        chosen = self.learnable
        members = self.by_category[:, chosen]
        assignment = _native.Assignment(
            _native.Lists(
                members.indptr.astype(np.int64, copy=False),
                members.indices.astype(np.int32, copy=False),
            ),
            self.documents,
            self.member_weights[chosen],
            self.other_weights[chosen],
            lambdas[chosen],
            self._starts(starts),
        )
        gram = gram_matrix(self.matrix, self.kernel, self.present)
        tell = None if progress is None else (lambda done: progress(done, len(chosen)))
        fits = _native.train_by_kernel(gram, assignment, self.method.to_native(), threads, tell)
        if progress is not None:
            progress(len(chosen), len(chosen))
        return fits


def _report(
    name: str, members: int, lam: float, fits: _native.Fits, at: int, support: int
) -> FitReport:
    return FitReport(
        category=name,
        members=members,
        lam=lam,
        iterations=fits.iterations(at),
        objective=fits.objective(at),
        certificate=fits.certificate(at),
        kind=_KINDS[fits.kind(at)],
        stopped=_STOPS[fits.stop(at)],
        seconds=fits.seconds(at),
        nonzeros=support,
    )


def _constant_report(name: str, members: int, lam: float, counts: bool) -> FitReport:
    what = "nothing but members: always chosen" if counts else "no member: never chosen"
    return FitReport(
        category=name,
        members=members,
        lam=lam,
        iterations=0,
        objective=0.0,
        certificate=0.0,
        kind="exact",
        stopped="constant",
        seconds=0.0,
        nonzeros=0,
        note=f"the category has {what}",
    )
