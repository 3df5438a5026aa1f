"""Kernels: products of documents in a space that need not be written down.

A kernel is a function of two matrices of documents (rows) to the matrix of their products, dense,
rows of the first × rows of the second. Those here are named by a spec, such as ``rbf(0.5)`` or
``polynomial(degree=2, offset=1)``; any function of that shape will do, as long as the product of
two documents depends on these two alone and the matrix of all is positive semi-definite.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, ClassVar, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.errors import SpecError, UsageError
from postil.text.suggest import advice

Floats = NDArray[np.float64]
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
