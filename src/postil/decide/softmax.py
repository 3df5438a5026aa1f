"""The native calibration of a polychotomous model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from postil.decide.inputs import Floats
from postil.decide.unfitted import Unfitted


@dataclass(frozen=True, slots=True)
class Softmax(Unfitted):
    """``exp(scoreₖ) / Σ exp(score)``: a document has exactly one category, and they sum to 1.

    Unlike the other calibrations this one looks at all categories of a document together.
    """

    kind: ClassVar[str] = "softmax"
    help: ClassVar[str] = "exp(score) over their sum, native for polychotomous learning"

    def link(self, scores: Floats) -> Floats:
        """Shares of a document's categories."""
        highest = scores.max(axis=1, keepdims=True, initial=-np.inf)
        with np.errstate(over="ignore", under="ignore"):
            powers: Floats = np.exp(scores - highest)
        powers /= powers.sum(axis=1, keepdims=True)
        return powers

    def log_probabilities(self, scores: ArrayLike) -> Floats:
        """Scores that may be compared between documents, which those of one document may be."""
        values = self.checked(scores)
        return values - np.logaddexp.reduce(values, axis=1, keepdims=True)
