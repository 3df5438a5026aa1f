"""Grids of strengths: the papers', and how strengths of any way are ordered and spaced."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, get_args

import numpy as np

from postil.common.types import Floats
from postil.errors import UsageError
from postil.learn.strength import Way

# zhang-oles-2001, section 4.1: λ.
PAPER_GRID = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
# genkin-lewis-madigan-2004, section 4.4: the Laplace hyperparameter from 0.01 to 316 by √10, which
# is the variance 2/λ²; and the variances of a Gaussian prior.
LAPLACE_HYPERPARAMETERS = tuple(10.0 ** (k / 2) for k in range(-4, 6))
LAPLACE_VARIANCES = (2e4, 2e3, 2e2, 2e1, 2.0, 2e-1, 2e-2, 2e-3, 2e-4, 2e-5)
GAUSSIAN_VARIANCES = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4)
COSTS = (1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3)

AUTO = "auto"
WAYS: tuple[Way, ...] = get_args(Way)
SYMBOLS: Mapping[str, str] = MappingProxyType({"lam": "λ", "C": "C", "prior_variance": "σ²"})


def usual_grid(over: Way, share: float) -> tuple[float, ...]:
    """The grid of a way where none is given; ``share`` is the prior's of the absolute value."""
    variances = LAPLACE_VARIANCES if share > 0 else GAUSSIAN_VARIANCES
    return {"lam": PAPER_GRID, "C": COSTS, "prior_variance": variances}[over]


def checked_grid(grid: Any) -> tuple[float, ...]:  # noqa: ANN401 - perhaps from a file
    """The numbers of a grid; refused if they are not finite, above 0 and different."""
    try:
        strengths = tuple(float(value) for value in grid)
    except (TypeError, ValueError):
        raise UsageError(f"a grid is a list of numbers, or {AUTO!r}, not {grid!r}") from None
    if not all(math.isfinite(value) and value > 0 for value in strengths):
        raise UsageError(f"a grid is of finite numbers above 0, not {grid!r}")
    if not strengths or len(set(strengths)) != len(strengths):
        raise UsageError(f"a grid has one number or more and none twice, not {grid!r}")
    return strengths


def exponent(way: Way, share: float) -> float:
    """The power of a strength's number that λ goes with.

    λ ~ C⁻¹; with the variance, λ ~ (σ²)^-½ for what is held by its absolute value and (σ²)⁻¹ for
    what is held by its square.
    """
    if way == "lam":
        return 1.0
    return -0.5 if way == "prior_variance" and share > 0 else -1.0


def weaker(values: Floats, factors: Any, way: Way, share: float) -> Floats:  # noqa: ANN401
    """The strengths whose λ is ``factors`` times as large; the two are broadcast."""
    result: Floats = values * np.asarray(factors, dtype=np.float64) ** (1 / exponent(way, share))
    return result


def spaced(points: int, ratio: float) -> Floats:
    """So many shares of λ from 1 down to ``ratio``, evenly spaced by their logarithms."""
    result: Floats = ratio ** np.linspace(0.0, 1.0, points)
    return result


def check_spacing(points: object, ratio: float | None) -> None:
    """Refuse a number of points that is none, and a path that does not go down."""
    check_whole("points", points, 1)
    if ratio is not None and not (math.isfinite(ratio) and 0 < ratio < 1):
        raise UsageError(f"ratio is a number above 0 and under 1, not {ratio!r}")


def check_whole(name: str, value: object, least: int) -> None:
    """Refuse what is no whole number, or too small a one."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise UsageError(f"{name} is a whole number of at least {least}, not {value!r}")


def strong_first(values: Floats, way: Way) -> Floats:
    """Sort strengths on the first axis, the strongest first."""
    rising = np.sort(values, axis=0)
    return rising[::-1] if way == "lam" else rising


def of_lambda(lam: Floats, way: Way, documents: float, share: float) -> Floats:
    """The strengths of a way whose prior is as strong as λ's.

    It is the absolute value that is made the same where the prior has one: of an elastic net the
    three ways hold squares back differently.
    """
    n = documents or 1.0
    return (_OF_ABSOLUTE if share > 0 else _OF_SQUARED)[way](lam, n)


def _lam(lam: Floats, n: float) -> Floats:  # noqa: ARG001 - one form for all
    return lam


def _inverse(lam: Floats, n: float) -> Floats:
    return 1.0 / (n * lam)


def _half_inverse(lam: Floats, n: float) -> Floats:
    return 0.5 / (n * lam)


def _squared_inverse(lam: Floats, n: float) -> Floats:
    result: Floats = 2.0 / (n * lam) ** 2
    return result


_OF_ABSOLUTE = {"lam": _lam, "C": _inverse, "prior_variance": _squared_inverse}
_OF_SQUARED = {"lam": _lam, "C": _half_inverse, "prior_variance": _half_inverse}
