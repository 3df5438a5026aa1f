"""Kernels: functions of two matrices of documents, by their specs.

A spec such as ``rbf(0.5)`` or ``polynomial(degree=2, offset=1)`` names one of ``KERNELS``. Those
that are functions of the plain product x·y alone (``ProductKernel``) can be learned by recipes and
kept in model files, where a support document is a row of weights.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, ClassVar, TypeAlias

import numpy as np

from postil.common.suggest import advice
from postil.common.types import Floats
from postil.errors import SpecError, UsageError

Matrix: TypeAlias = Any  # sparse or dense
KernelFunction = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Linear:
    """The plain product, which the linear forms learn with."""

    name: ClassVar[str] = "linear"
    formula: ClassVar[str] = "x·y"

    def __call__(self, first: Matrix, second: Matrix) -> Floats:
        """Return the products of the rows of two matrices."""
        return _pairwise("linear_kernel", first, second)

    def of_products(self, products: Floats) -> Floats:
        """Return the kernel of documents with these plain products."""
        return products

    def slopes(self, products: Floats) -> Floats:
        """Return (f(p) - f(0)) / p of each product p: what a unit of it adds."""
        return np.ones_like(products)


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
        return _pairwise("polynomial_kernel", first, second, *settings)

    def of_products(self, products: Floats) -> Floats:
        """Return the kernel of documents with these plain products."""
        found: Floats = (self.scale * products + self.offset) ** self.degree
        return found

    def slopes(self, products: Floats) -> Floats:
        """Return (f(p) - f(0)) / p of each product p: what a unit of it adds."""
        base = self.scale * products + self.offset
        found = np.zeros_like(products)
        for power in range(self.degree):  # (aᵈ - oᵈ) / (a - o) as a sum, which allows p = 0
            found = found * base + self.offset**power
        return self.scale * found


@dataclass(frozen=True, slots=True)
class Exponential:
    """All products of any number of terms; of documents of length 1, it is ``rbf(gamma)``."""

    name: ClassVar[str] = "exponential"
    formula: ClassVar[str] = "exp(2 gamma (x·y - 1))"
    gamma: float = 1.0

    def __post_init__(self) -> None:
        _require_positive("gamma", self.gamma)

    def __call__(self, first: Matrix, second: Matrix) -> Floats:
        """Return the products of the rows of two matrices."""
        return self.of_products(_pairwise("linear_kernel", first, second))

    def of_products(self, products: Floats) -> Floats:
        """Return the kernel of documents with these plain products."""
        found: Floats = np.exp(2 * self.gamma * (products - 1))
        return found

    def slopes(self, products: Floats) -> Floats:
        """Return (f(p) - f(0)) / p of each product p: what a unit of it adds."""
        some = np.where(products == 0, 1.0, products)
        grown = np.where(products == 0, 2 * self.gamma, np.expm1(2 * self.gamma * some) / some)
        found: Floats = math.exp(-2 * self.gamma) * grown
        return found


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
        return _pairwise("rbf_kernel", first, second, self.gamma)


@dataclass(frozen=True, slots=True)
class Precomputed:
    """Given products: rows are documents, columns the training documents."""

    name: ClassVar[str] = "precomputed"
    formula: ClassVar[str] = "as given"

    def __call__(self, first: Matrix, second: Matrix) -> Floats:  # noqa: ARG002
        """Raise UsageError, because a matrix of products has no documents to multiply."""
        raise UsageError("a precomputed kernel is a matrix and cannot make products")


ProductKernel: TypeAlias = Linear | Polynomial | Exponential
NamedKernel: TypeAlias = ProductKernel | Rbf | Precomputed
KERNELS: Mapping[str, type[NamedKernel]] = MappingProxyType(
    {kind.name: kind for kind in (Linear, Polynomial, Exponential, Rbf, Precomputed)}
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


def product_kernel(spec: str) -> ProductKernel:
    """Return the kernel that a spec names; raise SpecError unless x·y is all that it needs."""
    kernel = kernel_from(spec)
    if isinstance(kernel, ProductKernel):
        return kernel
    way_out = "write linear, polynomial(2) or exponential(0.5)"
    if isinstance(kernel, Rbf):
        way_out = (
            f"write exponential({kernel.gamma:g}), which is the same for documents of length 1 "
            '(norm = "l2" in [representation])'
        )
    raise SpecError(
        f"kernel {spec!r} needs more than the product x·y of two documents, which is what a model "
        f"knows of them: {way_out}"
    )


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


def _pairwise(function: str, first: Matrix, second: Matrix, *settings: float) -> Floats:
    """Return scikit-learn's products in double precision."""
    from sklearn.metrics import pairwise  # scoring a model does without it

    products: Floats = getattr(pairwise, function)(
        first.astype(np.float64, copy=False), second.astype(np.float64, copy=False), *settings
    )
    return products
