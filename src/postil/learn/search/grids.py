"""Grids of strengths: the papers' grids, and the order and spacing of strengths of any way."""

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
    """Return the default grid of a way; ``share`` is the prior's of the absolute value."""
    variances = LAPLACE_VARIANCES if share > 0 else GAUSSIAN_VARIANCES
    return {"lam": PAPER_GRID, "C": COSTS, "prior_variance": variances}[over]


def checked_grid(grid: Any) -> tuple[float, ...]:  # noqa: ANN401 - perhaps from a file
    """Return the numbers of a grid; raise UsageError unless they are finite, above 0 and unique."""
    try:
        strengths = tuple(float(value) for value in grid)
    except (TypeError, ValueError):
        raise UsageError(f"a grid must be a list of numbers, or {AUTO!r}, not {grid!r}") from None
    if not all(math.isfinite(value) and value > 0 for value in strengths):
        raise UsageError(f"the numbers of a grid must be finite and above 0, not {grid!r}")
    if not strengths or len(set(strengths)) != len(strengths):
        raise UsageError(f"a grid needs one number or more, and none twice, not {grid!r}")
    return strengths


def exponent(way: Way, share: float) -> float:
    """Return the power of a strength's number that λ is proportional to.

    λ ~ C⁻¹; with the variance, λ ~ (σ²)^-½ for what is held by its absolute value and (σ²)⁻¹ for
    what is held by its square.
    """
    if way == "lam":
        return 1.0
    return -0.5 if way == "prior_variance" and share > 0 else -1.0


def weaker(values: Floats, factors: Any, way: Way, share: float) -> Floats:  # noqa: ANN401
    """Return the strengths whose λ is ``factors`` times as large; the two are broadcast."""
    result: Floats = values * np.asarray(factors, dtype=np.float64) ** (1 / exponent(way, share))
    return result


def spaced(points: int, ratio: float) -> Floats:
    """Return shares of λ from 1 down to ``ratio``, evenly spaced by their logarithms."""
    result: Floats = ratio ** np.linspace(0.0, 1.0, points)
    return result


def check_spacing(points: object, ratio: float | None) -> None:
    """Raise UsageError unless there are points and the ratio is between 0 and 1."""
    check_whole("points", points, 1)
    if ratio is not None and not (math.isfinite(ratio) and 0 < ratio < 1):
        raise UsageError(f"ratio must be a number above 0 and under 1, not {ratio!r}")


def check_whole(name: str, value: object, least: int) -> None:
    """Raise UsageError unless the value is a whole number that is large enough."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise UsageError(f"{name} must be a whole number of at least {least}, not {value!r}")


def strong_first(values: Floats, way: Way) -> Floats:
    """Sort strengths on the first axis, the strongest first."""
    rising = np.sort(values, axis=0)
    return rising[::-1] if way == "lam" else rising


def of_lambda(lam: Floats, way: Way, documents: float, share: float) -> Floats:
    """Return the strengths of a way whose prior is as strong as λ's.

    Where the prior has an absolute value, that is as strong; the three ways penalise the squares
    of an elastic net differently.
    """
    scale = (documents or 1.0) * lam
    if way == "lam":
        return lam
    if share == 0:
        return 0.5 / scale
    return 1.0 / scale if way == "C" else 2.0 / scale**2
