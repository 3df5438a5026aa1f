"""The native calibration of a model fitted with logistic loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from scipy.special import expit

from postil.decide.inputs import Floats
from postil.decide.unfitted import Unfitted


@dataclass(frozen=True, slots=True)
class Logistic(Unfitted):
    """``1 / (1 + exp(-score))``: the score of a logistic model is the logarithm of the odds."""

    kind: ClassVar[str] = "logistic"
    help: ClassVar[str] = "1/(1+exp(-score)), native for logistic loss"

    def link(self, scores: Floats) -> Floats:
        """The share that the odds stand for."""
        probabilities: Floats = expit(scores)
        return probabilities
