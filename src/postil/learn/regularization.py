"""How strongly weights are held back: one number, said in one of three ways."""

from __future__ import annotations

import math
from dataclasses import dataclass

from postil.errors import UsageError

DEFAULT_C = 1.0


@dataclass(frozen=True, slots=True)
class Regularization:
    """Exactly one of λ, C and the prior variance, for n documents (the sum of their weights).

    ::

        (1/n) Σ loss + λ‖w‖²      C = prior_variance = 1/(2λn)

    λ is zhang-oles-2001's, C is LIBLINEAR's, the variance is genkin-lewis-madigan-2004's.
    """

    lam: float | None = None
    C: float | None = None
    prior_variance: float | None = None

    def __post_init__(self) -> None:
        given = self.given()
        if len(given) > 1:
            raise UsageError(
                f"{' and '.join(given)} say the same thing in different ways: give one of them"
            )
        for name, value in given.items():
            if not (math.isfinite(value) and value > 0):
                raise UsageError(f"{name} is a finite number above 0, not {value!r}")

    def given(self) -> dict[str, float]:
        """What was said, by name."""
        values = {"lam": self.lam, "C": self.C, "prior_variance": self.prior_variance}
        return {name: value for name, value in values.items() if value is not None}

    def lambda_for(self, documents: float) -> float:
        """λ for so many documents."""
        if self.lam is not None:
            return self.lam
        strength = self.C if self.C is not None else self.prior_variance
        # Without documents there is nothing to weigh against: any strength will do.
        return 1.0 / (2.0 * (strength or DEFAULT_C) * (documents or 1.0))
