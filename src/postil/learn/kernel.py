"""Kernels: products of documents in a space that need not be written down.

A kernel is a function of two matrices of documents (rows) to the matrix of their products, dense,
rows of the first × rows of the second. Those here are named by a spec, such as ``rbf(0.5)`` or
``polynomial(degree=2, offset=1)``; any function of that shape will do, as long as the product of
two documents depends on these two alone and the matrix of all is positive semi-definite.

Kernel matrices: the products of documents, made block by block and checked.

What learning with a kernel gives: scores are sums of products with training documents.

The kernel form of the dual methods: one-vs-rest over one matrix of products.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, ClassVar, Protocol

import numpy as np
import scipy.sparse as sp

from postil import _native
from postil.common.progress import Progress
from postil.common.suggest import advice
from postil.common.threads import thread_count
from postil.common.types import Floats, Ints
from postil.errors import InputError, SpecError, UsageError
from postil.learn.category_tasks import CategoryTasks, within_range
from postil.learn.fit import FitReport, warn_of_unfinished
from postil.learn.job import Labels, SampleWeights
from postil.learn.method import Method
from postil.learn.solvers import SOLVERS
from postil.learn.strength import Strengths

KernelFunction = Callable[[Any, Any], Any]


class NamedKernel(Protocol):
    """A kernel with a name, a formula for people and parameters that are its fields."""

    name: ClassVar[str]
    formula: ClassVar[str]

    def __call__(self, first: Any, second: Any) -> Floats:  # noqa: ANN401
        """The products of the rows of two matrices."""


@dataclass(frozen=True, slots=True)
class Linear:
    """The plain product: what the linear forms learn with."""

    name: ClassVar[str] = "linear"
    formula: ClassVar[str] = "x·y"

    def __call__(self, first: Any, second: Any) -> Floats:  # noqa: ANN401
        """The products of the rows of two matrices."""
        return _products(first, second)


@dataclass(frozen=True, slots=True)
class Polynomial:
    """All products of up to ``degree`` terms; without an offset of exactly so many."""

    name: ClassVar[str] = "polynomial"
    formula: ClassVar[str] = "(scale x·y + offset)^degree"
    degree: int = 3
    offset: float = 1.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.degree) and self.degree >= 1 and self.degree % 1 == 0):
            raise UsageError(f"degree is a whole number of at least 1, not {self.degree!r}")
        object.__setattr__(self, "degree", int(self.degree))
        if not (math.isfinite(self.offset) and self.offset >= 0):
            raise UsageError(f"offset is a finite number of at least 0, not {self.offset!r}")
        _require_positive("scale", self.scale)

    def __call__(self, first: Any, second: Any) -> Floats:  # noqa: ANN401
        """The products of the rows of two matrices."""
        result: Floats = (self.scale * _products(first, second) + self.offset) ** self.degree
        return result


@dataclass(frozen=True, slots=True)
class Rbf:
    """The radial basis function: 1 for equal documents, falling with their distance."""

    name: ClassVar[str] = "rbf"
    formula: ClassVar[str] = "exp(-gamma ‖x - y‖²)"
    gamma: float = 1.0

    def __post_init__(self) -> None:
        _require_positive("gamma", self.gamma)

    def __call__(self, first: Any, second: Any) -> Floats:  # noqa: ANN401
        """The products of the rows of two matrices."""
        distances = -2.0 * _products(first, second)
        distances += _squared_norms(first)[:, None]
        distances += _squared_norms(second)
        np.maximum(distances, 0.0, out=distances)  # rounding makes small ones negative
        result: Floats = np.exp(-self.gamma * distances, out=distances)
        return result


@dataclass(frozen=True, slots=True)
class Precomputed:
    """The products are given: rows are documents, columns the training documents."""

    name: ClassVar[str] = "precomputed"
    formula: ClassVar[str] = "as given"

    def __call__(self, first: Any, second: Any) -> Floats:  # noqa: ANN401, ARG002
        """Refuse: there are no documents to make products of."""
        raise UsageError("a precomputed kernel is a matrix, and cannot be asked for products")


KERNELS: Mapping[str, type[NamedKernel]] = MappingProxyType(
    {kind.name: kind for kind in (Linear, Polynomial, Rbf, Precomputed)}
)

_SPEC = re.compile(r"\s*([\w-]+)\s*(?:\(([^()]*)\))?\s*")


def kernel_from(kernel: str | KernelFunction) -> KernelFunction:
    """The kernel that a spec names; a function is itself one.

    Parameters stand in the order of the kernel's fields, or by name: ``polynomial(2, offset=1)``.
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
    kind = KERNELS[name]
    try:
        return kind(**_arguments(kind, inside))
    except UsageError as error:
        raise SpecError(f"kernel {kernel!r}: {error}") from None


