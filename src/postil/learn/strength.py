"""How strongly weights are held back: a number for each category, said in one of three ways."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from postil.errors import UsageError

Floats = NDArray[np.float64]
Way = Literal["lam", "C", "prior_variance"]

# Beyond these the objective leaves double precision.
LEAST_LAMBDA, MOST_LAMBDA = 1e-100, 1e100


@dataclass(frozen=True, slots=True, eq=False)
class Strengths:
    """A strength for each category, or, points × categories, a path of them.

    With the share ρ of the absolute value in the prior (0 for Gaussian, 1 for Laplace, between
    them the elastic net's mix) and n documents, the prior of a weight w of mean 0 is a|w| + b w²:

    ==================  ==========================  =========================
    way                 a                           b
    ==================  ==========================  =========================
    ``lam`` = λ         ρ λ                         (1-ρ) λ
    ``C``               ρ / (nC)                    (1-ρ) / (2nC)
    ``prior_variance``  ρ √2/(nσ), σ² the variance  (1-ρ) / (2nσ²)
    ==================  ==========================  =========================

    λ is zhang-oles-2001's, C is LIBLINEAR's, the variance is genkin-lewis-madigan-2004's, whose
    Laplace hyperparameter √2/σ is 1/C.
    """

    way: Way
    values: Floats

    def __post_init__(self) -> None:
        values = np.asarray(self.values, dtype=np.float64)
        object.__setattr__(self, "values", values)
        if not (np.isfinite(values) & (values > 0)).all():
            raise UsageError(f"{self.way} is a finite number above 0 for each category")

    def pairs(self, documents: float, mix: float) -> Floats:
        """The strengths a and b on a last axis, for so many documents."""
        # Without documents there is nothing to weigh against: any strength will do.
        n = documents or 1.0
        with np.errstate(over="ignore", under="ignore"):
            absolute, squared = _AS_PAIR[self.way](self.values, n)
            pairs = np.stack([mix * absolute, (1.0 - mix) * squared], axis=-1)
        held = pairs.sum(axis=-1)
        if held.size and not ((held >= LEAST_LAMBDA) & (held <= MOST_LAMBDA)).all():
            least, most = f"{held.min():g}", f"{held.max():g}"
            span = least if least == most else f"{least} to {most}"
            raise UsageError(
                f"λ is from {LEAST_LAMBDA:g} to {MOST_LAMBDA:g}, not {span} (C is 1/(2λn) for a "
                "Gaussian and 1/(λn) for a Laplace prior, for n documents)"
            )
        return np.ascontiguousarray(pairs)


def _by_lambda(values: Floats, n: float) -> tuple[Floats, Floats]:  # noqa: ARG001 - one form for all
    return values, values


def _by_c(values: Floats, n: float) -> tuple[Floats, Floats]:
    return 1.0 / (n * values), 1.0 / (2.0 * n * values)


def _by_variance(values: Floats, n: float) -> tuple[Floats, Floats]:
    return np.sqrt(2.0 / values) / n, 1.0 / (2.0 * n * values)


_AS_PAIR = {"lam": _by_lambda, "C": _by_c, "prior_variance": _by_variance}
