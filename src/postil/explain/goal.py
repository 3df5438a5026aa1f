"""What it takes to flip a decision."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Goal:
    """The other side of a threshold: under it for an accepted document, else on it or over."""

    threshold: float
    accepted: bool

    @property
    def reachable(self) -> bool:
        """Whether any margin is on the other side: an infinite threshold has none."""
        return math.isfinite(self.threshold)

    @property
    def sign(self) -> float:
        """+1 where margins have to rise, -1 where they have to fall."""
        return -1.0 if self.accepted else 1.0

    def reached(self, margin: float) -> bool:
        """Whether the margin is on the other side."""
        return (margin >= self.threshold) != self.accepted

    def all_reached(self, margins: Floats) -> NDArray[np.bool_]:
        """Whether each margin is on the other side."""
        return np.not_equal(margins >= self.threshold, self.accepted)