def kernel_name(kernel: KernelFunction) -> str:
    """The spec of a kernel, or the name of a function that has none."""
    if type(kernel) not in KERNELS.values():
        return str(getattr(kernel, "__name__", type(kernel).__name__))
    kind: Any = kernel
    inside = ", ".join(f"{f.name}={getattr(kind, f.name):.17g}" for f in fields(kind))
    return f"{kind.name}({inside})" if inside else str(kind.name)


def _arguments(kind: Any, inside: str | None) -> dict[str, float]:  # noqa: ANN401 - a dataclass
    known = [f.name for f in fields(kind)]
    given: dict[str, float] = {}
    texts = inside.split(",") if inside and inside.strip() else []
    if len(texts) > len(known):
        raise UsageError(f"{kind.name} takes {len(known)} numbers, not {len(texts)}")
    for place, text in enumerate(texts):
        name, separator, value = (part.strip() for part in text.rpartition("="))
        name = name if separator else known[place]
        if name not in known or name in given:
            what = "given twice" if name in given else f"not known{advice(name, known)}"
            raise UsageError(f"{name!r} is {what}")
        try:
            given[name] = float(value)
        except ValueError:
            raise UsageError(f"{name} is a number, not {value!r}") from None
    return given


def _require_positive(name: str, value: float) -> None:
    if not (math.isfinite(value) and value > 0):
        raise UsageError(f"{name} is a finite number above 0, not {value!r}")


def is_sparse(matrix: Any) -> bool:  # noqa: ANN401 - sparse or dense
    """Whether it is one of SciPy's; a plain answer, which narrows no type."""
    return bool(sp.issparse(matrix))


def _products(first: Any, second: Any) -> Floats:  # noqa: ANN401 - sparse or dense
    products = _doubles(first) @ _doubles(second).T
    return np.asarray(products.toarray() if is_sparse(products) else products)


def _squared_norms(matrix: Any) -> Floats:  # noqa: ANN401 - sparse or dense
    doubles = _doubles(matrix)
    squares = doubles.multiply(doubles) if is_sparse(doubles) else doubles * doubles
    return np.asarray(squares.sum(axis=1), dtype=np.float64).ravel()


def _doubles(matrix: Any) -> Any:  # noqa: ANN401 - sparse or dense
    return matrix.astype(np.float64, copy=False)


# Documents whose products are asked for at a time: a sparse product of all would take more memory
# than the matrix it fills.
BLOCK = 512


def gram_matrix(matrix: Any, kernel: KernelFunction, rows: Ints) -> Floats:  # noqa: ANN401
    """The products of some documents with each other, checked; made block by block."""
    if isinstance(kernel, Precomputed):
        gram = _precomputed(matrix, rows)
    else:
        documents = matrix if len(rows) == matrix.shape[0] else matrix[rows]
        gram = np.empty((len(rows), len(rows)))
        for begin in range(0, len(rows), BLOCK):
            block = documents[begin : begin + BLOCK]
            gram[begin : begin + BLOCK] = products_of(kernel, block, documents)
    _require_kernel(gram, kernel)
    return gram


