"""Learning with kernels: one-vs-rest in the dual over one matrix of products.

A kernel is a function of two matrices of documents (rows) that returns the dense matrix of their
products, rows of the first × rows of the second. A spec such as ``rbf(0.5)`` names one of
:mod:`postil.learn.kernel_functions`; any function of that shape will do, as long as the product of
two documents depends on these two alone and the matrix of all products is positive semi-definite.
Scores are sums of products with training documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from postil import _native
from postil.common.progress import Progress
from postil.common.threads import thread_count
from postil.common.types import Floats, Ints
from postil.errors import InputError, UsageError
from postil.learn.fit import FitReport, warn_of_unfinished
from postil.learn.job import Labels, SampleWeights
from postil.learn.kernel_functions import (
    KernelFunction,
    Matrix,
    Precomputed,
    kernel_from,
    kernel_name,
)
from postil.learn.method import Method
from postil.learn.solvers import SOLVERS
from postil.learn.strength import Strengths
from postil.learn.tasks import CategoryTasks, within_range

# Documents whose products are made at a time: a sparse product of all documents would take more
# memory than the matrix it fills.
BLOCK = 512
# The memory limit of all products: 16,384 documents.
MOST_BYTES = 2 << 30


def _is_sparse(matrix: Matrix) -> bool:
    return bool(sp.issparse(matrix))


def _as_rows(matrix: Matrix) -> Any:  # noqa: ANN401
    """Return a matrix whose rows can be sliced: CSR, or a NumPy matrix."""
    if _is_sparse(matrix):
        return matrix.tocsr()
    dense = np.asarray(matrix)
    if dense.ndim != 2:
        raise UsageError(f"documents must be a matrix, got an array of {dense.ndim} dimensions")
    return dense


def _as_dense(matrix: Matrix) -> Floats:
    return np.asarray(matrix.toarray() if _is_sparse(matrix) else matrix, dtype=np.float64)


def gram_matrix(matrix: Matrix, kernel: KernelFunction, rows: Ints) -> Floats:
    """Return the checked products of some documents with each other, made block by block."""
    whole = len(rows) == matrix.shape[0]
    if isinstance(kernel, Precomputed):
        if matrix.shape[0] != matrix.shape[1]:
            raise UsageError(
                f"a precomputed kernel must be square, training documents × training documents, "
                f"got {matrix.shape[0]} × {matrix.shape[1]}"
            )
        gram = np.ascontiguousarray(_as_dense(matrix if whole else matrix[rows][:, rows]))
    else:
        documents = matrix if whole else matrix[rows]
        gram = np.empty((len(rows), len(rows)))
        for begin in range(0, len(rows), BLOCK):
            block = documents[begin : begin + BLOCK]
            gram[begin : begin + BLOCK] = _products_of(kernel, block, documents)
    _require_kernel(gram, kernel)
    return gram


def _require_kernel(gram: Floats, kernel: KernelFunction) -> None:
    """Raise InputError unless products are finite and symmetric with a diagonal of 0 or more."""
    name = kernel_name(kernel)
    if not np.isfinite(gram).all():
        raise InputError(f"the kernel {name} gave products that are not finite")
    for begin in range(0, len(gram), BLOCK):
        rows = gram[begin : begin + BLOCK]
        scale = float(np.abs(rows).max(initial=0.0))
        if not np.allclose(rows, gram[:, begin : begin + BLOCK].T, rtol=1e-6, atol=1e-9 * scale):
            raise InputError(f"the kernel {name} is not symmetric: K(x, y) must be K(y, x)")
    if (np.diagonal(gram) < 0).any():
        raise InputError(
            f"the kernel {name} is not positive semi-definite: some K(x, x) is below 0"
        )


def _products_of(kernel: KernelFunction, first: Matrix, second: Matrix) -> Floats:
    """Return the dense products that a kernel gives, if they have the right shape."""
    expected = (first.shape[0], second.shape[0])
    if 0 in expected:
        return np.empty(expected)
    products = _as_dense(kernel(first, second))
    if products.shape != expected:
        raise UsageError(
            f"the kernel {kernel_name(kernel)} gave a matrix of shape {products.shape} for "
            f"{expected[0]} and {expected[1]} documents: it must give rows × rows"
        )
    return products


@dataclass(frozen=True, slots=True, eq=False)
class KernelFit:
    """The result of :func:`fit_kernel`.

    The score of category c is ``Σᵢ factors[c, i] K(x, supportᵢ) + intercepts[c]``.

    Attributes
    ----------
    names : tuple of str
        The categories.
    kernel : callable
        The kernel.
    support : matrix or None
        The documents with a factor in some category; None if the kernel is precomputed.
    support_rows : array of int
        The places of the support documents among the training documents.
    factors : sparse matrix
        Categories × support documents.
    intercepts : array
        The constant's score of each category.
    reports : tuple of FitReport
        The report of each category; ``nonzeros`` is the number of its support documents.
    documents : int
        The number of training documents.
    starts : tuple of arrays
        Dual variables of each category, for a warm start.
    """

    names: tuple[str, ...]
    kernel: KernelFunction
    support: Matrix
    support_rows: Ints
    factors: sp.csr_matrix[Any]
    intercepts: Floats
    reports: tuple[FitReport, ...]
    documents: int
    starts: tuple[Floats, ...] = ()

    def scores(self, new: Matrix) -> Floats:
        """Return the scores of documents: documents × categories.

        With a precomputed kernel ``new`` holds the products of new documents (rows) with all
        training documents (columns). The cost is a product for each new and support document.
        """
        new = _as_rows(new)
        if isinstance(self.kernel, Precomputed) and new.shape[1] != self.documents:
            raise UsageError(
                f"a precomputed kernel needs products with all {self.documents} training "
                f"documents, one column each, got {new.shape[1]} columns"
            )
        result = np.empty((new.shape[0], len(self.names)))
        for begin in range(0, new.shape[0], BLOCK):
            block = new[begin : begin + BLOCK]
            if isinstance(self.kernel, Precomputed):
                products = _as_dense(block[:, self.support_rows])
            else:
                products = _products_of(self.kernel, block, self.support)
            result[begin : begin + BLOCK] = products @ self.factors.T
        return result + self.intercepts


def fit_kernel(
    matrix: Matrix,
    labels: Labels,
    method: Method,
    kernel: str | KernelFunction = "linear",
    *,
    sample_weights: SampleWeights | None = None,
    strengths: Strengths | None = None,
    starts: Sequence[Floats] = (),
    threads: int | None = None,
    progress: Progress | None = None,
    quiet: bool = False,
    most_bytes: int = MOST_BYTES,
) -> KernelFit:
    """Fit every category with a kernel and a penalty of ``λ‖w‖²`` in the kernel's space.

    For n documents of weight above 0, memory is 8 n² bytes for their products; making them costs n²
    products, and a pass of the solver up to n² for each category.

    Parameters
    ----------
    matrix : sparse or dense matrix
        Documents × terms, or with the kernel ``precomputed`` the products of all documents with
        each other.
    labels, method, sample_weights, strengths, threads, progress, quiet
        As for :class:`postil.learn.job.Job`.
    kernel : str or callable
        A spec, or a function of two matrices.
    starts : sequence of arrays
        The ``starts`` of an earlier fit, for a warm start.
    most_bytes : int
        The memory limit of the products.
    """
    (found,) = fit_kernel_path(
        matrix,
        labels,
        method,
        kernel,
        sample_weights=sample_weights,
        strengths=strengths,
        starts=starts,
        threads=threads,
        progress=progress,
        most_bytes=most_bytes,
    )
    if not quiet:
        warn_of_unfinished(found.reports, method.tolerance)
    return found


def fit_kernel_path(
    matrix: Matrix,
    labels: Labels,
    method: Method,
    kernel: str | KernelFunction,
    *,
    sample_weights: SampleWeights | None = None,
    strengths: Strengths | None = None,
    starts: Sequence[Floats] = (),
    threads: int | None = None,
    progress: Progress | None = None,
    most_bytes: int = MOST_BYTES,
) -> tuple[KernelFit, ...]:
    """Fit every category with one strength after the other, from the same products.

    The strengths are points × categories, or a single point; each fit starts from the one before.
    The parameters are those of :func:`fit_kernel`.
    """
    function = kernel_from(kernel)
    check_kernel_form(method)
    matrix = _as_rows(matrix)
    if labels.documents != matrix.shape[0]:
        raise UsageError(
            f"documents and labels must agree, got {matrix.shape[0]} documents and labels of "
            f"{labels.documents}"
        )
    weights = (sample_weights or SampleWeights()).of_documents(labels.documents)
    # Documents of weight 0 are left out from the start.
    present: Ints = np.flatnonzero(weights)
    needed = 8 * len(present) ** 2
    if needed > most_bytes:
        raise UsageError(
            f"a kernel matrix of {len(present)} documents needs {needed / 2**30:.1f} GiB, above "
            f"the limit of {most_bytes / 2**30:.3g} GiB: learn from fewer documents, use a linear "
            "method, or raise most_bytes"
        )
    here = labels.of_documents(present)
    classes = None if sample_weights is None else sample_weights.classes
    tasks = CategoryTasks(here, SampleWeights(weights[present], classes))
    usual = method.regularization.strengths(len(labels))
    pairs = tasks.pairs(strengths or usual, method)
    fits = None
    if len(tasks.learnable):
        gram = gram_matrix(matrix, function, present)
        assignment = tasks.assignment(pairs, _present_starts(starts, tasks, present, labels))
        with within_range():
            fits = _native.train_by_kernel(
                gram,
                assignment,
                method.to_native(),
                thread_count(threads),
                tasks.native_progress(progress),
            )
        if progress is not None:
            progress(len(tasks.learnable), len(tasks.learnable))
    return tuple(
        _kernel_fit(matrix, function, tasks, lambdas, present, fits, (point, pairs.shape[1]))
        for point, lambdas in enumerate(pairs.sum(axis=2).T)
    )


def check_kernel_form(method: Method) -> None:
    """Raise UsageError if a method cannot learn with a kernel."""
    if "kernels" not in SOLVERS[method.solver].provides:
        able = [solver.name for solver in SOLVERS.values() if "kernels" in solver.provides]
        raise UsageError(f"the solver {method.solver} has no kernel form: use {' or '.join(able)}")
    if method.regularization.is_norm_based:
        raise UsageError(
            "a norm-based prior variance counts terms, which a kernel does not have: give lam, C "
            "or prior_variance"
        )


def _present_starts(
    given: Sequence[Floats], tasks: CategoryTasks, present: Ints, labels: Labels
) -> list[Floats]:
    """Return the starts of learnable categories and present documents, or none."""
    if not given:
        return []
    if len(given) != len(labels):
        raise UsageError(f"there are {len(labels)} categories and {len(given)} starts")
    chosen = [given[int(category)] for category in tasks.learnable]
    if any(len(start) not in (0, labels.documents) for start in chosen):
        raise UsageError("a start must have a dual variable for each document")
    if not all(len(start) for start in chosen):  # the earlier solver kept none
        return []
    return [np.ascontiguousarray(start[present]) for start in chosen]


def _kernel_fit(
    matrix: Matrix,
    kernel: KernelFunction,
    tasks: CategoryTasks,
    strengths: Floats,
    present: Ints,
    fits: _native.Fits | None,
    point: tuple[int, int],
) -> KernelFit:
    """Gather the fits of one of the points; keep documents with a factor in some category."""
    this, points = point
    place = {int(category): at * points + this for at, category in enumerate(tasks.learnable)}
    rows = [sp.csr_matrix((0, len(present)))]
    intercepts, reports, ends = [], [], []
    for category in range(len(tasks.labels)):
        at = place.get(category)
        end = np.empty(0)
        if fits is None or at is None:
            rows.append(sp.csr_matrix((1, len(present))))
            intercepts.append(tasks.constant(category))
            reports.append(tasks.constant_report(category, strengths[category]))
        else:
            rows.append(sp.csr_matrix(fits.factors(at)[None, :]))
            intercepts.append(fits.intercept(at))
            nonzeros = int(rows[-1].nnz)
            reports.append(tasks.report(category, strengths[category], fits, at, nonzeros))
            if len(fits.duals(at)):
                end = np.zeros(matrix.shape[0])
                end[present] = fits.duals(at)
        ends.append(end)
    factors = sp.csr_matrix(sp.vstack(rows, format="csr"))
    used = np.unique(factors.indices).astype(np.int64)
    places = present[used]
    return KernelFit(
        names=tasks.labels.names,
        kernel=kernel,
        support=None if isinstance(kernel, Precomputed) else matrix[places],
        support_rows=places,
        factors=factors[:, used],
        intercepts=np.array(intercepts),
        reports=tuple(reports),
        documents=int(matrix.shape[0]),
        starts=tuple(ends),
    )
