"""How strongly weights are held back: a number for each category, said in one of three ways.

How strongly weights are held back: one number, said in one of three ways, or found by a rule.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from postil.common.types import Floats
from postil.errors import UsageError

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


DEFAULT_C = 1.0
NORM_BASED: Literal["norm"] = "norm"


@dataclass(frozen=True, slots=True)
class Regularization:
    """At most one of λ, C and the prior variance; see :class:`Strengths` for what they mean.

    ``prior_variance="norm"`` is genkin-lewis-madigan-2004's norm-based value (eq. 29), which
    depends on the documents and on the terms of each category.
    """

    lam: float | None = None
    C: float | None = None
    prior_variance: float | Literal["norm"] | None = None

    def __post_init__(self) -> None:
        given = self.given()
        if len(given) > 1:
            raise UsageError(
                f"{' and '.join(given)} say the same thing in different ways: give one of them"
            )
        for name, value in given.items():
            if self.is_norm_based:
                continue
            if isinstance(value, str) or not (math.isfinite(value) and value > 0):
                also = f", or {NORM_BASED!r}" if name == "prior_variance" else ""
                raise UsageError(f"{name} is a finite number above 0{also}, not {value!r}")

    def given(self) -> dict[str, float | str]:
        """What was said, by name."""
        values = {"lam": self.lam, "C": self.C, "prior_variance": self.prior_variance}
        return {name: value for name, value in values.items() if value is not None}

    @property
    def is_norm_based(self) -> bool:
        """Whether the strength is found by a rule."""
        return self.prior_variance == NORM_BASED

    def strengths(self, categories: int) -> Strengths:
        """The same for so many categories; not for a rule, which has to see the documents."""
        (way, value), *_ = [*self.given().items(), ("C", DEFAULT_C)]
        return Strengths(cast("Way", way), np.full(categories, float(value)))