def _precomputed(matrix: Any, rows: Ints) -> Floats:  # noqa: ANN401 - sparse or dense
    if matrix.shape[0] != matrix.shape[1]:
        raise UsageError(
            f"a precomputed kernel is square, training documents × training documents, not "
            f"{matrix.shape[0]} × {matrix.shape[1]}"
        )
    whole = len(rows) == matrix.shape[0]
    return np.ascontiguousarray(as_dense(matrix if whole else matrix[rows][:, rows]))


def _require_kernel(gram: Floats, kernel: KernelFunction) -> None:
    """Finite, symmetric, nothing negative on the diagonal; that is all n² steps can tell."""
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


def products_of(kernel: KernelFunction, first: Any, second: Any) -> Floats:  # noqa: ANN401
    """The products that a kernel gives, dense, if they have the right shape."""
    products = as_dense(kernel(first, second))
    expected = (first.shape[0], second.shape[0])
    if products.shape != expected:
        raise UsageError(
            f"the kernel {kernel_name(kernel)} gave a matrix of shape {products.shape} for "
            f"{expected[0]} and {expected[1]} documents: it gives rows × rows"
        )
    return products


def as_rows(matrix: Any) -> Any:  # noqa: ANN401 - sparse or dense
    """Rows that can be cut out: CSR, or a NumPy matrix."""
    if is_sparse(matrix):
        return matrix.tocsr()
    dense = np.asarray(matrix)
    if dense.ndim != 2:
        raise UsageError(f"documents are a matrix, not an array of {dense.ndim} dimensions")
    return dense


def as_dense(matrix: Any) -> Floats:  # noqa: ANN401 - sparse or dense
    """A NumPy matrix of doubles."""
    return np.asarray(matrix.toarray() if is_sparse(matrix) else matrix, dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class KernelFit:
    """What learning with a kernel gives.

    The score of category c is ``Σᵢ factors[c, i] K(x, supportᵢ) + intercepts[c]``. Only documents
    with a factor in some category are kept: ``support`` holds them (None if the kernel is
    precomputed), ``support_rows`` their places among the training documents. A report's
    ``nonzeros`` is the number of its category's support documents.
    """

    names: tuple[str, ...]
    kernel: KernelFunction
    support: Any
    support_rows: Ints
    factors: sp.csr_matrix[Any]
    intercepts: Floats
    reports: tuple[FitReport, ...]
    documents: int
    starts: tuple[Floats, ...] = ()

    def scores(self, new: Any) -> Floats:  # noqa: ANN401 - sparse or dense, or products
        """Scores of documents: documents × categories.

        With a precomputed kernel ``new`` is the products of new documents (rows) with all
        training documents (columns). Cost: a product for each new and each support document.
        """
        new = as_rows(new)
        if isinstance(self.kernel, Precomputed) and new.shape[1] != self.documents:
            raise UsageError(
                f"products with all {self.documents} training documents are needed, one column "
                f"each, and there are {new.shape[1]} columns"
            )
        result = np.empty((new.shape[0], len(self.names)))
        for begin in range(0, new.shape[0], BLOCK):
            block = new[begin : begin + BLOCK]
            result[begin : begin + BLOCK] = self._products(block) @ self.factors.T
        return result + self.intercepts

    def _products(self, block: Any) -> Floats:  # noqa: ANN401 - sparse or dense
        if isinstance(self.kernel, Precomputed):
            return as_dense(block[:, self.support_rows])
        return products_of(self.kernel, block, self.support)


# 16,384 documents.
MOST_BYTES = 2 << 30


def fit_kernel(
    matrix: Any,  # noqa: ANN401 - sparse or dense
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
    task = _Task(matrix, labels, method, function, sample_weights or SampleWeights())
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
        sample_weights: SampleWeights,
    ) -> None:
        self.matrix = matrix
        self.labels = labels
        self.method = method
        self.kernel = kernel
        every = sample_weights.of_documents(labels.documents)
        self.present: Ints = np.flatnonzero(every)
        here = labels.of_documents(self.present)
        self.tasks = CategoryTasks(here, every[self.present], sample_weights)
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
