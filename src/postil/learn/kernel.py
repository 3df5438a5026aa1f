"""Learning with kernels: one-vs-rest in the dual over one matrix of products.

A kernel is a function of two matrices of documents (rows) that returns the dense matrix of their
products, rows of the first × rows of the second. A spec such as ``rbf(0.5)`` or
``polynomial(degree=2, offset=1)`` names one of ``KERNELS``; any function of that shape will do, as
long as the product of two documents depends on these two alone and the matrix of all products is
positive semi-definite. Scores are sums of products with training documents.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, ClassVar, TypeAlias

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel

from postil import _native
from postil.common.progress import Progress
from postil.common.suggest import advice
from postil.common.threads import thread_count
from postil.common.types import Floats, Ints
from postil.errors import InputError, SpecError, UsageError
from postil.learn.fit import FitReport, warn_of_unfinished
from postil.learn.job import Labels, SampleWeights
from postil.learn.method import Method
from postil.learn.solvers import SOLVERS
from postil.learn.strength import Strengths
from postil.learn.tasks import CategoryTasks, within_range

Matrix: TypeAlias = Any  # sparse or dense
KernelFunction = Callable[..., Any]

# Documents whose products are made at a time: a sparse product of all documents would take more
# memory than the matrix it fills.
BLOCK = 512
# The memory limit of all products: 16,384 documents.
MOST_BYTES = 2 << 30


@dataclass(frozen=True, slots=True)
class Linear:
    """The plain product, which the linear forms learn with."""

    name: ClassVar[str] = "linear"
    formula: ClassVar[str] = "x·y"

    def __call__(self, first: Matrix, second: Matrix) -> Floats:
        """Return the products of the rows of two matrices."""
        return _pairwise(linear_kernel, first, second)


@dataclass(frozen=True, slots=True)
class Polynomial:
    """All products of up to ``degree`` terms; without an offset, of exactly ``degree`` terms."""

    name: ClassVar[str] = "polynomial"
    formula: ClassVar[str] = "(scale x·y + offset)^degree"
    degree: int = 3
    offset: float = 1.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.degree) and self.degree >= 1 and self.degree % 1 == 0):
            raise UsageError(f"degree must be a whole number of at least 1, got {self.degree!r}")
        object.__setattr__(self, "degree", int(self.degree))
        if not (math.isfinite(self.offset) and self.offset >= 0):
            raise UsageError(f"offset must be a finite number of at least 0, got {self.offset!r}")
        _require_positive("scale", self.scale)

    def __call__(self, first: Matrix, second: Matrix) -> Floats:
        """Return the products of the rows of two matrices."""
        settings = (self.degree, self.scale, self.offset)
        return _pairwise(polynomial_kernel, first, second, *settings)


@dataclass(frozen=True, slots=True)
class Rbf:
    """The radial basis function: 1 for equal documents, falling with their distance."""

    name: ClassVar[str] = "rbf"
    formula: ClassVar[str] = "exp(-gamma ‖x - y‖²)"
    gamma: float = 1.0

    def __post_init__(self) -> None:
        _require_positive("gamma", self.gamma)

    def __call__(self, first: Matrix, second: Matrix) -> Floats:
        """Return the products of the rows of two matrices."""
        return _pairwise(rbf_kernel, first, second, self.gamma)


@dataclass(frozen=True, slots=True)
class Precomputed:
    """Given products: rows are documents, columns the training documents."""

    name: ClassVar[str] = "precomputed"
    formula: ClassVar[str] = "as given"

    def __call__(self, first: Matrix, second: Matrix) -> Floats:  # noqa: ARG002
        """Raise UsageError, because a matrix of products has no documents to multiply."""
        raise UsageError("a precomputed kernel is a matrix and cannot make products")


NamedKernel: TypeAlias = Linear | Polynomial | Rbf | Precomputed
KERNELS: Mapping[str, type[NamedKernel]] = MappingProxyType(
    {kind.name: kind for kind in (Linear, Polynomial, Rbf, Precomputed)}
)

_SPEC = re.compile(r"\s*([\w-]+)\s*(?:\(([^()]*)\))?\s*")


def kernel_from(kernel: str | KernelFunction) -> KernelFunction:
    """Return the kernel that a spec names; a function is returned as it is.

    Parameters are given in the order of the kernel's fields, or by name:
    ``polynomial(2, offset=1)``.
    """
    if callable(kernel):
        return kernel
    match = _SPEC.fullmatch(kernel)
    if match is None:
        raise SpecError(
            f"kernel {kernel!r} does not parse: write a name and numbers, as in rbf(0.5)"
        )
    name, inside = match[1], match[2]
    if name not in KERNELS:
        raise SpecError(f"there is no kernel {name!r}{advice(name, sorted(KERNELS))}")
    kind: Callable[..., KernelFunction] = KERNELS[name]
    try:
        return kind(**_arguments(kind, inside))
    except UsageError as error:
        raise SpecError(f"kernel {kernel!r}: {error}") from None


def kernel_name(kernel: KernelFunction) -> str:
    """Return the spec of a kernel, or the name of a function without one."""
    if type(kernel) not in KERNELS.values():
        return str(getattr(kernel, "__name__", type(kernel).__name__))
    kind: Any = kernel
    inside = ", ".join(f"{f.name}={getattr(kind, f.name):.17g}" for f in fields(kind))
    return f"{kind.name}({inside})" if inside else str(kind.name)


def _arguments(kind: Any, inside: str | None) -> dict[str, Any]:  # noqa: ANN401 - a dataclass
    known = [f.name for f in fields(kind)]
    given: dict[str, float] = {}
    texts = inside.split(",") if inside and inside.strip() else []
    if len(texts) > len(known):
        raise UsageError(f"{kind.name} takes {len(known)} numbers, got {len(texts)}")
    for place, text in enumerate(texts):
        name, separator, value = (part.strip() for part in text.rpartition("="))
        name = name if separator else known[place]
        if name not in known or name in given:
            what = "given twice" if name in given else f"not known{advice(name, known)}"
            raise UsageError(f"{name!r} is {what}")
        try:
            given[name] = float(value)
        except ValueError:
            raise UsageError(f"{name} must be a number, got {value!r}") from None
    return given


def _require_positive(name: str, value: float) -> None:
    if not (math.isfinite(value) and value > 0):
        raise UsageError(f"{name} must be a finite number above 0, got {value!r}")


def _pairwise(function: KernelFunction, first: Matrix, second: Matrix, *settings: float) -> Floats:
    """Return scikit-learn's products in double precision."""
    products: Floats = function(
        first.astype(np.float64, copy=False), second.astype(np.float64, copy=False), *settings
    )
    return products


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
    function = kernel_from(kernel)
    _require_kernel_form(method)
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
    result = _kernel_fit(matrix, function, tasks, pairs[:, 0].sum(axis=1), present, fits)
    if not quiet:
        warn_of_unfinished(result.reports, method.tolerance)
    return result


def _require_kernel_form(method: Method) -> None:
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
) -> KernelFit:
    """Gather the fits, and keep the documents with a factor in some category."""
    place = {int(category): at for at, category in enumerate(tasks.learnable)}
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
