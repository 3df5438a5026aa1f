"""How strongly weights are held back: one number, said in one of three ways, or found by a rule."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from postil.errors import UsageError
from postil.learn.strength import Strengths, Way

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
