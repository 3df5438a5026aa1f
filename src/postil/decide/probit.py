"""The native calibration of a model fitted with the probit loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from scipy.special import ndtr

from postil.decide.inputs import Floats
from postil.decide.unfitted import Unfitted


@dataclass(frozen=True, slots=True)
class Probit(Unfitted):
    """``Φ(score)``, the normal distribution function: what a probit model means by its score."""

    kind: ClassVar[str] = "probit"
    help: ClassVar[str] = "Φ(score), native for probit loss"

    def link(self, scores: Floats) -> Floats:
        """The share of a normal distribution under the score."""
        probabilities: Floats = ndtr(scores)
        return probabilities
